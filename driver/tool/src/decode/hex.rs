// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets in hexadecimal.
use super::error::DecodeError;
use super::stream::{fpdus, Step};

/// The FPDUs of a text in hexadecimal, one behind the other.
pub fn from_hex(text: &str) -> Result<Vec<Step>, DecodeError> {
    let octets = octets(text)?;
    Ok(fpdus("hex", &octets))
}

pub(super) fn octets(text: &str) -> Result<Vec<u8>, DecodeError> {
    let text = text.trim();
    let text = text.strip_prefix("0x").unwrap_or(text);
    let digit = |(at, c): (usize, char)| match c {
        c if c.is_whitespace() || matches!(c, ':' | '-' | ',') => None,
        c => Some(c.to_digit(16).map(|d| d as u8).ok_or(DecodeError::Digit { found: c, at: at + 1 })),
    };
    let digits: Vec<u8> = text.chars().enumerate().filter_map(digit).collect::<Result<_, _>>()?;
    match digits.len() {
        0 => Err(DecodeError::Empty),
        odd if odd % 2 == 1 => Err(DecodeError::Odd(odd)),
        _ => Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()),
    }
}
