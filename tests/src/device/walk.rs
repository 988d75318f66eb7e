// SPDX-License-Identifier: MIT OR Apache-2.0
//! What walks share: waits that go on with what happens in each cycle, and the segments of a peer
//! of wrong CRCs.
use super::{rewrite, Nic};
use ferrowarp_sim::{Pair, Side};

/// Where TCP's payload begins in a frame of IPv4 without VLAN and options.
pub const TCP_PAYLOAD: usize = 14 + 20 + 20;
/// An FPDU of an RDMA Write of nothing, whose CRC is wrong: the check fails every four cycles.
pub const WRONG: [u8; 20] = [0, 14, 0xC1, 0x40, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0xBA, 0xD0, 0xBA, 0xD0];

/// The frame, of TCP over IPv4 without VLAN and options, with FPDUs of wrong CRCs as its payload,
/// from the first octet to the last.
pub fn wrong_crcs(frame: &[u8]) -> Vec<u8> {
    let octets = usize::from(u16::from_be_bytes([frame[16], frame[17]])) - 40;
    let words = octets / WRONG.len() * WRONG.len() / 2;
    let word = |n: usize| u16::from_be_bytes([WRONG[2 * n % 20], WRONG[2 * n % 20 + 1]]);
    (0..words).fold(frame.to_vec(), |frame, n| rewrite(&frame, TCP_PAYLOAD + 2 * n, word(n)))
}

/// Two hosts that walk.
pub trait Walk: Sized {
    /// The device of host `at`: 0 is A.
    fn nic(&mut self, at: usize) -> &mut Nic;

    /// One cycle, with all that happens in it.
    fn step(&mut self, pair: &mut Pair) -> Result<(), String>;

    /// Steps until something is so; the error names it after `most` cycles.
    fn until(
        &mut self,
        pair: &mut Pair,
        most: u64,
        what: &str,
        done: impl Fn(&Self) -> bool,
    ) -> Result<(), String> {
        let start = pair.a.cycle();
        while !done(self) {
            if pair.a.cycle() - start > most {
                return Err(format!("{what}: not after {most} cycles"));
            }
            self.step(pair)?;
        }
        Ok(())
    }

    /// Steps until the commands of both hosts are answered, none refused; the error comes after
    /// `most` cycles.
    fn answered(&mut self, pair: &mut Pair, most: u64) -> Result<(), String> {
        let start = pair.a.cycle();
        for at in 0..2 {
            while !self.nic(at).settled(pair.side(Side::BOTH[at])).map_err(|e| e.to_string())? {
                if pair.a.cycle() - start > most {
                    return Err(format!("a command of host {at} is not answered after {most} cycles"));
                }
                self.step(pair)?;
            }
        }
        Ok(())
    }
}
