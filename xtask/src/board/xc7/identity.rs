// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the vendor's IP is told of the function, against the ABI and the board.
use super::file::Board;
use super::tcl::Call;
use anyhow::{bail, Result};
use ferrowarp_abi::consts::{bar, csr_identity};
use ferrowarp_hdl::config::Config;
use std::collections::BTreeMap;

/// Settings of the IP that the device decides, with their values.
fn wanted(config: &Config) -> Vec<(&'static str, String)> {
    // a doorbell page for each queue pair, and one for the rings that exist once
    let pages = u64::from(bar::PAGE_OCTETS) * (config.qps + 1).next_power_of_two();
    let kib = |octets: u64| (octets / 1024).to_string();
    let mut wanted = vec![
        ("Vendor_ID", format!("{:04X}", csr_identity::VENDOR)),
        ("Device_ID", format!("{:04X}", csr_identity::DEVICE)),
        ("Bar0_Size", kib(bar::REGISTERS_OCTETS.into())),
        ("Bar2_Size", kib(pages)),
        ("Bar4_Size", kib(bar::MSIX_OCTETS.into())),
        ("MSIx_Table_Size", format!("{:x}", bar::VECTORS)),
        ("MSIx_Table_Offset", format!("{:x}", bar::MSIX_TABLE)),
        ("MSIx_PBA_Offset", format!("{:x}", bar::MSIX_PENDING)),
        ("Interface_Width", format!("{}_bit", config.edge_bits)),
        ("User_Clk_Freq", (config.clock_khz as f64 / 1e3).to_string()),
    ];
    for key in ["Bar0_Scale", "Bar2_Scale", "Bar4_Scale"] {
        wanted.push((key, "Kilobytes".into()));
    }
    for key in ["Bar0_64bit", "Bar2_64bit", "Bar4_64bit", "MSIx_Enabled"] {
        wanted.push((key, "true".into()));
    }
    wanted
}

/// Judges the project's calls: the chip, and the settings of the IP.
///
/// # Errors
/// A setting that is not there, is there twice, or has another value than the device.
pub fn judge(calls: &[Call], board: &Board, config: &Config) -> Result<()> {
    let part =
        calls.iter().find(|call| call.name() == "create_project").and_then(|call| call.option("-part"));
    if part != Some(board.part().as_str()) {
        let part = part.unwrap_or("(none)");
        bail!("the project is for part {part}, and board.toml says {}", board.part());
    }
    let mut settings = BTreeMap::new();
    for pairs in
        calls.iter().filter(|call| call.name() == "set_property").filter_map(|call| call.option("-dict"))
    {
        let words: Vec<_> = pairs.split(' ').collect();
        for pair in words.chunks(2) {
            let [key, value] = pair else { bail!("a setting without value: {}", pair.join(" ")) };
            if settings.insert(*key, *value).is_some() {
                bail!("{key} is set twice");
            }
        }
    }
    for (key, value) in wanted(config) {
        match settings.get(format!("CONFIG.{key}").as_str()) {
            Some(set) if set.eq_ignore_ascii_case(&value) => {}
            Some(set) => bail!("the project sets CONFIG.{key} to {set}, and the device needs {value}"),
            None => bail!("the project does not set CONFIG.{key}, and the device needs {value}"),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::file::tests::{parsed, TEXT};
    use super::*;
    use crate::emit;

    #[test]
    fn a_setting_that_is_not_the_devices_is_named_with_both_values() {
        let config = emit::configured("tiny", &["clock_khz=62500".into()]).unwrap();
        let pairs: Vec<_> =
            wanted(&config).iter().map(|(key, value)| format!("CONFIG.{key} {value}")).collect();
        let judged = |from: &str, to: &str| {
            let pairs = pairs.join(" ").replace(from, to);
            let calls = [
                "create_project -part xc7k325tffg900-2".split(' ').map(str::to_string).collect(),
                ["set_property", "-dict", &pairs, "[get_ips ip]"].map(str::to_string).to_vec(),
            ];
            judge(&calls.map(Call), &parsed(TEXT).unwrap(), &config).map_err(|e| e.to_string())
        };
        assert_eq!(judged("", ""), Ok(()));
        let size = judged("Bar2_Size 128", "Bar2_Size 64").unwrap_err();
        assert_eq!(size, "the project sets CONFIG.Bar2_Size to 64, and the device needs 128");
        assert!(judged("User_Clk_Freq 62.5", "User_Clk 62.5")
            .unwrap_err()
            .contains("does not set CONFIG.User_Clk_Freq"));
        assert!(judged("Bar2_Size", "Bar0_Size").unwrap_err().contains("CONFIG.Bar0_Size is set twice"));
        let part = judge(&[], &parsed(TEXT).unwrap(), &config).unwrap_err().to_string();
        assert_eq!(part, "the project is for part (none), and board.toml says xc7k325tffg900-2");
    }
}
