// SPDX-License-Identifier: MIT OR Apache-2.0
//! By which nodes a function is opened, and why it is not.
use super::error::VfioError;
use crate::sysfs::{Function, PciAddress, Roots, VFIO_PCI};
use iommufd_ioctls::IommufdError;
use libc::{EACCES, EBUSY, EINVAL, EPERM};
use std::io;
use std::path::PathBuf;
use vfio_ioctls::VfioError as Ioctl;

/// By which nodes a function is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Nodes {
    /// `/dev/vfio/vfio` or `/dev/iommu`.
    pub(super) container: PathBuf,
    /// The group's or the device's own node.
    pub(super) device: PathBuf,
    /// It is the newer way.
    pub(super) is_iommufd: bool,
    pub(super) group: u32,
    /// Other functions of the group that another driver has.
    pub(super) strangers: Vec<(PciAddress, String)>,
}

/// Everything that sysfs and `/dev` say against opening a function, or by which nodes it is opened.
pub(super) fn nodes(roots: &Roots, function: &Function) -> Result<Nodes, VfioError> {
    let Function { address, vendor, device, ref driver, .. } = *function;
    if !function.is_ferrowarp() {
        return Err(VfioError::Alien { address, vendor, device });
    }
    let group = function.group.ok_or(VfioError::NoIommu(address))?;
    if driver.as_deref() != Some(VFIO_PCI) {
        return Err(VfioError::Driver {
            address,
            driver: driver.clone(),
            commands: function.bind_commands(),
        });
    }
    let strangers = roots.strangers(group);
    if !strangers.is_empty() {
        return Err(VfioError::Group { group, strangers });
    }
    let iommufd = roots.dev.join("iommu");
    let own = function.node.as_ref().map(|node| roots.dev.join("vfio/devices").join(node));
    if let Some(device) = own.filter(|node| node.exists() && iommufd.exists()) {
        return Ok(Nodes { container: iommufd, device, is_iommufd: true, group, strangers });
    }
    let (container, device) = (roots.dev.join("vfio/vfio"), roots.group_node(group));
    if let Some(missing) = [&container, &device].into_iter().find(|node| !node.exists()) {
        return Err(VfioError::NoNode(missing.clone()));
    }
    Ok(Nodes { container, device, is_iommufd: false, group, strangers })
}

impl VfioError {
    /// Of a function that is opened.
    pub(super) fn of_open(function: &Function, nodes: &Nodes, why: Ioctl) -> Self {
        let address = function.address;
        let busy = |what: &str| Self::Busy { address, what: what.into() };
        let node = |e: &io::Error, path: PathBuf| match e.raw_os_error() {
            Some(EBUSY) => busy(&path.display().to_string()),
            Some(EACCES | EPERM) => Self::Permission(path.display().to_string()),
            _ if e.kind() == io::ErrorKind::NotFound => Self::NoNode(path),
            _ => Self::Kernel {
                address,
                what: "its node cannot be opened",
                why: format!("{}: {e}", path.display()),
            },
        };
        match &why {
            Ioctl::OpenContainer(e) => node(e, nodes.container.clone()),
            Ioctl::OpenGroup(e, _) => node(e, nodes.device.clone()),
            Ioctl::OpenDeviceCdev(e) => node(e, nodes.device.clone()),
            Ioctl::GroupViable => Self::Group { group: nodes.group, strangers: nodes.strangers.clone() },
            // the kernel knows one opener of a node of /dev/vfio/devices, and says EINVAL to the
            // second
            Ioctl::VfioDeviceBindIommufd(e) if [EINVAL, EBUSY].contains(&e.errno()) => {
                busy("it is bound to another iommufd")
            }
            Ioctl::GroupGetDeviceFD(e) if e.errno() == EBUSY => busy("its group gives it only once"),
            Ioctl::GroupSetContainer => busy("its group is in another container"),
            _ => Self::Kernel { address, what: "VFIO does not open it", why: why.to_string() },
        }
    }

    /// Of an iommufd that is opened.
    pub(super) fn of_iommufd(function: &Function, nodes: &Nodes, why: IommufdError) -> Self {
        match why {
            IommufdError::OpenIommufd(e) => Self::of_open(function, nodes, Ioctl::OpenContainer(e)),
            other => Self::Kernel {
                address: function.address,
                what: "the kernel makes no address space",
                why: other.to_string(),
            },
        }
    }
}
