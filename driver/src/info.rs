// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device is and has, in one call and before any queue pair.
//!
//! GID and GUID of the device are those that the kernel's drivers of iWARP devices give:
//! `siw_query_gid` and `siw_query_device` (`drivers/infiniband/sw/siw/siw_verbs.c`),
//! `c4iw_query_gid` (`drivers/infiniband/hw/cxgb4/provider.c`).
use crate::backend::{BackendError, Capabilities};
use crate::device::{Device, LinkState};
use crate::error::Error;
use crate::url::NetUrl;
use crate::verbs::QpLimits;
use ferrowarp_abi::consts::{csr, csr_mask};
use ferrowarp_abi::types::MacAddr;
use ferrowarp_firmware::config::Address;
use std::net::IpAddr;

/// What a device is and has: [`Device::info`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Station address.
    pub mac: MacAddr,
    /// IP addresses with the lengths of their prefixes.
    pub addresses: Vec<Address>,
    /// Next hops beyond the link, at most one of each family.
    pub gateways: Vec<IpAddr>,
    /// VLAN of all frames; `None`: frames have no tag.
    pub vlan: Option<u16>,
    /// Largest IP packet in bytes: `max_mtu` and `active_mtu` of rdma-core.
    pub mtu: u16,
    /// State of the Ethernet link now; `None` of a device that shows no registers.
    pub link: Option<LinkState>,
    /// What the hardware is; `None` of a device that shows no registers.
    pub hardware: Option<Hardware>,
    /// What can be made on the device.
    pub limits: DeviceLimits,
}

/// What the registers of a device say of the hardware, a part of [`DeviceInfo`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hardware {
    /// Vendor as in configuration space.
    pub vendor: u16,
    /// Device as in configuration space.
    pub device: u16,
    /// Version of the registers, major and minor.
    pub version: (u16, u16),
    /// Most that the data path of the network carries, in Mb/s. The link may be slower.
    pub mbps: u32,
}

/// What can be made on a device, a part of [`DeviceInfo`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceLimits {
    /// Queue pairs.
    pub queue_pairs: u16,
    /// Completion queues.
    pub completion_queues: u16,
    /// Memory regions. All of them are the application's.
    pub regions: u16,
    /// Completions of a completion queue.
    pub completions: u32,
    /// Most of each that a queue pair can be asked for.
    pub queue_pair: QpLimits,
    /// Most inbound Reads of a connection at once.
    pub ird: u16,
    /// Most outbound Reads of a connection at once.
    pub ord: u16,
    /// TCP's receive window in bytes.
    pub window: u32,
}

impl Device {
    /// What the device is and has: rdma-core's `ibv_query_device` and `ibv_query_port`. The link's
    /// state and what the hardware is are read from registers, everything else is known.
    ///
    /// Errors: [`Error::Backend`] if a register cannot be read.
    #[doc(alias = "ibv_query_device")]
    #[doc(alias = "ibv_query_port")]
    pub fn info(&self) -> Result<DeviceInfo, Error> {
        let (link, hardware) = (shown(self.link())?, shown(self.hardware())?);
        let (NetUrl { mac, addresses, gateways, vlan_tci, .. }, has) = (self.net(), self.capabilities());
        Ok(DeviceInfo {
            mac: *mac,
            addresses: addresses.clone(),
            gateways: gateways.clone(),
            vlan: vlan_tci.map(|tci| tci & 0xFFF),
            mtu: has.mtu,
            link,
            hardware,
            limits: DeviceLimits::of(&has),
        })
    }

    fn hardware(&self) -> Result<Hardware, Error> {
        let look = |register| self.inspect().register(register);
        let of = |value: u32, mask: u32| ((value & mask) >> mask.trailing_zeros()) as u16;
        let (identity, version) = (look(csr::VENDOR_DEVICE)?, look(csr::VERSION)?);
        let bits = of(look(csr::WIDTH)?, csr_mask::WIDTH_DATA_BITS);
        let kbps = u64::from(bits) * u64::from(look(csr::CLOCK_KHZ)?);
        Ok(Hardware {
            vendor: of(identity, csr_mask::VENDOR_DEVICE_VENDOR),
            device: of(identity, csr_mask::VENDOR_DEVICE_DEVICE),
            version: (of(version, csr_mask::VERSION_MAJOR), of(version, csr_mask::VERSION_MINOR)),
            mbps: u32::try_from(kbps / 1_000).unwrap_or(u32::MAX),
        })
    }
}

/// What registers tell; none of a device that shows none.
fn shown<T>(told: Result<T, Error>) -> Result<Option<T>, Error> {
    match told {
        Ok(told) => Ok(Some(told)),
        Err(Error::Backend(BackendError::NoRegisters)) => Ok(None),
        Err(why) => Err(why),
    }
}

impl DeviceInfo {
    /// GID 0 of the port, the only one: the station address in the first six bytes, then zeros.
    #[doc(alias = "ibv_query_gid")]
    pub fn gid(&self) -> [u8; 16] {
        let mut gid = [0; 16];
        gid[..6].copy_from_slice(&self.mac.0);
        gid
    }

    /// GUID of the node: the station address as a modified EUI-64 (RFC 4291 appendix A).
    pub fn guid(&self) -> [u8; 8] {
        let [a, b, c, d, e, f] = self.mac.0;
        [a ^ 2, b, c, 0xFF, 0xFE, d, e, f]
    }
}

impl DeviceLimits {
    fn of(has: &Capabilities) -> Self {
        Self {
            queue_pairs: has.queue_pairs,
            completion_queues: has.completion_queues,
            regions: has.regions.saturating_sub(1),
            completions: 1_u32 << has.cq_log2,
            queue_pair: QpLimits::most(has.work_requests()),
            ird: has.ird,
            ord: has.ord,
            window: has.window,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::fake::Fake;
    use crate::url::DeviceUrl;
    use crate::verbs::{Access, QpOptions};
    use ferrowarp_abi::consts::csr_identity;

    fn device(fake: &std::sync::Arc<Fake>) -> Device {
        let url = "vfio-user:/x;ip=10.0.0.2/24;ip=fd00::2/64;mac=02:00:00:00:00:09;gw=10.0.0.1;vlan=5:3";
        let Ok(DeviceUrl::VfioUser(url)) = url.parse() else { panic!("{url}") };
        Device::new(fake.clone(), &url.net).unwrap()
    }

    #[test]
    fn a_device_tells_its_place_in_the_network_and_its_limits() {
        let fake = Fake::new();
        let device = device(&fake);
        let info = device.info().unwrap();
        assert_eq!((info.mac, info.link), (MacAddr([2, 0, 0, 0, 0, 9]), None), "a fake shows no registers");
        let addresses: Vec<_> = info.addresses.iter().map(|a| format!("{}/{}", a.ip, a.prefix)).collect();
        assert_eq!(addresses, ["10.0.0.2/24", "fd00::2/64"]);
        assert_eq!((info.gateways, info.vlan), (vec!["10.0.0.1".parse().unwrap()], Some(5)));
        assert_eq!((info.mtu, info.limits.regions, info.limits.completions), (1500, 7, 16));
        assert_eq!(
            (info.limits.ird, info.limits.ord),
            (device.capabilities().ird, device.capabilities().ord)
        );
        for (register, link) in [(1, LinkState::Up), (0, LinkState::Down)] {
            fake.state().registers.push_back(register);
            assert_eq!(device.info().unwrap().link, Some(link));
        }
    }

    #[test]
    fn the_registers_say_what_the_hardware_is() {
        let fake = Fake::new();
        let device = device(&fake);
        let identity = u32::from(csr_identity::DEVICE) << 16 | u32::from(csr_identity::VENDOR);
        // link, identity, version, width, clock
        fake.state().registers.extend([1, identity, 4 << 16 | 2, 128 << 16 | 64, 156_250]);
        let (vendor, of) = (csr_identity::VENDOR, csr_identity::DEVICE);
        let want = Hardware { vendor, device: of, version: (4, 2), mbps: 10_000 };
        assert_eq!(device.info().unwrap().hardware, Some(want));
        // a device that shows no registers
        assert_eq!(device.info().unwrap().hardware, None);
    }

    #[test]
    fn gid_and_guid_are_made_of_the_station_address() {
        let info = device(&Fake::new()).info().unwrap();
        assert_eq!(info.gid(), [2, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(info.guid(), [0, 0, 0, 0xFF, 0xFE, 0, 0, 9]);
    }

    #[test]
    fn the_limits_are_what_a_queue_pair_can_have() {
        let device = device(&Fake::new());
        let most = device.info().unwrap().limits.queue_pair;
        let (pd, cq) = (device.protection_domain().unwrap(), device.completion_queue(16).unwrap());
        let make = |sends, receives| device.queue_pair(&pd, [&cq, &cq], QpOptions { sends, receives });
        assert!(make(most.sends + 1, 1).is_err() && make(1, most.receives + 1).is_err());
        assert_eq!(make(most.sends, most.receives).unwrap().limits(), most);
    }

    #[test]
    fn all_regions_are_left_to_the_application_when_all_queue_pairs_are_made() {
        let device = device(&Fake::new());
        let limits = device.info().unwrap().limits;
        let (pd, cq) = (device.protection_domain().unwrap(), device.completion_queue(16).unwrap());
        let make = |_| device.queue_pair(&pd, [&cq, &cq], QpOptions { sends: 1, receives: 1 }).unwrap();
        let pairs: Vec<_> = (0..limits.queue_pairs).map(make).collect();
        let all: Vec<_> = std::iter::from_fn(|| pd.allocate(1, Access::LOCAL).ok()).collect();
        assert_eq!((pairs.len(), all.len()), (2, limits.regions.into()));
    }
}
