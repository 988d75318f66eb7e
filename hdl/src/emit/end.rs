// SPDX-License-Identifier: MIT OR Apache-2.0
//! One end of a join: a port, a field of one, or some of the bits.
use super::ports::{Direction, Port};
use super::shape::Shape;
use std::collections::BTreeMap;

/// Bits of a port of a part.
#[derive(Clone, Debug)]
pub(super) struct End {
    /// `part.port`.
    pub(super) port: String,
    /// How the table calls the end.
    pub(super) called: String,
    /// First bit.
    pub(super) low: usize,
    /// Bits.
    pub(super) width: usize,
    /// Bits of the whole port.
    of: usize,
    pub(super) direction: Direction,
    /// Type, unless the end is bits of one.
    pub(super) shape: Option<Shape>,
}

/// Ports and their types, by `part.port`.
#[derive(Default)]
pub(super) struct Ports {
    pub(super) ports: BTreeMap<String, Port>,
    pub(super) shapes: BTreeMap<String, Shape>,
}

impl Ports {
    /// The ends of a name: of a port or of a part of one, else of all ports that begin with the
    /// name, each with what follows the name.
    pub(super) fn group(&self, name: &str) -> Result<Vec<(String, End)>, String> {
        if let Some(end) = self.end(name)? {
            return Ok(vec![(String::new(), end)]);
        }
        let under = |key: &str| {
            let rest = key.strip_prefix(name)?;
            rest.starts_with('_').then(|| rest.to_string())
        };
        let group: Vec<_> =
            self.ports.keys().filter_map(|key| Some((under(key)?, self.whole(key)))).collect();
        if group.is_empty() {
            return Err(format!("`{name}` names no port"));
        }
        Ok(group)
    }

    /// The one end of a name.
    pub(super) fn one(&self, name: &str) -> Result<End, String> {
        self.end(name)?.ok_or_else(|| format!("`{name}` names no port"))
    }

    fn whole(&self, key: &str) -> End {
        let port = &self.ports[key];
        End {
            port: key.into(),
            called: key.into(),
            low: 0,
            width: port.width,
            of: port.width,
            direction: port.direction,
            shape: self.shapes.get(key).cloned(),
        }
    }

    /// Nothing if the name begins with no port's.
    fn end(&self, name: &str) -> Result<Option<End>, String> {
        let (path, bits) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            Some((path, bits)) => (path, Some(bits)),
            None => (name, None),
        };
        let places = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
        // a port that the table declares, else `part.port`
        let Some(at) = places.take(2).find(|&at| self.ports.contains_key(&path[..at])) else {
            return Ok(None);
        };
        let mut end = self.whole(&path[..at]);
        let words = path[at..].split('.').skip(1);
        for word in words {
            let shape = end.shape.take().filter(Shape::is_record);
            let shape = shape.ok_or_else(|| format!("`{name}`: what has a field `{word}` is no record"))?;
            let (low, field) = shape.field(word).ok_or_else(|| {
                format!("`{name}`: `{}` has no field `{word}`, only {}", shape.name, shape.names())
            })?;
            (end.low, end.width, end.shape) = (end.low + low, field.width, Some(field.clone()));
        }
        if let Some(bits) = bits {
            let (high, low) = bits.split_once(':').unwrap_or((bits, bits));
            let number = |text: &str| text.parse::<usize>().ok();
            let range = number(high).zip(number(low)).filter(|(high, low)| low <= high);
            let (high, low) = range.ok_or_else(|| format!("`{name}`: `[{bits}]` names no bits"))?;
            if high >= end.width {
                return Err(format!("bit {high} of `{path}` ({} bits) does not exist", end.width));
            }
            (end.low, end.width, end.shape) = (end.low + low, high - low + 1, None);
        }
        end.called = name.into();
        Ok(Some(end))
    }
}

impl End {
    /// The low `width` bits, or all of the end below zeros.
    pub(super) fn fitted(&self, width: usize) -> String {
        if width > self.width {
            return format!("{{{}'h0, {}}}", width - self.width, self.value());
        }
        End { width, ..self.clone() }.value()
    }

    /// The end is all of the port.
    pub(super) fn is_whole(&self) -> bool {
        self.width == self.of
    }

    /// The bits as an expression.
    pub(super) fn value(&self) -> String {
        let wire = wire(&self.port);
        match self.width {
            _ if self.is_whole() => wire,
            1 => format!("{wire}[{}]", self.low),
            width => format!("{wire}[{}:{}]", self.low + width - 1, self.low),
        }
    }

    /// The record that passes the end, for a comparison.
    fn record(&self) -> Option<&Shape> {
        self.shape.as_ref().filter(|shape| shape.is_record())
    }

    /// Why the ends carry different things.
    pub(super) fn differs(&self, other: &End) -> Option<String> {
        let (a, b) = (&self.called, &other.called);
        if self.width != other.width {
            return Some(format!("`{a}` has {} bits, `{b}` has {}", self.width, other.width));
        }
        match (self.record(), other.record()) {
            (None, None) => None,
            (one, two) if one == two => None,
            (one, two) => {
                let name =
                    |record: Option<&Shape>| record.map_or("plain bits".into(), |r| format!("`{}`", r.name));
                Some(format!("`{a}` carries {}, `{b}` {}", name(one), name(two)))
            }
        }
    }
}

/// The wire that carries an output.
pub(super) fn wire(port: &str) -> String {
    port.replace('.', "$")
}
