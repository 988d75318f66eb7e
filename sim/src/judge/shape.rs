// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the ports of a top mean: boundaries with `valid` and `ready`, the payload that belongs to
//! each, and the rest.
use super::record::Record;
use ferrowarp_hdl::emit::{Direction, Port};

/// Ports that begin with the same prefix: `<prefix>_valid`, mostly `<prefix>_ready`, and payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Boundary {
    pub(super) prefix: String,
    /// Whether `valid` is an input of the top.
    pub(super) is_input: bool,
    /// Place of `<prefix>_valid` in a cycle's values.
    pub(super) valid: usize,
    /// Place of `<prefix>_ready`; a boundary without is one whose receiver always takes.
    pub(super) ready: Option<usize>,
    /// Places of `<prefix>_data` and `<prefix>_bytes`, where the boundary is a stream.
    pub(super) stream: Option<(usize, usize)>,
}

/// The boundaries of a top.
pub(super) fn boundaries(record: &Record) -> Vec<Boundary> {
    let ports: Vec<&Port> = record.inputs().chain(record.outputs()).collect();
    let valids = ports.iter().filter_map(|p| Some((p, p.name.strip_suffix("_valid")?)));
    let made = valids.filter_map(|(p, prefix)| {
        let place = |field: &str| record.place(&format!("{prefix}_{field}"));
        Some(Boundary {
            prefix: prefix.into(),
            is_input: p.direction == Direction::Input,
            valid: place("valid")?,
            ready: place("ready"),
            stream: place("data").zip(place("bytes")),
        })
    });
    made.collect()
}

/// The boundary that a port is part of: the one with the longest prefix.
pub(super) fn owner<'a>(boundaries: &'a [Boundary], port: &str) -> Option<&'a Boundary> {
    let own = boundaries.iter().filter(|b| {
        let rest = port.strip_prefix(&b.prefix);
        rest.is_some_and(|rest| rest.starts_with('_'))
    });
    own.max_by_key(|b| b.prefix.len())
}

impl Boundary {
    /// Whether a payload is offered.
    pub(super) fn is_valid(&self, values: &[Vec<u8>]) -> bool {
        values[self.valid][0] == 1
    }

    /// Whether the payload is taken.
    pub(super) fn moves(&self, values: &[Vec<u8>]) -> bool {
        self.is_valid(values) && self.ready.is_none_or(|ready| values[ready][0] == 1)
    }
}
