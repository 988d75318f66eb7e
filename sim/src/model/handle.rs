// SPDX-License-Identifier: MIT OR Apache-2.0
//! A running instance, safe: ports by id, values checked against widths.
use super::ffi::Instance;
use super::Library;
use crate::coverage;
use crate::mutate::MUTANT;
use ferrowarp_hdl::emit::{Direction, Port};
use std::ffi::CString;
use std::path::Path;
use std::sync::Arc;

/// A port of one top. An id of another top is refused or names the port at the same place.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PortId(usize);

impl PortId {
    /// Its place among the ports of its top.
    pub(super) fn number(self) -> usize {
        self.0
    }
}

/// Why a port was not read or written, or a trace not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// No port of that name.
    #[error("top `{top}` has no port `{port}`{near}")]
    NoPort {
        /// The top.
        top: String,
        /// The name asked for.
        port: String,
        /// Ports that begin alike, as text.
        near: String,
    },
    /// The port has another direction.
    #[error("port `{port}` of `{top}` is an output and cannot be set")]
    NotAnInput {
        /// The top.
        top: String,
        /// The port.
        port: String,
    },
    /// The value needs more bits than the port has.
    #[error("port `{port}` has {width} bits; the value 0x{value} does not fit")]
    TooWide {
        /// The port.
        port: String,
        /// Its width.
        width: usize,
        /// The value, hexadecimal.
        value: String,
    },
    /// A number was asked of a port wider than 64 bits.
    #[error("port `{port}` has {width} bits, more than a u64: use the form in octets")]
    NotANumber {
        /// The port.
        port: String,
        /// Its width.
        width: usize,
    },
    /// A trace was asked of a model that was built without.
    #[error("the model of `{top}` writes no waveforms; take the one that `Library::traced` gives")]
    Untraced {
        /// The top.
        top: String,
    },
    /// The trace cannot be written.
    #[error("trace file {0} cannot be opened for writing")]
    Trace(String),
}

/// What is looked at in each access to a port.
#[derive(Copy, Clone)]
struct Shape {
    is_input: bool,
    width: usize,
    /// The bits of the port within a `u64`.
    mask: u64,
    /// The bits of the port within its last octet.
    last: u8,
}

impl Shape {
    fn of(port: &Port) -> Self {
        let width = port.width;
        let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
        let last = 0xff >> (width.next_multiple_of(8) - width);
        Self { is_input: port.direction == Direction::Input, width, mask, last }
    }

    /// Octets that the port needs.
    fn octets(self) -> usize {
        self.width.div_ceil(8)
    }
}

/// One instance of a [`Library`]. It may move between threads, and is used by one at a time.
pub struct Model {
    pub(super) library: Arc<Library>,
    pub(super) instance: Instance,
    /// By the number of the port.
    shapes: Vec<Shape>,
}

impl Library {
    /// A new instance whose registers and memories start with random values drawn from `seed`.
    /// Inputs are 0, except `mutant` (of a mutated top): it is set to the number in
    /// `FERROWARP_MUTANT`.
    ///
    /// # Panics
    /// If Verilator's layout of the ports is not that of their widths (tested when the library is
    /// opened), or `FERROWARP_MUTANT` is not a number of the top's mutants.
    pub fn instantiate(self: &Arc<Self>, seed: u64) -> Model {
        // Verilator takes 0 as "choose any", so seeds are folded into 1..=0x7fff_ffff.
        let folded = (seed ^ (seed >> 32)) % 0x7fff_ffff + 1;
        self.made(folded as u32)
    }

    /// A new instance whose registers and memories start at 0, for comparisons with another
    /// simulator.
    ///
    /// # Panics
    /// As [`Library::instantiate`].
    pub fn instantiate_zeroed(self: &Arc<Self>) -> Model {
        self.made(0)
    }

    fn made(self: &Arc<Self>, seed: u32) -> Model {
        Model::new(Arc::clone(self), self.instance(seed))
    }
}

impl Drop for Model {
    /// What a model counted outlives the instance.
    fn drop(&mut self) {
        if let Some(counters) = self.instance.counters() {
            coverage::keep(self.library.file(), counters);
        }
    }
}

impl Model {
    fn new(library: Arc<Library>, instance: Instance) -> Self {
        let shapes = library.ports().iter().map(Shape::of).collect();
        let mut model = Self { library, instance, shapes };
        for i in 0..model.library.ports().len() {
            if model.library.ports()[i].direction == Direction::Input {
                model.instance.write(i).fill(0);
            }
        }
        if let Some(port) = model.port(MUTANT) {
            // a wrong number must not pass as mutant 0, the unchanged hardware: every mutant would
            // seem unnoticed
            let text = std::env::var("FERROWARP_MUTANT").unwrap_or_else(|_| "0".into());
            let chosen = text.parse().map_err(|_| "it is not a number".to_string());
            let set = chosen.and_then(|n| model.set_u64(port, n).map_err(|e| e.to_string()));
            set.unwrap_or_else(|why| panic!("FERROWARP_MUTANT={text}: {why}"));
        }
        model.instance.eval();
        model
    }

    /// What this is an instance of.
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// The port called `name`.
    pub fn port(&self, name: &str) -> Option<PortId> {
        self.library.ports().iter().position(|p| p.name == name).map(PortId)
    }

    /// The port called `name`, or an error that lists ports that begin alike.
    pub fn need(&self, name: &str) -> Result<PortId, PortError> {
        self.port(name).ok_or_else(|| {
            let start = name.split('_').next().unwrap_or(name);
            let alike = self.library.ports().iter().map(|p| p.name.as_str()).filter(|n| n.starts_with(start));
            let alike: Vec<_> = alike.collect();
            let near =
                if alike.is_empty() { String::new() } else { format!("; it has {}", alike.join(", ")) };
            PortError::NoPort { top: self.library.top().into(), port: name.into(), near }
        })
    }

    /// Name of a port.
    pub fn name(&self, port: PortId) -> &str {
        &self.library.ports()[port.0].name
    }

    /// Width of a port in bits.
    pub fn width(&self, port: PortId) -> usize {
        self.shapes[port.0].width
    }

    /// Direction of a port.
    pub fn direction(&self, port: PortId) -> Direction {
        self.library.ports()[port.0].direction
    }

    /// Sets an input to a number.
    #[inline]
    pub fn set_u64(&mut self, port: PortId, value: u64) -> Result<(), PortError> {
        let shape = self.shapes[port.0];
        if !shape.is_input || value & !shape.mask != 0 {
            return Err(self.refused(port, &value.to_le_bytes()));
        }
        self.instance.write_u64(port.0, value);
        Ok(())
    }

    /// Sets an input to little-endian octets; missing octets are 0, octets beyond the port must
    /// be 0.
    pub fn set_bytes(&mut self, port: PortId, value: &[u8]) -> Result<(), PortError> {
        let shape = self.shapes[port.0];
        let (own, beyond) = value.split_at(value.len().min(shape.octets()));
        let last = own.get(shape.octets() - 1).map_or(0, |last| last & !shape.last);
        if !shape.is_input || last != 0 || beyond.iter().any(|&octet| octet != 0) {
            return Err(self.refused(port, value));
        }
        let storage = self.instance.write(port.0);
        storage[..own.len()].copy_from_slice(own);
        storage[own.len()..].fill(0);
        Ok(())
    }

    /// Why an input was not set to little-endian octets.
    #[cold]
    fn refused(&self, port: PortId, value: &[u8]) -> PortError {
        let name = self.name(port).to_string();
        if !self.shapes[port.0].is_input {
            return PortError::NotAnInput { top: self.library.top().into(), port: name };
        }
        let value = value.iter().rev().map(|b| format!("{b:02x}")).collect();
        PortError::TooWide { port: name, width: self.width(port), value }
    }

    /// Reads a port of up to 64 bits.
    #[inline]
    pub fn get_u64(&self, port: PortId) -> Result<u64, PortError> {
        self.instance.read_u64(port.0).ok_or_else(|| self.no_number(port))
    }

    /// Why no number was read.
    #[cold]
    fn no_number(&self, port: PortId) -> PortError {
        PortError::NotANumber { port: self.name(port).into(), width: self.width(port) }
    }

    /// Reads a port as little-endian octets, as many as its width needs.
    pub fn get_bytes(&self, port: PortId) -> &[u8] {
        &self.instance.read(port.0)[..self.shapes[port.0].octets()]
    }

    /// Settles the model after a change of inputs.
    pub fn eval(&mut self) {
        self.instance.eval();
    }

    /// Moves time on by half a clock period, and writes the present values to an open trace.
    pub fn advance(&mut self) {
        self.instance.advance();
    }

    /// Opens an FST trace from now on, closing one that is open. The error is
    /// [`PortError::Untraced`] unless the library is a traced one.
    pub fn trace_open(&mut self, path: &Path) -> Result<(), PortError> {
        let failed = || PortError::Trace(path.display().to_string());
        let text = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| failed())?;
        match self.instance.trace_open(&text) {
            Some(true) => Ok(()),
            Some(false) => Err(failed()),
            None => Err(PortError::Untraced { top: self.library.top().into() }),
        }
    }

    /// Closes the trace.
    pub fn trace_close(&mut self) {
        self.instance.trace_close();
    }

    /// Whether output `b` follows input `a` without a clock edge: inverts the 1-bit `a`, settles,
    /// compares `b` and puts everything back. The clock must be low and the model settled.
    pub fn follows(&mut self, a: PortId, b: PortId) -> Result<bool, PortError> {
        let was = self.get_u64(a)?;
        let before = self.get_u64(b)?;
        self.set_u64(a, was ^ 1)?;
        self.eval();
        let after = self.get_u64(b)?;
        self.set_u64(a, was)?;
        self.eval();
        Ok(before != after)
    }
}
