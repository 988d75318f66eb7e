// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which addresses of this process are memory, and what may be done with it: `/proc/self/maps`.
use crate::dma::DmaError;
use std::fs;

/// Refuses octets that are not mapped, not readable, or not writable where a device is to write
/// them. The kernel would say so later, with less to go by; a device in this process would end it.
pub(crate) fn check(address: u64, octets: usize, writable: bool) -> Result<(), DmaError> {
    let unreadable = |e: std::io::Error| DmaError::Unknown(e.to_string());
    judge(&fs::read_to_string("/proc/self/maps").map_err(unreadable)?, address, octets, writable)
}

fn judge(maps: &str, address: u64, octets: usize, writable: bool) -> Result<(), DmaError> {
    let end = address.checked_add(octets as u64).ok_or(DmaError::Size(octets))?;
    let mut at = address;
    for (first, behind, rights) in maps.lines().filter_map(line) {
        if at >= end {
            break;
        }
        if behind <= at {
            continue;
        }
        if first > at || !rights.starts_with('r') {
            break;
        }
        if writable && rights.as_bytes().get(1) != Some(&b'w') {
            return Err(DmaError::ReadOnly { address: at });
        }
        at = behind;
    }
    if at < end {
        return Err(DmaError::Unmapped { address: at });
    }
    Ok(())
}

/// First address, the one behind the last, and rights such as `rw-p`.
fn line(line: &str) -> Option<(u64, u64, &str)> {
    let (range, rest) = line.split_once(' ')?;
    let (first, behind) = range.split_once('-')?;
    let number = |digits| u64::from_str_radix(digits, 16).ok();
    Some((number(first)?, number(behind)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "1000-3000 r--p 00000000 08:01 1 /bin/x\n3000-5000 rw-p 00000000 00:00 0\n\
                        6000-7000 rw-p 00000000 00:00 0 [heap]\n7000-8000 ---p 00000000 00:00 0\n";

    #[test]
    fn octets_are_judged_by_every_page_that_they_touch() {
        assert_eq!(judge(MAPS, 0x1000, 0x4000, false), Ok(()));
        assert_eq!(judge(MAPS, 0x3fff, 0x1001, true), Ok(()));
        assert_eq!(judge(MAPS, 0x2fff, 2, true), Err(DmaError::ReadOnly { address: 0x2fff }));
        assert_eq!(judge(MAPS, 0x4fff, 2, true), Err(DmaError::Unmapped { address: 0x5000 }));
        assert_eq!(judge(MAPS, 0x6000, 0x1001, false), Err(DmaError::Unmapped { address: 0x7000 }));
        assert_eq!(judge(MAPS, 0xfff, 1, false), Err(DmaError::Unmapped { address: 0xfff }));
        assert_eq!(judge(MAPS, 0x9000, 1, false), Err(DmaError::Unmapped { address: 0x9000 }));
        assert_eq!(judge(MAPS, u64::MAX, 2, false), Err(DmaError::Size(2)));
    }

    #[test]
    fn this_process_knows_its_own_memory() {
        let octets = vec![0_u8; 10_000];
        check(octets.as_ptr() as u64, octets.len(), true).unwrap();
        let text = "constant";
        check(text.as_ptr() as u64, text.len(), false).unwrap();
        assert!(matches!(check(text.as_ptr() as u64, 1, true), Err(DmaError::ReadOnly { .. })));
        assert_eq!(check(8, 1, false), Err(DmaError::Unmapped { address: 8 }));
    }
}
