// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices with driver and firmware under a flood of what firmware answers, or has to look at.
use super::Beside;
use crate::device::addressed;
use crate::fw::wire::Seg;
use crate::net_rx_frames::{ethernet, ip_packet, Tuple};
use crate::stack::{net, run, Joined, PATIENCE, TICK};
use ferrowarp::backend::PciBackend;
use ferrowarp::{Audit, Device};
use ferrowarp_sim::rnic::{Clock, Held, PairConfig};
use ferrowarp_sim::Side;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use std::time::Instant;

/// What a third station sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// UDP for nobody: many frames a poll.
    Datagrams,
    /// SYNs to a listener, each of another host that does not exist.
    Syns,
    /// Segments of no connection, which a RST answers.
    Strays,
    /// The FINs of a connection in TIME-WAIT, again and again.
    OldFins,
}

/// Port of the listener that is flooded, and the most half-open connections of it.
const PORT: u16 = 7_100;
const BACKLOG: usize = 8;
/// Writes of the transfer, one at a time, and their octets.
const WRITES: usize = 30;
const OCTETS: usize = 4_096;
/// Cycles between two looks, and cycles that the transfer may take.
const LOOK: u64 = 16;
const PATIENT: u64 = 2_000_000;
/// Frames of a flood for each that may answer, where answers are rationed.
const RATION: u64 = 4;
/// Cycles of the flood before the transfer.
const BEFORE: u64 = 3_000;

impl Whole {
    /// Cycles between two frames to an end: all are more than 1,000 a second of firmware's time.
    fn pace(self) -> std::ops::Range<u64> {
        match self {
            Self::Datagrams => 30..60,
            Self::Syns => 150..TICK.get(),
            Self::Strays | Self::OldFins => 50..200,
        }
    }
}

fn station(n: usize) -> [u8; 6] {
    net(n as u8 + 1).mac.0
}

/// A frame to the end `to`. `old` has frames of a connection that is no more, with the end that
/// gets each.
fn frame(flood: Whole, rng: &mut ChaCha8Rng, to: usize, old: &[(usize, Vec<u8>)]) -> Option<Vec<u8>> {
    let stranger = ([10, 0, 0, rng.random_range(3..250)], rng.random_range(1_024..60_000)).into();
    let at = |port: u16| ([10, 0, 0, to as u8 + 1], port).into();
    let foreign = [2, 0, 0, 0, 9, 9];
    Some(match flood {
        Whole::Datagrams => {
            let (source, destination) = (vec![10, 0, 0, 77], vec![10, 0, 0, to as u8 + 1]);
            let tuple = Tuple { source, destination, source_port: 9, destination_port: 9 };
            let length = rng.random_range(18..60);
            addressed(ethernet(None, 0x0800, &ip_packet(&tuple, &[], 17, &vec![7; length]), 0), station(to))
        }
        Whole::Syns => {
            let seg = Seg {
                syn: true,
                ack: None,
                mss: Some(1_460),
                ..Seg::new(stranger, at(PORT), rng.random(), 0)
            };
            seg.frame(foreign, station(to))
        }
        Whole::Strays => {
            Seg { data: vec![1; 10], ..Seg::new(stranger, at(rng.random()), rng.random(), rng.random()) }
                .frame(foreign, station(to))
        }
        Whole::OldFins => {
            let mine: Vec<_> = old.iter().filter(|(end, _)| *end == to).collect();
            mine.get(rng.random_range(0..mine.len().max(1)))?.1.clone()
        }
    })
}

/// The transfer with a flood beside it, if there is one; the cycles that it takes.
fn transfer(
    joined: &Joined,
    held: &mut Held<'_>,
    first: usize,
    mut flood: impl FnMut(u64),
) -> Result<u64, String> {
    let (start, mut completed) = (held.cycle(), 0);
    for n in first..first + WRITES {
        joined.write_part(n * OCTETS, OCTETS).map_err(|e| e.to_string())?;
        // a completion waits for an ACK, which comes with a tick
        while !joined.is_placed((n + 1) * OCTETS).map_err(|e| e.to_string())? {
            let now = run(held, LOOK)?;
            flood(now);
            completed += joined.completed(0)?;
            if now - start > PATIENT {
                return Err(format!("Write {} of the transfer is not in memory", n - first));
            }
        }
    }
    let took = held.cycle() - start;
    while completed < WRITES {
        let now = run(held, LOOK)?;
        flood(now);
        completed += joined.completed(0)?;
        if now - start > PATIENT {
            return Err(format!("{completed} of {WRITES} Writes are completed"));
        }
    }
    Ok(took)
}

/// What is held, but for what time alone takes away.
fn holds(device: &Device) -> Result<Audit, String> {
    let mut audit = device.audit().map_err(|e| e.to_string())?;
    (audit.firmware.time_waits, audit.firmware.resolving) = (0, 0);
    Ok(audit)
}

/// FINs of a connection between the devices, which is closed, with the end that gets each.
fn fins(devices: &[Device; 2], clock: &Clock) -> Result<Vec<(usize, Vec<u8>)>, String> {
    clock.link().capture();
    Joined::new(devices.clone(), OCTETS).map_err(|e| e.to_string())?.close()?;
    let is_fin = |octets: &[u8]| Seg::parse(octets).is_some_and(|seg| seg.fin);
    let captured = clock.link().take_captured();
    let fins = captured.into_iter().filter(|frame| is_fin(&frame.data));
    Ok(fins.map(|frame| (usize::from(frame.from == Side::A), frame.data)).collect())
}

/// A walk under a flood.
pub fn whole(seed: u64, flood: Whole) -> Result<Beside, String> {
    let told = |e: ferrowarp::Error| e.to_string();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (backends, mut clock) = PciBackend::pair(PairConfig::of(TICK)).map_err(|e| e.to_string())?;
    let [ours, theirs] = backends.map(Arc::new);
    let devices = [Device::new(ours, &net(1)).map_err(told)?, Device::new(theirs, &net(2)).map_err(told)?];
    let listeners = devices.each_ref().map(|device| device.listen(PORT, BACKLOG));
    let old = if flood == Whole::OldFins { fins(&devices, &clock)? } else { vec![] };
    let before = [holds(&devices[0])?, holds(&devices[1])?];
    let joined = Joined::new(devices.clone(), 2 * WRITES * OCTETS).map_err(told)?;
    let link = clock.link().clone();
    let found = {
        let mut held = clock.hold().map_err(|e| e.to_string())?;
        let sent = || link.stats(Side::A).frames + link.stats(Side::B).frames;
        let before = sent();
        let alone = transfer(&joined, &mut held, 0, |_| ())?;
        let own = sent() - before;
        let mut injected = 0;
        let mut due = [held.cycle(); 2];
        let clock_ps = crate::device::clock_ps();
        let mut assault = |now: u64| {
            for (to, due) in due.iter_mut().enumerate() {
                while *due <= now {
                    *due += rng.random_range(flood.pace());
                    let frame = frame(flood, &mut rng, to, &old);
                    frame.into_iter().for_each(|f| {
                        injected += 1;
                        link.inject(Side::BOTH[to], now * clock_ps, f);
                    });
                }
            }
        };
        let (start, before) = (held.cycle(), sent());
        while held.cycle() < start + BEFORE {
            let now = run(&mut held, LOOK)?;
            assault(now);
        }
        let beside = transfer(&joined, &mut held, WRITES, &mut assault)?;
        let answers = (sent() - before).saturating_sub(own);
        let ration = matches!(flood, Whole::Strays | Whole::OldFins).then_some(RATION);
        let found = Beside { alone, beside, injected, answers }.judged(ration);
        found.map_err(|why| format!("{flood:?}: {why}"))?
    };
    joined.finish()?;
    // half-open connections of strangers go with their time
    drop(listeners);
    let begun = Instant::now();
    for (device, before) in devices.iter().zip(before) {
        let mut now = holds(device)?;
        now.firmware.listeners = before.firmware.listeners;
        while now != before {
            if begun.elapsed() > PATIENCE {
                return Err(format!("I6: {now:?} is held, before {before:?}"));
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
            now = holds(device)?;
            now.firmware.listeners = before.firmware.listeners;
        }
    }
    Ok(found)
}
