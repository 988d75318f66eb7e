// SPDX-License-Identifier: MIT OR Apache-2.0
//! What benches send and receive: frames on streams, items on channels.
use std::collections::BTreeMap;
use std::fmt;

/// A frame of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Frame {
    /// At least one octet.
    pub data: Vec<u8>,
    /// The frame is bad, said with its last beat.
    pub err: bool,
}

impl Frame {
    /// A good frame.
    pub fn good(data: Vec<u8>) -> Self {
        Self { data, err: false }
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} octets{}: ", self.data.len(), if self.err { " err" } else { "" })?;
        self.data.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

/// One entry of a channel: values of the fields `<prefix>_<field>` as little-endian octets.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Item(pub BTreeMap<String, Vec<u8>>);

impl Item {
    /// No field yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// This and a field with a number.
    #[must_use]
    pub fn with(self, field: &str, value: u64) -> Self {
        self.with_bytes(field, &value.to_le_bytes())
    }

    /// This and a field with little-endian octets; missing ones are 0.
    #[must_use]
    pub fn with_bytes(mut self, field: &str, value: &[u8]) -> Self {
        self.0.insert(field.into(), value.into());
        self
    }

    /// Octets of a field; none if it is not there.
    pub fn bytes(&self, field: &str) -> Option<&[u8]> {
        self.0.get(field).map(Vec::as_slice)
    }

    /// A field as a number; none if it is not there or does not fit.
    pub fn u64(&self, field: &str) -> Option<u64> {
        let octets = self.bytes(field)?;
        let (low, high) = octets.split_at(octets.len().min(8));
        if high.iter().any(|&b| b != 0) {
            return None;
        }
        Some(low.iter().rev().fold(0, |n, &b| (n << 8) | u64::from(b)))
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.0 {
            write!(f, "{name}=0x")?;
            value.iter().rev().try_for_each(|b| write!(f, "{b:02x}"))?;
            write!(f, " ")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_a_number_if_it_fits() {
        let item = Item::new()
            .with("a", 0x1234)
            .with_bytes("b", &[7; 9])
            .with_bytes("c", &[1, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(item.u64("a"), Some(0x1234));
        assert_eq!(item.u64("b"), None);
        assert_eq!(item.u64("c"), Some(1));
        assert_eq!(item.u64("d"), None);
    }
}
