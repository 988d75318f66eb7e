// SPDX-License-Identifier: MIT OR Apache-2.0
//! What of the outputs must be equal, and where it is not.
use super::record::{digits, Record};
use super::shape::{boundaries, owner, Boundary};
use super::verdict::{Difference, Moved};
use ferrowarp_hdl::emit::Port;
use std::collections::BTreeMap;

/// What a comparison counts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Bits that were equal.
    pub(super) equal: u64,
    /// Bits of payload and levels that Icarus does not know, by port.
    pub(super) unknown: BTreeMap<String, u64>,
}

/// An output with what says when its bits count.
struct Output<'a> {
    port: &'a Port,
    /// Place in a cycle's values.
    place: usize,
    rule: Rule<'a>,
}

/// When the bits of an output count.
enum Rule<'a> {
    /// `valid` or `ready`: always, and must be known.
    Flag,
    /// Payload: while `valid` is high. Octets of a stream's data count up to `bytes`.
    Payload(&'a Boundary),
    /// A level beside the boundaries: always.
    Level,
}

/// Compares the answers of Icarus with the record; the first difference, in the order of cycles and
/// ports.
pub(super) fn compare(top: &str, record: &Record, answers: &[String]) -> Result<Counts, Difference> {
    let boundaries = boundaries(record);
    let outputs: Vec<Output<'_>> = record
        .outputs()
        .filter_map(|port| {
            Some(Output { port, place: record.place(&port.name)?, rule: rule(&boundaries, port) })
        })
        .collect();
    let mut counts = Counts::default();
    for (n, line) in answers.iter().enumerate() {
        let values = record.cycle(n);
        let mut rest = line.as_str();
        for output in &outputs {
            let (said, behind) = rest.split_at(output.port.width.min(rest.len()));
            rest = behind;
            let bits = output.bits_that_count(values);
            let want: String = digits(&values[output.place], output.port.width).collect();
            if !output.agrees(&want, said, bits, &mut counts) {
                let (top, port) = (top.to_string(), output.port.name.clone());
                return Err(Difference { top, cycle: n, port, verilator: want, icarus: said.into() });
            }
        }
    }
    Ok(counts)
}

/// The rule of a port.
fn rule<'a>(boundaries: &'a [Boundary], port: &Port) -> Rule<'a> {
    match owner(boundaries, &port.name) {
        Some(own) => match port.name.strip_prefix(&own.prefix) {
            Some("_valid" | "_ready") => Rule::Flag,
            _ if own.is_input => Rule::Level,
            _ => Rule::Payload(own),
        },
        None => Rule::Level,
    }
}

impl Output<'_> {
    /// How many of the low bits count in this cycle.
    fn bits_that_count(&self, values: &[Vec<u8>]) -> usize {
        let Rule::Payload(own) = self.rule else { return self.port.width };
        match own.stream {
            _ if !own.is_valid(values) => 0,
            Some((data, bytes)) if data == self.place => {
                (usize::from(values[bytes][0]) * 8).min(self.port.width)
            }
            _ => self.port.width,
        }
    }

    /// Whether the low `bits` of Icarus's answer are those of Verilator. Unknown bits are counted,
    /// and agree but in a flag.
    fn agrees(&self, want: &str, said: &str, bits: usize, counts: &mut Counts) -> bool {
        let is_flag = matches!(self.rule, Rule::Flag);
        let pairs = want.bytes().rev().zip(said.bytes().rev()).take(bits);
        for (want, said) in pairs {
            match said {
                _ if want == said => counts.equal += 1,
                b'x' | b'z' if !is_flag => *counts.unknown.entry(self.port.name.clone()).or_default() += 1,
                _ => return false,
            }
        }
        said.len() == want.len()
    }
}

/// Transfers at each boundary.
pub(super) fn moved(record: &Record) -> Vec<Moved> {
    let count = |b: &Boundary| (0..record.len()).filter(|&n| b.moves(record.cycle(n))).count();
    let made = boundaries(record).into_iter().map(|b| Moved {
        transfers: count(&b),
        is_input: b.is_input,
        prefix: b.prefix,
    });
    made.collect()
}
