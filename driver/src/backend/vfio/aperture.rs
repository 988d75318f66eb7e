// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which addresses an IOMMU translates: fewer than 64 bits have, and the kernel refuses the others
//! only when they are mapped.
use vfio_bindings::bindings::vfio::{VFIO_IOMMU_INFO_CAPS, VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE};

/// Where the flags and the offset of the first capability stand in `vfio_iommu_type1_info`, and
/// what is behind it.
const FLAGS: usize = 4;
const FIRST: usize = 16;
const HEAD: usize = 24;
/// In `vfio_iommu_type1_info_cap_iova_range`: offset of the next capability, count of ranges,
/// ranges of 16 octets.
const NEXT: usize = 4;
const COUNT: usize = 8;
const RANGES: usize = 16;

/// What is not in these ranges, first and last of each. Ranges that are none are left out.
pub(super) fn outside(allowed: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut allowed: Vec<_> = allowed.iter().filter(|(first, last)| first <= last).copied().collect();
    allowed.sort_unstable();
    let mut gaps = vec![];
    // the first address of which nothing is known yet; none if there are no more
    let mut at = Some(0);
    for (first, last) in allowed {
        let Some(from) = at else { break };
        if first > from {
            gaps.push((from, first - 1));
        }
        at = last.checked_add(1).map(|behind| behind.max(from));
    }
    gaps.extend(at.map(|from| (from, u64::MAX)));
    gaps
}

/// The ranges of the answer to `VFIO_IOMMU_GET_INFO`; none if the kernel does not tell them.
pub(super) fn of_info(info: &[u8]) -> Option<Vec<(u64, u64)>> {
    let word = |at: usize| Some(u32::from_ne_bytes(info.get(at..at.checked_add(4)?)?.try_into().ok()?));
    let long = |at: usize| Some(u64::from_ne_bytes(info.get(at..at.checked_add(8)?)?.try_into().ok()?));
    if word(FLAGS)? & VFIO_IOMMU_INFO_CAPS == 0 {
        return None;
    }
    let mut at = word(FIRST)? as usize;
    while at >= HEAD {
        // number and version are 16 bits each
        let number = u16::from_ne_bytes(info.get(at..at + 2)?.try_into().ok()?);
        if u32::from(number) == VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE {
            let count = word(at + COUNT)? as usize;
            let range = |n: usize| Some((long(at + RANGES + 16 * n)?, long(at + RANGES + 16 * n + 8)?));
            return (0..count).map(range).collect();
        }
        // a chain that does not go on ends
        at = Some(word(at + NEXT)? as usize).filter(|next| *next > at)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_between_and_behind_ranges_is_outside() {
        assert_eq!(outside(&[(0, u64::MAX)]), []);
        assert_eq!(outside(&[]), [(0, u64::MAX)]);
        let gaps = outside(&[(0xfef0_0000, (1 << 39) - 1), (0, 0xfedf_ffff), (7, 3), (0x1000, 0x1fff)]);
        assert_eq!(gaps, [(0xfee0_0000, 0xfeef_ffff), (1 << 39, u64::MAX)]);
        assert_eq!(outside(&[(0x1000, u64::MAX), (0x2000, 0x3000)]), [(0, 0xfff)]);
    }

    /// An answer whose first capability is another one.
    fn info(ranges: &[(u64, u64)], next: u32) -> Vec<u8> {
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<_>>();
        let capability = |number: u16, next: u32| {
            [&number.to_ne_bytes()[..], &1_u16.to_ne_bytes(), &next.to_ne_bytes()].concat()
        };
        let mut octets = words(&[0, 3, 0x1000, 0, HEAD as u32, 0]);
        octets.extend([capability(3, next), words(&[65_535])].concat());
        octets.resize(40, 0);
        octets.extend([capability(1, 0), words(&[ranges.len() as u32, 0])].concat());
        octets.extend(
            ranges.iter().flat_map(|(first, last)| [first.to_ne_bytes(), last.to_ne_bytes()].concat()),
        );
        octets
    }

    #[test]
    fn the_kernels_ranges_are_read_and_whatever_it_says_is_survived() {
        let ranges = [(0, 0xfedf_ffff), (0xfef0_0000, (1 << 39) - 1)];
        let good = info(&ranges, 40);
        assert_eq!(of_info(&good), Some(ranges.to_vec()));
        assert_eq!(of_info(&info(&ranges, 24)), None, "a chain that is a ring");
        assert_eq!(of_info(&info(&ranges, 0)), None);
        assert_eq!(of_info(&info(&ranges, u32::MAX)), None);
        for cut in 0..good.len() {
            assert_eq!(of_info(&good[..cut]), None, "{cut}");
        }
        let mut plain = good;
        plain[FLAGS..FLAGS + 4].fill(0);
        assert_eq!(of_info(&plain), None);
    }
}
