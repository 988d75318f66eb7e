// SPDX-License-Identifier: MIT OR Apache-2.0
//! ecppack: a routed design becomes a bitstream for the chip of a board.
use crate::{child, repo};
use anyhow::{bail, Context, Result};
use std::path::Path;
use std::process::Command;

/// Command of the bitstream that holds the IDCODE: VERIFY_ID of an ECP5, three octets of zero.
const VERIFY_ID: [u8; 4] = [0xE2, 0, 0, 0];

/// Packs `<name>.config` in `folder` to `<name>.bit`: the octets of the bitstream.
///
/// # Errors
/// What ecppack says; a bitstream that asks for a chip of another IDCODE.
pub fn pack(folder: &Path, name: &str, idcode: u32) -> Result<usize> {
    let [config, bit] = ["config", "bit"].map(|ending| format!("{name}.{ending}"));
    child::capture(Command::new("ecppack").args(["--compress", &config, &bit]).current_dir(folder))?;
    let bit = folder.join(bit);
    let octets = std::fs::read(&bit).with_context(|| format!("cannot read {}", repo::shown(&bit)))?;
    if !is_for(&octets, idcode) {
        let bit = repo::shown(&bit);
        bail!("{bit} does not ask for a chip of IDCODE {idcode:#010x}, which board.toml names");
    }
    Ok(octets.len())
}

/// Whether a bitstream asks for a chip of this IDCODE.
fn is_for(bitstream: &[u8], idcode: u32) -> bool {
    let wanted = [&VERIFY_ID[..], &idcode.to_be_bytes()].concat();
    bitstream.windows(wanted.len()).any(|octets| octets == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_idcode_stands_behind_its_command() {
        let octets = [0xFF, 0xE2, 0, 0, 0, 0x81, 0x11, 0x30, 0x43, 0xFF];
        assert!(is_for(&octets, 0x8111_3043) && !is_for(&octets, 0x8111_3044));
    }
}
