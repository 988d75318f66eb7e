// SPDX-License-Identifier: MIT OR Apache-2.0
//! ULPDUs by the names of their fields: headers of RFC 5041 section 4 and RFC 5040 section 4, in
//! plain code.
use super::value::{Names, Octets, Sum, Want};

/// A field: its name, its first bit from the start of the ULPDU, its bits.
type Field = (&'static str, usize, usize);

/// DDP's and RDMAP's control octets.
const CONTROL: [Field; 7] =
    [("t", 0, 1), ("l", 1, 1), ("rsvd", 2, 4), ("dv", 6, 2), ("rv", 8, 2), ("rrsvd", 10, 2), ("op", 12, 4)];
const TAGGED: [Field; 2] = [("stag", 16, 32), ("to", 48, 64)];
const UNTAGGED: [Field; 4] = [("inv", 16, 32), ("qn", 48, 32), ("msn", 80, 32), ("mo", 112, 32)];
const REQUEST: [Field; 5] = [
    ("sink-stag", 144, 32),
    ("sink-to", 176, 64),
    ("size", 240, 32),
    ("source-stag", 272, 32),
    ("source-to", 304, 64),
];
const TERMINATE: [Field; 7] = [
    ("layer", 144, 4),
    ("etype", 148, 4),
    ("code", 152, 8),
    ("m", 160, 1),
    ("d", 161, 1),
    ("r", 162, 1),
    ("trsvd", 163, 13),
];

/// A kind of message.
#[derive(Debug)]
pub struct Kind {
    /// As scripts name it.
    pub name: &'static str,
    /// Octets before the data.
    header: usize,
    fields: &'static [&'static [Field]],
    /// What fields are if a script does not say.
    preset: &'static [(&'static str, u64)],
}

const OF_TAGGED: &[&[Field]] = &[&CONTROL, &TAGGED];
const OF_UNTAGGED: &[&[Field]] = &[&CONTROL, &UNTAGGED];

const fn untagged(name: &'static str, preset: &'static [(&'static str, u64)]) -> Kind {
    Kind { name, header: 18, fields: OF_UNTAGGED, preset }
}

/// The kinds.
pub const KINDS: [Kind; 10] = [
    Kind {
        name: "write",
        header: 14,
        fields: OF_TAGGED,
        preset: &[("t", 1), ("l", 1), ("rsvd", 0), ("dv", 1), ("rv", 1), ("rrsvd", 0), ("op", 0)],
    },
    Kind {
        name: "response",
        header: 14,
        fields: OF_TAGGED,
        preset: &[("t", 1), ("l", 1), ("rsvd", 0), ("dv", 1), ("rv", 1), ("rrsvd", 0), ("op", 2)],
    },
    Kind {
        name: "request",
        header: 46,
        fields: &[&CONTROL, &UNTAGGED, &REQUEST],
        preset: &[
            ("t", 0),
            ("l", 1),
            ("rsvd", 0),
            ("dv", 1),
            ("rv", 1),
            ("rrsvd", 0),
            ("op", 1),
            ("inv", 0),
            ("qn", 1),
            ("mo", 0),
        ],
    },
    untagged("send", &SEND),
    untagged("send-inv", &SEND_INV),
    untagged("send-se", &SEND_SE),
    untagged("send-se-inv", &SEND_SE_INV),
    Kind {
        name: "terminate",
        header: 22,
        fields: &[&CONTROL, &UNTAGGED, &TERMINATE],
        preset: &[
            ("t", 0),
            ("l", 1),
            ("rsvd", 0),
            ("dv", 1),
            ("rv", 1),
            ("rrsvd", 0),
            ("op", 7),
            ("inv", 0),
            ("qn", 2),
            ("msn", 1),
            ("mo", 0),
            ("trsvd", 0),
        ],
    },
    Kind { name: "tagged", header: 14, fields: OF_TAGGED, preset: &[("t", 1)] },
    Kind { name: "untagged", header: 18, fields: OF_UNTAGGED, preset: &[("t", 0)] },
];

/// The presets of a Send with this opcode.
const fn sends(op: u64) -> [(&'static str, u64); 9] {
    [("t", 0), ("l", 1), ("rsvd", 0), ("dv", 1), ("rv", 1), ("rrsvd", 0), ("op", op), ("qn", 0), ("mo", 0)]
}

const SEND: [(&str, u64); 9] = sends(3);
const SEND_INV: [(&str, u64); 9] = sends(4);
const SEND_SE: [(&str, u64); 9] = sends(5);
const SEND_SE_INV: [(&str, u64); 9] = sends(6);

/// Fields of every kind that are no fields of a header.
pub const OTHERS: [&str; 3] = ["data", "octets", "cut"];

/// The kind of a name.
pub fn kind(name: &str) -> Result<&'static Kind, String> {
    let names = || KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
    KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| format!("`{name}` is none of {}", names()))
}

impl Kind {
    /// A field of its header.
    pub fn field(&self, name: &str) -> Option<Field> {
        self.fields.iter().flat_map(|fields| fields.iter()).find(|field| field.0 == name).copied()
    }

    /// A ULPDU whose fields are as preset, but for those that are named; `data` stands behind the
    /// header, `cut` is how many octets of the whole are there. `names` has what names stand for.
    pub fn build(&self, named: &[(String, String)], names: &Names) -> Result<Vec<u8>, String> {
        let mut octets = vec![0; self.header];
        for (name, value) in self.preset {
            set(&mut octets, self.field(name).expect("a preset field"), *value);
        }
        let mut cut = None;
        for (name, value) in named {
            match (self.field(name), name.as_str()) {
                (Some(field), _) => set(&mut octets, field, Sum::parse(value)?.of(names)?),
                (None, "cut") => cut = Some(Sum::parse(value)?.of(names)? as usize),
                (None, "data") => octets.extend(Octets::parse(value)?.of(names)?),
                _ => {}
            }
        }
        octets.truncate(cut.unwrap_or(usize::MAX));
        Ok(octets)
    }

    /// Whether a ULPDU is as preset and named; `octets` is how many are behind the header. A `$x`
    /// that stands for nothing is bound.
    pub fn check(&self, named: &[(String, String)], ulpdu: &[u8], names: &mut Names) -> Result<(), String> {
        if ulpdu.len() < self.header {
            return Err(format!("{} octets are no {}, at least {} are", ulpdu.len(), self.name, self.header));
        }
        let said = |name: &str| named.iter().any(|(other, _)| other == name);
        for (name, value) in self.preset.iter().filter(|(name, _)| !said(name)) {
            let seen = get(ulpdu, self.field(name).expect("a preset field"));
            if seen != *value {
                return Err(format!("{name} is {seen:#x}, not {value:#x}"));
            }
        }
        let data = &ulpdu[self.header..];
        for (name, value) in named {
            match (self.field(name), name.as_str()) {
                (Some(field), _) => Want::parse(value)?.check(name, get(ulpdu, field), names)?,
                (None, "octets") => Want::parse(value)?.check(name, data.len() as u64, names)?,
                (None, "data") => same(name, &Octets::parse(value)?.of(names)?, data)?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// Whether octets are those that are wanted; the error has the place.
pub fn same(what: &str, wanted: &[u8], seen: &[u8]) -> Result<(), String> {
    if wanted == seen {
        return Ok(());
    }
    let at = wanted.iter().zip(seen).take_while(|(a, b)| a == b).count();
    let part = |octets: &[u8]| {
        octets[at.min(octets.len())..].iter().take(16).map(|o| format!("{o:02x}")).collect::<String>()
    };
    Err(format!(
        "{what}: {} octets, not {}; at {at} stands {}, not {}",
        seen.len(),
        wanted.len(),
        part(seen),
        part(wanted)
    ))
}

fn set(octets: &mut [u8], (_, at, bits): Field, value: u64) {
    for n in 0..bits {
        let (place, bit) = (at + n, value >> (bits - 1 - n) & 1);
        let mask = 0x80 >> (place % 8);
        octets[place / 8] = octets[place / 8] & !mask | if bit == 1 { mask } else { 0 };
    }
}

fn get(octets: &[u8], (_, at, bits): Field) -> u64 {
    (at..at + bits).fold(0, |value, place| value << 1 | u64::from(octets[place / 8] >> (7 - place % 8) & 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpa_model::hex;

    fn named(text: &str) -> Vec<(String, String)> {
        crate::script::text::line(text).unwrap().fields
    }

    #[test]
    fn kinds_are_built_and_checked() {
        let mut names = Names::new();
        let send = kind("send").unwrap().build(&named("msn=1 data=hex:aa"), &names).unwrap();
        assert_eq!(send, hex("4143 00000000 00000000 00000001 00000000 aa"));
        let write = kind("write").unwrap().build(&named("stag=0x1234 to=5 l=0 dv=2"), &names).unwrap();
        assert_eq!(write, hex("8240 00001234 0000000000000005"));
        let fields = named("sink-stag=1 sink-to=2 size=3 source-stag=4 source-to=5 msn=1");
        let read = kind("request").unwrap().build(&fields, &names).unwrap();
        assert_eq!(read[18..], hex("00000001 0000000000000002 00000003 00000004 0000000000000005"));
        let end = hex("4147 00000000 00000002 00000001 00000000 1203 c000");
        let terminate = kind("terminate").unwrap();
        assert_eq!(terminate.check(&named("layer=1 etype=2 code=3 m=1 d=1 r=0"), &end, &mut names), Ok(()));
        let wrong = terminate.check(&named("code=4"), &end, &mut names).unwrap_err();
        assert_eq!(wrong, "code is 0x3, not 0x4");
    }
}
