// SPDX-License-Identifier: MIT OR Apache-2.0
//! A read of a BAR and the completions of the device that answer it.
use super::rules::Broken;
use super::tlp::{Completion, Status};

/// Completions of the device end at multiples of this if they do not end their request (2.3.1.1:
/// other than a root complex).
const DEVICE_RCB: u64 = 128;

/// A read of a BAR that is not answered, or not wholly.
#[derive(Debug, Clone)]
pub(crate) struct BarRead {
    /// Next octet's address.
    next: u64,
    left: u64,
    data: Vec<u8>,
}

/// A field of a completion and what the request demands of it.
fn must(field: &'static str, is: u64, must: u64) -> Result<(), Broken> {
    if is == must {
        Ok(())
    } else {
        Err(Broken::Misfit { field, is, must })
    }
}

impl BarRead {
    /// Of so many octets from an address on.
    pub(crate) fn new(addr: u64, octets: u64) -> Self {
        Self { next: addr, left: octets, data: vec![] }
    }

    /// Judges a completion by what came before it. What the read brought, if that ends it.
    pub(crate) fn take(&mut self, cpl: &Completion) -> Result<Option<Vec<u8>>, Broken> {
        // also one without data: as if it had been successful (2.2.9, 2.3.1.1)
        must("Byte Count", u64::from(cpl.count), self.left)?;
        must("Lower Address", u64::from(cpl.lower), self.next & 0x7F)?;
        let Some(data) = &cpl.data else {
            return match cpl.status {
                Status::Successful => Err(Broken::Misfit { field: "payload", is: 0, must: self.left }),
                Status::Unsupported | Status::Aborted => Ok(Some(vec![])),
                Status::Other(bits) => Err(Broken::Status(bits)),
            };
        };
        must("Completion Status with data", u64::from(cpl.status.bits()), 0)?;
        let skipped = self.next % 4;
        let have = (data.len() as u64 - skipped).min(self.left);
        if have < self.left {
            must("end (modulo the boundary)", (self.next + have) % DEVICE_RCB, 0)?;
        }
        must("payload", data.len() as u64, (skipped + have).next_multiple_of(4))?;
        self.data.extend(&data[skipped as usize..(skipped + have) as usize]);
        self.next += have;
        self.left -= have;
        Ok((self.left == 0).then(|| std::mem::take(&mut self.data)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDR: u64 = 0xF000_00C2;

    fn cpl(status: Status, count: u32, lower: u8, data: Option<usize>) -> Completion {
        let data = data.map(|octets| vec![7; octets]);
        Completion { completer: 0x300, status, count, requester: 0, tag: 1, lower, poisoned: false, data }
    }

    fn broken(status: Status, count: u32, lower: u8, data: Option<usize>) -> String {
        BarRead::new(ADDR, 6).take(&cpl(status, count, lower, data)).unwrap_err().to_string()
    }

    #[test]
    fn lawful_completions_end_the_read() {
        for status in [Status::Unsupported, Status::Aborted] {
            assert_eq!(BarRead::new(ADDR, 6).take(&cpl(status, 6, 0x42, None)), Ok(Some(vec![])));
        }
        assert_eq!(
            BarRead::new(ADDR, 6).take(&cpl(Status::Successful, 6, 0x42, Some(8))),
            Ok(Some(vec![7; 6]))
        );
        // in two, the second without data: the count is what is left
        let mut read = BarRead::new(ADDR + 0x3A, 8);
        assert_eq!(read.take(&cpl(Status::Successful, 8, 0x7C, Some(4))), Ok(None));
        assert_eq!(read.clone().take(&cpl(Status::Aborted, 4, 0, None)), Ok(Some(vec![])));
        assert!(read.take(&cpl(Status::Aborted, 8, 0x7C, None)).is_err());
    }

    #[test]
    fn a_completion_without_data_is_judged_like_one_with_data() {
        for status in [Status::Unsupported, Status::Aborted] {
            for count in [4, 5, 8, 4096] {
                let said = broken(status, count, 0x42, None);
                assert_eq!(
                    said,
                    format!("Byte Count of a completion is {count}, must be 6 (2.2.9, 2.3.1.1)")
                );
            }
            for lower in [0, 0x40, 0x43] {
                assert!(broken(status, 6, lower, None).starts_with("Lower Address of a completion is"));
            }
        }
        assert!(broken(Status::Successful, 6, 0x42, None).starts_with("payload of a completion is 0"));
        for bits in [2, 3, 5, 6, 7] {
            assert!(broken(Status::Other(bits), 6, 0x42, None).starts_with(&format!("status {bits} ")));
        }
        assert!(broken(Status::Aborted, 6, 0x42, Some(8)).starts_with("Completion Status with data"));
        assert!(broken(Status::Successful, 6, 0x42, Some(12)).starts_with("payload of a completion is 12"));
    }
}
