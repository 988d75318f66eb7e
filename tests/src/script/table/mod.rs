// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statements of the scripts' language: who does what, with which words and fields.
mod fields;
mod reads;

use super::ulpdu;
use super::value::{Octets, Want};

use fields::{AWAITED, CARRIED, COUNTED, FPDU, ODD, OPTIONS, SEGMENT, STARTUP, WAITS};
use reads::Reads::{self, Number, Octets as Bytes, Text, Time};

/// A statement.
#[derive(Debug)]
pub struct Statement {
    /// Its first two words.
    pub words: (&'static str, &'static str),
    /// Words behind: name, how they are read. Those from `needed` on may be left out.
    pub behind: &'static [(&'static str, Reads)],
    /// Words of `behind` that must be there.
    pub needed: usize,
    /// Fields.
    pub fields: &'static [(&'static str, Reads)],
    /// More fields, which other statements share.
    pub more: &'static [(&'static str, Reads)],
    /// Words that may follow in any number and order.
    pub flags: &'static [&'static str],
    /// The first word behind is a kind of message, whose fields are allowed, too.
    pub has_kind: bool,
    /// Something can be wrong with what is seen: the statement may prove rows.
    pub checks: bool,
}

const DOES: Statement = Statement {
    words: ("", ""),
    behind: &[],
    needed: 0,
    fields: &[],
    more: &[],
    flags: &[],
    has_kind: false,
    checks: false,
};
const SEES: Statement = Statement { checks: true, ..DOES };

/// All of them.
pub const STATEMENTS: &[Statement] = &[
    // application
    Statement { words: ("app", "qp"), fields: &[("pd", Text), ("cq", Number)], ..DOES },
    Statement { words: ("app", "listen"), ..DOES },
    Statement {
        words: ("app", "connect"),
        fields: OPTIONS,
        flags: &["markers", "peer-to-peer", "strict"],
        ..DOES
    },
    Statement { words: ("app", "accept"), fields: OPTIONS, flags: &["markers", "strict", "early"], ..DOES },
    Statement { words: ("app", "reject"), fields: &[("data", Bytes)], ..DOES },
    Statement {
        words: ("app", "region"),
        behind: &[("name", Text), ("octets", Number)],
        needed: 2,
        fields: &[("rights", Text), ("pd", Text), ("in", Text), ("at", Number)],
        flags: &["bound"],
        ..DOES
    },
    Statement { words: ("app", "drop"), behind: &[("region", Text)], needed: 1, ..DOES },
    Statement {
        words: ("app", "fill"),
        behind: &[("region", Text), ("at", Number), ("octets", Bytes)],
        needed: 3,
        ..DOES
    },
    Statement {
        words: ("app", "recv"),
        behind: &[("id", Number), ("region", Text), ("at", Number), ("octets", Number)],
        needed: 1,
        ..DOES
    },
    Statement {
        words: ("app", "send"),
        behind: &[("id", Number), ("region", Text), ("at", Number), ("octets", Number)],
        needed: 1,
        fields: &[("inv", Number)],
        flags: &["solicited", "fenced", "unsignaled"],
        ..DOES
    },
    Statement {
        words: ("app", "write"),
        behind: &[("id", Number), ("region", Text), ("at", Number), ("octets", Number)],
        needed: 1,
        fields: &[("stag", Number), ("to", Number)],
        flags: &["fenced", "unsignaled"],
        ..DOES
    },
    Statement {
        words: ("app", "read"),
        behind: &[("id", Number), ("region", Text), ("at", Number), ("octets", Number)],
        needed: 4,
        fields: &[("stag", Number), ("to", Number)],
        flags: &["fenced", "unsignaled"],
        ..DOES
    },
    Statement { words: ("app", "close"), ..DOES },
    Statement { words: ("app", "finish"), ..DOES },
    Statement { words: ("app", "rests"), ..DOES },
    Statement { words: ("app", "wakes"), ..DOES },
    Statement { words: ("app", "abort"), ..DOES },
    Statement { words: ("app", "forget"), ..DOES },
    Statement {
        words: ("app", "requested"),
        fields: &[("data", Bytes), ("ird", Number), ("ord", Number)],
        ..SEES
    },
    Statement {
        words: ("app", "connected"),
        fields: &[("data", Bytes), ("ird", Number), ("ord", Number)],
        ..SEES
    },
    Statement {
        words: ("app", "refused"),
        behind: &[("why", Text)],
        needed: 1,
        fields: &[("data", Bytes), ("ird", Number), ("ord", Number)],
        ..SEES
    },
    Statement { words: ("app", "failed"), behind: &[("why", Text)], needed: 1, ..SEES },
    Statement {
        words: ("app", "done"),
        behind: &[("id", Number), ("status", Text)],
        needed: 2,
        fields: &[
            ("octets", Number),
            ("op", Text),
            ("inv", Number),
            ("solicited", Number),
            ("error", Number),
        ],
        ..SEES
    },
    Statement { words: ("app", "idle"), behind: &[("time", Time)], needed: 1, ..SEES },
    Statement {
        words: ("app", "memory"),
        behind: &[("region", Text), ("at", Number), ("octets", Bytes)],
        needed: 3,
        ..SEES
    },
    Statement {
        words: ("app", "terminated"),
        fields: &[("layer", Number), ("etype", Number), ("code", Number)],
        ..SEES
    },
    Statement { words: ("app", "peer-finished"), ..SEES },
    Statement { words: ("app", "ended"), behind: &[("how", Text)], needed: 1, ..SEES },
    // peer
    Statement { words: ("peer", "syn"), fields: &[("mss", Number), ("scale", Number)], ..DOES },
    Statement { words: ("peer", "offers"), fields: &[("mss", Number), ("scale", Number)], ..DOES },
    Statement { words: ("peer", "number"), behind: &[("iss", Number)], needed: 1, ..DOES },
    Statement {
        words: ("peer", "request"),
        fields: STARTUP,
        more: CARRIED,
        flags: &["lost", "more"],
        ..DOES
    },
    Statement { words: ("peer", "reply"), fields: STARTUP, more: CARRIED, flags: &["lost", "more"], ..DOES },
    Statement {
        words: ("peer", "fpdu"),
        behind: &[("kind", Text)],
        needed: 1,
        fields: FPDU,
        more: CARRIED,
        flags: &["bad-crc", "zero-crc", "bad-pad", "bad-marker", "lost", "more"],
        has_kind: true,
        ..DOES
    },
    Statement {
        words: ("peer", "ulpdu"),
        behind: &[("octets", Bytes)],
        needed: 1,
        fields: FPDU,
        more: CARRIED,
        flags: &["bad-crc", "zero-crc", "bad-pad", "bad-marker", "lost", "more"],
        ..DOES
    },
    Statement {
        words: ("peer", "octets"),
        behind: &[("octets", Bytes)],
        needed: 1,
        fields: CARRIED,
        flags: &["lost", "more"],
        ..DOES
    },
    Statement {
        words: ("peer", "release"),
        behind: &[("first", Text), ("second", Text), ("third", Text), ("fourth", Text)],
        needed: 1,
        ..DOES
    },
    Statement { words: ("peer", "window"), behind: &[("octets", Number)], needed: 1, ..DOES },
    Statement { words: ("peer", "too-big"), behind: &[("mtu", Number)], needed: 1, ..DOES },
    Statement { words: ("peer", "mute"), ..DOES },
    Statement { words: ("peer", "answers"), ..DOES },
    Statement { words: ("peer", "fin"), ..DOES },
    Statement { words: ("peer", "closes"), ..DOES },
    Statement { words: ("peer", "rst"), ..DOES },
    Statement {
        words: ("peer", "seg"),
        behind: &[("flags", Text)],
        needed: 1,
        fields: SEGMENT,
        more: ODD,
        flags: &["bad-sum"],
        ..DOES
    },
    Statement { words: ("peer", "waits"), behind: &[("time", Time)], needed: 1, ..DOES },
    // wire
    Statement { words: ("wire", "open"), ..SEES },
    Statement { words: ("wire", "request"), fields: STARTUP, ..SEES },
    Statement { words: ("wire", "reply"), fields: STARTUP, ..SEES },
    Statement { words: ("wire", "fpdu"), behind: &[("kind", Text)], needed: 1, has_kind: true, ..SEES },
    Statement { words: ("wire", "message"), behind: &[("kind", Text)], needed: 1, has_kind: true, ..SEES },
    Statement { words: ("wire", "octets"), behind: &[("octets", Bytes)], needed: 1, ..SEES },
    Statement { words: ("wire", "acked"), fields: WAITS, checks: true, ..DOES },
    Statement { words: ("wire", "skip"), ..DOES },
    Statement { words: ("wire", "fin"), ..SEES },
    Statement { words: ("wire", "rst"), ..SEES },
    Statement { words: ("wire", "closed"), ..SEES },
    Statement { words: ("wire", "quiet"), behind: &[("time", Time)], needed: 1, ..SEES },
    Statement {
        words: ("wire", "seg"),
        behind: &[("flags", Text)],
        needed: 1,
        fields: SEGMENT,
        more: AWAITED,
        flags: &["next", "no-mss", "no-scale", "df"],
        checks: true,
        ..DOES
    },
    Statement {
        words: ("wire", "none"),
        behind: &[("flags", Text), ("time", Time)],
        needed: 2,
        fields: SEGMENT,
        more: COUNTED,
        checks: true,
        ..DOES
    },
    // both
    Statement { words: ("tcp", "receives"), fields: &[("mss", Number), ("scale", Number)], ..DOES },
    Statement {
        words: ("tcp", "sends"),
        fields: &[("mss", Number), ("scale", Number), ("win", Number)],
        ..DOES
    },
    Statement { words: ("tcp", "gone"), checks: true, ..DOES },
    Statement { words: ("tcp", "delivered"), checks: true, ..DOES },
    Statement { words: ("tcp", "works"), checks: true, ..DOES },
    Statement {
        words: ("peer", "part"),
        behind: &[("from", Number), ("to", Number)],
        needed: 2,
        fields: &[("ack", Number)],
        more: ODD,
        flags: &["fin", "bad-sum"],
        ..DOES
    },
    Statement { words: ("set", "name"), behind: &[("name", Text), ("value", Number)], needed: 2, ..DOES },
    Statement { words: ("on", "connection"), behind: &[("number", Number)], needed: 1, ..DOES },
    Statement {
        words: ("established", "initiator"),
        fields: &[("ird", Number), ("ord", Number)],
        flags: &["markers-in", "markers-out"],
        ..DOES
    },
    Statement {
        words: ("established", "responder"),
        fields: &[("ird", Number), ("ord", Number)],
        flags: &["markers-in", "markers-out"],
        ..DOES
    },
];

/// The statement of two words.
pub fn statement(subject: &str, verb: &str) -> Result<&'static Statement, String> {
    let of = || STATEMENTS.iter().filter(|statement| statement.words.0 == subject);
    if let Some(found) = of().find(|statement| statement.words.1 == verb) {
        return Ok(found);
    }
    let verbs: Vec<_> = of().map(|statement| statement.words.1).collect();
    match verbs.is_empty() {
        true => Err(format!("`{subject}` is none of app, peer, wire, tcp, on, set, for, established")),
        false => Err(format!("`{subject}` has no `{verb}`, but {}", verbs.join(", "))),
    }
}

impl Statement {
    /// Whether words behind the first two and fields are understood. The error says what is not.
    pub fn check(&self, words: &[String], fields: &[(String, String)]) -> Result<(), String> {
        let placed = words.iter().position(|word| self.flags.contains(&word.as_str())).unwrap_or(words.len());
        let (placed, flags) = words.split_at(placed);
        let names = || self.behind.iter().map(|(name, _)| name.to_uppercase()).collect::<Vec<_>>().join(" ");
        let (subject, verb) = self.words;
        if placed.len() < self.needed || placed.len() > self.behind.len() {
            return Err(format!(
                "`{subject} {verb}` is followed by {} words, not by: {}",
                placed.len(),
                names()
            ));
        }
        for (word, (_, reads)) in placed.iter().zip(self.behind) {
            self.read(word, *reads)?;
        }
        if let Some(flag) = flags.iter().find(|flag| !self.flags.contains(&flag.as_str())) {
            return Err(format!("`{flag}` is none of: {}", self.flags.join(" ")));
        }
        let kind = if self.has_kind { Some(ulpdu::kind(&placed[0])?) } else { None };
        for (name, value) in fields {
            let of_kind = kind.is_some_and(|kind| kind.field(name).is_some());
            let reads = match self.all_fields().find(|(field, _)| field == name) {
                Some((_, reads)) => *reads,
                None if of_kind => Number,
                None if kind.is_some() && name == "data" => Bytes,
                None if kind.is_some() && ulpdu::OTHERS.contains(&name.as_str()) => Number,
                None => {
                    let known = self.all_fields().map(|(field, _)| *field).collect::<Vec<_>>().join(" ");
                    return Err(format!("`{subject} {verb}` has no field `{name}`, but: {known}"));
                }
            };
            self.read(value, reads).map_err(|why| format!("{name}: {why}"))?;
        }
        Ok(())
    }

    fn all_fields(&self) -> impl Iterator<Item = &(&'static str, Reads)> {
        self.fields.iter().chain(self.more)
    }

    fn read(&self, text: &str, reads: Reads) -> Result<(), String> {
        match reads {
            Number => Want::parse(text).and_then(|want| match want {
                Want::Any if !self.checks => Err("`*` is for what is seen, not for what is done".into()),
                _ => Ok(()),
            }),
            Bytes if self.checks && text == "*" => Ok(()),
            Bytes => Octets::parse(text).map(drop),
            Text => Ok(()),
            Time => time(text).map(drop),
        }
    }
}

/// Milliseconds of `200ms`.
pub fn time(text: &str) -> Result<u64, String> {
    let count = text.strip_suffix("ms").and_then(|count| count.parse().ok());
    count.filter(|ms| *ms <= 60_000).ok_or_else(|| format!("`{text}` is no time up to 60000ms"))
}
