// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is told beside the table: tshark's words, the Verilog, where everything lies.
use crate::{emit, repo, synth};
use anyhow::Result;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::pcap::tshark::Summary;
use ferrowarp_tests::device::config;
use std::path::Path;

/// What tshark says, in a sentence.
pub fn told(Summary { frames, crc, .. }: &Summary) -> String {
    format!("tshark: {frames} frames; of FPDUs {} CRCs good, {} bad; nothing malformed", crc.good, crc.bad)
}

/// Prints what tshark says, and where everything lies.
pub fn print(judged: Option<&Summary>, verilog: Option<&String>, capture: &Path, waves: Option<&Path>) {
    if let Some(summary) = judged {
        say!("{}", told(summary));
    }
    let Some(verilog) = verilog else { return };
    say!("\n{verilog}");
    let kept = if waves.is_some() { "a capture and a waveform" } else { "a capture" };
    say!("each device has {kept} beside these:");
    say!("    wireshark {}", repo::shown(capture));
    if let Some(waves) = waves {
        say!("    gtkwave {}", repo::shown(waves));
    }
}

/// Writes the Verilog that is simulated to `folder`, and has Yosys look for what simulates but
/// cannot be built.
pub fn verilog(folder: &Path) -> Result<String> {
    let config = config();
    let emitted = ferrowarp_sim::emitted(Top::RnicW64, &config)?;
    let files = emit::write(&emitted, &config, folder)?;
    synth::latch_check(&emitted)?;
    let (lines, path) = (emitted.verilog.lines().count(), repo::shown(&files.verilog));
    Ok(format!(
        "Verilog: {path}, {lines} lines, {} modules; Yosys: no latch, double driver or loop",
        emitted.modules
    ))
}
