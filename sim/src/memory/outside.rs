// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets of a region: the bench's own, or those of somebody who uses them at the same time.
use std::fmt;
use std::sync::Arc;

/// Octets that live outside of the bench, such as a driver's memory. Their threads use them while
/// the device does, so every access must be safe beside theirs; of a store the last octet must
/// become visible last.
pub trait Octets: Send + Sync + fmt::Debug {
    /// Octets, at least one and always as many.
    fn len(&self) -> u64;

    /// Never.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies octets out. Only ranges inside are asked for. After an error the access is refused as
    /// if nothing were mapped there.
    fn load(&self, at: u64, into: &mut [u8]) -> Result<(), Unreached>;

    /// Copies octets in. Only ranges inside are asked for. After an error the access is refused as
    /// if nothing were mapped there, although some octets may have been stored.
    fn store(&self, at: u64, octets: &[u8]) -> Result<(), Unreached>;
}

/// Why octets outside of the bench are not reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreached {
    /// Their owner lets them be written only.
    #[error("may only be written")]
    NotReadable,
    /// Their owner was asked and said no.
    #[error("is refused by its owner")]
    Refused,
    /// Their owner was asked and said nothing, or is gone.
    #[error("belongs to an owner that does not answer")]
    NoAnswer,
}

/// Where the octets of a region are.
#[derive(Debug, Clone)]
pub(super) enum Store {
    /// Here.
    Own(Vec<u8>),
    /// There; a copy of the memory shares them.
    Outside(Arc<dyn Octets>),
}

impl Store {
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Own(octets) => octets.len() as u64,
            Self::Outside(octets) => octets.len(),
        }
    }

    /// A copy of octets inside of the region.
    pub(super) fn copy(&self, at: u64, n: u64) -> Result<Vec<u8>, Unreached> {
        match self {
            Self::Own(octets) => Ok(octets[at as usize..(at + n) as usize].to_vec()),
            Self::Outside(octets) => {
                let mut copy = vec![0; n as usize];
                octets.load(at, &mut copy).map(|()| copy)
            }
        }
    }

    /// Stores octets inside of the region.
    pub(super) fn store(&mut self, at: u64, new: &[u8]) -> Result<(), Unreached> {
        match self {
            Self::Own(octets) => octets[at as usize..at as usize + new.len()].copy_from_slice(new),
            Self::Outside(octets) => octets.store(at, new)?,
        }
        Ok(())
    }
}
