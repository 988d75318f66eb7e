// SPDX-License-Identifier: MIT OR Apache-2.0
//! Links that go down and come up by themselves: which devices have one, and how the link flaps.
use super::error::Error;
use super::ports::Ports;
use ferrowarp_sim::link::{Flaps, NoFlaps};
use std::collections::BTreeMap;

/// The flaps by the number of the device. Of two devices with a wire between them the lower number
/// has the flaps.
#[derive(Debug, Default)]
pub(super) struct FlapsOf(BTreeMap<usize, Flaps>);

fn wrong(text: &str, why: String) -> Error {
    Error::Flap { text: text.into(), why }
}

impl FlapsOf {
    /// Reads `N,every=...,down=...` of each of these texts; N is the number of one of the devices
    /// that `ports` are of.
    pub(super) fn read(texts: &[String], devices: usize, ports: &Ports) -> Result<Self, Error> {
        let mut all = BTreeMap::new();
        for text in texts {
            let (number, keys) = text.split_once(',').unwrap_or((text, ""));
            let known = number.parse().ok().filter(|n: &usize| *n < devices);
            let why = || format!("`{number}` is no number of a device; the devices are 0 to {}", devices - 1);
            let n = known.ok_or_else(|| wrong(text, why()))?;
            let flaps = keys.parse().map_err(|no: NoFlaps| wrong(text, no.why))?;
            let place = ports.other_end(n).map_or(n, |other| other.min(n));
            if all.insert(place, flaps).is_some() {
                return Err(wrong(text, format!("how the link of device {n} flaps is said already")));
            }
        }
        Ok(Self(all))
    }

    /// How the link of device `n` flaps; none: never.
    pub(super) fn of(&self, n: usize) -> Option<Flaps> {
        self.0.get(&n).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(flaps: &[&str]) -> Result<FlapsOf, Error> {
        let texts = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        let eth = texts(&["link:2", "tap:fw0", "link:0"]);
        FlapsOf::read(&texts(flaps), eth.len(), &Ports::read(&eth).unwrap())
    }

    #[test]
    fn a_wire_has_one_set_of_flaps_whichever_end_names_the_flaps() {
        let flaps = read(&["2,every=50,down=1-9,seed=3", "1,every=7,down=2"]).unwrap();
        let [wire, alone] = ["every=50,down=1-9,seed=3", "every=7,down=2"].map(|text| text.parse().ok());
        assert_eq!([0, 1, 2].map(|n| flaps.of(n)), [wire, alone, None]);
    }

    #[test]
    fn flaps_of_no_device_or_twice_of_one_link_are_refused_with_their_text() {
        for (texts, why) in [
            (&["3,every=1,down=1"][..], "`3` is no number of a device; the devices are 0 to 2"),
            (&["every=1,down=1"], "`every=1` is no number of a device"),
            (&["0"], "`every` is missing"),
            (&["1,every=1,down=0"], "`0` is no time of 1 to"),
            (&["0,every=1,down=1", "2,every=2,down=1"], "the link of device 2 flaps is said already"),
        ] {
            let told = read(texts).unwrap_err().to_string();
            let text = texts[texts.len() - 1];
            assert!(told.starts_with(&format!("`{text}`: ")) && told.contains(why), "{told}");
            assert!(told.contains("write N,every=5000,down=1-3000,seed=7"), "{told}");
        }
    }
}
