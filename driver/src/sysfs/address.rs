// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses of PCI functions.
use std::fmt;
use std::str::FromStr;

/// Domain, bus, device and function, as `lspci -D` prints them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PciAddress {
    /// Domain: which tree of buses.
    pub domain: u32,
    /// Bus.
    pub bus: u8,
    /// Device on the bus, 0 to 31.
    pub device: u8,
    /// Function of the device, 0 to 7.
    pub function: u8,
}

/// A text that is no address of a function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no address of a PCI function; write it as `lspci -D` does, for example 0000:03:00.0")]
pub struct BadAddress(pub String);

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { domain, bus, device, function } = self;
        write!(f, "{domain:04x}:{bus:02x}:{device:02x}.{function}")
    }
}

impl FromStr for PciAddress {
    type Err = BadAddress;

    /// Without a domain it is domain 0.
    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let bad = || BadAddress(text.into());
        let hex = |digits: &str, most: usize| {
            let is_hex = (1..=most).contains(&digits.len()) && digits.bytes().all(|o| o.is_ascii_hexdigit());
            is_hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten().ok_or_else(bad)
        };
        let (rest, function) = text.rsplit_once('.').ok_or_else(bad)?;
        let (rest, device) = rest.rsplit_once(':').ok_or_else(bad)?;
        let (domain, bus) = rest.rsplit_once(':').unwrap_or(("0", rest));
        let [domain, bus] = [hex(domain, 8)?, hex(bus, 2)?];
        let [device, function] = [hex(device, 2)?, hex(function, 1)?];
        if device > 31 || function > 7 {
            return Err(bad());
        }
        Ok(Self { domain, bus: bus as u8, device: device as u8, function: function as u8 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_as_they_are_read() {
        for (text, whole) in
            [("0000:03:00.0", "0000:03:00.0"), ("3:1f.7", "0000:03:1f.7"), ("10000:ff:00.1", "10000:ff:00.1")]
        {
            assert_eq!(text.parse::<PciAddress>().unwrap().to_string(), whole);
        }
        for text in
            ["", "3", "3:0", "0000:03:00", "0000:03:20.0", "0000:03:00.8", "x:03:00.0", "0000:03:+0.0"]
        {
            let why = text.parse::<PciAddress>().unwrap_err().to_string();
            assert!(why.contains(&format!("`{text}`")) && why.contains("0000:03:00.0"), "{why}");
        }
    }
}
