// SPDX-License-Identifier: MIT OR Apache-2.0
//! Congestion marks of RFC 3168 in the header of an IP packet.
use super::tag::ether_type_at;

/// EtherTypes of IP.
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86DD;

/// Turns ECT into CE and says whether it did. A frame of a sender without ECN, or with CE already,
/// stays as it is; so does a frame without an IP header.
pub(super) fn mark(frame: &mut [u8]) -> bool {
    let Some((ether_type, at)) = ether_type_at(frame) else { return false };
    let Some(header) = frame.get_mut(at..) else { return false };
    match (ether_type, header) {
        (IPV4, [version, class, _, _, _, _, _, _, _, _, high, low, _, _, _, _, _, _, _, _, ..])
            if *version >> 4 == 4 =>
        {
            let before = u16::from_be_bytes([*version, *class]);
            if !turn(class, 0) {
                return false;
            }
            let after = u16::from_be_bytes([*version, *class]);
            let sum = updated(u16::from_be_bytes([*high, *low]), before, after);
            [*high, *low] = sum.to_be_bytes();
            true
        }
        // the traffic class lies over two octets
        (IPV6, [version, class, ..]) if *version >> 4 == 6 => turn(class, 4),
        _ => false,
    }
}

/// Turns the two bits of ECN that stand `shift` bits from the right.
fn turn(octet: &mut u8, shift: u32) -> bool {
    let capable = matches!(*octet >> shift & 3, 1 | 2);
    if capable {
        *octet |= 3 << shift;
    }
    capable
}

/// The checksum of a header in which one word changed (RFC 1624, equation 3): one that was wrong
/// stays wrong.
fn updated(sum: u16, before: u16, after: u16) -> u16 {
    let total = u32::from(!sum) + u32::from(!before) + u32::from(after);
    let folded = (total & 0xFFFF) + (total >> 16);
    !((folded & 0xFFFF) + (folded >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header whose checksum is that of RFC 1071 by hand: its words and the sum add up to 0xFFFF.
    const HEADER: [u8; 20] = [0x45, 0x02, 0, 0x54, 0, 1, 0, 0, 0x40, 6, 0x66, 0x9A, 10, 0, 0, 1, 10, 0, 0, 7];

    fn total(header: &[u8]) -> u32 {
        let sum: u32 = header.chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(w[1])).sum();
        (sum & 0xFFFF) + (sum >> 16)
    }

    fn ipv4(tags: &[u8], class: u8) -> Vec<u8> {
        let mut header = HEADER;
        header[1] = class;
        [&[2; 12], tags, &[8, 0], &header, &[0; 40]].concat()
    }

    #[test]
    fn both_kinds_of_ect_become_ce_behind_any_tags_and_the_checksum_follows() {
        assert_eq!(total(&HEADER), 0xFFFF);
        for tags in [&[][..], &[0x81, 0, 0, 5], &[0x88, 0xA8, 0, 5, 0x81, 0, 0x60, 9]] {
            let mut frame = ipv4(tags, 0x02);
            assert!(mark(&mut frame));
            let header = &frame[14 + tags.len()..34 + tags.len()];
            assert_eq!((header[1], total(header)), (3, 0xFFFF));
            assert!(!mark(&mut frame), "it is marked already");
        }
        let mut frame = ipv4(&[], 0xB9);
        assert!(mark(&mut frame));
        assert_eq!(frame[15], 0xBB, "the class of service stays");
        let mut frame = [&[2; 12][..], &[0x86, 0xDD, 0x6A, 0x93, 7, 8], &[0; 60]].concat();
        assert!(mark(&mut frame));
        assert_eq!(frame[14..18], [0x6A, 0xB3, 7, 8]);
    }

    #[test]
    fn a_sender_without_ecn_and_what_is_no_ip_stay_as_they_are() {
        let six = [&[2; 12][..], &[0x86, 0xDD, 0x60, 0x03], &[0; 60]].concat();
        let arp = [&[2; 12][..], &[8, 6], &[0x45, 0x01], &[0; 60]].concat();
        let cut = ipv4(&[], 2)[..33].to_vec();
        let other = [&[2; 12][..], &[8, 0], &[0x65, 0x02], &[0; 60]].concat();
        for frame in [ipv4(&[], 0), ipv4(&[], 0xFC), six, arp, cut, other, vec![], vec![0x81; 13]] {
            let mut after = frame.clone();
            assert!(!mark(&mut after));
            assert_eq!(after, frame);
        }
    }
}
