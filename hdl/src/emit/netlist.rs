// SPDX-License-Identifier: MIT OR Apache-2.0
//! A netlist as it grows: what drives each input, and whether each output is read.
use super::end::{End, Ports};
use super::net::Net;
use super::ports::{Direction, Port};
use super::raw_part::Raw;
use super::shape::Shape;
use std::collections::{BTreeMap, BTreeSet};

/// The port that every part has, or does not need.
pub(super) const CLOCK: &str = "clock";
/// The reset of every part that no line gives another one.
pub(super) const RESET: &str = "reset";

/// The netlist as it grows.
#[derive(Default)]
pub(super) struct Netlist {
    /// Ports of the parts.
    pub(super) ends: Ports,
    /// What drives an input: expressions by first bit, with their bits.
    pieces: BTreeMap<String, BTreeMap<usize, (usize, String)>>,
    /// Outputs that some line mentions.
    read: BTreeSet<String>,
    /// Ports of the table, in their order.
    pub(super) exported: Vec<Export>,
}

/// A port of the table.
pub(super) struct Export {
    pub(super) port: Port,
    /// The end inside; none for a port that the table declares.
    pub(super) inner: Option<End>,
    pub(super) shape: Option<Shape>,
}

impl Netlist {
    /// Adds the ports of a part. `clock` goes to every part without a line.
    pub(super) fn add(&mut self, part: &str, raw: &Raw) {
        for port in raw.ports.iter().filter(|port| port.name != CLOCK) {
            self.ends.ports.insert(format!("{part}.{}", port.name.replace('$', "_")), port.clone());
        }
        let shapes = raw.shapes.iter().map(|(port, shape)| (format!("{part}.{port}"), shape.clone()));
        self.ends.shapes.extend(shapes);
    }

    /// Lets a line drive bits of an input.
    fn drive(&mut self, to: &End, by: String) -> Result<(), String> {
        let &End { low, width, ref called, .. } = to;
        let pieces = self.pieces.entry(to.port.clone()).or_default();
        let meets = |&(&at, (bits, _)): &(&usize, &(usize, String))| low < at + bits && at < low + width;
        if let Some((_, (_, other))) = pieces.iter().find(meets) {
            let (one, two) = (plain(other), plain(&by));
            return Err(format!("`{called}` is driven twice: by {one} and by {two}"));
        }
        pieces.insert(low, (width, by));
        Ok(())
    }

    fn join(&mut self, a: &str, b: &str) -> Result<(), String> {
        let (left, right) = (self.ends.group(a)?, self.ends.group(b)?);
        let mut lines = vec![];
        for (rest, p) in &left {
            let Some((_, q)) = right.iter().find(|(r, _)| r == rest) else {
                return Err(format!("`{a}{rest}` has no partner under `{b}`"));
            };
            let (from, to) = directed(p, q)?;
            if let Some(why) = p.differs(q) {
                return Err(why);
            }
            lines.push((from.port.clone(), to.clone(), from.value()));
        }
        if let Some((rest, _)) = right.iter().find(|(r, _)| !left.iter().any(|(l, _)| l == r)) {
            return Err(format!("`{b}{rest}` has no partner under `{a}`"));
        }
        for (from, to, value) in lines {
            self.drive(&to, value)?;
            self.read.insert(from);
        }
        Ok(())
    }

    fn fit(&mut self, from: &str, to: &str) -> Result<(), String> {
        let (from, to) = (self.ends.one(from)?, self.ends.one(to)?);
        directed(&from, &to)?;
        if from.direction == Direction::Input {
            return Err(format!("`{}` is an input and drives nothing", from.called));
        }
        self.drive(&to, from.fitted(to.width))?;
        self.read.insert(from.port);
        Ok(())
    }

    /// Declares a port of the table, which is an end of joins under its name.
    pub(super) fn declare(&mut self, name: &str, direction: Direction, shape: &Shape) -> Result<(), String> {
        let port = Port { name: name.into(), width: shape.width, direction };
        let inside = match direction {
            Direction::Input => Direction::Output,
            Direction::Output => Direction::Input,
        };
        if self.ends.ports.keys().any(|key| key.split('.').next() == Some(name)) {
            return Err(format!("the declared port `{name}` has the name of a part, or is declared twice"));
        }
        free(name)?;
        self.ends.ports.insert(name.into(), Port { direction: inside, ..port.clone() });
        self.ends.shapes.insert(name.into(), shape.clone());
        self.exported.push(Export { port, inner: None, shape: Some(shape.clone()) });
        Ok(())
    }

    /// Makes an end a port of the table.
    fn export(&mut self, end: End, name: String) -> Result<(), String> {
        if end.direction == Direction::Input {
            self.drive(&end, name.clone())?;
        } else {
            self.read.insert(end.port.clone());
        }
        free(&name)?;
        let port = Port { name, width: end.width, direction: end.direction };
        let Some(before) = self.exported.iter().find(|e| e.port.name == port.name) else {
            self.exported.push(Export { port, shape: end.shape.clone(), inner: Some(end) });
            return Ok(());
        };
        let record = |shape: &Option<Shape>| shape.clone().filter(Shape::is_record);
        let is_same = before.port == port && record(&before.shape) == record(&end.shape);
        if !is_same || end.direction == Direction::Output || before.inner.is_none() {
            let other = before.inner.as_ref().map_or("a declared port", |inner| &inner.called);
            return Err(format!("`{other}` and `{}` cannot both be the port `{}`", end.called, port.name));
        }
        Ok(())
    }

    pub(super) fn apply(&mut self, net: &Net) -> Result<(), String> {
        match net {
            Net::Join(a, b) => self.join(a, b)?,
            Net::Fit(from, to) => self.fit(from, to)?,
            Net::Export(inner, outer) => {
                for (rest, end) in self.ends.group(inner)? {
                    self.export(end, format!("{outer}{rest}"))?;
                }
            }
            Net::Tie(name, value) => {
                let end = self.ends.one(name)?;
                if end.direction == Direction::Output {
                    return Err(format!("`{name}` is an output and has a value already"));
                }
                if end.width < 64 && *value >> end.width != 0 {
                    return Err(format!("{value} does not fit `{name}` ({} bits)", end.width));
                }
                let value = format!("{}'h{value:x}", end.width);
                self.drive(&end, value)?;
            }
            Net::Open(name) => {
                for (_, end) in self.ends.group(name)? {
                    if end.direction == Direction::Input {
                        return Err(format!("`{}` is an input and cannot be left open", end.called));
                    }
                    self.read.insert(end.port);
                }
            }
        }
        Ok(())
    }

    /// `reset` goes to each part that no line gives another one.
    pub(super) fn reset(&mut self, part: &str) {
        let port = format!("{part}.{RESET}");
        if self.ends.ports.contains_key(&port) && !self.pieces.contains_key(&port) {
            self.pieces.insert(port, BTreeMap::from([(0, (1, RESET.into()))]));
        }
    }

    /// What drives an input, as an expression.
    pub(super) fn driver(&self, input: &str) -> String {
        let pieces: Vec<_> = self.pieces[input].values().rev().map(|(_, by)| by.as_str()).collect();
        match pieces[..] {
            [one] => one.into(),
            _ => format!("{{{}}}", pieces.join(", ")),
        }
    }

    /// Everything is driven, everything is read.
    pub(super) fn check(&self) -> Result<(), String> {
        for (name, port) in &self.ends.ports {
            match port.direction {
                Direction::Input => {
                    let Some(pieces) = self.pieces.get(name) else {
                        return Err(format!("input `{name}` ({} bits) is driven by nothing", port.width));
                    };
                    let mut next = 0;
                    for (&low, (width, _)) in pieces.iter().chain([(&port.width, &(0, String::new()))]) {
                        if low != next {
                            return Err(format!(
                                "bits {}:{next} of input `{name}` are driven by nothing",
                                low - 1
                            ));
                        }
                        next = low + width;
                    }
                }
                Direction::Output if !self.read.contains(name) => {
                    return Err(format!(
                        "output `{name}` ({} bits) is read by nothing; say Open if so",
                        port.width
                    ))
                }
                Direction::Output => {}
            }
        }
        Ok(())
    }
}

/// Refuses a port of the table that the table has by itself.
fn free(name: &str) -> Result<(), String> {
    match name {
        CLOCK | RESET => Err(format!("every table has a port `{name}` already: use another name")),
        _ => Ok(()),
    }
}

/// The output and the input of two ends.
fn directed<'e>(p: &'e End, q: &'e End) -> Result<(&'e End, &'e End), String> {
    match (p.direction, q.direction) {
        (Direction::Output, Direction::Input) => Ok((p, q)),
        (Direction::Input, Direction::Output) => Ok((q, p)),
        _ => Err(format!("`{}` and `{}` have the same direction", p.called, q.called)),
    }
}

/// An expression as the table writes an end.
fn plain(value: &str) -> String {
    format!("`{}`", value.replacen('$', ".", 1))
}
