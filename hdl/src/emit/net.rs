// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lines of a table of joins.

/// One line of a netlist. Ports are named `part.port`; a name that is no port's stands for every
/// port that begins with it and an underscore, so `a.tx` is a whole stream.
#[derive(Clone, Debug)]
pub enum Net {
    /// Port by port, the one's output drives the other's input; both have the same ports under
    /// their names.
    Join(String, String),
    /// Bit `1` of a wide port and a port of one bit, or bit `n` of a wide output, `part.port[n]`; a
    /// wide input's other bits have lines of their own.
    Bit(String, usize, String),
    /// The ports become ports of the top, under another name; several inputs may become one.
    Export(String, String),
    /// An input has this value for ever.
    Tie(String, u64),
    /// Outputs that nobody reads.
    Open(String),
}

impl Net {
    /// [`Net::Join`].
    pub fn join(a: impl Into<String>, b: impl Into<String>) -> Self {
        Net::Join(a.into(), b.into())
    }

    /// [`Net::Bit`].
    pub fn bit(wide: impl Into<String>, bit: usize, one: impl Into<String>) -> Self {
        Net::Bit(wide.into(), bit, one.into())
    }

    /// [`Net::Export`].
    pub fn export(inner: impl Into<String>, outer: impl Into<String>) -> Self {
        Net::Export(inner.into(), outer.into())
    }

    /// [`Net::Tie`].
    pub fn tie(port: impl Into<String>, value: u64) -> Self {
        Net::Tie(port.into(), value)
    }

    /// [`Net::Open`].
    pub fn open(port: impl Into<String>) -> Self {
        Net::Open(port.into())
    }
}
