// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices by URL:
//!
//! ```text
//! sim:eth=qemu-dgram:LOCAL,REMOTE;tick=wall;pcap=PATH;mac=02:00:0a:00:00:02;ip=10.0.0.2/24
//! vfio-user:PATH;ip=10.0.0.2/24
//! vfio:0000:03:00.0;ip=10.0.0.2/24
//! ```
mod error;
mod net;
mod parts;

pub use error::UrlError;
pub use net::{NetUrl, Tick};

use crate::sysfs::{BadAddress, PciAddress};
use error::{once, wrong};
use parts::{tick_of, Net};
use std::path::PathBuf;
use std::str::FromStr;

/// Parts of a `sim:` URL.
const SIM: &str =
    "eth, tick, rto, retries, tlp, end, pcap, mac, ip, gw, crc, vlan, markers, ird, ord, strict, local, rtr, raw, initiator, figures";
/// Parts of a `vfio-user:` URL behind its path.
const VFIO_USER: &str =
    "rto, retries, tlp, end, mac, ip, gw, crc, vlan, markers, ird, ord, strict, local, rtr, raw, initiator, figures";

/// Parts of a `vfio:` URL behind its address.
const VFIO: &str =
    "rto, retries, tlp, end, mac, ip, gw, crc, vlan, markers, ird, ord, strict, local, rtr, raw, initiator, figures";

/// A simulated device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimUrl {
    /// Its Ethernet port, as [`ferrowarp_sim::EthAddress`] reads it.
    pub eth: String,
    /// Its time.
    pub tick: Tick,
    /// Where all frames are recorded.
    pub pcap: Option<PathBuf>,
    /// Where it stands in the network.
    pub net: NetUrl,
}

/// A device that another process serves on a unix socket, such as `ferrowarp-sim`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VfioUserUrl {
    /// The socket.
    pub path: PathBuf,
    /// Where it stands in the network.
    pub net: NetUrl,
}

/// A PCI function that the kernel gives by VFIO.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VfioUrl {
    /// Its place on the bus.
    pub address: PciAddress,
    /// Where it stands in the network.
    pub net: NetUrl,
}

/// A device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceUrl {
    /// A PCI function of this machine.
    Vfio(VfioUrl),
    /// The hardware's Verilog, simulated in this process.
    Sim(SimUrl),
    /// A PCI function of another process.
    VfioUser(VfioUserUrl),
}

impl FromStr for DeviceUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        match text.split_once(':') {
            Some(("sim", parts)) => parts.parse().map(Self::Sim),
            Some(("vfio", parts)) => parts.parse().map(Self::Vfio),
            Some(("vfio-user", parts)) => parts.parse().map(Self::VfioUser),
            Some((scheme, _)) => Err(UrlError::Scheme(scheme.into(), text.into())),
            None => Err(UrlError::Scheme(text.into(), text.into())),
        }
    }
}

impl FromStr for SimUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let (mut eth, mut tick, mut pcap) = Default::default();
        let mut net = Net::default();
        for part in text.split(';').filter(|p| !p.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| UrlError::NoValue(part.into(), SIM))?;
            match key {
                "eth" if value.is_empty() => return Err(wrong("eth", value, "it is empty", ETH)),
                "eth" => once("eth", &mut eth, value.to_string())?,
                "tick" => once("tick", &mut tick, tick_of(value)?)?,
                "pcap" if value.is_empty() => return Err(wrong("pcap", value, "it is empty", "ping.pcapng")),
                "pcap" => once("pcap", &mut pcap, PathBuf::from(value))?,
                _ => net.take(key, value, SIM)?,
            }
        }
        let eth = eth.ok_or(UrlError::Missing { part: "eth", example: ETH })?;
        Ok(Self { eth, tick: tick.unwrap_or_default(), pcap, net: net.finish()? })
    }
}

impl FromStr for VfioUserUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let (path, parts) = text.split_once(';').unwrap_or((text, ""));
        if path.is_empty() {
            return Err(wrong("PATH", path, "it is empty", "vfio-user:/tmp/fw0.sock;ip=10.0.0.2/24"));
        }
        let mut net = Net::default();
        for part in parts.split(';').filter(|p| !p.is_empty()) {
            let (key, value) =
                part.split_once('=').ok_or_else(|| UrlError::NoValue(part.into(), VFIO_USER))?;
            net.take(key, value, VFIO_USER)?;
        }
        Ok(Self { path: path.into(), net: net.finish()? })
    }
}

impl FromStr for VfioUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let (address, parts) = text.split_once(';').unwrap_or((text, ""));
        let bad = |e: BadAddress| wrong("ADDRESS", address, e, "vfio:0000:03:00.0;ip=10.0.0.2/24");
        let address = address.parse().map_err(bad)?;
        let mut net = Net::default();
        for part in parts.split(';').filter(|p| !p.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| UrlError::NoValue(part.into(), VFIO))?;
            net.take(key, value, VFIO)?;
        }
        Ok(Self { address, net: net.finish()? })
    }
}

const ETH: &str = "qemu-dgram:/tmp/a,/tmp/b";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cm::{ConnectDefaults, Greeting, Initiator, Startup, WantedDepth};
    use ferrowarp_abi::types::MacAddr;
    use ferrowarp_firmware::config::Address;
    use ferrowarp_firmware::mpa::negotiate::RtrSet;
    use std::net::IpAddr;
    use std::time::Duration;

    #[test]
    fn every_part_is_read() {
        let text =
            "sim:eth=qemu-dgram:/tmp/a,/tmp/b;tick=clock;pcap=x.pcapng;mac=02:00:00:00:00:07;ip=10.0.0.2/24;\
                    ip=fd00::2/64;gw=10.0.0.1;gw=fd00::1;crc=off;rto=20;retries=255;tlp=off;end=10000;figures=/run/a.sock";
        let Ok(DeviceUrl::Sim(sim)) = text.parse() else { panic!("{text}") };
        assert_eq!((sim.eth.as_str(), sim.tick), ("qemu-dgram:/tmp/a,/tmp/b", Tick::Clock));
        assert_eq!((sim.net.rto, sim.net.retries, sim.net.tlp), (20, 255, false));
        assert_eq!(sim.net.timers().end, Duration::from_secs(10));
        assert_eq!(sim.pcap, Some("x.pcapng".into()));
        let net = sim.net;
        assert_eq!(net.figures, Some("/run/a.sock".into()));
        assert_eq!((net.mac, net.crc), (MacAddr([2, 0, 0, 0, 0, 7]), false));
        assert_eq!(net.addresses[0], Address { ip: "10.0.0.2".parse().unwrap(), prefix: 24 });
        assert_eq!(net.addresses[1], Address { ip: "fd00::2".parse().unwrap(), prefix: 64 });
        assert_eq!(net.gateways, ["10.0.0.1".parse::<IpAddr>().unwrap(), "fd00::1".parse().unwrap()]);
    }

    #[test]
    fn options_of_connections_are_read() {
        let read =
            |parts: &str| match format!("vfio-user:/tmp/a;ip=10.0.0.2/24;ip=fd00::2/64;{parts}").parse() {
                Ok(DeviceUrl::VfioUser(url)) => url.net,
                other => panic!("{parts}: {other:?}"),
            };
        let net = read(
            "vlan=5;markers=on;strict=on;ird=0;ord=16382,untold;local=10.0.0.2:4791;rtr=send,read;\
                  raw=hello, you;initiator=listen",
        );
        assert_eq!(net.vlan_tci, Some(5));
        let local = Some("10.0.0.2:4791".parse().unwrap());
        let (ird, ord) = (Some(WantedDepth::Reads(0)), Some(WantedDepth::Untold(16_382)));
        let rtr = Some(RtrSet { send: true, write: false, read: true });
        let startup = Startup::Delayed(Greeting::new("hello, you", Initiator::Listen).unwrap());
        assert_eq!(
            net.defaults,
            ConnectDefaults { ird, ord, strict: true, markers: true, local, rtr, startup }
        );
        let opener = Startup::Delayed(Greeting::new("hello", Initiator::Connect).unwrap());
        for parts in ["raw=hello", "initiator=connect;raw=hello"] {
            assert_eq!(read(parts).defaults.startup, opener, "{parts}");
        }
        assert_eq!(read("vlan=4094:7").vlan_tci, Some(0xEFFE));
        let ends = [("fd00::2", "[fd00::2]:0"), ("[fd00::2]:9", "[fd00::2]:9"), ("10.0.0.2", "10.0.0.2:0")];
        for (text, end) in ends.into_iter().chain([("0.0.0.0:9", "0.0.0.0:9")]) {
            assert_eq!(read(&format!("local={text}")).defaults.local, Some(end.parse().unwrap()), "{text}");
        }
        let nothing = read("markers=off;strict=off");
        assert_eq!((nothing.vlan_tci, nothing.defaults), (None, ConnectDefaults::default()));
    }

    #[test]
    fn what_is_left_out_has_a_default() {
        let Ok(DeviceUrl::Sim(sim)) = "sim:eth=tap:fw0;ip=10.0.3.4/24".parse() else { panic!("a sim: URL") };
        assert_eq!((sim.tick, sim.pcap, sim.net.crc), (Tick::Wall, None, true));
        assert_eq!((sim.net.rto, sim.net.retries, sim.net.tlp), (1, 15, true));
        assert_eq!(sim.net.end, Duration::from_secs(1));
        assert_eq!(sim.net.mac, MacAddr([2, 0, 10, 0, 3, 4]));
        let Ok(DeviceUrl::VfioUser(other)) = "vfio-user:/tmp/a=b;rto=50;ip=10.0.3.4/24".parse() else {
            panic!("a path")
        };
        assert_eq!((other.path, other.net), ("/tmp/a=b".into(), NetUrl { rto: 50, ..sim.net.clone() }));
        let Ok(DeviceUrl::Vfio(card)) = "vfio:3:00.1;rto=10;ip=10.0.3.4/24".parse() else {
            panic!("an address")
        };
        assert_eq!(card.address.to_string(), "0000:03:00.1");
        assert_eq!(card.net, NetUrl { rto: 10, ..sim.net });
    }

    #[test]
    fn an_error_names_the_part_that_is_wrong() {
        let wrong = [
            ("tap:fw0", "`tap` is no kind of device"),
            ("sim", "`sim` is no kind of device"),
            ("sim:", "`eth` is missing; add for example `eth=qemu-dgram"),
            ("sim:eth=tap:a", "`ip` is missing; add for example `ip=10.0.0.2/24`"),
            ("sim:eth=;ip=10.0.0.2/24", "eth=``: it is empty"),
            ("sim:eth=tap:a;eth=tap:b", "`eth` is given twice"),
            ("sim:eth", "`eth` has no `=`"),
            ("sim:port=7", "`port` is no key of such a URL; the keys are: eth, tick"),
            ("vfio-user:", "PATH=``: it is empty"),
            ("vfio:", "ADDRESS=``: `` is no address of a PCI function"),
            ("vfio:03:00;ip=10.0.0.2/24", "`03:00` is no address"),
            ("vfio:0000:03:00.0", "`ip` is missing"),
            ("vfio:0000:03:00.0;eth=tap:a", "the keys are: rto, retries, tlp, end, mac"),
            ("vfio-user:/tmp/a", "`ip` is missing"),
            (
                "vfio-user:/tmp/a;eth=tap:a;ip=10.0.0.2/24",
                "`eth` is no key of such a URL; the keys are: rto, retries, tlp, end, mac",
            ),
            ("sim:tick=day", "tick=`day`: it is neither `wall` nor `clock`"),
            ("sim:crc=1", "crc=`1`: it is neither `on` nor `off`"),
            ("sim:rto=0", "rto=`0`: it is no number from 1 to 655"),
            ("sim:end=0", "end=`0`: it is no number from 1 to 3600000"),
            ("sim:rto=656", "rto=`656`: it is no number from 1 to 655"),
            ("sim:retries=256", "retries=`256`: it is no number from 1 on, or too large"),
            ("sim:pcap=", "pcap=``: it is empty"),
            ("sim:figures=", "figures=``: it is empty; write for example `figures=/run/fw.sock`"),
            ("sim:figures=a;figures=b", "`figures` is given twice"),
            ("sim:ip=10.0.0.2", "ip=`10.0.0.2`: it has no prefix length"),
            ("sim:ip=10.0.0/24", "ip=`10.0.0/24`: invalid IP address"),
            ("sim:ip=10.0.0.2/33", "ip=`10.0.0.2/33`: the prefix is not 0 to 32"),
            ("sim:ip=fd00::1/129", "the prefix is not 0 to 128"),
            ("sim:ip=224.0.0.1/4", "no address of one host"),
            ("sim:mac=2:0:0:0:0:7", "mac=`2:0:0:0:0:7`: it is not six octets"),
            ("sim:mac=02:00:00:00:00:00:07", "it is not six octets"),
            ("sim:mac=03:00:00:00:00:07", "it is a group's address"),
            (
                "sim:markers=yes",
                "markers=`yes`: it is neither `on` nor `off`; write for example `markers=on`",
            ),
            ("sim:strict=1", "strict=`1`: it is neither `on` nor `off`"),
            ("sim:vlan=0", "vlan=`0`: the VLAN is not 1 to 4094; write for example `vlan=5`"),
            ("sim:vlan=4095", "vlan=`4095`: the VLAN is not 1 to 4094"),
            ("sim:vlan=5:8", "vlan=`5:8`: the priority is not 0 to 7"),
            ("sim:vlan=5;vlan=6", "`vlan` is given twice"),
            ("sim:ird=16383", "ird=`16383`: the depth is not 0 to 16382; write for example `ird=8`"),
            ("sim:ord=many", "ord=`many`: the depth is not 0 to 16382"),
            ("sim:ord=4,told", "ord=`4,told`: behind the depth only `,untold` may stand"),
            ("sim:local=10.0.0", "local=`10.0.0`: it is neither ADDRESS nor ADDRESS:PORT"),
            (
                "sim:eth=tap:a;ip=10.0.0.2/24;local=10.0.0.3:5",
                "local=`10.0.0.3`: it is none of the addresses of `ip`",
            ),
            ("sim:rtr=", "rtr=``: a kind is `write`, `read` or `send`; write for example `rtr=write,read`"),
            ("sim:rtr=read,all", "rtr=`read,all`: a kind is `write`, `read` or `send`"),
            ("sim:rtr=read,read", "rtr=`read,read`: `read` stands twice"),
            ("sim:raw=", "raw=``: a greeting of 0 octets is not possible; give 1 to 255; write for example `raw=hello`"),
            ("sim:raw=a\nb", "octet 1 is a line feed"),
            ("sim:raw=a;raw=b", "`raw` is given twice"),
            ("sim:initiator=me", "initiator=`me`: it is neither `connect` nor `listen`"),
            ("sim:eth=tap:a;ip=10.0.0.2/24;initiator=listen", "`raw` is missing; add for example `raw=hello`"),
            ("sim:gw=none", "gw=`none`: invalid IP address"),
            ("sim:gw=10.0.0.1;gw=10.0.0.3", "`gw` is given twice"),
        ];
        for (text, why) in wrong {
            let told = text.parse::<DeviceUrl>().unwrap_err().to_string();
            assert!(told.contains(why), "{text}: {told}");
        }
    }
}
