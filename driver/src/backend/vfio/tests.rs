// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is found to be wrong before a node is opened, and what the kernel's answers mean.
use super::nodes::{nodes, Nodes};
use super::*;
use crate::sysfs::tree::Tree;
use iommufd_ioctls::IommufdError;
use rustix::process::{getrlimit, setrlimit, Resource, Rlimit};
use std::io;
use vfio_ioctls::VfioError as Ioctl;
use vmm_sys_util::errno::Error as Errno;

const OURS: [u16; 2] = [0x1234, 0xfe77];
const AT: &str = "0000:03:00.0";

fn found(tree: &Tree) -> Result<Nodes, VfioError> {
    let roots = tree.roots();
    nodes(&roots, &roots.function(AT.parse().unwrap())?)
}

fn told(tree: &Tree) -> String {
    found(tree).unwrap_err().to_string()
}

#[test]
fn a_wrong_address_or_another_device_is_named() {
    let tree = Tree::default();
    let absent = Device::open(AT.parse().unwrap(), &tree.roots()).unwrap_err().to_string();
    assert!(absent.contains("no PCI function 0000:03:00.0") && absent.contains("ferrowarp list"), "{absent}");
    tree.function(AT, [0x8086, 0x1572]).group(7).driver("vfio-pci");
    let alien = told(&tree);
    assert!(alien.contains("is 8086:1572; a Ferrowarp is 1234:fe77"), "{alien}");
}

#[test]
fn another_driver_is_named_with_the_commands_that_change_it() {
    let tree = Tree::default();
    tree.function(AT, OURS).group(7).driver("uio_pci_generic");
    let other = told(&tree);
    assert!(other.contains("bound to uio_pci_generic, not to vfio-pci"), "{other}");
    assert!(other.contains("/0000:03:00.0/driver/unbind") && other.contains("drivers_probe"), "{other}");
    let tree = Tree::default();
    tree.function(AT, OURS).group(7);
    assert!(told(&tree).contains("bound to no driver"));
}

#[test]
fn no_iommu_no_vfio_and_a_shared_group_are_told_apart() {
    let tree = Tree::default();
    tree.function(AT, OURS).driver("vfio-pci");
    assert!(told(&tree).contains("0000:03:00.0 is in no IOMMU group"));
    let tree = Tree::default();
    tree.function(AT, OURS).group(7).driver("vfio-pci");
    let missing = told(&tree);
    assert!(missing.contains("dev/vfio/vfio does not exist: run `sudo modprobe vfio-pci`"), "{missing}");
    tree.node("vfio/vfio");
    assert!(told(&tree).contains("dev/vfio/7 does not exist"));
    tree.function("0000:03:00.1", [0x8086, 1]).group(7).driver("e1000e");
    let shared = told(&tree);
    assert!(shared.contains("IOMMU group 7 also has 0000:03:00.1 (driver e1000e)"), "{shared}");
}

#[test]
fn iommufd_is_taken_where_all_of_it_is_there() {
    let tree = Tree::default();
    tree.function(AT, OURS).group(7).driver("vfio-pci").cdev("vfio3");
    let [container, group] = ["vfio/vfio", "vfio/7"].map(|name| tree.node(name));
    let older = found(&tree).unwrap();
    assert_eq!((older.is_iommufd, &older.container, &older.device), (false, &container, &group));
    let own = tree.node("vfio/devices/vfio3");
    assert!(!found(&tree).unwrap().is_iommufd);
    let iommufd = tree.node("iommu");
    let newer = found(&tree).unwrap();
    assert_eq!((newer.is_iommufd, newer.container, newer.device), (true, iommufd, own));
}

#[test]
fn the_kernels_answers_name_what_to_do() {
    let tree = Tree::default();
    tree.function(AT, OURS).group(7).driver("vfio-pci");
    ["vfio/vfio", "vfio/7"].iter().for_each(|name| drop(tree.node(name)));
    let function = tree.roots().function(AT.parse().unwrap()).unwrap();
    let nodes = found(&tree).unwrap();
    let open = |why| VfioError::of_open(&function, &nodes, why).to_string();
    let group = |errno| Ioctl::OpenGroup(io::Error::from_raw_os_error(errno), "7".into());
    for (why, wanted) in [
        (group(16), "0000:03:00.0 is in use"),
        (group(13), "no permission to open "),
        (group(2), "dev/vfio/7 does not exist"),
        (group(5), "its node cannot be opened"),
        (Ioctl::OpenContainer(io::Error::from_raw_os_error(1)), "no permission to open "),
        (Ioctl::VfioDeviceBindIommufd(Errno::new(22)), "is in use"),
        (Ioctl::GroupSetContainer, "is in use"),
        (Ioctl::GroupViable, "IOMMU group 7 also has a function"),
        (Ioctl::VfioApiVersion, "VFIO does not open it: vfio API version"),
    ] {
        let told = open(why);
        assert!(told.contains(wanted), "{told}");
    }
    let denied = IommufdError::OpenIommufd(io::Error::from_raw_os_error(13));
    assert!(VfioError::of_iommufd(&function, &nodes, denied).to_string().contains("no permission to open"));
    let map = |errno| VfioError::of_map(function.address, 0x7000, 8192, errno, "it said".into()).to_string();
    let memlock = map(12);
    assert!(memlock.contains("8192 octets cannot be pinned") && memlock.contains("ulimit -l"), "{memlock}");
    // the limit that it names is the process's own
    let own = getrlimit(Resource::Memlock);
    let least = 65_536.min(own.maximum.unwrap_or(u64::MAX));
    setrlimit(Resource::Memlock, Rlimit { current: Some(least), ..own }).unwrap();
    let lowered = map(12);
    setrlimit(Resource::Memlock, own).unwrap();
    assert!(lowered.contains(&format!("at most {least} octets may be locked")), "{lowered}");
    assert!(map(14).contains("8192 octets at 0x7000") && map(28).contains("no more mappings"));
    assert!(map(17).contains("memory cannot be pinned: it said"));
}
