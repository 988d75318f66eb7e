// SPDX-License-Identifier: MIT OR Apache-2.0
//! PCI functions as Linux shows them below `/sys`: which are Ferrowarps, who drives them, and how
//! they get to VFIO.
//!
//! Everything starts at [`Roots`], so that a tree of files in a temporary folder is as good as a
//! machine with a card.
mod address;
mod link;
#[cfg(any(test, feature = "fake"))]
pub mod tree;

pub use address::{BadAddress, PciAddress};
pub use link::{Link, Rate};

use ferrowarp_abi::consts::csr_identity;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The kernel's driver that gives a function to user space.
pub const VFIO_PCI: &str = "vfio-pci";

/// Where the kernel's files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    /// `/sys`.
    pub sysfs: PathBuf,
    /// `/dev`.
    pub dev: PathBuf,
}

impl Default for Roots {
    fn default() -> Self {
        Self { sysfs: "/sys".into(), dev: "/dev".into() }
    }
}

/// Why sysfs cannot say what is asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SysfsError {
    /// There is no such function.
    #[error("there is no PCI function {address} in {}; `ferrowarp list` shows those that are Ferrowarps", .folder.display())]
    Absent {
        /// Asked for.
        address: PciAddress,
        /// Where functions are.
        folder: PathBuf,
    },
    /// A file that cannot be read, or does not say what it should.
    #[error("{}: {why}; check that it is sysfs", .file.display())]
    File {
        /// Which.
        file: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// A PCI function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its place on the bus.
    pub address: PciAddress,
    /// Its folder in sysfs.
    pub path: PathBuf,
    /// Vendor ID.
    pub vendor: u16,
    /// Device ID.
    pub device: u16,
    /// Name of the driver that it is bound to.
    pub driver: Option<String>,
    /// Number of its IOMMU group.
    pub group: Option<u32>,
    /// Name of its node below `/dev/vfio/devices`, if the kernel has such.
    pub node: Option<String>,
}

impl Roots {
    fn functions(&self) -> PathBuf {
        self.sysfs.join("bus/pci/devices")
    }

    /// A function by its address.
    pub fn function(&self, address: PciAddress) -> Result<Function, SysfsError> {
        let folder = self.functions();
        let path = folder.join(address.to_string());
        if !path.is_dir() {
            return Err(SysfsError::Absent { address, folder });
        }
        let [vendor, device] = ["vendor", "device"].map(|name| id(&path.join(name)));
        let group = target(&path.join("iommu_group")).and_then(|name| name.parse().ok());
        let (driver, node) = (target(&path.join("driver")), first(&path.join("vfio-dev")));
        Ok(Function { address, vendor: vendor?, device: device?, driver, group, node, path })
    }

    /// All functions that are Ferrowarps, by address. What is none, or goes away meanwhile, is left
    /// out.
    pub fn ferrowarps(&self) -> Result<Vec<Function>, SysfsError> {
        let folder = self.functions();
        let no_folder = |e: io::Error| SysfsError::File { file: folder.clone(), why: e.to_string() };
        let names = fs::read_dir(&folder).map_err(no_folder)?;
        let addresses = names.filter_map(|n| n.ok()?.file_name().to_str()?.parse::<PciAddress>().ok());
        let mut found: Vec<_> = addresses.filter_map(|address| self.function(address).ok()).collect();
        found.retain(Function::is_ferrowarp);
        found.sort_by_key(|function| function.address);
        Ok(found)
    }

    /// The node of an IOMMU group for VFIO.
    pub fn group_node(&self, group: u32) -> PathBuf {
        self.dev.join("vfio").join(group.to_string())
    }

    /// Functions of a group that another driver than VFIO's has, with its name: they keep the group
    /// from user space.
    pub fn strangers(&self, group: u32) -> Vec<(PciAddress, String)> {
        let folder = self.sysfs.join(format!("kernel/iommu_groups/{group}/devices"));
        let names = fs::read_dir(folder).into_iter().flatten();
        let addresses = names.filter_map(|n| n.ok()?.file_name().to_str()?.parse::<PciAddress>().ok());
        let others = addresses.filter_map(|address| {
            let driver = target(&self.functions().join(address.to_string()).join("driver"))?;
            // the kernel counts its own driver of bridges as harmless
            (driver != VFIO_PCI && driver != "pcieport").then_some((address, driver))
        });
        others.collect()
    }

    /// Addresses, first and last, that the IOMMU keeps for itself in a group, such as those of
    /// interrupts. None are known if the kernel does not tell.
    pub fn reserved(&self, group: u32) -> Vec<(u64, u64)> {
        let file = self.sysfs.join(format!("kernel/iommu_groups/{group}/reserved_regions"));
        let text = fs::read_to_string(file).unwrap_or_default();
        let number = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
        let range = |line: &str| {
            let mut words = line.split_whitespace();
            Some((number(words.next()?)?, number(words.next()?)?))
        };
        text.lines().filter_map(range).collect()
    }
}

impl Function {
    /// Whether its IDs are a Ferrowarp's.
    pub fn is_ferrowarp(&self) -> bool {
        (self.vendor, self.device) == (csr_identity::VENDOR, csr_identity::DEVICE)
    }

    /// What gives it to VFIO, as lines for a shell; none if it is there already.
    pub fn bind_commands(&self) -> Vec<String> {
        let (address, path) = (self.address, self.path.display());
        if self.driver.as_deref() == Some(VFIO_PCI) {
            return vec![];
        }
        let mut lines = vec![format!("sudo modprobe {VFIO_PCI}")];
        lines.push(format!("echo {VFIO_PCI} | sudo tee {path}/driver_override"));
        if self.driver.is_some() {
            lines.push(format!("echo {address} | sudo tee {path}/driver/unbind"));
        }
        lines.push(format!("echo {address} | sudo tee /sys/bus/pci/drivers_probe"));
        if let Some(group) = self.group {
            lines.push(format!("sudo chown \"$USER\" /dev/vfio/{group}"));
            // where the kernel has them these are opened in its place; the function's own has a
            // name from now on only
            lines.push(format!(
                "for node in /dev/iommu /dev/vfio/devices/$(ls {path}/vfio-dev 2>/dev/null); do \
                 [ ! -c \"$node\" ] || sudo chown \"$USER\" \"$node\"; done"
            ));
        }
        lines
    }
}

/// The last part of what a link points to.
fn target(link: &Path) -> Option<String> {
    Some(fs::read_link(link).ok()?.file_name()?.to_str()?.to_string())
}

/// The name of the only entry of a folder.
fn first(folder: &Path) -> Option<String> {
    Some(fs::read_dir(folder).ok()?.next()?.ok()?.file_name().to_str()?.to_string())
}

/// The number in a file like `0x1234`.
fn id(file: &Path) -> Result<u16, SysfsError> {
    let wrong = |why: String| SysfsError::File { file: file.into(), why };
    let text = fs::read_to_string(file).map_err(|e| wrong(e.to_string()))?;
    let digits = text.trim().strip_prefix("0x").and_then(|digits| u16::from_str_radix(digits, 16).ok());
    digits.ok_or_else(|| wrong(format!("`{}` is no ID like 0x1234", text.trim())))
}

#[cfg(test)]
mod tests {
    use super::tree::Tree;
    use super::*;

    const OURS: [u16; 2] = [0x1234, 0xfe77];

    #[test]
    fn functions_with_our_ids_are_found_in_order() {
        let tree = Tree::default();
        tree.function("0000:04:00.0", OURS).group(7).driver("vfio-pci").cdev("vfio0");
        tree.function("0000:03:00.1", OURS);
        tree.function("0000:03:00.0", [0x8086, 0x1572]).driver("i40e");
        let found = tree.roots().ferrowarps().unwrap();
        assert_eq!(
            found.iter().map(|f| f.address.to_string()).collect::<Vec<_>>(),
            ["0000:03:00.1", "0000:04:00.0"]
        );
        let Function { driver, group, node, .. } = &found[1];
        assert_eq!((driver.as_deref(), *group, node.as_deref()), (Some("vfio-pci"), Some(7), Some("vfio0")));
        assert_eq!((&found[0].driver, found[0].group), (&None, None));
    }

    #[test]
    fn commands_are_those_that_the_state_asks_for() {
        let tree = Tree::default();
        tree.function("0000:03:00.0", OURS).group(7).driver("other");
        tree.function("0000:03:00.1", OURS);
        tree.function("0000:03:00.2", OURS).group(8).driver("vfio-pci");
        let commands = |n: usize| tree.roots().ferrowarps().unwrap()[n].bind_commands();
        let all = commands(0).join("\n");
        assert!(all.contains("/0000:03:00.0/driver/unbind") && all.contains("/dev/vfio/7"), "{all}");
        assert!(
            all.contains("/dev/iommu") && all.contains("/0000:03:00.0/vfio-dev"),
            "what is opened first: {all}"
        );
        let all = commands(1).join("\n");
        assert!(!all.contains("unbind") && !all.contains("chown") && all.contains("drivers_probe"), "{all}");
        assert!(commands(2).is_empty());
    }

    #[test]
    fn what_is_not_there_or_not_readable_is_named() {
        let tree = Tree::default();
        let address = "0000:05:00.0".parse().unwrap();
        let absent = tree.roots().function(address).unwrap_err().to_string();
        assert!(absent.contains("no PCI function 0000:05:00.0 in"), "{absent}");
        let function = tree.function("0000:05:00.0", OURS);
        fs::write(function.path().join("device"), "fe77\n").unwrap();
        let wrong = tree.roots().function(address).unwrap_err().to_string();
        assert!(wrong.contains("device: `fe77` is no ID"), "{wrong}");
        let none = Roots { sysfs: "/nowhere".into(), dev: "/nowhere".into() };
        assert!(none.ferrowarps().unwrap_err().to_string().contains("/nowhere/bus/pci/devices"));
    }

    #[test]
    fn a_group_names_its_strangers_and_its_reserved_addresses() {
        let tree = Tree::default();
        tree.function("0000:03:00.0", OURS).group(7).driver("vfio-pci");
        tree.function("0000:03:00.1", [0x8086, 1]).group(7).driver("e1000e");
        tree.function("0000:02:00.0", [0x8086, 2]).group(7).driver("pcieport");
        tree.reserved(7, "0x00000000fee00000 0x00000000feefffff msi\nrubbish\n0x0 0xfff direct-relaxable\n");
        let roots = tree.roots();
        assert_eq!(roots.strangers(7), [("0000:03:00.1".parse().unwrap(), "e1000e".to_string())]);
        assert_eq!(roots.reserved(7), [(0xfee0_0000, 0xfeef_ffff), (0, 0xfff)]);
        assert!(roots.reserved(8).is_empty() && roots.strangers(8).is_empty());
    }
}
