// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ferrowarp decode`: FPDUs explained.
use crate::decode::{from_hex, steps, DecodeError, Explained, Part, Step, Verdict};
use crate::error::ToolError;
use crate::said::Said;
use crate::table::named;
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
    The capture must be of Ethernet. Segments are joined in order. If the peer asked for markers, markers are removed.")]
pub(crate) struct Args {
    /// FPDUs in hexadecimal, without markers; `-` reads them from standard input
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    hex: Vec<String>,
    /// Capture, pcap or pcapng
    #[arg(short, long)]
    file: Option<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Said, ToolError> {
    let steps = match &args.file {
        Some(file) => steps(file)?,
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
        let fields: Vec<_> = fields.iter().map(|f| named(f, u64::MAX)).collect();
        text += &format!("    {layout}: {}\n", fields.join(" "));
    }
    note.iter().for_each(|note| text += &format!("    {note}\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_json_say_the_same() {
        let all = from_hex("000ec140000000010000000000000000ebd34c5f 0002a0a1943660d4").unwrap();
        let said = said(&all);
        assert!(
            said.text.contains("RdmaWrite, last segment, 0 octets of payload, CRC good"),
            "{}",
            said.text
        );
        assert!(said.text.contains("stag=0x1 "), "{}", said.text);
        assert!(said.text.ends_with("2 FPDUs: CRC good 1, bad 1, zero 0"));
        assert_eq!(said.json["steps"][1]["crc"], "bad");
        assert_eq!(said.json["crc"]["good"], 1);
    }
}
