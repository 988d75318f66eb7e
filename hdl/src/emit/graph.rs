// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table as a picture shows it: parts, and the channels between them.
use super::end::End;
use super::net::Net;
use super::netlist::Netlist;
use super::part::{Joined, Table};
use super::ports::Direction;
use super::raw_part::With;
use super::{on_thread, EmitError};

/// Parts and channels of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Names of the parts in their order, and whether each one is a table.
    pub parts: Vec<(&'static str, bool)>,
    /// Channels in the order of the table's lines.
    pub channels: Vec<Channel>,
}

/// What a line of a table joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The part that drives most of the bits; none: the outside of the table.
    pub from: Option<String>,
    /// The other part.
    pub to: Option<String>,
    /// Name of the table's port, else of the channel at the part that drives the channel.
    pub name: String,
    /// What passes.
    pub cargo: Cargo,
}

/// What passes on a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cargo {
    /// Frames, a beat a cycle.
    Frames,
    /// Items of the record of this name.
    Record(String),
    /// Bits without a record.
    Wires,
}

impl Table {
    /// The table's parts and channels. No Verilog is made.
    ///
    /// # Errors
    /// As [`super::emit_joined`]; `name` is what the error calls the table.
    pub fn graph(self, name: &str) -> Result<Graph, EmitError> {
        let parts = self.names();
        let graph = on_thread(name, move || {
            let Joined { list, nets, .. } = self.netlist(With::Ports)?;
            let owner = |name: &str| {
                let part = name.split_once('.')?.0;
                parts.iter().any(|(known, _)| *known == part).then(|| part.to_string())
            };
            let channels: Result<Vec<_>, String> =
                nets.iter().map(|net| channel(&list, &owner, net)).collect();
            Ok(Graph { parts, channels: channels?.into_iter().flatten().collect() })
        })?;
        graph.map_err(|why: String| EmitError::Elaboration { top: name.into(), why })
    }
}

/// The channel of a line; none for a line that joins nothing.
fn channel(
    list: &Netlist,
    owner: &dyn Fn(&str) -> Option<String>,
    net: &Net,
) -> Result<Option<Channel>, String> {
    let (a, b) = match net {
        Net::Join(a, b) | Net::Fit(a, b) => (a, Some(b)),
        Net::Export(inner, _) => (inner, None),
        Net::Tie(..) | Net::Open(_) => return Ok(None),
    };
    let group = list.ends.group(a)?;
    let bits = |way| -> usize {
        group.iter().filter(|(_, end)| end.direction == way).map(|(_, end)| end.width).sum()
    };
    let is_forward = bits(Direction::Output) > bits(Direction::Input);
    let ours = owner(a);
    let theirs = b.and_then(|b| owner(b));
    let (from, to, source) = if is_forward { (ours, theirs, Some(a)) } else { (theirs, ours, b) };
    let name = match net {
        Net::Export(_, outer) => outer,
        _ => source.or(b).unwrap_or(a),
    };
    let name = if owner(name).is_some() { name.split_once('.').map_or("", |(_, port)| port) } else { name };
    let name = name.strip_suffix("_item").unwrap_or(name).to_string();
    Ok(Some(Channel { from, to, name, cargo: cargo(&group) }))
}

/// What passes at the ends of a name.
fn cargo(group: &[(String, End)]) -> Cargo {
    let record = group.iter().find_map(|(_, end)| end.shape.as_ref().filter(|shape| shape.is_record()));
    match record {
        Some(shape) => Cargo::Record(shape.name.clone()),
        None if group.iter().any(|(rest, _)| rest == "_bytes") => Cargo::Frames,
        None => Cargo::Wires,
    }
}
