// SPDX-License-Identifier: MIT OR Apache-2.0
//! Initial sequence numbers from which a forgotten SYN can be read back (RFC 4987 section 3.6): its
//! peer, its MSS and its window scale, and a keyed hash that nobody can guess. So the ACK of a
//! half-open connection that was given up opens it.
use super::isn::Secret;
use super::segment::{Segment, Tuple};
use crate::time::Ticks;
use ferrowarp_abi::types::SeqNum;

/// Microseconds of a slot; a cookie is good in its own and the next one.
const SLOT_US: u64 = 8_000_000;
/// MSS that a cookie can tell. What a peer says is rounded down.
const MSS: [u16; 8] = [64, 536, 1_220, 1_380, 1_440, 1_460, 4_036, 8_940];
/// In the place of a window scale: the peer has none.
const NO_SCALE: u8 = 15;

/// Ticks for which a cookie is good at most.
pub fn lifetime(tick_us: u32) -> u64 {
    2 * SLOT_US / u64::from(tick_us.max(1))
}

fn slot(now: Ticks, tick_us: u32) -> u64 {
    now.0.saturating_mul(u64::from(tick_us)) / SLOT_US
}

/// `low`: one bit of the slot, three of the MSS, four of the scale.
fn sealed(secret: &Secret, tuple: &Tuple, irs: SeqNum, slot: u64, low: u8) -> SeqNum {
    let hash = secret.cookie(tuple, irs, slot, low);
    SeqNum(hash << 8 | u32::from(low))
}

/// The sequence number that answers a SYN.
pub fn make(secret: &Secret, tuple: &Tuple, syn: &Segment, now: Ticks, tick_us: u32) -> SeqNum {
    let slot = slot(now, tick_us);
    let most = syn.mss_or(tuple.default_mss());
    let mss = MSS.iter().rposition(|mss| *mss <= most).unwrap_or(0);
    let scale = syn.scale.map_or(NO_SCALE, |scale| scale.min(14));
    let low = (slot as u8 & 1) << 7 | (mss as u8) << 4 | scale;
    sealed(secret, tuple, syn.seq, slot, low)
}

/// The SYN, and the sequence number that answered it, of the first segment after it.
pub fn read(
    secret: &Secret,
    tuple: &Tuple,
    first: &Segment,
    now: Ticks,
    tick_us: u32,
) -> Option<(Segment, SeqNum)> {
    let ack = first.ack.filter(|_| !first.syn && !first.rst)?;
    let (iss, irs) = (SeqNum(ack.0.wrapping_sub(1)), SeqNum(first.seq.0.wrapping_sub(1)));
    let (low, slot) = (iss.0 as u8, slot(now, tick_us));
    let slot = if slot as u8 & 1 == low >> 7 { slot } else { slot.checked_sub(1)? };
    if sealed(secret, tuple, irs, slot, low) != iss {
        return None;
    }
    let mss = MSS.get(usize::from(low >> 4 & 7)).copied();
    let scale = Some(low & 15).filter(|scale| *scale != NO_SCALE);
    Some((Segment { seq: irs, window: first.window, syn: true, mss, scale, ..Segment::default() }, iss))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_read_back_by_its_ack_alone_and_not_for_long() {
        let secret = Secret::new([3; 16]);
        let tuple = Tuple { local: ([10, 0, 0, 1], 7).into(), remote: ([10, 0, 0, 2], 9).into() };
        for (mss, told) in
            [(Some(1_460), 1_460), (Some(1_459), 1_440), (None, 536), (Some(0), 536), (Some(9), 64)]
        {
            for scale in [None, Some(0), Some(14)] {
                let syn = Segment { seq: SeqNum(u32::MAX), syn: true, mss, scale, ..Segment::default() };
                let iss = make(&secret, &tuple, &syn, Ticks(7_990), 1_000);
                let ack = Segment { seq: SeqNum(0), ack: Some(iss.plus(1)), window: 5, ..Segment::default() };
                let read_at = |ack: &Segment, now| read(&secret, &tuple, ack, Ticks(now), 1_000);
                for now in [7_990, 8_010, 15_999] {
                    let (again, number) = read_at(&ack, now).expect("a good cookie");
                    assert_eq!(
                        (again.seq, again.mss, again.scale, number),
                        (syn.seq, Some(told), scale, iss)
                    );
                }
                assert_eq!(read_at(&ack, 16_000), None, "too old");
                for bit in 0..32 {
                    let guess = Segment { ack: Some(SeqNum(iss.plus(1).0 ^ 1 << bit)), ..ack.clone() };
                    assert_eq!(read_at(&guess, 8_000), None, "bit {bit}");
                }
                assert_eq!(read_at(&Segment { seq: SeqNum(1), ..ack.clone() }, 8_000), None);
                assert_eq!(read_at(&Segment { rst: true, ..ack }, 8_000), None);
            }
        }
    }
}
