//! `ferrowarp decode`: FPDUs explained, from hexadecimal or from a capture.
//!
//! Layouts come from the tables of `abi`; nothing here knows a bit. The verdict on a CRC is the crate `crc`'s.
mod capture;
mod fpdu;
mod stream;
#[cfg(test)]
mod tests;

pub use fpdu::{decode_fpdu, Explained, Part, Verdict};
pub use stream::Step;

use super::{Said, ToolError};
use crate::inspect::Named;
use serde_json::json;
use std::io::Read;
use std::path::PathBuf;

/// Arguments.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    ferrowarp decode 000ec140000000010000000000000000ebd34c5f\n  \
    ferrowarp decode --file tests/data/siw_rping_crc.pcap\n  \
    ferrowarp decode --file ping.pcapng --json | jq '.steps[] | select(.crc == \"bad\")'\n  \
    xxd -p fpdu.bin | ferrowarp decode -\n\n\
    The capture has to be one of Ethernet. Segments are put together in order; markers are taken out where the peer asked for them.")]
pub struct Args {
    /// FPDUs in hexadecimal, without markers; `-` reads them from standard input
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    hex: Vec<String>,
    /// A pcap or pcapng
    #[arg(short, long)]
    file: Option<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// What cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// No hexadecimal digit.
    #[error("`{found}` at character {at} is no hexadecimal digit; write octets as 0012ab or 00:12:ab")]
    Digit {
        /// What stands there.
        found: char,
        /// Where, from 1 on.
        at: usize,
    },
    /// Half an octet.
    #[error("{0} hexadecimal digits are no whole octets; is one missing?")]
    Odd(usize),
    /// Nothing.
    #[error("there is nothing to decode; give octets in hexadecimal, or --file CAPTURE")]
    Empty,
    /// A file that cannot be read.
    #[error("{file}: {why}")]
    File {
        /// Which.
        file: String,
        /// Why.
        why: String,
    },
}

pub(super) fn run(args: &Args) -> Result<Said, ToolError> {
    let steps = match &args.file {
        Some(file) => capture::steps(file)?,
        None => {
            let mut text = args.hex.join(" ");
            if text == "-" {
                let read = |e: std::io::Error| DecodeError::File {
                    file: "standard input".into(),
                    why: e.to_string(),
                };
                text.clear();
                std::io::stdin().read_to_string(&mut text).map_err(read)?;
            }
            from_hex(&text)?
        }
    };
    Ok(said(&steps))
}

/// The FPDUs of a text in hexadecimal, one behind the other.
pub fn from_hex(text: &str) -> Result<Vec<Step>, DecodeError> {
    let octets = octets(text)?;
    Ok(stream::fpdus("hex", &octets))
}

fn octets(text: &str) -> Result<Vec<u8>, DecodeError> {
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

fn said(steps: &[Step]) -> Said {
    let count = |verdict| steps.iter().filter(|s| s.explained.crc == Some(verdict)).count();
    let [good, bad, zero] = [Verdict::Good, Verdict::Bad, Verdict::Zero].map(count);
    let mut text: String = steps.iter().map(line).collect();
    text += &format!("{} FPDUs: CRC good {good}, bad {bad}, zero {zero}", good + bad + zero);
    Said {
        text,
        json: json!({ "ok": true, "steps": steps, "crc": { "good": good, "bad": bad, "zero": zero } }),
    }
}

/// A step in lines.
fn line(step: &Step) -> String {
    let Explained { what, parts, payload, crc, note, .. } = &step.explained;
    let verdict = crc.map_or(String::new(), |crc| format!(", CRC {}", crc.in_words()));
    let mut text = format!("{} @{}: {what}, {payload} octets of payload{verdict}\n", step.flow, step.at);
    for Part { layout, fields } in parts {
        let one = |f: &Named| format!("{}={}", f.name, f.value);
        text += &format!("    {layout}: {}\n", fields.iter().map(one).collect::<Vec<_>>().join(" "));
    }
    note.iter().for_each(|note| text += &format!("    {note}\n"));
    text
}
