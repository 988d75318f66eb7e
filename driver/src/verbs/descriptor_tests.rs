// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory of the driver's own takes one descriptor a device, however many regions and queues there
//! are.
use super::*;
use crate::backend::fake::Fake;
use crate::device::Device;
use crate::shared::Shared;
use ferrowarp_abi::codec::MrRow;
use ferrowarp_abi::consts::admin_opcode;
use rustix::process::{setrlimit, Resource, Rlimit};
use std::process::Command;
use std::sync::Arc;

/// Set in a process that has few descriptors.
const HAS_FEW: &str = "FERROWARP_HAS_FEW_DESCRIPTORS";
/// Descriptors of that process, and regions that it allocates.
const FEW: u64 = 64;
const REGIONS: u16 = 300;
/// Octets of a region: two pages.
const OCTETS: usize = 5000;

/// Descriptors that this process has open.
fn open() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Allocates the regions with few descriptors, and finds each one's octets where the device finds
/// them.
fn with_few() {
    setrlimit(Resource::Nofile, Rlimit { current: Some(FEW), maximum: Some(FEW) }).unwrap();
    let fake = Fake::with_regions(2 * REGIONS);
    let pd = Device::domain_of(&Arc::new(Shared::new(fake.clone()))).unwrap();
    let before = open();
    let allocate = |nth| pd.allocate(OCTETS, Access::ALL).unwrap_or_else(|why| panic!("region {nth}: {why}"));
    let regions: Vec<_> = (0..REGIONS).map(allocate).collect();
    assert_eq!(open(), before + 1);
    for (nth, region) in (0..REGIONS).zip(&regions) {
        region.memory().write(OCTETS - 2, &nth.to_le_bytes()).unwrap();
    }
    let rows = fake.told(admin_opcode::MR_WRITE);
    assert_eq!(rows.len(), regions.len());
    for (nth, (_, row)) in (0..REGIONS).zip(rows) {
        let end = MrRow::parse(&row).unwrap().base + OCTETS as u64;
        assert_eq!(fake.octets(end - 2, 2), nth.to_le_bytes());
    }
}

#[test]
fn a_region_takes_no_descriptor() {
    if std::env::var_os(HAS_FEW).is_some() {
        return with_few();
    }
    let name = "verbs::descriptor_tests::a_region_takes_no_descriptor";
    let mut again = Command::new(std::env::current_exe().unwrap());
    let out = again.args(["--exact", name]).env(HAS_FEW, "1").output().unwrap();
    let told = String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned();
    assert!(out.status.success() && told.contains("1 passed"), "{told}");
}
