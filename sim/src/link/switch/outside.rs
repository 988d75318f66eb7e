// SPDX-License-Identifier: MIT OR Apache-2.0
//! A port of the switch whose far end is a program outside: wall time there, simulated time here.
use super::{PortFrame, SwitchPort};
use crate::eth::{Delivery, EthError, EthPort};
use crate::link::mac::on_wire;
use crate::link::{LinkConfig, FCS, MIN_FRAME, PREAMBLE};
use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;

/// Frames kept for a program that takes none; when there are more, the oldest is lost.
const MOST_LEAVING: usize = 4_096;

/// A TAP device, or a port of QEMU.
///
/// A frame of the program begins to arrive at the end of a block, and the next one behind it at the
/// line's rate. What does not fit into the next block stays with the kernel. A frame of the switch
/// is given to the program when its last octet has arrived.
pub struct OutsidePort {
    port: Box<dyn EthPort>,
    line: LinkConfig,
    /// Ends of the last two blocks.
    until_ps: [u64; 2],
    /// When the next frame may begin to arrive.
    free_ps: u64,
    /// Frames for the program by the time of their last octet and their order.
    leaving: BTreeMap<(u64, u64), Vec<u8>>,
    given: u64,
    untaken: u64,
}

impl OutsidePort {
    /// A port with a cable of this rate and delay.
    pub fn new(port: Box<dyn EthPort>, line: LinkConfig) -> Self {
        let (until_ps, free_ps, leaving, given, untaken) = Default::default();
        Self { port, line, until_ps, free_ps, leaving, given, untaken }
    }

    /// Gives the program the frames that have arrived.
    fn flush(&mut self, until_ps: u64) -> Result<(), EthError> {
        while let Some((_, data)) = self.leaving.first_key_value().filter(|(key, _)| key.0 <= until_ps) {
            match self.port.send(data)? {
                Delivery::Sent => {}
                Delivery::Unplugged => self.untaken += 1,
                Delivery::Busy if self.leaving.len() > MOST_LEAVING => self.untaken += 1,
                Delivery::Busy => break,
            }
            self.leaving.pop_first();
        }
        Ok(())
    }
}

impl SwitchPort for OutsidePort {
    fn line(&self) -> LinkConfig {
        self.line
    }

    fn take(&mut self, until_ps: u64) -> Result<Option<PortFrame>, EthError> {
        let [_, last_ps] = self.until_ps;
        if until_ps > last_ps {
            self.until_ps = [last_ps, until_ps];
            self.flush(until_ps)?;
        }
        let [begun_ps, _] = self.until_ps;
        let start_ps = self.free_ps.max(until_ps);
        // the next block is taken to be as long as the last one, if that was none that was passed
        // over
        let block_ps = (until_ps - begun_ps).min(self.line.delay_ns * 1_000);
        if start_ps - until_ps >= block_ps {
            return Ok(None);
        }
        let Some(mut data) = self.port.receive()? else { return Ok(None) };
        data.resize(data.len().max(MIN_FRAME as usize), 0);
        let octets = data.len() as u64;
        self.free_ps = start_ps + self.line.wire_ps(on_wire(octets));
        let at_ps = start_ps + self.line.wire_ps(PREAMBLE + octets + FCS);
        Ok(Some(PortFrame { at_ps, data, is_bad: self.port.is_spoilt() }))
    }

    /// A frame with a bad FCS never reaches a program.
    fn give(&mut self, PortFrame { at_ps, data, is_bad }: PortFrame) -> Result<(), EthError> {
        if !is_bad {
            let end_ps = at_ps + self.line.wire_ps(PREAMBLE + data.len() as u64 + FCS);
            self.leaving.insert((end_ps, self.given), data);
            self.given += 1;
        }
        Ok(())
    }

    fn due_ps(&self) -> Option<u64> {
        self.leaving.keys().map(|&(end_ps, _)| end_ps).next()
    }

    fn poll_fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.port.poll_fd())
    }

    fn untaken(&self) -> u64 {
        self.untaken
    }
}
