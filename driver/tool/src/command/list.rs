// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ferrowarp list`: the functions that are Ferrowarps, who has them, and what gives them to user
//! space.
use crate::error::ToolError;
use crate::said::Said;
use crate::table::table;
use ferrowarp::sysfs::{Function, Roots, SysfsError};
use serde_json::json;

/// Arguments.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  ferrowarp list\n  ferrowarp list --json | jq '.devices[].bind[]'")]
pub(crate) struct Args {
    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(_args: &Args) -> Result<Said, ToolError> {
    Ok(list(&Roots::default())?)
}

/// What sysfs shows.
fn list(roots: &Roots) -> Result<Said, SysfsError> {
    let found = roots.ferrowarps()?;
    let devices: Vec<_> = found.iter().map(device).collect();
    let json = json!({ "ok": true, "devices": devices });
    if found.is_empty() {
        let text =
            "no Ferrowarp on this machine's PCI buses; simulated ones are opened by `vfio-user:` or `sim:`";
        return Ok(Said { text: text.into(), json });
    }
    let or_none = |name: Option<String>| name.unwrap_or_else(|| "-".into());
    let row = |f: &Function| {
        let group = f.group.map(|g| g.to_string());
        [f.address.to_string(), or_none(f.driver.clone()), or_none(group), or_none(rate(f)), state(f)]
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    let mut text = table(["address", "driver", "IOMMU group", "link", "state"], &rows);
    for function in found.iter().filter(|f| !f.bind_commands().is_empty()) {
        text += &format!("\nto bind {} to vfio-pci:\n", function.address);
        function.bind_commands().iter().for_each(|line| text += &format!("  {line}\n"));
    }
    Ok(Said { text, json })
}

/// In one word or sentence.
fn state(function: &Function) -> String {
    let Function { address, group, .. } = function;
    match (group, function.bind_commands().is_empty()) {
        (None, _) => "no IOMMU group: turn the IOMMU on (`intel_iommu=on` or `amd_iommu=on`)".into(),
        (Some(_), true) => format!("ready: vfio:{address};ip=ADDRESS/PREFIX"),
        (Some(_), false) => "to be bound".into(),
    }
}

/// The link now, as far as the reader may know.
fn rate(function: &Function) -> Option<String> {
    let now = function.link().ok()??.now;
    Some(format!("{} GT/s x{}", now.gt_per_s, now.lanes))
}

fn device(function: &Function) -> serde_json::Value {
    let Function { address, vendor, device, driver, group, node, .. } = function;
    json!({
        "address": address.to_string(),
        "vendor": format!("{vendor:04x}"),
        "device": format!("{device:04x}"),
        "driver": driver,
        "iommu_group": group,
        "node": node,
        "link": function.link().ok().flatten(),
        "bind": function.bind_commands(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrowarp::sysfs::tree::Tree;

    #[test]
    fn what_is_ready_and_what_is_to_be_done_is_told_apart() {
        let tree = Tree::default();
        let ours = [0x1234, 0xfe77];
        tree.function("0000:03:00.0", ours).group(7).driver("vfio-pci");
        tree.function("0000:04:00.0", ours).group(8);
        tree.function("0000:05:00.0", ours);
        let said = list(&tree.roots()).unwrap();
        let line = |address: &str| said.text.lines().find(|line| line.starts_with(address)).unwrap();
        assert!(
            line("0000:03:00.0").ends_with("ready: vfio:0000:03:00.0;ip=ADDRESS/PREFIX"),
            "{}",
            said.text
        );
        assert!(line("0000:04:00.0").ends_with("to be bound"));
        assert!(line("0000:05:00.0").contains("no IOMMU group"));
        assert!(said.text.contains("to bind 0000:04:00.0") && !said.text.contains("to bind 0000:03:00.0"));
        let json = said.json["devices"].as_array().unwrap();
        assert_eq!((json.len(), json[0]["iommu_group"].as_u64()), (3, Some(7)));
        assert_eq!(json[0]["bind"].as_array().unwrap().len(), 0);
    }

    #[test]
    fn a_machine_without_one_says_what_else_there_is() {
        let said = list(&Tree::default().roots()).unwrap();
        assert!(said.text.contains("no Ferrowarp") && said.text.contains("vfio-user:"));
        assert_eq!(said.json["devices"].as_array().unwrap().len(), 0);
    }
}
