// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two whole devices with the numbers of a board: profile `tiny` at 31.25 MHz, on a wire of 1 Gb/s.
//!
//! Verbs, registers and doorbells, Verilog, wire, as in [`crate::stack`]. One thread steps both
//! devices, so a run takes the same cycles each time.
use crate::device::of_wire;
use crate::stack::{net, paced, run, Joined, OCTETS, TICK};
use ferrowarp::backend::PciBackend;
use ferrowarp::inspect::counters;
use ferrowarp::{Device, Error};
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_sim::rnic::{line, BoardCable, Clock, PairConfig};
use ferrowarp_sim::Side;
use std::sync::Arc;

/// Cycles between two looks.
const LOOK_EVERY: u64 = 16;
/// Counters of frames and segments that a device did not take or did not send.
const LOSSES: [&str; 13] = [
    "rx_fcs",
    "rx_too_long",
    "rx_no_room",
    "rx_malformed",
    "rx_ip_checksum",
    "rx_tcp_checksum",
    "rx_not_acceptable",
    "rx_gap",
    "rx_raw_full",
    "raw_rx_full",
    "raw_rx_bad",
    "tx_spoilt",
    "tx_dropped",
];

/// The configuration: 16 queue pairs, an MTU of 1,500 and a window of 32 KiB.
pub fn config() -> Config {
    Config { clock_khz: 31_250, ..Config::profile(Profile::Tiny) }
}

/// Which devices write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ways {
    /// The first one.
    One,
    /// Both at once.
    Both,
}

impl Ways {
    fn senders(self) -> &'static [Side] {
        match self {
            Ways::One => &[Side::A],
            Ways::Both => &Side::BOTH,
        }
    }
}

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Payload octets over their time, over the wire's limit: of each device that writes.
    pub goodput_ratios: Vec<f64>,
    /// Losses that a device counted: number of the device, name of the counter, count.
    pub losses: Vec<(usize, &'static str, u64)>,
    /// Frames that left each device, and frames that came to the other device.
    pub frames: [[u64; 2]; 2],
}

/// `writes` Writes of 64 KiB of each device that writes, posted at once. A time is that from the
/// first octet of preamble to the last octet in the peer's memory, to be seen at every sixteenth
/// cycle.
///
/// # Errors
/// A device that is not there, a Write that fails or takes four times what the wire needs, and
/// memory that is not what was written.
pub fn writes(writes: usize, ways: Ways) -> Result<Figures, String> {
    through(writes, ways, [None; 2])
}

/// The same, each device with a cable behind the carrier.
///
/// # Errors
/// Those of [`writes`].
pub fn through(writes: usize, ways: Ways, boards: [Option<BoardCable>; 2]) -> Result<Figures, String> {
    let told = |e: Error| e.to_string();
    let pair = PairConfig { lock_step: true, boards, ..PairConfig::in_blocks(TICK) };
    let (backends, mut clock) = PciBackend::pair_of(&config(), pair).map_err(|e| e.to_string())?;
    let [ours, theirs] = backends.map(Arc::new);
    let devices = [Device::new(ours, &net(1)).map_err(told)?, Device::new(theirs, &net(2)).map_err(told)?];
    let joined = Joined::new(devices, ways.senders().len() * writes * OCTETS).map_err(told)?;
    let goodput_ratios = measure(&joined, &mut clock, writes, ways)?;
    let [ours, theirs] = joined.devices().map(counted);
    let (ours, theirs) = (ours?, theirs?);
    let frames = [[ours.left, theirs.came], [theirs.left, ours.came]];
    let losses = [ours, theirs].into_iter().enumerate();
    let losses = losses.flat_map(|(n, counts)| counts.losses.into_iter().map(move |(name, c)| (n, name, c)));
    let losses = losses.collect();
    paced(&mut clock, || joined.finish())?;
    Ok(Figures { goodput_ratios, losses, frames })
}

/// Counters of a device.
struct Counts {
    losses: Vec<(&'static str, u64)>,
    left: u64,
    came: u64,
}

fn counted(device: &Device) -> Result<Counts, String> {
    let all = counters(device.inspect()).map_err(|e| e.to_string())?;
    let count = |name: &str| all.iter().find(|c| c.name == name).map(|c| c.value);
    let need = |name: &str| count(name).ok_or_else(|| format!("the device has no counter `{name}`"));
    let mut losses = vec![];
    for name in LOSSES {
        let count = need(name)?;
        losses.extend((count > 0).then_some((name, count)));
    }
    Ok(Counts { losses, left: need("tx_frames")?, came: need("rx_frames")? })
}

fn measure(joined: &Joined, clock: &mut Clock, writes: usize, ways: Ways) -> Result<Vec<f64>, String> {
    let told = |e: Error| e.to_string();
    let (octets, line, link) = (writes * OCTETS, line(&config()), clock.link().clone());
    let senders = ways.senders();
    let mut held = clock.hold().map_err(|e| e.to_string())?;
    // timers walk with the tick: each run begins at the same distance from one
    let left = TICK.get() - held.cycle() % TICK.get();
    run(&mut held, left)?;
    let begun = held.cycle();
    for n in 0..writes {
        joined.write(n).map_err(told)?;
        if ways == Ways::Both {
            joined.write_back(writes + n).map_err(told)?;
        }
    }
    // a cycle is four octet times
    let most = begun + 10_000 + octets as u64;
    let (mut wire_ps, mut placed, mut completed) = ([None; 2], [None; 2], [0; 2]);
    while senders.iter().any(|&side| placed[side as usize].is_none() || completed[side as usize] < writes) {
        let now = run(&mut held, LOOK_EVERY)?;
        for (nth, &side) in senders.iter().enumerate() {
            let newest = link.stats(side).newest_ps;
            wire_ps[nth] = wire_ps[nth].or((newest >= begun * line.clock_ps).then_some(newest));
            if placed[nth].is_none() && joined.is_placed((nth + 1) * octets).map_err(told)? {
                placed[nth] = Some(now * line.clock_ps);
            }
            completed[nth] += joined.completed(nth)?;
        }
        if now > most {
            return Err(format!(
                "{completed:?} of {writes} Writes are completed after {} cycles",
                now - begun
            ));
        }
    }
    let ratio = |(from, to): (Option<u64>, Option<u64>)| Some(of_wire(&line, octets, to? - from?));
    Ok(wire_ps.into_iter().zip(placed).filter_map(ratio).collect())
}
