// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of the parts of a URL.
use super::error::{once, wrong, UrlError};
use super::net::{NetUrl, Tick};
use crate::backend::Timers;
use crate::cm::{ConnectDefaults, Greeting, Initiator, Startup, WantedDepth};
use ferrowarp_abi::consts::mpa;
use ferrowarp_abi::types::MacAddr;
use ferrowarp_firmware::config::Address;
use ferrowarp_firmware::mpa::negotiate::RtrSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// What a URL has said of the device's place in the network.
#[derive(Debug, Default)]
pub(super) struct Net {
    mac: Option<MacAddr>,
    crc: Option<bool>,
    addresses: Vec<Address>,
    gateways: Vec<IpAddr>,
    vlan_tci: Option<u16>,
    rto: Option<u16>,
    retries: Option<u8>,
    tlp: Option<bool>,
    end: Option<Duration>,
    markers: Option<bool>,
    strict: Option<bool>,
    ird: Option<WantedDepth>,
    ord: Option<WantedDepth>,
    local: Option<SocketAddr>,
    rtr: Option<RtrSet>,
    raw: Option<String>,
    initiator: Option<Initiator>,
    figures: Option<PathBuf>,
}

impl Net {
    /// Takes a part; `keys` are those of the whole URL.
    pub(super) fn take(&mut self, key: &str, value: &str, keys: &'static str) -> Result<(), UrlError> {
        match key {
            "mac" => once("mac", &mut self.mac, mac_of(value)?)?,
            "crc" => once("crc", &mut self.crc, switch_of("crc", value)?)?,
            "vlan" => once("vlan", &mut self.vlan_tci, vlan_of(value)?)?,
            "rto" => once("rto", &mut self.rto, rto_of(value)?)?,
            "retries" => once("retries", &mut self.retries, count_of("retries", value, "15")?)?,
            "tlp" => once("tlp", &mut self.tlp, switch_of("tlp", value)?)?,
            "end" => once("end", &mut self.end, end_of(value)?)?,
            "markers" => once("markers", &mut self.markers, switch_of("markers", value)?)?,
            "strict" => once("strict", &mut self.strict, switch_of("strict", value)?)?,
            "ird" => once("ird", &mut self.ird, depth_of("ird", value, "8")?)?,
            "ord" => once("ord", &mut self.ord, depth_of("ord", value, "8")?)?,
            "local" => once("local", &mut self.local, local_of(value)?)?,
            "rtr" => once("rtr", &mut self.rtr, rtr_of(value)?)?,
            "raw" => once("raw", &mut self.raw, line_of(value)?)?,
            "initiator" => once("initiator", &mut self.initiator, initiator_of(value)?)?,
            "figures" if value.is_empty() => return Err(wrong("figures", value, "it is empty", FIGURES)),
            "figures" => once("figures", &mut self.figures, PathBuf::from(value))?,
            "ip" => self.addresses.push(address_of(value)?),
            "gw" => self.gateways.push(gateway_of(value, &self.gateways)?),
            _ => return Err(UrlError::Key(key.into(), keys)),
        }
        Ok(())
    }

    /// With defaults for what was left out.
    pub(super) fn finish(self) -> Result<NetUrl, UrlError> {
        let Self { mac, crc, addresses, gateways, vlan_tci, markers, strict, ird, ord, local, rtr, .. } =
            self;
        let figures = self.figures;
        let (rto, retries, tlp, end) = (self.rto, self.retries, self.tlp.unwrap_or(true), self.end);
        let startup = startup_of(self.raw, self.initiator)?;
        let first = *addresses.first().ok_or(UrlError::Missing { part: "ip", example: IP })?;
        let mac = mac.unwrap_or_else(|| station_of(first.ip));
        let strange =
            |ip: &IpAddr| !ip.is_unspecified() && !addresses.iter().any(|address| address.ip == *ip);
        if let Some(ip) = local.map(|end| end.ip()).filter(strange) {
            return Err(wrong("local", &ip.to_string(), "it is none of the addresses of `ip`", LOCAL));
        }
        let (strict, markers) = (strict.unwrap_or(false), markers.unwrap_or(false));
        let defaults = ConnectDefaults { ird, ord, strict, markers, local, rtr, startup };
        let plain = NetUrl::new(mac, addresses);
        let (rto, retries) = (rto.unwrap_or(plain.rto), retries.unwrap_or(plain.retries));
        Ok(NetUrl {
            gateways,
            crc: crc.unwrap_or(true),
            vlan_tci,
            rto,
            retries,
            tlp,
            end: end.unwrap_or(plain.end),
            defaults,
            figures,
            ..plain
        })
    }
}

/// Most milliseconds that an end may have.
const HOUR_MS: u64 = 3_600_000;
const IP: &str = "10.0.0.2/24";
const LOCAL: &str = "10.0.0.2:0";
const RAW: &str = "hello";
const FIGURES: &str = "/run/fw.sock";

pub(super) fn tick_of(text: &str) -> Result<Tick, UrlError> {
    match text {
        "wall" => Ok(Tick::Wall),
        "clock" => Ok(Tick::Clock),
        _ => Err(wrong("tick", text, "it is neither `wall` nor `clock`", "wall")),
    }
}

/// A number that is not 0 and fits.
fn count_of<T: FromStr + Default + PartialEq>(
    part: &'static str,
    text: &str,
    example: &'static str,
) -> Result<T, UrlError> {
    let number = text.parse().ok().filter(|n| *n != T::default());
    number.ok_or_else(|| wrong(part, text, "it is no number from 1 on, or too large", example))
}

/// Milliseconds that the timers' register holds.
fn rto_of(text: &str) -> Result<u16, UrlError> {
    let most = Timers::RTO_MOST;
    let number = text.parse().ok().filter(|n| (1..=most).contains(n));
    number.ok_or_else(|| wrong("rto", text, format!("it is no number from 1 to {most}"), "20"))
}

/// Milliseconds of an end, an hour at most.
fn end_of(text: &str) -> Result<Duration, UrlError> {
    let ms = text.parse().ok().filter(|ms| (1..=HOUR_MS).contains(ms));
    let wrong = || wrong("end", text, format!("it is no number from 1 to {HOUR_MS}"), "10000");
    ms.map(Duration::from_millis).ok_or_else(wrong)
}

fn switch_of(part: &'static str, text: &str) -> Result<bool, UrlError> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(wrong(part, text, "it is neither `on` nor `off`", "on")),
    }
}

/// `VLAN` or `VLAN:PRIORITY` as tag control information (IEEE 802.1Q).
fn vlan_of(text: &str) -> Result<u16, UrlError> {
    let (vlan, priority) = text.split_once(':').unwrap_or((text, "0"));
    let vlan = vlan.parse().ok().filter(|vlan| (1..=4094).contains(vlan));
    let vlan: u16 = vlan.ok_or_else(|| wrong("vlan", text, "the VLAN is not 1 to 4094", "5"))?;
    let priority = priority.parse().ok().filter(|priority| *priority <= 7);
    let priority: u16 = priority.ok_or_else(|| wrong("vlan", text, "the priority is not 0 to 7", "5:3"))?;
    Ok(priority << 13 | vlan)
}

/// `READS` or `READS,untold`.
fn depth_of(part: &'static str, text: &str, example: &'static str) -> Result<WantedDepth, UrlError> {
    let (reads, more) = text.split_once(',').map_or((text, None), |(reads, more)| (reads, Some(more)));
    let reads = reads.parse().ok().filter(|reads| *reads <= mpa::DEPTH_MAX);
    let told = || format!("the depth is not 0 to {}", mpa::DEPTH_MAX);
    let reads = reads.ok_or_else(|| wrong(part, text, told(), example))?;
    match more {
        None => Ok(WantedDepth::Reads(reads)),
        Some("untold") => Ok(WantedDepth::Untold(reads)),
        Some(_) => Err(wrong(part, text, "behind the depth only `,untold` may stand", example)),
    }
}

/// Kinds of ready-to-receive message, with commas between them.
fn rtr_of(text: &str) -> Result<RtrSet, UrlError> {
    let mut kinds = RtrSet::default();
    for kind in text.split(',') {
        let place = match kind {
            "write" => &mut kinds.write,
            "read" => &mut kinds.read,
            "send" => &mut kinds.send,
            _ => return Err(wrong("rtr", text, "a kind is `write`, `read` or `send`", "write,read")),
        };
        if std::mem::replace(place, true) {
            return Err(wrong("rtr", text, format!("`{kind}` stands twice"), "write,read"));
        }
    }
    Ok(kinds)
}

/// A greeting, whose initiator is not known yet.
fn line_of(text: &str) -> Result<String, UrlError> {
    let made = Greeting::new(text, Initiator::default());
    made.map(|_| text.into()).map_err(|why| wrong("raw", text, why, RAW))
}

fn initiator_of(text: &str) -> Result<Initiator, UrlError> {
    text.parse().map_err(|why: &str| wrong("initiator", text, why, "listen"))
}

/// Of `raw` and `initiator`, the latter of which says something of greetings alone.
fn startup_of(line: Option<String>, initiator: Option<Initiator>) -> Result<Startup, UrlError> {
    let Some(line) = line else {
        let alone = UrlError::Missing { part: "raw", example: RAW };
        return initiator.map_or(Ok(Startup::Immediate), |_| Err(alone));
    };
    let made = Greeting::new(line.as_str(), initiator.unwrap_or_default());
    made.map(Startup::Delayed).map_err(|why| wrong("raw", &line, why, RAW))
}

/// `ADDRESS` or `ADDRESS:PORT`; port 0 is a free one.
fn local_of(text: &str) -> Result<SocketAddr, UrlError> {
    let with_port = text.parse().ok();
    let without = || text.parse().ok().map(|ip: IpAddr| SocketAddr::new(ip, 0));
    with_port
        .or_else(without)
        .ok_or_else(|| wrong("local", text, "it is neither ADDRESS nor ADDRESS:PORT", LOCAL))
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

/// A locally administered station address that differs where the last four octets of the IP address
/// do.
fn station_of(ip: IpAddr) -> MacAddr {
    let last = match ip {
        IpAddr::V4(ip) => ip,
        IpAddr::V6(ip) => Ipv4Addr::from(u128::from(ip) as u32),
    };
    let [a, b, c, d] = last.octets();
    MacAddr([2, 0, a, b, c, d])
}
