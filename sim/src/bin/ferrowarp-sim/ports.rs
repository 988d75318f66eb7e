// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ethernet ports of the devices, and the wires between two of them.
use super::error::Error;
use super::switch;
use ferrowarp_sim::eth::Wire;
use ferrowarp_sim::EthAddress;
use std::collections::BTreeMap;

/// A port as it was written.
enum Wanted {
    /// A wire to the device of this number.
    Link(usize, Wire),
    /// A port of the switch.
    Switch,
    /// The world outside.
    Address(EthAddress),
}

fn read(text: &str) -> Result<Wanted, Error> {
    if switch::is_port(text) {
        return Ok(Wanted::Switch);
    }
    let Some(rest) = text.strip_prefix("link:") else {
        return Ok(Wanted::Address(text.parse()?));
    };
    let (number, wire) = rest.split_once(',').unwrap_or((rest, ""));
    let number = number.parse().map_err(|_| wrong(text, "the other device is a number, counted from 0"))?;
    let wire = if wire.is_empty() { Wire::default() } else { wire.parse()? };
    Ok(Wanted::Link(number, wire))
}

fn wrong(text: &str, why: &'static str) -> Error {
    Error::Link { text: text.into(), why }
}

/// The ports of all devices, as they were written.
pub(super) struct Ports {
    wanted: Vec<Wanted>,
    /// What the wire between two devices does, by the numbers of both, the lower one first.
    wires: BTreeMap<(usize, usize), Wire>,
}

impl Ports {
    /// Reads the port of each device.
    pub(super) fn read(texts: &[String]) -> Result<Self, Error> {
        let wanted: Vec<_> = texts.iter().map(|text| read(text)).collect::<Result<_, _>>()?;
        let mut wires = BTreeMap::new();
        for (own, this) in wanted.iter().enumerate() {
            let Wanted::Link(other, wire) = this else { continue };
            let wrong = |why| Err(wrong(&texts[own], why));
            let theirs = match wanted.get(*other) {
                _ if *other == own => return wrong("that is this device itself"),
                None => return wrong("there is no device of that number"),
                Some(Wanted::Link(back, theirs)) if *back == own => theirs,
                Some(_) => return wrong("the other device is not joined to this one"),
            };
            let plain = Wire::default();
            if *wire != plain && *theirs != plain && wire != theirs {
                return wrong("both ends say what the wire does, and not the same");
            }
            let wire = if *wire == plain { theirs } else { wire };
            wires.insert((own.min(*other), own.max(*other)), *wire);
        }
        Ok(Self { wanted, wires })
    }

    /// The devices that have a wire between them, by twos, and what the wire does.
    pub(super) fn wires(&self) -> impl Iterator<Item = ([usize; 2], &Wire)> {
        self.wires.iter().map(|((one, other), wire)| ([*one, *other], wire))
    }

    /// The device at the other end of the wire of device `n`, if there is one.
    pub(super) fn other_end(&self, n: usize) -> Option<usize> {
        match self.wanted.get(n) {
            Some(Wanted::Link(other, _)) => Some(*other),
            _ => None,
        }
    }

    /// The devices on the switch.
    pub(super) fn switched(&self) -> Vec<usize> {
        let all = self.wanted.iter().enumerate();
        all.filter(|(_, wanted)| matches!(wanted, Wanted::Switch)).map(|(n, _)| n).collect()
    }

    /// The devices that meet the world outside, and where.
    pub(super) fn alone(&self) -> impl Iterator<Item = (usize, &EthAddress)> {
        self.wanted.iter().enumerate().filter_map(|(n, wanted)| match wanted {
            Wanted::Address(address) => Some((n, address)),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(texts: &[&str]) -> String {
        match Ports::read(&texts.iter().map(|t| t.to_string()).collect::<Vec<_>>()) {
            Err(why) => why.to_string(),
            Ok(_) => panic!("{texts:?} are ports"),
        }
    }

    #[test]
    fn devices_are_joined_by_pairs() {
        let texts = ["link:2,loss=0.5,seed=3", "link:3", "link:0", "link:1,delay=5"].map(String::from);
        let ports = Ports::read(&texts).unwrap();
        let wires: Vec<_> = ports.wires().collect();
        let [lossy, long] = ["loss=0.5,seed=3", "delay=5"].map(|wire| wire.parse().unwrap());
        assert_eq!(wires, [([0, 2], &lossy), ([1, 3], &long)]);
        assert!(ports.switched().is_empty() && ports.alone().next().is_none());
    }

    #[test]
    fn a_wire_without_two_ends_is_refused_with_its_text() {
        for (texts, why) in [
            (&["link:0"][..], "itself"),
            (&["link:1"], "no device of that number"),
            (&["link:b"], "is a number"),
            (&["link:1", "link:2", "link:0"], "not joined to this one"),
            (&["link:1", "tap:none"], "not joined to this one"),
            (&["link:1,loss=0.1", "link:0,loss=0.2"], "not the same"),
        ] {
            let told = error(texts);
            assert!(told.contains(why) && told.contains(texts[0]), "{told}");
        }
        assert!(error(&["link:1,loss=7", "link:0"]).contains("not 0 to 1"));
        assert!(error(&["eth0"]).contains("`eth0` is no Ethernet port"));
    }
}
