// SPDX-License-Identifier: MIT OR Apache-2.0
//! A netlist as it grows: what drives each input, and whether each output is read.
use super::net::Net;
use super::ports::{Direction, Port};
use std::collections::{BTreeMap, BTreeSet};

/// The netlist as it grows.
#[derive(Default)]
pub(super) struct Netlist {
    /// Every port by `part.port`, underscores for dollars.
    pub(super) ports: BTreeMap<String, Port>,
    /// What drives an input, as an expression.
    pub(super) driven: BTreeMap<String, String>,
    /// What drives the bits of an input that is driven bit by bit.
    bits: BTreeMap<String, BTreeMap<usize, String>>,
    /// Outputs that some line mentions.
    read: BTreeSet<String>,
    /// Ports of the top: name, port inside.
    pub(super) exported: Vec<(String, String)>,
}

impl Netlist {
    /// The ports under a name, each with what follows the name: the port of just this name, else
    /// all that begin with it.
    fn group(&self, name: &str) -> Result<Vec<(String, &Port)>, String> {
        if let Some(port) = self.ports.get(name) {
            return Ok(vec![(String::new(), port)]);
        }
        let under = |key: &str| {
            let rest = key.strip_prefix(name)?;
            (rest.is_empty() || rest.starts_with('_')).then(|| rest.to_string())
        };
        let group: Vec<_> = self.ports.iter().filter_map(|(k, p)| Some((under(k)?, p))).collect();
        if group.is_empty() {
            return Err(format!("`{name}` names no port"));
        }
        Ok(group)
    }

    fn drive(&mut self, input: String, by: String) -> Result<(), String> {
        match self.driven.insert(input.clone(), by) {
            None => Ok(()),
            Some(_) => Err(format!("input `{input}` is driven twice")),
        }
    }

    fn join(&mut self, a: &str, b: &str) -> Result<(), String> {
        let (left, right) = (self.group(a)?, self.group(b)?);
        let mut lines = vec![];
        for (rest, p) in &left {
            let Some((_, q)) = right.iter().find(|(r, _)| r == rest) else {
                return Err(format!("`{a}{rest}` has no partner under `{b}`"));
            };
            if p.width != q.width {
                return Err(format!("`{a}{rest}` has {} bits, `{b}{rest}` has {}", p.width, q.width));
            }
            match (p.direction, q.direction) {
                (Direction::Output, Direction::Input) => {
                    lines.push((format!("{a}{rest}"), format!("{b}{rest}")))
                }
                (Direction::Input, Direction::Output) => {
                    lines.push((format!("{b}{rest}"), format!("{a}{rest}")))
                }
                _ => return Err(format!("`{a}{rest}` and `{b}{rest}` have the same direction")),
            }
        }
        if let Some((rest, _)) = right.iter().find(|(r, _)| !left.iter().any(|(l, _)| l == r)) {
            return Err(format!("`{b}{rest}` has no partner under `{a}`"));
        }
        for (from, to) in lines {
            self.drive(to, wire(&from))?;
            self.read.insert(from);
        }
        Ok(())
    }

    fn bit(&mut self, wide: &str, bit: usize, one: &str) -> Result<(), String> {
        let port =
            |name: &str| self.ports.get(name).cloned().ok_or_else(|| format!("`{name}` names no port"));
        let w = port(wide)?;
        if w.direction == Direction::Input {
            return self.bit_from(wide, &w, bit, one);
        }
        let o = port(one)?;
        if bit >= w.width || o.width != 1 {
            return Err(misfit(wide, &w, bit, one, &o));
        }
        if o.direction == Direction::Output {
            return Err(format!("`{wide}` and `{one}` have the same direction"));
        }
        self.drive(one.into(), format!("{}[{bit}]", wire(wide)))?;
        self.read.insert(wide.into());
        Ok(())
    }

    /// A bit of a wide input, from an output of one bit or from bit `n` of a wider one:
    /// `part.port[n]`.
    fn bit_from(&mut self, wide: &str, w: &Port, bit: usize, from: &str) -> Result<(), String> {
        let (name, place) = match from.strip_suffix(']').and_then(|f| f.split_once('[')) {
            Some((name, n)) => {
                (name, Some(n.parse::<usize>().map_err(|_| format!("`{from}` names no bit"))?))
            }
            None => (from, None),
        };
        let o = self.ports.get(name).cloned().ok_or_else(|| format!("`{name}` names no port"))?;
        let fits = place.map_or(o.width == 1, |n| n < o.width && o.width > 1);
        if bit >= w.width || !fits {
            return Err(misfit(wide, w, bit, from, &o));
        }
        if o.direction == Direction::Input {
            return Err(format!("`{wide}` and `{name}` have the same direction"));
        }
        self.read.insert(name.into());
        let source = wire(name) + &place.map_or(String::new(), |n| format!("[{n}]"));
        let bits = self.bits.entry(wide.into()).or_default();
        if bits.insert(bit, source).is_some() {
            return Err(format!("bit {bit} of `{wide}` is driven twice"));
        }
        if bits.len() == w.width {
            let all: Vec<_> = bits.values().rev().cloned().collect();
            self.drive(wide.into(), format!("{{{}}}", all.join(", ")))?;
        }
        Ok(())
    }

    pub(super) fn apply(&mut self, net: &Net) -> Result<(), String> {
        match net {
            Net::Join(a, b) => self.join(a, b)?,
            Net::Bit(wide, bit, one) => self.bit(wide, *bit, one)?,
            Net::Export(inner, outer) => {
                for (rest, direction) in self.directions(inner)? {
                    let (port, name) = (format!("{inner}{rest}"), format!("{outer}{rest}"));
                    if direction == Direction::Input {
                        self.drive(port.clone(), name.clone())?;
                    } else {
                        self.read.insert(port.clone());
                    }
                    self.export(name, port)?;
                }
            }
            Net::Tie(name, value) => {
                let port = self.ports.get(name).ok_or_else(|| format!("`{name}` names no port"))?;
                let value = format!("{}'h{value:x}", port.width);
                self.drive(name.clone(), value)?;
            }
            Net::Open(name) => {
                for (rest, direction) in self.directions(name)? {
                    if direction == Direction::Input {
                        return Err(format!("`{name}{rest}` is an input and cannot be left open"));
                    }
                    self.read.insert(format!("{name}{rest}"));
                }
            }
        }
        Ok(())
    }

    /// A port of the top; an input of it may go to several ports of one width.
    fn export(&mut self, name: String, port: String) -> Result<(), String> {
        let Some((_, before)) = self.exported.iter().find(|(n, _)| *n == name) else {
            self.exported.push((name, port));
            return Ok(());
        };
        let (one, two) = (&self.ports[before], &self.ports[&port]);
        if one.direction != Direction::Input || (one.direction, one.width) != (two.direction, two.width) {
            return Err(format!("`{before}` and `{port}` cannot both be the top's port `{name}`"));
        }
        Ok(())
    }

    fn directions(&self, name: &str) -> Result<Vec<(String, Direction)>, String> {
        Ok(self.group(name)?.into_iter().map(|(rest, p)| (rest, p.direction)).collect())
    }

    /// Everything is driven, everything is read.
    pub(super) fn check(&self) -> Result<(), String> {
        for (name, port) in &self.ports {
            match port.direction {
                Direction::Input if !self.driven.contains_key(name) => {
                    return Err(format!("input `{name}` ({} bits) is driven by nothing", port.width))
                }
                Direction::Output if !self.read.contains(name) => {
                    return Err(format!(
                        "output `{name}` ({} bits) is read by nothing; say Open if so",
                        port.width
                    ))
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Why a bit and a port do not go together.
fn misfit(wide: &str, w: &Port, bit: usize, one: &str, o: &Port) -> String {
    format!("bit {bit} of `{wide}` ({} bits) does not fit `{one}` ({} bits)", w.width, o.width)
}

/// The wire that carries an output.
pub(super) fn wire(port: &str) -> String {
    port.replace('.', "$")
}
