// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands under a top: a block, or a table of parts.
use super::joined::join;
use super::net::Net;
use super::ports::Direction;
use super::raw;
use super::shape::{shapes, Shape};
use rust_hdl::prelude::{Block, Synth};
use std::collections::BTreeMap;

/// A block or a table under a top, with a name that is unique there.
pub struct Part {
    name: &'static str,
    body: Body,
}

enum Body {
    Block(Box<dyn FnOnce() -> Raw + Send>),
    Table(Table),
}

/// Parts, and what joins them: a module of wires.
pub struct Table {
    parts: Vec<Part>,
    ports: Vec<(&'static str, Direction, Shape)>,
    nets: Vec<Net>,
}

/// Elaborated text with a module `top`, and the types of the ports of `top`.
pub(super) struct Raw {
    /// Verilog with Rust-HDL's names.
    pub(super) text: String,
    /// Types by plain name.
    pub(super) shapes: BTreeMap<String, Shape>,
}

impl Part {
    /// The block that `make` builds, under a unique `name`.
    pub fn new<B: Block + 'static>(name: &'static str, make: impl FnOnce() -> B + Send + 'static) -> Self {
        let elaborate = || {
            let block = make();
            let shapes = shapes(&block);
            Raw { text: raw(block), shapes }
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
    pub(super) fn raw(self) -> Result<Raw, String> {
        match self.body {
            Body::Block(elaborate) => Ok(elaborate()),
            Body::Table(table) => table.raw().map_err(|why| format!("in `{}`: {why}", self.name)),
        }
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
    pub(super) fn raw(self) -> Result<Raw, String> {
        let parts: Result<Vec<_>, String> =
            self.parts.into_iter().map(|part| Ok((part.name, part.raw()?))).collect();
        join(&parts?, &self.ports, &self.nets)
    }
}
