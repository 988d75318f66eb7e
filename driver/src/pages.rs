// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which addresses of this process are memory, and what may be done with it. The kernel is asked
//! about these addresses alone. `/proc/self/maps` has a line for each mapping of the process. That
//! file is read for the reason of a refusal, and where the kernel is older than 5.14.
use crate::dma::DmaError;
use std::fs;

/// Refuses octets that are not mapped, not readable, or not writable where a device is to write
/// them. The kernel would say so later, with less to go by; a device in this process would end it.
pub(crate) fn check(address: u64, octets: usize, writable: bool) -> Result<(), DmaError> {
    if is_there(address, octets, writable) {
        return Ok(());
    }
    let unreadable = |e: std::io::Error| DmaError::Unknown(e.to_string());
    judge(&fs::read_to_string("/proc/self/maps").map_err(unreadable)?, address, octets, writable)
}

/// Whether the kernel has all pages in place, as a device needs them, so that they may be read, and
/// written if `writable`.
fn is_there(address: u64, octets: usize, writable: bool) -> bool {
    if cfg!(miri) {
        return false;
    }
    // SAFETY: the call reads a number of the system.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as usize;
    let (first, within) = (address as usize, address as usize % page);
    let Some(whole) = octets.checked_add(within) else { return false };
    let populated = |advice| {
        // SAFETY: the call reads pages in and changes neither their octets nor their rights. The
        // kernel judges every address, also one that is nobody's.
        unsafe { libc::madvise((first - within) as *mut _, whole, advice) == 0 }
    };
    // pages that were written are not read in once more
    (!writable || populated(libc::MADV_POPULATE_WRITE)) && populated(libc::MADV_POPULATE_READ)
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

    /// Mappings that this test adds, half of what a process may have.
    const MAPPINGS: usize = 30_000;
    const LOOKS: u32 = 1_000;

    #[test]
    #[cfg(not(miri))] // which has no mappings
    fn the_cost_of_a_look_does_not_grow_with_the_mappings() {
        let octets = vec![7_u8; 10_000];
        let look = || check(octets.as_ptr() as u64, octets.len(), true).unwrap();
        let many = memmap2::MmapMut::map_anon(MAPPINGS * 4096).unwrap();
        for page in (0..MAPPINGS).step_by(2) {
            // SAFETY: the page is the test's own and nobody accesses it.
            let done =
                unsafe { libc::mprotect(many.as_ptr().add(page * 4096) as *mut _, 4096, libc::PROT_READ) };
            assert_eq!(done, 0);
        }
        let begun = std::time::Instant::now();
        (0..LOOKS).for_each(|_| look());
        // to read the maps takes 10 ms each time
        let each = begun.elapsed() / LOOKS;
        assert!(each < std::time::Duration::from_millis(1), "{each:?} with {MAPPINGS} mappings more");
        assert_eq!(octets, [7; 10_000]);
        let first = many.as_ptr() as u64;
        assert_eq!(check(first, 4096 * 3, true), Err(DmaError::ReadOnly { address: first }));
        check(first + 4096, 4096, true).unwrap();
    }
}
