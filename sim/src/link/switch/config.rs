// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a switch and its ports are set.
use crate::eth::Wire;
use std::collections::BTreeSet;
use std::str::FromStr;

/// Most octets of a queue.
const MOST_QUEUE: u64 = 1 << 30;
/// VIDs that a VLAN may have: 0 and 4095 mean something else.
const VIDS: std::ops::RangeInclusive<u16> = 1..=4094;

/// What all ports share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchConfig {
    /// Picoseconds of simulated time after which an address is forgotten of which no frame came.
    pub aging_ps: u64,
    /// Most addresses that are learned.
    pub addresses: usize,
}

impl Default for SwitchConfig {
    /// 300 s, as IEEE 802.1Q recommends, and 8,192 addresses.
    fn default() -> Self {
        Self { aging_ps: 300_000_000_000_000, addresses: 8_192 }
    }
}

/// The VLANs of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Vlan {
    /// Frames without a tag are in this VLAN. They leave without a tag.
    Access(u16),
    /// Frames have a tag with one of these VIDs, and leave with a tag.
    Trunk(BTreeSet<u16>),
}

impl Vlan {
    /// The port belongs to this VLAN.
    pub(super) fn has(&self, vid: u16) -> bool {
        match self {
            Self::Access(own) => *own == vid,
            Self::Trunk(vids) => vids.contains(&vid),
        }
    }
}

/// A port, as text: `vlan=10` or `trunk=10+20`, `queue=65536,ecn=30000` in octets, and what a
/// [`Wire`] has. What is left out is as in [`PortConfig::default`]. The rate and the delay of the
/// cable are those of [`SwitchPort::line`](super::SwitchPort::line).
#[derive(Debug, Clone, PartialEq)]
pub struct PortConfig {
    /// Its VLANs.
    pub vlan: Vlan,
    /// Most octets of frames that wait to leave here. A frame that finds no room is dropped.
    pub queue: u64,
    /// When more octets than this wait, a frame that leaves is marked; none: never.
    pub ecn: Option<u64>,
    /// What the cable does to frames, both ways, in simulated time.
    pub wire: Wire,
}

impl Default for PortConfig {
    /// An access port of VLAN 1 with room for 256 KiB, no marks and a good cable.
    fn default() -> Self {
        Self { vlan: Vlan::Access(1), queue: 256 << 10, ecn: None, wire: Wire::default() }
    }
}

/// Why a text is no port.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no port of a switch: {why}; write for example vlan=10,queue=65536,ecn=30000 or trunk=10+20,loss=0.01,seed=7"
)]
pub struct NoPort {
    /// What was given.
    pub text: String,
    /// What is wrong with it.
    pub why: String,
}

fn vid(text: &str) -> Result<u16, String> {
    let vid = text.parse().ok().filter(|vid| VIDS.contains(vid));
    vid.ok_or_else(|| format!("`{text}` is no VID; VIDs are {} to {}", VIDS.start(), VIDS.end()))
}

fn octets(text: &str) -> Result<u64, String> {
    let octets = text.parse().ok().filter(|&octets| octets <= MOST_QUEUE);
    octets.ok_or_else(|| format!("`{text}` is no number of octets up to {MOST_QUEUE}"))
}

impl PortConfig {
    fn read(text: &str) -> Result<Self, String> {
        let (mut port, mut keys) = (Self::default(), BTreeSet::new());
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| format!("`{part}` has no `=`"))?;
            if !keys.insert(key) {
                return Err(format!("`{key}` is given twice"));
            }
            match key {
                "vlan" => port.vlan = Vlan::Access(vid(value)?),
                "trunk" => port.vlan = Vlan::Trunk(value.split('+').map(vid).collect::<Result<_, _>>()?),
                "queue" => port.queue = octets(value)?,
                "ecn" => port.ecn = Some(octets(value)?),
                _ if port.wire.set(key, value)? => {}
                _ => return Err(format!("the keys are vlan, trunk, queue, ecn, {}", Wire::KEYS)),
            }
        }
        if keys.contains("vlan") && keys.contains("trunk") {
            return Err("a port has either `vlan` or `trunk`".into());
        }
        match port.ecn.filter(|&threshold| threshold >= port.queue) {
            Some(_) => {
                Err(format!("`ecn` is not below `queue`, {} octets: no frame is ever marked", port.queue))
            }
            None => Ok(port),
        }
    }
}

impl FromStr for PortConfig {
    type Err = NoPort;

    fn from_str(text: &str) -> Result<Self, NoPort> {
        Self::read(text).map_err(|why| NoPort { text: text.into(), why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_read_from_its_text() {
        assert_eq!("".parse(), Ok(PortConfig::default()));
        let port: PortConfig = "trunk=10+20,queue=9000,ecn=3000,loss=0.01,delay=5,seed=7".parse().unwrap();
        let wire = "loss=0.01,delay=5,seed=7".parse().unwrap();
        let vlan = Vlan::Trunk([10, 20].into());
        assert_eq!(port, PortConfig { vlan, queue: 9_000, ecn: Some(3_000), wire });
        let port: PortConfig = "vlan=4094".parse().unwrap();
        assert_eq!(port.vlan, Vlan::Access(4_094));
    }

    #[test]
    fn what_no_port_is_is_refused_with_its_text_and_what_to_write() {
        for (text, why) in [
            ("vlan", "`vlan` has no `=`"),
            ("vlan=0", "VIDs are 1 to 4094"),
            ("vlan=4095", "`4095` is no VID"),
            ("trunk=", "`` is no VID"),
            ("trunk=7+x", "`x` is no VID"),
            ("vlan=1,trunk=2", "either `vlan` or `trunk`"),
            ("vlan=1,vlan=1", "`vlan` is given twice"),
            ("queue=-1", "no number of octets"),
            ("queue=1073741825", "up to 1073741824"),
            ("queue=10,ecn=10", "`ecn` is not below `queue`, 10 octets"),
            ("loss=2", "not 0 to 1"),
            ("rate=9", "the keys are vlan, trunk, queue, ecn, loss, delay"),
        ] {
            let told = text.parse::<PortConfig>().unwrap_err().to_string();
            assert!(told.contains(why) && told.contains(&format!("`{text}`")), "{told}");
            assert!(told.contains("write for example vlan=10"), "{told}");
        }
    }
}
