// SPDX-License-Identifier: MIT OR Apache-2.0
//! The switch: which devices and which ports outside are on it, and what its ports have counted.
use super::error::Error;
use ferrowarp_sim::link::switch::{
    NoPort, OutsidePort, PortConfig, PortStats, Switch, SwitchConfig, SwitchPort,
};
use ferrowarp_sim::{EthAddress, Link, LinkConfig};
use serde_json::{json, Value};
use std::collections::BTreeMap;

/// What begins the text of a port.
const PREFIX: &str = "switch:";

/// What stands at a port.
#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    /// The device of this number.
    Device(usize),
    /// The world outside.
    Outside(EthAddress),
}

/// A port as it was written.
#[derive(Debug)]
struct Planned {
    text: String,
    end: End,
    config: PortConfig,
}

/// The ports of the switch in order of their numbers, from 0.
#[derive(Debug)]
pub(super) struct Plan(Vec<Planned>);

fn wrong(text: &str, why: String) -> Error {
    Error::Switch { text: text.into(), why }
}

/// Whether a text is that of a port of the switch.
pub(super) fn is_port(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// The number of a port and how it is set.
fn read(text: &str) -> Result<(usize, PortConfig), Error> {
    let rest = text.strip_prefix(PREFIX).ok_or_else(|| wrong(text, "it has no `switch:`".into()))?;
    let (number, keys) = rest.split_once(',').unwrap_or((rest, ""));
    let number = number.parse().map_err(|_| wrong(text, format!("`{number}` is no number of a port")))?;
    let config = keys.parse().map_err(|no: NoPort| wrong(text, no.why))?;
    Ok((number, config))
}

impl Plan {
    /// Reads the ports of the devices, of which some may be on the switch, and those outside: a
    /// port of the switch and an address by turns. None: nothing is on the switch.
    pub(super) fn read(eth: &[String], outside: &[String]) -> Result<Option<Self>, Error> {
        let devices = eth.iter().enumerate().filter(|(_, text)| is_port(text));
        let devices = devices.map(|(n, text)| Ok::<_, Error>((text, End::Device(n))));
        let outside = outside.chunks_exact(2).map(|both| Ok((&both[0], End::Outside(both[1].parse()?))));
        let mut ports = BTreeMap::new();
        for port in devices.chain(outside) {
            let (text, end) = port?;
            let (number, config) = read(text)?;
            let planned = Planned { text: text.clone(), end, config };
            if let Some(Planned { text: other, .. }) = ports.insert(number, planned) {
                return Err(wrong(text, format!("port {number} is used twice, by `{other}` too")));
            }
        }
        let count = ports.len();
        // a gap between two numbers leaves a number that is too high
        if let Some((number, Planned { text, .. })) = ports.last_key_value().filter(|(&n, _)| n >= count) {
            let why = format!(
                "there is no port {number}: {count} are given, so their numbers are 0 to {}",
                count - 1
            );
            return Err(wrong(text, why));
        }
        let ports: Vec<_> = ports.into_values().collect();
        match ports.iter().find(|port| matches!(port.end, End::Outside(_))) {
            Some(port) if !eth.iter().any(|text| is_port(text)) => {
                Err(wrong(&port.text, "no device is on the switch: give one of them --eth switch:N".into()))
            }
            _ => Ok((!ports.is_empty()).then_some(Self(ports))),
        }
    }

    /// Opens the ports outside and puts them and the devices on a switch. `link` gives the link of
    /// the device of a number; all cables are alike.
    pub(super) fn open(
        &self,
        line: LinkConfig,
        mut link: impl FnMut(usize) -> Link,
    ) -> Result<Switch, Error> {
        let port = |Planned { end, config, .. }: &Planned| -> Result<_, Error> {
            let end: Box<dyn SwitchPort> = match end {
                End::Device(n) => Box::new(link(*n)),
                End::Outside(address) => Box::new(OutsidePort::new(address.open()?, line)),
            };
            Ok((config.clone(), end))
        };
        let ports = self.0.iter().map(port).collect::<Result<_, _>>()?;
        Ok(Switch::new(SwitchConfig::default(), ports)?)
    }

    /// What each port has counted, with its number and what stands there. `devices` are the devices
    /// as they were written.
    pub(super) fn json(&self, devices: &[String], stats: &[PortStats]) -> Value {
        let port = |(n, (planned, stats)): (usize, (&Planned, &PortStats))| {
            let mut value = json!(stats);
            value["port"] = json!(n);
            value["end"] = json!(planned.end.name(devices));
            value
        };
        self.0.iter().zip(stats).enumerate().map(port).collect()
    }

    /// What each port has counted so far, for the status line: a line a port.
    pub(super) fn line(&self, stats: &[PortStats]) -> String {
        let line = |(n, stats): (usize, &PortStats)| {
            let PortStats { frames_in, frames_out, dropped, marked, lost, .. } = stats;
            format!("\n  switch:{n}: {frames_in} frames in, {frames_out} out, {dropped} dropped, {marked} marked, {lost} lost")
        };
        stats.iter().take(self.0.len()).enumerate().map(line).collect()
    }

    /// What each port has counted in the end as text, a line a port.
    pub(super) fn text(&self, devices: &[String], stats: &[PortStats]) -> String {
        let line = |(n, (planned, stats)): (usize, (&Planned, &PortStats))| {
            let PortStats { frames_in, frames_out, flooded, filtered, wrong_vid, .. } = stats;
            let PortStats { dropped, lost, marked, deepest, .. } = stats;
            let end = planned.end.name(devices);
            format!(
                "switch:{n}, {end}: {frames_in} frames in, {flooded} flooded, {filtered} filtered, \
                 {wrong_vid} of other VLANs, {frames_out} out, {marked} marked, {dropped} dropped, {lost} lost, \
                 {deepest} octets waited at most\n"
            )
        };
        self.0.iter().zip(stats).enumerate().map(line).collect()
    }
}

impl End {
    fn name(&self, devices: &[String]) -> String {
        match self {
            Self::Device(n) => devices.get(*n).cloned().unwrap_or_default(),
            Self::Outside(address) => address.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| text.to_string()).collect()
    }

    fn plan(eth: &[&str], outside: &[&str]) -> Result<Option<Plan>, Error> {
        Plan::read(&texts(eth), &texts(outside))
    }

    const LINE: LinkConfig = LinkConfig { rate_bps: 10_000_000_000, clock_ps: 6_400, delay_ns: 500 };

    #[test]
    fn devices_and_ports_outside_are_put_on_the_switch_in_the_order_of_their_numbers() {
        let socket = std::env::temp_dir().join(format!("ferrowarp-switch-{}", std::process::id()));
        let outside = format!("qemu-stream:{}", socket.display());
        let eth = ["switch:2,vlan=7", "tap:fw0", "switch:0,loss=1"];
        let plan = plan(&eth, &["switch:1,trunk=7+9", &outside]).unwrap().unwrap();
        let ends: Vec<_> = plan.0.iter().map(|port| port.end.clone()).collect();
        assert_eq!(ends, [End::Device(2), End::Outside(outside.parse().unwrap()), End::Device(0)]);
        assert_eq!(plan.0[1].config, "trunk=7+9".parse().unwrap());
        let mut asked = vec![];
        let opened = plan.open(LINE, |n| {
            asked.push(n);
            Link::new(LINE)
        });
        let stats = opened.unwrap().stats();
        assert_eq!(asked, [2, 0]);
        let devices = texts(&["vfio-user:/a", "vfio-user:/b", "vfio-user:/c"]);
        let told = plan.json(&devices, &stats);
        assert_eq!((&told[0]["end"], &told[0]["port"]), (&json!("vfio-user:/c"), &json!(0)));
        assert_eq!((&told[1]["end"], &told[1]["marked"]), (&json!(outside), &json!(0)));
        let [_, second, _] = stats[..] else { panic!("{stats:?}") };
        let second = PortStats { frames_in: 7, frames_out: 6, dropped: 5, marked: 4, lost: 3, ..second };
        let line = plan.line(&[stats[0], second, stats[2]]);
        let line = line.lines().nth(2).unwrap();
        assert_eq!(line, "  switch:1: 7 frames in, 6 out, 5 dropped, 4 marked, 3 lost");
        let told = plan.text(&devices, &stats);
        assert!(told.lines().nth(2).unwrap().starts_with("switch:2, vfio-user:/a: 0 frames in"), "{told}");
    }

    #[test]
    fn a_command_without_a_switch_has_none() {
        assert!(plan(&["link:1", "link:0"], &[]).unwrap().is_none());
    }

    #[test]
    fn a_port_that_is_used_twice_or_is_not_there_is_named_with_what_to_write() {
        let tap = "tap:fw0";
        for (eth, outside, text, why) in [
            (
                &["switch:0", "switch:0,vlan=2"][..],
                &[][..],
                "switch:0,vlan=2",
                "is used twice, by `switch:0` too",
            ),
            (&["switch:0"], &["switch:0", tap], "switch:0", "port 0 is used twice"),
            (
                &["switch:0", "switch:2"],
                &[],
                "switch:2",
                "no port 2: 2 are given, so their numbers are 0 to 1",
            ),
            (&["switch:0"], &["switch:18446744073709551615", tap], "switch:18446744073709551615", "no port"),
            (&["switch:18446744073709551616"], &[], "switch:18446744073709551616", "is no number of a port"),
            (&["switch:"], &[], "switch:", "`` is no number of a port"),
            (&["switch:x"], &[], "switch:x", "`x` is no number of a port"),
            (&["switch:-1"], &[], "switch:-1", "`-1` is no number of a port"),
            (&["switch:0,vlan=0"], &[], "switch:0,vlan=0", "`0` is no VID"),
            (&["switch:0,rate=1"], &[], "switch:0,rate=1", "the keys are vlan, trunk, queue, ecn, loss"),
            (&["switch:0"], &["1", tap], "1", "it has no `switch:`"),
            (&["link:1", "link:0"], &["switch:0", tap], "switch:0", "no device is on the switch"),
        ] {
            let told = plan(eth, outside).unwrap_err().to_string();
            assert!(told.starts_with(&format!("`{text}`: ")) && told.contains(why), "{told}");
            assert!(told.contains("write switch:N with the number of a port"), "{told}");
        }
        let told = plan(&["switch:0"], &["switch:1", "link:0"]).unwrap_err().to_string();
        assert!(told.contains("`link:0` is no Ethernet port"), "{told}");
    }
}
