// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices behind the carrier: boards without PCI Express, reached by Ethernet frames.
use super::error::Error;
use clap::{value_parser, Args};
use ferrowarp_abi::consts::carrier_frame::ETHER_TYPE;
use ferrowarp_abi::host::carrier::DEVICE_ADDRESS;
use ferrowarp_abi::types::MacAddr;
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_sim::carrier::{CarrierConfig, CarrierStats, HOST_ADDRESS};
use ferrowarp_sim::eth::PacketPort;
use ferrowarp_sim::rnic::{CarriedConfig, CarrierWatch, Rnic, RnicStats, Served};
use ferrowarp_sim::{EthAddress, EthPort};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{json, Value};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Between two status lines.
const SHOWN_EVERY: Duration = Duration::from_millis(200);
/// What begins the text of an interface.
const PREFIX: &str = "packet:";

/// Options of devices behind the carrier.
#[derive(Args)]
pub(super) struct Carried {
    /// Reaches each device by Ethernet frames on this port, in the same order; no device is
    /// simulated. `packet:IFACE`, or a port of --eth to the outside. May be repeated.
    #[arg(long, value_name = "PORT", conflicts_with_all = ["eth", "port", "flap", "trace_on_error", "trace"])]
    carrier: Vec<String>,
    /// MAC address of each device behind --carrier, in the same order. The default is
    /// 02:46:57:00:00:01.
    #[arg(long, value_name = "MAC", value_parser = mac, requires = "carrier", conflicts_with = "eth")]
    carrier_device: Vec<MacAddr>,
    /// Microseconds without an acknowledgment after which frames are sent again.
    #[arg(long, value_name = "US", default_value_t = 2_000, value_parser = value_parser!(u64).range(10..=1_000_000))]
    carrier_replay: u64,
    /// Milliseconds of silence after which a device is gone: programs get an error, and the device
    /// is called again.
    #[arg(long, value_name = "MS", default_value_t = 3_000, value_parser = value_parser!(u64).range(100..=10_000))]
    carrier_gone: u64,
    /// Queue pairs of the devices behind --carrier: the number sets the size of BAR 2.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = value_parser!(u64).range(1..=256))]
    carrier_qps: u64,
}

/// Reads a MAC address.
fn mac(text: &str) -> Result<MacAddr, String> {
    let octet = |octet: &str| u8::from_str_radix(octet, 16).ok().filter(|_| octet.len() == 2);
    let octets: Option<Vec<u8>> = text.split(':').map(octet).collect();
    let address = octets.and_then(|octets| <[u8; 6]>::try_from(octets).ok());
    match address {
        Some(address) if address[0] & 1 == 0 => Ok(MacAddr(address)),
        Some(_) => Err("a group's address is none of a device".into()),
        None => Err("write six octets in hexadecimal, for example 02:46:57:00:00:01".into()),
    }
}

/// Opens a port; with the address of the host there.
fn open(text: &str) -> Result<(Box<dyn EthPort>, MacAddr), Error> {
    match text.strip_prefix(PREFIX) {
        Some(name) => {
            let port = PacketPort::open(name, ETHER_TYPE)?;
            let address = port.address();
            Ok((Box::new(port), address))
        }
        None => Ok((text.parse::<EthAddress>()?.open()?, HOST_ADDRESS)),
    }
}

/// The devices as the command names them.
pub(super) struct Devices<'a> {
    pub(super) names: &'a [String],
    /// Paths of their sockets.
    pub(super) paths: Vec<&'a str>,
    pub(super) pcap: &'a [PathBuf],
    /// When to end.
    pub(super) seconds: Option<u64>,
}

/// A device that is served.
struct Device {
    served: Served,
    watch: CarrierWatch,
}

impl Carried {
    /// Devices are reached by the carrier.
    pub(super) fn is_given(&self) -> bool {
        !self.carrier.is_empty()
    }

    fn config(&self, n: usize, host: MacAddr) -> CarrierConfig {
        let device = self.carrier_device.get(n).copied().unwrap_or(MacAddr(DEVICE_ADDRESS));
        let (replay_ns, gone_ns) = (self.carrier_replay * 1_000, self.carrier_gone * 1_000_000);
        // the device is asked at least three times before the device is gone
        let keepalive_ns = CarrierConfig::default().keepalive_ns.min(gone_ns / 4);
        CarrierConfig { host, device, replay_ns, gone_ns, keepalive_ns, ..CarrierConfig::default() }
    }

    fn start(&self, devices: &Devices<'_>, n: usize, config: &Config) -> Result<Device, Error> {
        let (port, host) = open(&self.carrier[n])?;
        let pcap = devices.pcap.get(n).cloned();
        let (rnic, watch) = Rnic::carried(CarriedConfig { port, carrier: self.config(n, host), pcap })?;
        let served = Served::serve(devices.paths[n].as_ref(), config, rnic);
        let served = served.map_err(|why| Error::Served(devices.names[n].clone(), why))?;
        Ok(Device { served, watch })
    }

    /// Serves the devices until `stops` is true, the time is over, or one fails; what has happened,
    /// as JSON and as text.
    pub(super) fn run(
        &self,
        devices: &Devices<'_>,
        stops: &AtomicBool,
        start: Instant,
    ) -> Result<(Value, String), Error> {
        let (count, ports, addresses) = (devices.paths.len(), self.carrier.len(), self.carrier_device.len());
        if count != ports || addresses > ports {
            return Err(Error::Carriers(count, ports, addresses));
        }
        let tiny = Config::profile(Profile::Tiny);
        let config = Config { qps: self.carrier_qps, cqs: self.carrier_qps.max(tiny.cqs), ..tiny };
        let served = (0..count).map(|n| self.start(devices, n, &config)).collect::<Result<Vec<_>, _>>()?;
        watch(&served, stops, devices.seconds, start);
        let mut counted = vec![];
        for (Device { served, watch }, name) in served.into_iter().zip(devices.names) {
            let stats = served.finish().map_err(|why| Error::Served(name.clone(), why))?;
            counted.push((stats, watch));
        }
        Ok((self.json(devices, &counted, start.elapsed()), text(devices, &counted)))
    }

    fn json(&self, devices: &Devices<'_>, counted: &[(RnicStats, CarrierWatch)], took: Duration) -> Value {
        let device = |(n, (stats, watch)): (usize, &(RnicStats, CarrierWatch))| {
            let RnicStats { sent, received, lost, refused, link_downs, .. } = stats;
            json!({
                "device": devices.names.get(n), "carrier": self.carrier.get(n), "state": watch.state(),
                "frames_sent": sent, "frames_received": received, "frames_lost": lost, "refused": refused,
                "link_downs": link_downs, "counted": watch.stats(),
            })
        };
        let devices: Vec<_> = counted.iter().enumerate().map(device).collect();
        json!({ "ok": true, "seconds": took.as_secs_f64(), "devices": devices })
    }
}

fn watch(devices: &[Device], stops: &AtomicBool, seconds: Option<u64>, start: Instant) {
    let line = ProgressBar::new_spinner();
    // the template is this one
    line.set_style(
        ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    while !stops.load(Ordering::Relaxed) && !devices.iter().any(|device| device.served.has_ended()) {
        if seconds.is_some_and(|s| start.elapsed() >= Duration::from_secs(s)) {
            break;
        }
        std::thread::sleep(SHOWN_EVERY);
        let shown: Vec<_> =
            devices.iter().map(|device| message(&device.served.stats(), &device.watch)).collect();
        line.set_message(shown.join("; "));
        line.tick();
    }
    line.finish_and_clear();
}

/// The status of a device.
fn message(stats: &RnicStats, watch: &CarrierWatch) -> String {
    let CarrierStats { sent_again, violations, gone, .. } = watch.stats();
    let RnicStats { sent, received, refused, .. } = stats;
    format!(
        "{:?}, {sent} frames out, {received} in, {sent_again} sent again, {gone} times gone, {violations} faults, \
         {refused} accesses refused",
        watch.state()
    )
}

fn text(devices: &Devices<'_>, counted: &[(RnicStats, CarrierWatch)]) -> String {
    let line = |(name, (stats, watch)): (&String, &(RnicStats, CarrierWatch))| {
        format!("{name}: {}\n", message(stats, watch))
    };
    devices.names.iter().zip(counted).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{sockets, Cli};
    use super::*;
    use clap::Parser;

    fn cli(arguments: &str) -> Result<Cli, String> {
        Cli::try_parse_from(format!("ferrowarp-sim {arguments}").split(' ')).map_err(|e| e.to_string())
    }

    #[test]
    fn options_become_stations_and_times() {
        let cli = cli(
            "--device vfio-user:/a --carrier packet:eth0 --carrier-device 02:00:00:0a:0B:0c --carrier-gone 200 \
             --carrier-replay 50",
        )
        .unwrap();
        let config = cli.carried.config(0, HOST_ADDRESS);
        assert_eq!(config.device, MacAddr([2, 0, 0, 10, 11, 12]));
        assert_eq!(
            (config.replay_ns, config.gone_ns, config.keepalive_ns),
            (50_000, 200_000_000, 50_000_000)
        );
        assert_eq!(cli.carried.config(1, HOST_ADDRESS).device, MacAddr(DEVICE_ADDRESS));
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_to_write() {
        for (arguments, why) in [
            ("--device vfio-user:/a", "--eth"),
            ("--device vfio-user:/a --carrier packet:x --eth tap:x", "cannot be used with"),
            ("--device vfio-user:/a --eth tap:x --carrier-device 02:00:00:00:00:01", "--carrier"),
            (
                "--device vfio-user:/a --carrier packet:x --carrier-device 2:0:0:0:0:1",
                "six octets in hexadecimal",
            ),
            ("--device vfio-user:/a --carrier packet:x --carrier-device 01:00:00:00:00:01", "group"),
            ("--device vfio-user:/a --carrier packet:x --carrier-gone 99", "100..=10000"),
            ("--device vfio-user:/a --carrier packet:x --carrier-qps 0", "1..=256"),
        ] {
            let told = cli(arguments).map(drop).unwrap_err();
            assert!(told.contains(why), "{told}");
        }
        for (arguments, why) in [
            ("--device vfio-user:/a --device vfio-user:/b --carrier packet:x", "2 devices and 1 carriers"),
            ("--device vfio-user:/a --carrier packet:nonesuch0", "no Ethernet interface `nonesuch0`"),
            ("--device vfio-user:/a --carrier eth0", "`eth0` is no Ethernet port"),
        ] {
            let cli = cli(arguments).unwrap();
            let paths = sockets(&cli).unwrap();
            let devices = Devices { names: &cli.device, paths, pcap: &cli.pcap, seconds: None };
            let told = cli.carried.run(&devices, &AtomicBool::new(true), Instant::now());
            let told = told.map(drop).unwrap_err().to_string();
            assert!(told.contains(why), "{told}");
        }
    }
}
