// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lines of a table of joins.

/// One line of a table.
///
/// An end is `part.port`, a field `part.port.field` of a record, or bits `part.port[7:4]` or
/// `part.port[0]` of either; a port that the table itself declares stands for `part.port`. A name
/// that is no port's stands for every port that begins with the name and an underscore, so `a.tx`
/// is a whole stream.
#[derive(Clone, Debug)]
pub enum Net {
    /// The output drives the input, port by port for a name of several ports. Both ends have the
    /// same ports, widths and records.
    Join(String, String),
    /// The output drives the input, which takes the low bits, or has zeros above.
    Fit(String, String),
    /// The ends become ports of the table, under another name; several inputs may become one.
    Export(String, String),
    /// An input has this value for ever.
    Tie(String, u64),
    /// Outputs that nothing reads.
    Open(String),
}

impl Net {
    /// [`Net::Join`].
    pub fn join(a: impl Into<String>, b: impl Into<String>) -> Self {
        Net::Join(a.into(), b.into())
    }

    /// A [`Net::Join`] of bit `bit` of a wide port.
    pub fn bit(wide: &str, bit: usize, one: impl Into<String>) -> Self {
        Net::Join(format!("{wide}[{bit}]"), one.into())
    }

    /// [`Net::Fit`].
    pub fn fit(from: impl Into<String>, to: impl Into<String>) -> Self {
        Net::Fit(from.into(), to.into())
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
