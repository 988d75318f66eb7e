//! Ethernet ports of the devices, and the wires between two of them.
use super::{switch, Error};
use ferrowarp_sim::eth::{EthPort, JoinedPort, Wire};
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
pub(super) struct Ports<'a> {
    texts: &'a [String],
    wanted: Vec<Wanted>,
    /// What the wire between two devices does, by the numbers of both, the lower one first.
    wires: BTreeMap<(usize, usize), Wire>,
}

impl<'a> Ports<'a> {
    /// Reads the port of each device.
    pub(super) fn read(texts: &'a [String]) -> Result<Self, Error> {
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
        Ok(Self { texts, wanted, wires })
    }

    /// Opens them.
    pub(super) fn open(self) -> Result<Vec<Box<dyn EthPort>>, Error> {
        let mut ends: BTreeMap<usize, JoinedPort> = BTreeMap::new();
        for ((one, other), wire) in &self.wires {
            let [a, b] = JoinedPort::pair(wire)?;
            ends.extend([(*one, a), (*other, b)]);
        }
        let open = |(n, wanted): (usize, Wanted)| match wanted {
            Wanted::Address(address) => Ok(address.open()?),
            Wanted::Switch => {
                let why = "no common time joins the devices of this command".into();
                Err(Error::Switch { text: self.texts[n].clone(), why })
            }
            Wanted::Link(..) => {
                let end = ends.remove(&n).map(|end| Box::new(end) as Box<dyn EthPort>);
                end.ok_or_else(|| wrong(&self.texts[n], "it has no end"))
            }
        };
        self.wanted.into_iter().enumerate().map(open).collect()
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
        assert_eq!(Ports::read(&texts).unwrap().open().unwrap().len(), 4);
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
