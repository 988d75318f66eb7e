//! Values of the parts of a URL.
use super::{NetUrl, Tick, UrlError};
use ferrowarp_abi::types::MacAddr;
use ferrowarp_firmware::config::Address;
use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

/// What a URL has said of the device's place in the network.
#[derive(Debug, Default)]
pub(super) struct Net {
    mac: Option<MacAddr>,
    crc: Option<bool>,
    addresses: Vec<Address>,
    gateways: Vec<IpAddr>,
}

impl Net {
    /// Takes a part; `keys` are those of the whole URL.
    pub(super) fn take(&mut self, key: &str, value: &str, keys: &'static str) -> Result<(), UrlError> {
        match key {
            "mac" => once("mac", &mut self.mac, mac_of(value)?)?,
            "crc" => once("crc", &mut self.crc, crc_of(value)?)?,
            "ip" => self.addresses.push(address_of(value)?),
            "gw" => self.gateways.push(gateway_of(value, &self.gateways)?),
            _ => return Err(UrlError::Key(key.into(), keys)),
        }
        Ok(())
    }

    /// With defaults for what was left out.
    pub(super) fn finish(self) -> Result<NetUrl, UrlError> {
        let Self { mac, crc, addresses, gateways } = self;
        let first = *addresses.first().ok_or(UrlError::Missing { part: "ip", example: IP })?;
        let mac = mac.unwrap_or_else(|| station_of(first.ip));
        Ok(NetUrl { mac, addresses, gateways, crc: crc.unwrap_or(true) })
    }
}

const IP: &str = "10.0.0.2/24";

pub(super) fn wrong(part: &'static str, text: &str, why: impl ToString, example: &'static str) -> UrlError {
    UrlError::Value { part, text: text.into(), why: why.to_string(), example }
}

pub(super) fn once<T>(part: &'static str, place: &mut Option<T>, value: T) -> Result<(), UrlError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(UrlError::Twice(part)),
    }
}

pub(super) fn tick_of(text: &str) -> Result<Tick, UrlError> {
    match text {
        "wall" => Ok(Tick::Wall),
        "clock" => Ok(Tick::Clock),
        _ => Err(wrong("tick", text, "it is neither `wall` nor `clock`", "wall")),
    }
}

/// A number that is not 0 and fits.
pub(super) fn count_of<T: FromStr + Default + PartialEq>(
    part: &'static str,
    text: &str,
    example: &'static str,
) -> Result<T, UrlError> {
    let number = text.parse().ok().filter(|n| *n != T::default());
    number.ok_or_else(|| wrong(part, text, "it is no number from 1 on, or too large", example))
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
