//! Devices by URL: `sim:eth=qemu-dgram:LOCAL,REMOTE;tick=wall;pcap=PATH;mac=02:00:0a:00:00:02;ip=10.0.0.2/24`.
use ferrowarp_abi::types::MacAddr;
use ferrowarp_firmware::config::Address;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::str::FromStr;

/// Parts of a `sim:` URL.
const PARTS: &str = "eth, tick, pcap, mac, ip, gw, crc";

/// Why a text is no device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// The part before the first colon is no kind of device.
    #[error("`{0}` is no kind of device in `{1}`; write sim:eth=...;ip=..., the kinds are: sim")]
    Scheme(String, String),
    /// This build has no such devices.
    #[error("this build has no `{0}:` devices; build the crate `ferrowarp` with the feature `{0}`")]
    NotBuilt(&'static str),
    /// A part without `=`.
    #[error("`{0}` has no `=`; parts are KEY=VALUE with `;` between them, the keys are: {PARTS}")]
    NoValue(String),
    /// No such key.
    #[error("`{0}` is no part of a sim: URL; the keys are: {PARTS}")]
    Key(String),
    /// A part that may stand once.
    #[error("`{0}` is given twice; give it once")]
    Twice(&'static str),
    /// A part that must be there.
    #[error("`{part}` is missing; add for example `{part}={example}`")]
    Missing {
        /// Its key.
        part: &'static str,
        /// What it may look like.
        example: &'static str,
    },
    /// A value that its key cannot have.
    #[error("{part}=`{text}`: {why}; write for example `{part}={example}`")]
    Value {
        /// Key.
        part: &'static str,
        /// Value.
        text: String,
        /// What is wrong with it.
        why: String,
        /// A right one.
        example: &'static str,
    },
}

/// What a tick of the device is (D8 of the architecture).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tick {
    /// A millisecond of wall time: for peers that are real.
    #[default]
    Wall,
    /// A millisecond of the device's own clock.
    Clock,
}

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

/// A device's place in the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetUrl {
    /// Station address; by default made from the first IP address.
    pub mac: MacAddr,
    /// IP addresses with the lengths of their prefixes.
    pub addresses: Vec<Address>,
    /// Next hops beyond the link, at most one of each family.
    pub gateways: Vec<IpAddr>,
    /// Whether CRCs are asked for; `crc=off` is the administrator's word that RFC 5044 section 4.4 wants.
    pub crc: bool,
}

/// A device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceUrl {
    /// The hardware's Verilog, simulated in this process.
    Sim(SimUrl),
}

impl FromStr for DeviceUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        match text.split_once(':') {
            Some(("sim", parts)) => parts.parse().map(Self::Sim),
            Some((scheme, _)) => Err(UrlError::Scheme(scheme.into(), text.into())),
            None => Err(UrlError::Scheme(text.into(), text.into())),
        }
    }
}

impl FromStr for SimUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let (mut eth, mut tick, mut pcap, mut mac, mut crc) = Default::default();
        let (mut addresses, mut gateways) = (vec![], vec![]);
        for part in text.split(';').filter(|p| !p.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| UrlError::NoValue(part.into()))?;
            match key {
                "eth" if value.is_empty() => return Err(wrong("eth", value, "it is empty", ETH)),
                "eth" => once("eth", &mut eth, value.to_string())?,
                "tick" => once("tick", &mut tick, tick_of(value)?)?,
                "pcap" if value.is_empty() => return Err(wrong("pcap", value, "it is empty", "ping.pcapng")),
                "pcap" => once("pcap", &mut pcap, PathBuf::from(value))?,
                "mac" => once("mac", &mut mac, mac_of(value)?)?,
                "crc" => once("crc", &mut crc, crc_of(value)?)?,
                "ip" => addresses.push(address_of(value)?),
                "gw" => gateways.push(gateway_of(value, &gateways)?),
                _ => return Err(UrlError::Key(key.into())),
            }
        }
        let eth = eth.ok_or(UrlError::Missing { part: "eth", example: ETH })?;
        let first = *addresses.first().ok_or(UrlError::Missing { part: "ip", example: IP })?;
        let mac = mac.unwrap_or_else(|| station_of(first.ip));
        let net = NetUrl { mac, addresses, gateways, crc: crc.unwrap_or(true) };
        Ok(Self { eth, tick: tick.unwrap_or_default(), pcap, net })
    }
}

const ETH: &str = "qemu-dgram:/tmp/a,/tmp/b";
const IP: &str = "10.0.0.2/24";

fn wrong(part: &'static str, text: &str, why: impl ToString, example: &'static str) -> UrlError {
    UrlError::Value { part, text: text.into(), why: why.to_string(), example }
}

fn once<T>(part: &'static str, place: &mut Option<T>, value: T) -> Result<(), UrlError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(UrlError::Twice(part)),
    }
}

fn tick_of(text: &str) -> Result<Tick, UrlError> {
    match text {
        "wall" => Ok(Tick::Wall),
        "clock" => Ok(Tick::Clock),
        _ => Err(wrong("tick", text, "it is neither `wall` nor `clock`", "wall")),
    }
}

fn crc_of(text: &str) -> Result<bool, UrlError> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(wrong("crc", text, "it is neither `on` nor `off`", "on")),
    }
}

fn mac_of(text: &str) -> Result<MacAddr, UrlError> {
    const EXAMPLE: &str = "02:00:0a:00:00:02";
    let octets: Option<Vec<u8>> = text
        .split(':')
        .map(|o| u8::from_str_radix(o, 16).ok().filter(|_| o.len() == 2 && !o.starts_with('+')))
        .collect();
    let mac = octets.and_then(|o| <[u8; 6]>::try_from(o).ok());
    let mac = mac.ok_or_else(|| wrong("mac", text, "it is not six octets in hexadecimal", EXAMPLE))?;
    if mac[0] & 1 == 1 || mac == [0; 6] {
        return Err(wrong("mac", text, "it is a group's address or zero, not a station's", EXAMPLE));
    }
    Ok(MacAddr(mac))
}

fn address_of(text: &str) -> Result<Address, UrlError> {
    let (ip, prefix) =
        text.split_once('/').ok_or_else(|| wrong("ip", text, "it has no prefix length", IP))?;
    let ip: IpAddr = ip.parse().map_err(|e| wrong("ip", text, e, IP))?;
    let most = if ip.is_ipv4() { 32 } else { 128 };
    let prefix = prefix.parse().ok().filter(|&p: &u8| p <= most);
    let prefix = prefix.ok_or_else(|| wrong("ip", text, format!("the prefix is not 0 to {most}"), IP))?;
    if ip.is_multicast() || ip.is_unspecified() || ip.is_loopback() {
        return Err(wrong("ip", text, "it is no address of one host on a network", IP));
    }
    Ok(Address { ip, prefix })
}

fn gateway_of(text: &str, others: &[IpAddr]) -> Result<IpAddr, UrlError> {
    let ip: IpAddr = text.parse().map_err(|e| wrong("gw", text, e, "10.0.0.1"))?;
    if others.iter().any(|other| other.is_ipv4() == ip.is_ipv4()) {
        return Err(UrlError::Twice("gw"));
    }
    Ok(ip)
}

/// A locally administered station address that differs where the last four octets of the IP address do.
fn station_of(ip: IpAddr) -> MacAddr {
    let last = match ip {
        IpAddr::V4(ip) => ip,
        IpAddr::V6(ip) => Ipv4Addr::from(u128::from(ip) as u32),
    };
    let [a, b, c, d] = last.octets();
    MacAddr([2, 0, a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_read() {
        let text =
            "sim:eth=qemu-dgram:/tmp/a,/tmp/b;tick=clock;pcap=x.pcapng;mac=02:00:00:00:00:07;ip=10.0.0.2/24;\
                    ip=fd00::2/64;gw=10.0.0.1;gw=fd00::1;crc=off";
        let DeviceUrl::Sim(sim) = text.parse().unwrap();
        assert_eq!((sim.eth.as_str(), sim.tick), ("qemu-dgram:/tmp/a,/tmp/b", Tick::Clock));
        assert_eq!(sim.pcap, Some("x.pcapng".into()));
        let net = sim.net;
        assert_eq!((net.mac, net.crc), (MacAddr([2, 0, 0, 0, 0, 7]), false));
        assert_eq!(net.addresses[0], Address { ip: "10.0.0.2".parse().unwrap(), prefix: 24 });
        assert_eq!(net.addresses[1], Address { ip: "fd00::2".parse().unwrap(), prefix: 64 });
        assert_eq!(net.gateways, ["10.0.0.1".parse::<IpAddr>().unwrap(), "fd00::1".parse().unwrap()]);
    }

    #[test]
    fn what_is_left_out_has_a_default() {
        let DeviceUrl::Sim(sim) = "sim:eth=tap:fw0;ip=10.0.3.4/24".parse().unwrap();
        assert_eq!((sim.tick, sim.pcap, sim.net.crc), (Tick::Wall, None, true));
        assert_eq!(sim.net.mac, MacAddr([2, 0, 10, 0, 3, 4]));
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
            ("sim:port=7", "`port` is no part of a sim: URL; the keys are: eth, tick"),
            ("sim:tick=day", "tick=`day`: it is neither `wall` nor `clock`"),
            ("sim:crc=1", "crc=`1`: it is neither `on` nor `off`"),
            ("sim:pcap=", "pcap=``: it is empty"),
            ("sim:ip=10.0.0.2", "ip=`10.0.0.2`: it has no prefix length"),
            ("sim:ip=10.0.0/24", "ip=`10.0.0/24`: invalid IP address"),
            ("sim:ip=10.0.0.2/33", "ip=`10.0.0.2/33`: the prefix is not 0 to 32"),
            ("sim:ip=fd00::1/129", "the prefix is not 0 to 128"),
            ("sim:ip=224.0.0.1/4", "no address of one host"),
            ("sim:mac=2:0:0:0:0:7", "mac=`2:0:0:0:0:7`: it is not six octets"),
            ("sim:mac=02:00:00:00:00:00:07", "it is not six octets"),
            ("sim:mac=03:00:00:00:00:07", "it is a group's address"),
            ("sim:gw=none", "gw=`none`: invalid IP address"),
            ("sim:gw=10.0.0.1;gw=10.0.0.3", "`gw` is given twice"),
        ];
        for (text, why) in wrong {
            let told = text.parse::<DeviceUrl>().unwrap_err().to_string();
            assert!(told.contains(why), "{text}: {told}");
        }
    }
}
