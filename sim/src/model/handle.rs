//! A running instance, safe: ports by id, values checked against widths.
use super::ffi::Instance;
use super::Library;
use ferrowarp_hdl::emit::Direction;
use std::ffi::CString;
use std::path::Path;
use std::sync::Arc;

/// A port of one top. An id of another top is refused or names the port at the same place.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PortId(usize);

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

/// One instance of a [`Library`]. It may move between threads, and is used by one at a time.
pub struct Model {
    library: Arc<Library>,
    instance: Instance,
}

impl Model {
    pub(super) fn new(library: Arc<Library>, instance: Instance) -> Self {
        let mut model = Self { library, instance };
        for i in 0..model.library.ports().len() {
            if model.library.ports()[i].direction == Direction::Input {
                model.instance.write(i).fill(0);
            }
        }
        if let Some(port) = model.port("mutant") {
            // a wrong number must not pass as mutant 0, the unchanged hardware: every mutant would seem unnoticed
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
        self.library.ports()[port.0].width
    }

    /// Direction of a port.
    pub fn direction(&self, port: PortId) -> Direction {
        self.library.ports()[port.0].direction
    }

    /// Sets an input to a number.
    pub fn set_u64(&mut self, port: PortId, value: u64) -> Result<(), PortError> {
        self.set_bytes(port, &value.to_le_bytes())
    }

    /// Sets an input to little-endian octets; missing octets are 0, octets beyond the port must be 0.
    pub fn set_bytes(&mut self, port: PortId, value: &[u8]) -> Result<(), PortError> {
        let p = &self.library.ports()[port.0];
        if p.direction != Direction::Input {
            return Err(PortError::NotAnInput { top: self.library.top().into(), port: p.name.clone() });
        }
        let whole = p.width / 8;
        let fits = value.iter().skip(whole).enumerate().all(|(i, &octet)| {
            let bits = if i == 0 { p.width % 8 } else { 0 };
            octet >> bits == 0
        });
        if !fits {
            let value = value.iter().rev().map(|b| format!("{b:02x}")).collect();
            return Err(PortError::TooWide { port: p.name.clone(), width: p.width, value });
        }
        let storage = self.instance.write(port.0);
        let n = value.len().min(storage.len());
        storage[..n].copy_from_slice(&value[..n]);
        storage[n..].fill(0);
        Ok(())
    }

    /// Reads a port of up to 64 bits.
    pub fn get_u64(&self, port: PortId) -> Result<u64, PortError> {
        let octets = self.get_bytes(port);
        if octets.len() > 8 {
            let (port, width) = (self.name(port).into(), self.width(port));
            return Err(PortError::NotANumber { port, width });
        }
        let mut value = [0; 8];
        value[..octets.len()].copy_from_slice(octets);
        Ok(u64::from_le_bytes(value))
    }

    /// Reads a port as little-endian octets, as many as its width needs.
    pub fn get_bytes(&self, port: PortId) -> &[u8] {
        &self.instance.read(port.0)[..self.width(port).div_ceil(8)]
    }

    /// Settles the model after a change of inputs.
    pub fn eval(&mut self) {
        self.instance.eval();
    }

    /// Moves time on by half a clock period, and writes the present values to an open trace.
    pub fn advance(&mut self) {
        self.instance.advance();
    }

    /// Opens an FST trace from now on, closing one that is open. The error is [`PortError::Untraced`] unless the library is a
    /// traced one.
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

    /// Whether output `b` follows input `a` without a clock edge: inverts the 1-bit `a`, settles, compares `b`
    /// and puts everything back. The clock must be low and the model settled.
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
