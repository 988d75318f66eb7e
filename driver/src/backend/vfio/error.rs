// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why the kernel's VFIO does not give a function, and what to do about it.
use crate::sysfs::{PciAddress, SysfsError, VFIO_PCI};
use ferrowarp_abi::consts::csr_identity;
use libc::{EFAULT, ENOMEM, ENOSPC};
use rustix::process::{getrlimit, Resource};
use std::path::PathBuf;

/// Why a function cannot be used through VFIO.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VfioError {
    /// Sysfs does not have it.
    #[error(transparent)]
    Sysfs(#[from] SysfsError),
    /// It is something else.
    #[error(
        "{address} is {vendor:04x}:{device:04x}; a Ferrowarp is {:04x}:{:04x}: `ferrowarp list` shows them",
        csr_identity::VENDOR,
        csr_identity::DEVICE
    )]
    Alien {
        /// Its address.
        address: PciAddress,
        /// Its vendor ID.
        vendor: u16,
        /// Its device ID.
        device: u16,
    },
    /// Another driver has it, or none.
    #[error("{address} is bound to {}, not to {VFIO_PCI}; bind it:\n{}", .driver.as_deref().unwrap_or("no driver"), .commands.join("\n"))]
    Driver {
        /// Its address.
        address: PciAddress,
        /// The driver.
        driver: Option<String>,
        /// What binds it to VFIO.
        commands: Vec<String>,
    },
    /// No IOMMU stands before it.
    #[error("{0} is in no IOMMU group: turn the IOMMU on in the firmware's settings and boot Linux with `intel_iommu=on` or `amd_iommu=on`")]
    NoIommu(PciAddress),
    /// Other functions of its group are not given to user space.
    #[error("IOMMU group {group} also has {}; bind these to {VFIO_PCI}, too, or to no driver", others(.strangers))]
    Group {
        /// The group.
        group: u32,
        /// Addresses and drivers.
        strangers: Vec<(PciAddress, String)>,
    },
    /// A node of the kernel's is not there.
    #[error("{} does not exist: run `sudo modprobe {VFIO_PCI}`, or pass the node into the container", .0.display())]
    NoNode(PathBuf),
    /// The user may not open it.
    #[error("no permission to open {0}: run as root, or `sudo chown $USER {0}`")]
    Permission(String),
    /// Somebody else has it open.
    #[error("{address} is in use by another process or device object ({what}); close that one first")]
    Busy {
        /// Its address.
        address: PciAddress,
        /// What was refused.
        what: String,
    },
    /// The memory that may be locked is used up.
    #[error("{octets} octets cannot be pinned: at most {} octets may be locked in memory; raise `ulimit -l`, or register less", limit(*.most))]
    Memlock {
        /// Octets.
        octets: u64,
        /// The process's limit; none if there is none.
        most: Option<u64>,
    },
    /// The octets are not there, or may not be written.
    #[error("{octets} octets at {address:#x} cannot be pinned: they are not mapped, or not writable where the device writes; register mapped, writable memory")]
    Memory {
        /// First octet.
        address: u64,
        /// Octets.
        octets: u64,
    },
    /// The kernel keeps no more mappings.
    #[error("the kernel keeps no more mappings for a device; register fewer and larger regions, or raise vfio_iommu_type1's dma_entry_limit")]
    Mappings,
    /// A BAR is missing or too small.
    #[error("BAR {bar} of {address} has {octets} octets, a Ferrowarp's of this version has at least {least}; use the driver of the device's version")]
    Bar {
        /// Its address.
        address: PciAddress,
        /// Which.
        bar: u32,
        /// Its size.
        octets: u64,
        /// What is needed.
        least: u64,
    },
    /// What the kernel said besides.
    #[error("{address}: {what}: {why}; look in `dmesg`")]
    Kernel {
        /// Its address.
        address: PciAddress,
        /// What was asked.
        what: &'static str,
        /// The answer.
        why: String,
    },
}

fn others(strangers: &[(PciAddress, String)]) -> String {
    match strangers {
        [] => "a function that another driver has".into(),
        some => some.iter().map(|(a, d)| format!("{a} (driver {d})")).collect::<Vec<_>>().join(", "),
    }
}

fn limit(most: Option<u64>) -> String {
    most.map_or("the machine's".into(), |n| n.to_string())
}

impl VfioError {
    /// Of memory that is made visible.
    pub(super) fn of_map(device: PciAddress, address: u64, octets: u64, errno: i32, why: String) -> Self {
        match errno {
            ENOMEM => Self::Memlock { octets, most: getrlimit(Resource::Memlock).current },
            EFAULT => Self::Memory { address, octets },
            ENOSPC => Self::Mappings,
            _ => Self::Kernel { address: device, what: "memory cannot be pinned", why },
        }
    }
}
