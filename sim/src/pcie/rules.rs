// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a TLP of the device must be: the rules of the base specification that do not depend on what
//! went before.
use super::tlp::{kind, Completion, Dump, Request, Status};
use super::RcConfig;

/// How the device broke a rule of PCI Express: a fault of the hardware, which ends the case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("TLP: {broken}{dump}")]
pub struct Violation {
    /// The rule.
    pub broken: Broken,
    /// The TLP.
    pub dump: String,
}

/// A rule that a TLP broke; numbers in parentheses are sections of the base specification.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// The octets are not a TLP's.
    #[error("{0} octets are no header of whole dwords and its payload (2.1.2)")]
    Octets(usize),
    /// A kind that the device has no business with.
    #[error("Fmt and Type 0x{0:02x} is nothing that this device sends (2.2.1)")]
    Kind(u8),
    /// A field that must be 0.
    #[error("{field} is 0x{value:x}, must be 0 (2.2.1)")]
    NotZero {
        /// Which one.
        field: &'static str,
        /// Its value.
        value: u32,
    },
    /// The length of the header is not that of the payload.
    #[error("the header says {header} dwords, the TLP has {payload} (2.2.2)")]
    Length {
        /// Dwords of the header.
        header: u32,
        /// Dwords that came.
        payload: usize,
    },
    /// More payload than Max_Payload_Size.
    #[error("{octets} octets of payload exceed Max_Payload_Size {most} (2.2.2)")]
    Payload {
        /// Octets.
        octets: u64,
        /// Allowed.
        most: u64,
    },
    /// A read of more than Max_Read_Request_Size.
    #[error("a read of {octets} octets exceeds Max_Read_Request_Size {most} (2.2.7)")]
    ReadSize {
        /// Octets.
        octets: u64,
        /// Allowed.
        most: u64,
    },
    /// The request crosses 4 KiB.
    #[error("{dwords} dwords at 0x{addr:x} cross a boundary of 4 KiB (2.2.7)")]
    Page {
        /// Address.
        addr: u64,
        /// Dwords.
        dwords: u32,
    },
    /// Four dwords of header for an address below 4 GiB.
    #[error("0x{0:x} lies below 4 GiB and has a header of four dwords (2.2.4.1)")]
    FourDwords(u64),
    /// Byte enables that the length does not allow.
    #[error("first and last byte enables {first:04b} and {last:04b} with {dwords} dwords (2.2.5)")]
    ByteEnables {
        /// First DW Byte Enable.
        first: u8,
        /// Last DW Byte Enable.
        last: u8,
        /// Dwords.
        dwords: u32,
    },
    /// Not the id that the function has.
    #[error("{field} 0x{is:04x}, the function's is 0x{must:04x} (2.2.6.2)")]
    Id {
        /// Which one.
        field: &'static str,
        /// In the TLP.
        is: u16,
        /// Of the function.
        must: u16,
    },
    /// A request without leave.
    #[error("a request while Bus Master Enable is off (7.5.1.1)")]
    NotMaster,
    /// More tags than are allowed.
    #[error("tag {0}; without Extended Tags there are 32 (2.2.6.2)")]
    Tag(u8),
    /// A tag that is in use.
    #[error("tag {0} is used by a request that is not completed (2.2.6.2)")]
    TagInUse(u8),
    /// A request beyond the credits.
    #[error("a non-posted request while {0} are outstanding, beyond the credits (2.6.1)")]
    Credits(usize),
    /// A completion of nothing.
    #[error("a completion with requester 0x{requester:04x} and tag {tag} answers no request (2.3.2)")]
    Unexpected {
        /// Requester ID.
        requester: u16,
        /// Tag.
        tag: u8,
    },
    /// A status that a memory read is never completed with.
    #[error("status {0} ends no memory read (2.2.9: Configuration Request Retry is for configuration, others are reserved)")]
    Status(u8),
    /// A completion that does not fit its request.
    #[error("{field} of a completion is {is}, must be {must} (2.2.9, 2.3.1.1)")]
    Misfit {
        /// Which field.
        field: &'static str,
        /// In the TLP.
        is: u64,
        /// What the request demands.
        must: u64,
    },
}

/// A TLP of the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    /// A memory request.
    Request(Request),
    /// A completion.
    Completion(Completion),
}

/// Reads and judges a TLP.
pub fn judge(tlp: &[u8], config: &RcConfig) -> Result<Sent, Violation> {
    parse(tlp, config).map_err(|broken| Violation { broken, dump: Dump(tlp).to_string() })
}

fn zero(field: &'static str, value: u32) -> Result<(), Broken> {
    if value == 0 {
        Ok(())
    } else {
        Err(Broken::NotZero { field, value })
    }
}

/// A big-endian number.
fn number(octets: &[u8]) -> u64 {
    octets.iter().fold(0, |n, &o| n << 8 | u64::from(o))
}

fn parse(tlp: &[u8], config: &RcConfig) -> Result<Sent, Broken> {
    let fmt_type = *tlp.first().ok_or(Broken::Octets(0))?;
    let base = fmt_type & !kind::FOUR;
    let completes = matches!(fmt_type, kind::CPL | kind::CPLD);
    if !completes && !matches!(base, kind::MRD | kind::MWR) {
        return Err(Broken::Kind(fmt_type));
    }
    let four = !completes && fmt_type & kind::FOUR != 0;
    let header = if four { 16 } else { 12 };
    if tlp.len() < header || !tlp.len().is_multiple_of(4) {
        return Err(Broken::Octets(tlp.len()));
    }
    let word = |i: usize| number(&tlp[4 * i..4 * i + 4]) as u32;
    zero("traffic class with its reserved neighbours", word(0) >> 16 & 0xFF)?;
    zero("digest bit (no ECRC is enabled)", word(0) >> 15 & 1)?;
    zero("poison bit", word(0) >> 14 & 1)?;
    zero("attributes (relaxed ordering and no snoop are off)", word(0) >> 12 & 3)?;
    zero("address type", word(0) >> 10 & 3)?;
    let length = word(0) & 0x3FF;
    let dwords = if length == 0 { 1024 } else { length };
    let payload = (tlp.len() - header) / 4;
    let data = (fmt_type & kind::DATA != 0).then(|| tlp[header..].to_vec());
    let must = if data.is_some() { dwords as usize } else { 0 };
    if payload != must {
        return Err(Broken::Length { header: must as u32, payload });
    }
    if data.is_some() && 4 * u64::from(dwords) > config.max_payload() {
        return Err(Broken::Payload { octets: 4 * u64::from(dwords), most: config.max_payload() });
    }
    if completes {
        return completion(&word, data, config).map(Sent::Completion);
    }
    let addr = if four { u64::from(word(2)) << 32 | u64::from(word(3)) } else { u64::from(word(2)) };
    zero("address bits 1:0", addr as u32 & 3)?;
    let request = Request {
        requester: (word(1) >> 16) as u16,
        tag: (word(1) >> 8) as u8,
        addr,
        dwords,
        first_be: (word(1) & 0xF) as u8,
        last_be: (word(1) >> 4 & 0xF) as u8,
        data,
    };
    memory(&request, four, config)?;
    Ok(Sent::Request(request))
}

fn memory(request: &Request, four: bool, config: &RcConfig) -> Result<(), Broken> {
    let &Request { addr, dwords, first_be: first, last_be: last, .. } = request;
    if four && addr >> 32 == 0 {
        return Err(Broken::FourDwords(addr));
    }
    if addr % 4096 + 4 * u64::from(dwords) > 4096 {
        return Err(Broken::Page { addr, dwords });
    }
    // holes only in one dword, or in two of an aligned quadword
    let two = dwords == 2 && addr.is_multiple_of(8);
    let solid = matches!(first, 0x8 | 0xC | 0xE | 0xF) && matches!(last, 0x1 | 0x3 | 0x7 | 0xF);
    let lawful = match dwords {
        1 => last == 0,
        _ => first != 0 && last != 0 && (two || solid),
    };
    if !lawful {
        return Err(Broken::ByteEnables { first, last, dwords });
    }
    if request.requester != config.function {
        return Err(Broken::Id { field: "Requester ID", is: request.requester, must: config.function });
    }
    if request.data.is_none() {
        let octets = 4 * u64::from(dwords);
        if octets > config.max_read() {
            return Err(Broken::ReadSize { octets, most: config.max_read() });
        }
        if request.tag >= 32 {
            return Err(Broken::Tag(request.tag));
        }
    }
    Ok(())
}

fn completion(
    word: &impl Fn(usize) -> u32,
    data: Option<Vec<u8>>,
    config: &RcConfig,
) -> Result<Completion, Broken> {
    zero("Byte Count Modified", word(1) >> 12 & 1)?;
    zero("bit 7 of dword 2's last octet", word(2) >> 7 & 1)?;
    let completer = (word(1) >> 16) as u16;
    if completer != config.function {
        return Err(Broken::Id { field: "Completer ID", is: completer, must: config.function });
    }
    let count = word(1) & 0xFFF;
    Ok(Completion {
        completer,
        status: Status::of((word(1) >> 13) as u8),
        count: if count == 0 { 4096 } else { count },
        requester: (word(2) >> 16) as u16,
        tag: (word(2) >> 8) as u8,
        lower: (word(2) & 0x7F) as u8,
        poisoned: false,
        data,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> RcConfig {
        RcConfig { mps: 1, mrrs: 2, ..RcConfig::steady(6_400) }
    }

    fn write(addr: u64, length: usize) -> Vec<u8> {
        Request::new(config().function, 0, addr, length as u64, Some(&vec![7; length])).octets()
    }

    fn read(addr: u64, length: u64) -> Vec<u8> {
        Request::new(config().function, 3, addr, length, None).octets()
    }

    fn broken(tlp: &[u8]) -> Broken {
        judge(tlp, &config()).unwrap_err().broken
    }

    #[test]
    fn lawful_requests_pass() {
        for tlp in
            [write(0x1000, 256), write(0x1_0000_0FFF, 1), write(5, 6), read(0x2000, 512), read(0xFFC, 4)]
        {
            assert!(judge(&tlp, &config()).is_ok());
        }
    }

    #[test]
    fn each_rule_is_watched() {
        let changed = |mut tlp: Vec<u8>, at: usize, value: u8| {
            tlp[at] = value;
            tlp
        };
        let w = || write(0x1000, 8);
        assert_eq!(broken(&write(0x1000, 260)), Broken::Payload { octets: 260, most: 256 });
        assert_eq!(broken(&write(0xFFC, 8)), Broken::Page { addr: 0xFFC, dwords: 2 });
        assert_eq!(broken(&read(0x1001, 512)), Broken::ReadSize { octets: 516, most: 512 });
        assert_eq!(broken(&changed(w(), 0, 0x42)), Broken::Kind(0x42));
        assert!(matches!(broken(&changed(w(), 1, 0x10)), Broken::NotZero { value: 0x10, .. }));
        for bits in [0x80, 0x40, 0x20, 0x10, 0x08, 0x04] {
            assert!(matches!(broken(&changed(w(), 2, bits)), Broken::NotZero { .. }), "{bits:x}");
        }
        assert_eq!(broken(&changed(w(), 3, 3)), Broken::Length { header: 3, payload: 2 });
        assert!(matches!(broken(&changed(w(), 5, 9)), Broken::Id { .. }));
        assert!(matches!(broken(&changed(w(), 11, 1)), Broken::NotZero { field: "address bits 1:0", .. }));
        for be in [0x0F, 0xF0, 0x00] {
            assert!(matches!(broken(&changed(w(), 7, be)), Broken::ByteEnables { .. }), "{be:x}");
        }
        // holes are lawful in an aligned quadword, not in three dwords
        assert!(judge(&changed(w(), 7, 0x59), &config()).is_ok());
        assert!(matches!(broken(&changed(write(0x1000, 12), 7, 0xF7)), Broken::ByteEnables { .. }));
        assert!(matches!(broken(&changed(write(0x1004, 8), 7, 0xF1)), Broken::ByteEnables { .. }));
        assert!(matches!(broken(&changed(write(0x1000, 4), 7, 0x1F)), Broken::ByteEnables { .. }));
        assert_eq!(broken(&changed(read(0x1000, 4), 6, 32)), Broken::Tag(32));
        let mut four = write(0x1_0000_1000, 4);
        four[11] = 0;
        assert_eq!(broken(&four), Broken::FourDwords(0x1000));
        assert_eq!(broken(&w()[..11]), Broken::Octets(11));
        assert_eq!(broken(&[]), Broken::Octets(0));
        let text = judge(&changed(w(), 0, 0x42), &config()).unwrap_err().to_string();
        assert!(text.contains("0000: 42000002") && text.ends_with("20 octets"), "{text}");
    }
}
