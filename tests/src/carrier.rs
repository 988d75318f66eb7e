// SPDX-License-Identifier: MIT OR Apache-2.0
//! Payload of a device through both ends of the carrier: the Verilog of the device's end at the
//! clock of a board, a cable of 1 Gb/s, the host's end with a root complex.
//!
//! The device is plain code: it writes in TLPs of 256 octets, or has 32 reads of 512 octets under
//! way, as the DMA engine of the hardware.
use crate::rnic_1g::config;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::carrier::{CarriedBus, CarrierStats};
use ferrowarp_sim::pcie::BusState;
use ferrowarp_sim::rnic::{wire, BoardCable};
use ferrowarp_sim::{model, Bench, Frame, Link, LinkConfig, Pattern, Side, SinkId, SourceId};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Octets of the payload of a TLP.
const PAYLOAD: usize = 256;
/// Octets of a read.
const READ: usize = 512;
/// Tags of reads.
const TAGS: u8 = 32;
/// Where the memory begins.
const BASE: u64 = 0x10_0000;
/// Cycles between two looks of the host.
const LOOK_EVERY: u64 = 4;
/// Low octet and high octet of the function's id.
const ID: [u8; 2] = [0, 3];
/// Octets of the header of a completion.
const COMPLETION: usize = 12;

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Payload octets over what the wire carries in the time.
    pub ratio: f64,
    /// What the host's end counted.
    pub stats: CarrierStats,
}

/// Both ends.
struct Rig {
    bench: Bench,
    link: Link,
    bus: CarriedBus,
    pcie_tx: SourceId,
    pcie_rx: SinkId,
    was_reset: bool,
}

impl Rig {
    /// With `octets` octets of memory, and a device that may send requests.
    fn new(cable: &BoardCable, octets: usize) -> Result<Self, String> {
        let told = |e: ferrowarp_sim::ModelError| e.to_string();
        let mut bench = Bench::live(&model(Top::CarrierW64, &config()).map_err(told)?, 1)?;
        let line = LinkConfig { rate_bps: cable.rate_bps, ..wire(&config()) };
        let link = Link::impaired(line, &cable.wire);
        bench.ethernet(&link, Side::A, "tx", "rx");
        bench.source("wire_tx", Pattern::None);
        bench.sink("wire_rx", Pattern::None);
        let [pcie_tx, pcie_rx] = ["pcie_tx", "pcie_rx"];
        let (pcie_tx, pcie_rx) = (bench.source(pcie_tx, Pattern::None), bench.sink(pcie_rx, Pattern::None));
        let cycles = |ns: u64| ns * 1_000 / line.clock_ps;
        let pins = [
            ("link_up", 1),
            ("pcie_np_ok", 1),
            ("address", cable.carrier.device.to_bits()),
            ("silence", cycles(cable.silence_ns)),
            ("timeout", cycles(cable.timeout_ns)),
            ("index", 0),
        ];
        pins.into_iter().for_each(|(pin, value)| bench.set(pin, value));
        let mut bus = CarriedBus::new(cable.carrier, cable.seed);
        bus.root().host.map(BASE, octets as u64, true).map_err(|e| e.to_string())?;
        let mut rig = Self { bench, link, bus, pcie_tx, pcie_rx, was_reset: false };
        rig.until(1_000_000, |rig| rig.bus.link() == BusState::Up)?;
        rig.bus.root().config.master = true;
        rig.bus.configure();
        rig.until(1_000_000, |rig| rig.bench.get("pcie_cfg") & 1 << 9 != 0)?;
        Ok(rig)
    }

    /// Steps until `done`, at most so many cycles.
    fn until(&mut self, cycles: u64, mut done: impl FnMut(&mut Self) -> bool) -> Result<(), String> {
        let end = self.bench.cycle() + cycles;
        while !done(self) {
            if self.bench.cycle() > end {
                return Err(format!("not done after {cycles} cycles: {:?}", self.bus.stats()));
            }
            self.step()?;
        }
        Ok(())
    }

    /// Some cycles, and a look of the host.
    fn step(&mut self) -> Result<(), String> {
        for _ in 0..LOOK_EVERY {
            let resets = self.bench.get("pcie_flr") == 1;
            self.bench.set("pcie_flr_done", (resets && !self.was_reset).into());
            self.was_reset = resets;
            self.bench.step();
        }
        let now_ps = self.bench.cycle() * self.link.config().clock_ps;
        while let Some(frame) = self.link.receive(Side::B, now_ps) {
            frame.iter().for_each(|frame| self.bus.frame_came(now_ps / 1_000, frame));
        }
        while self.link.under_way(Side::B) < 2 {
            let Some(frame) = self.bus.poll(now_ps / 1_000) else { break };
            self.link.send(Side::B, now_ps, &frame).map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    /// Octets of payload since `begun` over what the wire carries in the time.
    fn figures(&self, octets: usize, begun: u64) -> Result<Figures, String> {
        let took_ps = (self.bench.cycle() - begun) * self.link.config().clock_ps;
        let stats = self.bus.stats();
        if stats.violations + stats.gone > 0 || stats.answered != 1 {
            return Err(format!("the epoch ended: {stats:?}"));
        }
        Ok(Figures { ratio: self.link.config().wire_ps(octets as u64) as f64 / took_ps as f64, stats })
    }
}

/// Random octets.
fn random(octets: usize) -> Vec<u8> {
    let mut random = vec![0; octets];
    ChaCha8Rng::seed_from_u64(1).fill_bytes(&mut random);
    random
}

/// Octets of memory as payload of the stream, or the other way: a dword has its last octet first.
fn swapped(octets: &[u8]) -> Vec<u8> {
    octets.chunks(4).flat_map(|dword| dword.iter().rev().copied()).collect()
}

/// Header of a request of the device with 32 bits of address, octets of the stream.
fn request(fmt: u8, octets: usize, tag: u8, address: u64) -> Vec<u8> {
    let dwords = (octets / 4) as u8;
    [&[dwords, 0, 0, fmt, 0xFF, tag], &ID[..], &(address as u32).to_le_bytes()].concat()
}

/// `octets` octets of writes, a multiple of 256.
///
/// # Errors
/// Octets that do not come, and an epoch that ends.
pub fn writes(cable: &BoardCable, octets: usize) -> Result<Figures, String> {
    let mut rig = Rig::new(cable, octets)?;
    let (all, begun) = (random(octets), rig.bench.cycle());
    for (n, payload) in all.chunks(PAYLOAD).enumerate() {
        let address = BASE + (n * PAYLOAD) as u64;
        let tlp = [request(0x40, PAYLOAD, 0, address), swapped(payload)].concat();
        rig.bench.send(rig.pcie_tx, Frame::good(tlp));
    }
    let (size, end) = (octets as u64, octets - PAYLOAD);
    let (at, last) = (BASE + end as u64, &all[end..]);
    let read = |rig: &mut Rig, at, octets| rig.bus.root().host.read(at, octets);
    rig.until(size * 4, |rig| read(rig, at, PAYLOAD as u64).is_ok_and(|came| came == last))?;
    let figures = rig.figures(octets, begun)?;
    match read(&mut rig, BASE, size) {
        Ok(came) if came == all => Ok(figures),
        Ok(_) => Err("the memory has other octets than the device wrote".into()),
        Err(why) => Err(why.to_string()),
    }
}

/// A read that is under way: where it began, and how many octets came.
struct Read {
    at: usize,
    came: usize,
}

/// `octets` octets of reads, a multiple of 512.
///
/// # Errors
/// Octets that do not come or are others than those of the memory, and an epoch that ends.
pub fn reads(cable: &BoardCable, octets: usize) -> Result<Figures, String> {
    reads_of(cable, octets, (READ, 0))
}

/// The same in reads of `read` octets, a multiple of 8, at least `pause` cycles from one to the
/// next one. Behind 17 cycles each read leaves in a frame of its own.
///
/// # Errors
/// Those of [`reads`].
pub fn reads_of(cable: &BoardCable, octets: usize, (read, pause): (usize, u64)) -> Result<Figures, String> {
    let mut rig = Rig::new(cable, octets)?;
    let all = random(octets);
    rig.bus.root().host.write(BASE, &all).map_err(|e| e.to_string())?;
    let begun = rig.bench.cycle();
    let (mut asked, mut came, mut under_way) = (0, 0, BTreeMap::<u8, Read>::new());
    let (mut wrong, mut next) = (None, begun);
    rig.until(octets as u64 * 8, |rig| {
        let now = rig.bench.cycle();
        let is_free = now >= next && rig.bench.sent_all(rig.pcie_tx);
        let has_room = is_free && rig.bench.get("pcie_np_room") == 1;
        let free = (0..TAGS).find(|tag| !under_way.contains_key(tag));
        if let Some(tag) = free.filter(|_| has_room && asked < octets) {
            rig.bench.send(rig.pcie_tx, Frame::good(request(0, read, tag, BASE + asked as u64)));
            under_way.insert(tag, Read { at: asked, came: 0 });
            (asked, next) = (asked + read, now + pause);
        }
        for tlp in rig.bench.received(rig.pcie_rx) {
            let (head, payload) = tlp.data.split_at(COMPLETION.min(tlp.data.len()));
            let payload = swapped(payload);
            let tag = head.get(9).copied().unwrap_or(TAGS);
            let at = under_way.get_mut(&tag).map(|read| {
                read.came += payload.len();
                read.at + read.came
            });
            if at.is_none_or(|end| all.get(end.saturating_sub(payload.len())..end) != Some(&payload[..])) {
                wrong.get_or_insert_with(|| format!("a completion that is not due: {head:02x?}"));
            }
            came += payload.len();
            under_way.retain(|_, one| one.came < read);
        }
        came >= octets || wrong.is_some()
    })?;
    match wrong {
        Some(wrong) => Err(wrong),
        None => rig.figures(octets, begun),
    }
}
