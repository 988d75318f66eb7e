// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of all cases.
use super::guest::Siw;
use super::run::Case;
use super::wire::Wire;
use super::{cases, device, inside, netem, programs, scripts, tour};

/// All cases.
pub fn all() -> impl Iterator<Item = &'static Case> {
    CASES.iter().chain(&netem::CASES).chain(&programs::CASES).chain(&scripts::CASES)
}

/// Those of a wire that loses nothing.
const CASES: [Case; 20] = [
    Case {
        name: "lab-echo",
        about: "the lab alone: smoltcp answers the guest's echo requests",
        siw: Siw::Stock,
        wire: Wire::Dgram,
        guests: 1,
        body: cases::echo,
        check: Some(cases::echoed),
        full: false,
    },
    Case {
        name: "lab-pair-ping",
        about: "two guests reach each other over IPv4 and IPv6",
        siw: Siw::Stock,
        wire: Wire::Dgram,
        guests: 2,
        body: cases::pair_ping,
        check: Some(cases::echoed),
        full: false,
    },
    Case {
        name: "lab-pair-rping",
        about: "two guests: rping with stock siw on both sides",
        siw: Siw::Stock,
        wire: Wire::Dgram,
        guests: 2,
        body: cases::pair_rping,
        check: Some(cases::spoke_iwarp),
        full: false,
    },
    Case {
        name: "lab-pair-rping-crc",
        about: "two guests: rping with CRC required, peer-to-peer mode",
        siw: Siw::CRC_AND_RTR,
        wire: Wire::Dgram,
        guests: 2,
        body: cases::pair_rping,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "client-100",
        about: "the device is rping's client, 100 octets: stock siw",
        siw: Siw::Stock,
        wire: Wire::Dgram,
        guests: 1,
        body: device::client::<100>,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "client-1000",
        about: "the device is rping's client, 1000 octets: stock siw",
        siw: Siw::Stock,
        wire: Wire::Dgram,
        guests: 1,
        body: device::client::<1_000>,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "client-8000",
        about: "the device is rping's client, 8000 octets: stock siw",
        siw: Siw::Stock,
        wire: Wire::Dgram,
        guests: 1,
        body: device::client::<8_000>,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "client-60000",
        about: "the device is rping's client, 60000 octets: stock siw",
        siw: Siw::Stock,
        wire: Wire::Dgram,
        guests: 1,
        body: device::client::<60_000>,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "server",
        about: "the device is rping's server, all sizes, and answers echo requests: stock siw",
        siw: Siw::Stock,
        wire: Wire::Dgram,
        guests: 1,
        body: device::server,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "perf",
        about: "the device measures Reads and Writes against rping's client: stock siw",
        siw: Siw::Stock,
        wire: Wire::Dgram,
        guests: 1,
        body: device::perf,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "tour",
        about: "what `cargo xtask demo --peer siw` shows: the device through vfio-user, rping's client and server, and refused accesses",
        siw: Siw::Stock,
        wire: Wire::Dgram,
        guests: 1,
        body: tour::tour,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "client-100-crc",
        about: "the device is rping's client, 100 octets: CRC required, peer-to-peer mode",
        siw: Siw::CRC_AND_RTR,
        wire: Wire::Dgram,
        guests: 1,
        body: device::client::<100>,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "client-1000-crc",
        about: "the device is rping's client, 1000 octets: CRC required, peer-to-peer mode",
        siw: Siw::CRC_AND_RTR,
        wire: Wire::Dgram,
        guests: 1,
        body: device::client::<1_000>,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "client-8000-crc",
        about: "the device is rping's client, 8000 octets: CRC required, peer-to-peer mode",
        siw: Siw::CRC_AND_RTR,
        wire: Wire::Dgram,
        guests: 1,
        body: device::client::<8_000>,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "client-60000-crc",
        about: "the device is rping's client, 60000 octets: CRC required, peer-to-peer mode",
        siw: Siw::CRC_AND_RTR,
        wire: Wire::Dgram,
        guests: 1,
        body: device::client::<60_000>,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "server-crc",
        about: "the device is rping's server, all sizes, and answers echo requests: CRC required, peer-to-peer mode",
        siw: Siw::CRC_AND_RTR,
        wire: Wire::Dgram,
        guests: 1,
        body: device::server,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "server-stream",
        about: "the device is rping's server, all sizes, and answers echo requests, on QEMU's stream socket: stock siw",
        siw: Siw::Stock,
        wire: Wire::Stream,
        guests: 1,
        body: device::server,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "client-tap",
        about: "the device is rping's client, 1000 octets, on a TAP device of this machine: stock siw",
        siw: Siw::Stock,
        wire: Wire::Tap,
        guests: 1,
        body: device::client::<1_000>,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "vfio",
        about: "the device is in the guest, on its /dev/vfio: rping's client and server, all sizes, and measured: stock siw",
        siw: Siw::Stock,
        wire: Wire::Bus,
        guests: 1,
        body: inside::on_vfio,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
    Case {
        name: "vfio-tests",
        about: "the driver's tests on two devices in the guest, on its /dev/vfio",
        siw: Siw::Stock,
        wire: Wire::Joined,
        guests: 1,
        body: inside::driver_tests,
        check: Some(cases::spoke_iwarp_with_crc),
        full: false,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_fit_for_files() {
        let names: HashSet<_> = all().map(|c| c.name).collect();
        assert_eq!(names.len(), all().count());
        let fits =
            |name: &str| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        assert!(names.iter().all(|name| fits(name)));
        assert!(all().all(|c| c.guests >= 1 && !c.about.is_empty()));
    }
}
