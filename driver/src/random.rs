// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random octets of the system.
use rustix::io::Errno;
use rustix::rand::{getrandom, GetRandomFlags};

/// Fills all of `octets`. The error is the system's.
pub(crate) fn fill(mut octets: &mut [u8]) -> Result<(), Errno> {
    while !octets.is_empty() {
        match getrandom(&mut *octets, GetRandomFlags::empty()) {
            Ok(got) => octets = &mut octets[got..],
            Err(Errno::INTR) => {}
            Err(why) => return Err(why),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_octets_are_filled() {
        let mut octets = [0; 1000];
        fill(&mut octets).unwrap();
        // by chance such a run comes once in 2^500
        assert!(octets.windows(64).all(|run| run.iter().any(|&octet| octet != 0)));
        fill(&mut []).unwrap();
    }
}
