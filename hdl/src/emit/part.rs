// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands under a top: a block, or a table of parts.
use super::joined::join;
use super::net::Net;
use super::netlist::Netlist;
use super::ports::{ports_of, Direction};
use super::raw_part::{Raw, With};
use super::shape::{ports, Shape};
use super::{finish, on_thread, raw, EmitError, Emitted};
use rust_hdl::prelude::{Block, Synth};

/// A block or a table under a top, with a name that is unique there.
pub struct Part {
    name: &'static str,
    body: Body,
}

enum Body {
    Block(Box<dyn FnOnce(With) -> Raw + Send>),
    Table(Table),
}

/// Parts, and what joins them: a module of wires.
pub struct Table {
    parts: Vec<Part>,
    ports: Vec<(&'static str, Direction, Shape)>,
    nets: Vec<Net>,
}

/// A table whose lines are applied.
pub(super) struct Joined {
    /// The elaborated parts by name.
    parts: Vec<(&'static str, Raw)>,
    /// What joins the parts.
    pub(super) list: Netlist,
    /// The lines that said so.
    pub(super) nets: Vec<Net>,
}

impl Part {
    /// The block that `make` builds, under a unique `name`.
    pub fn new<B: Block + 'static>(name: &'static str, make: impl FnOnce() -> B + Send + 'static) -> Self {
        let elaborate = |with| {
            let block = make();
            let (mut ports, shapes): (Vec<_>, Vec<_>) = ports(&block).into_iter().unzip();
            let shapes = ports.iter().map(|port| port.name.replace('$', "_")).zip(shapes).collect();
            let text = if with == With::Text { raw(block) } else { String::new() };
            if with == With::Text {
                // in the order of the declarations
                ports = ports_of(&text, "top");
            }
            Raw { text, ports, shapes }
        };
        Self { name, body: Body::Block(Box::new(elaborate)) }
    }

    /// A table under a unique `name`; the ports of the part are what the table exports.
    pub fn table(name: &'static str, table: Table) -> Self {
        Self { name, body: Body::Table(table) }
    }

    /// The name of the part.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Elaborates the part.
    ///
    /// # Errors
    /// What a table refuses, behind the names of the tables around it.
    pub(super) fn raw(self, with: With) -> Result<Raw, String> {
        match self.body {
            Body::Block(elaborate) => Ok(elaborate(with)),
            Body::Table(table) => table.raw(with).map_err(|why| format!("in `{}`: {why}", self.name)),
        }
    }

    /// The part is a table.
    pub(super) fn is_table(&self) -> bool {
        matches!(self.body, Body::Table(_))
    }
}

impl Table {
    /// Parts without joins.
    pub fn new(parts: Vec<Part>) -> Self {
        Self { parts, ports: vec![], nets: vec![] }
    }

    /// Declares an input of the table, an end of joins under its name: for a record whose fields go
    /// different ways, or for bits that a [`Net::Fit`] reads.
    pub fn input<T: Synth>(mut self, name: &'static str) -> Self {
        self.ports.push((name, Direction::Input, Shape::of(&T::descriptor())));
        self
    }

    /// Declares an output of the table, an end of joins under its name: for a record or bits that
    /// several lines drive, or a [`Net::Fit`].
    pub fn output<T: Synth>(mut self, name: &'static str) -> Self {
        self.ports.push((name, Direction::Output, Shape::of(&T::descriptor())));
        self
    }

    /// Adds lines.
    pub fn nets(mut self, nets: impl IntoIterator<Item = Net>) -> Self {
        self.nets.extend(nets);
        self
    }

    /// Joins each pair of ends.
    pub fn joins(self, pairs: &[(&str, &str)]) -> Self {
        self.nets(pairs.iter().map(|&(a, b)| Net::join(a, b)))
    }

    /// Joins each output to every end of a list with spaces.
    pub fn fans(self, rows: &[(&str, &str)]) -> Self {
        self.nets(
            rows.iter().flat_map(|&(from, to)| to.split_whitespace().map(move |to| Net::join(from, to))),
        )
    }

    /// Makes ports of the table from ends inside: pairs of an end, and the port's name.
    pub fn exports(self, pairs: &[(&str, &str)]) -> Self {
        self.nets(pairs.iter().map(|&(inner, outer)| Net::export(inner, outer)))
    }

    /// Gives inputs one value for ever.
    pub fn ties(self, ports: &[&str], value: u64) -> Self {
        self.nets(ports.iter().map(|&port| Net::tie(port, value)))
    }

    /// Names outputs that nothing reads.
    pub fn open(self, ports: &[&str]) -> Self {
        self.nets(ports.iter().map(|&port| Net::open(port)))
    }

    /// The text of the parts, each under its name, and of the module that joins the parts.
    pub(super) fn raw(self, with: With) -> Result<Raw, String> {
        let joined = self.netlist(with)?;
        Ok(join(&joined.parts, joined.list))
    }

    /// Elaborates the parts and applies the lines.
    pub(super) fn netlist(self, with: With) -> Result<Joined, String> {
        let mut parts: Vec<(&'static str, Raw)> = vec![];
        for part in self.parts {
            if parts.iter().any(|(other, _)| *other == part.name) {
                return Err(format!("two parts have the name `{}`", part.name));
            }
            parts.push((part.name, part.raw(with)?));
        }
        let mut list = Netlist::default();
        parts.iter().for_each(|(name, raw)| list.add(name, raw));
        self.ports.iter().try_for_each(|(name, way, shape)| list.declare(name, *way, shape))?;
        self.nets.iter().try_for_each(|net| list.apply(net))?;
        parts.iter().for_each(|(name, _)| list.reset(name));
        list.check()?;
        Ok(Joined { parts, list, nets: self.nets })
    }

    /// Names of the parts in their order, and whether each one is a table.
    pub(super) fn names(&self) -> Vec<(&'static str, bool)> {
        self.parts.iter().map(|part| (part.name, part.is_table())).collect()
    }
}

/// Elaborates each part of a table alone and joins one instance of each under a module `top` that
/// holds wires and nothing else.
///
/// # Errors
/// Refuses a name without ports, a field that its record does not have, ends that do not fit
/// (width, direction, record, one side missing), an input that nothing or more than one thing
/// drives, and an output that no line mentions. The error names both ends.
pub fn emit_joined(top: &str, table: Table) -> Result<Emitted, EmitError> {
    let failed = |why| EmitError::Elaboration { top: top.into(), why };
    let raw = on_thread(top, move || table.raw(With::Text))?;
    finish(top, &raw.map_err(failed)?.text)
}
