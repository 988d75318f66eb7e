// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two whole devices on a link that loses frames: what part of the goodput without loss is left.
//!
//! Connections of IPv4, MTU 1,500, CRCs, no markers; host memories of 600 ns a read without stalls.
//! The link has 10 Gb/s and 5 us of delay each way, so a round trip takes about 10 us. The window
//! has 1 MiB. Timers and recovery are those after a reset, in units of the device's own clock: the
//! least timeout is 1 ms beyond the round trip, and an ACK waits 200 us.
//!
//! - `loss.write.<p>.ratio`: RDMA Writes of 64 KiB, twelve of them posted at any time. `<p>` is
//!   `p001`, `p01`, `p1` or `p5`: one frame of 10,000, of 1,000, of 100, of 20. Each frame of
//!   either direction is lost by itself. The figure is goodput over goodput without loss. Goodput
//!   is payload octets over the time from the first octet on the wire to a message's completion
//!   behind which others wait. So no run ends with a timeout for its last frame.
//! - `loss.read.<p>.ratio`: RDMA Reads of 64 KiB, eight of them asked for at any time.
//! - `loss.write16.<p>.ratio`, `loss.read16.<p>.ratio`: sixteen connections, of which each has four
//!   messages posted at any time. `<p>` is `p01` or `p1`. Here the octets that were acknowledged
//!   count, since many messages are half sent in the end.
//! - `loss.reorder.ratio`: the Writes of one connection. One frame of 100 is held back by 1.3 to
//!   20 us, so that one to sixteen others overtake this frame. None is lost.
//! - `loss.write.p1.gain`: the goodput of `loss.write.p1.ratio` over that of the same devices
//!   without recovery ([`fixed`]): a timer of 10 ms is all that they have.
//! - `loss.shared2.jain`: two devices write to a third one through one port of a switch, whose
//!   queue has 512 KiB. Jain's index of what they get, from 50 ms to 70 ms.
//! - `loss.shared4.ratio`: four devices write to a fifth one in the same way. What they get
//!   together, over the wire's limit.
//!
//! Runs of one seed after another make a cell, until 30 frames with payload were lost; where these
//! are frequent ([`Harm::least`]), until 100 were lost or held back. Each run is on fresh devices,
//! tells its seed, and ends with a comparison of both memories. Before that, the judge of TCP
//! ([`crate::tcp_judge`]) finds nothing in its frames. `FERROWARP_FULL=1` measures all cells, the
//! small part those of [`SMALL`].
mod fixed;
mod runs;
mod shared;

use super::key::{Bar, Bench, Key, Record};
use crate::device::config;
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{model, Library};
use runs::{one, Harm, Load, Outcome, Verb, WINDOW_LOG2};
use std::sync::Arc;

/// Key of the goodput with recovery over that without.
const GAIN: &str = "loss.write.p1.gain";
/// What recovery must bring.
const LEAST_GAIN: f64 = 30.0;

/// Keys of the small part.
const SMALL: [&str; 2] = ["loss.write.p1.ratio", "loss.write.p01.ratio"];

/// A figure that is a part of the goodput without loss.
struct Cell {
    key: String,
    bar: Bar,
    load: Load,
    harm: Harm,
}

impl Cell {
    fn new(key: impl Into<String>, bar: Bar, load: Load, harm: Harm) -> Self {
        Self { key: key.into(), bar, load, harm }
    }
}

/// Loss of one connection's frames: its name in a key, one frame in so many, the bar, and how many
/// messages a run measures. A rare loss has longer runs, since fresh devices take time as well.
const ODDS: [(&str, u32, Bar, usize); 4] = [
    ("p1", 100, Bar::AtLeast(0.60), 84),
    ("p5", 20, Bar::Informative, 84),
    ("p01", 1_000, Bar::AtLeast(0.92), 84),
    ("p001", 10_000, Bar::AtLeast(0.98), 336),
];
/// Loss of sixteen connections' frames, and the bar.
const ODDS_OF_MANY: [(&str, u32, Bar); 2] =
    [("p1", 100, Bar::AtLeast(0.60)), ("p01", 1_000, Bar::AtLeast(0.92))];
/// Messages that a run of sixteen connections measures.
const MESSAGES_OF_MANY: usize = 168;

/// All cells, the longest ones last.
fn every_cell() -> Vec<Cell> {
    let held = Load { verb: Verb::Write, connections: 1, messages: 84 };
    let mut cells = vec![Cell::new("loss.reorder.ratio", Bar::Informative, held, Harm::Hold(100))];
    for (name, one_in, bar) in ODDS_OF_MANY {
        for verb in Verb::BOTH {
            let load = Load { verb, connections: 16, messages: MESSAGES_OF_MANY };
            let key = format!("loss.{}16.{name}.ratio", verb.word());
            cells.push(Cell::new(key, bar, load, Harm::Lose(one_in)));
        }
    }
    for (name, one_in, bar, messages) in ODDS {
        for verb in Verb::BOTH {
            let load = Load { verb, connections: 1, messages };
            let key = format!("loss.{}.{name}.ratio", verb.word());
            cells.push(Cell::new(key, bar, load, Harm::Lose(one_in)));
        }
    }
    cells
}

fn is_full() -> bool {
    std::env::var("FERROWARP_FULL").is_ok_and(|full| full == "1")
}

/// The cells of this run.
fn cells() -> Vec<Cell> {
    let mut cells = every_cell();
    cells.retain(|cell| is_full() || SMALL.contains(&&cell.key[..]));
    cells
}

/// Goodput on a link that loses frames.
pub fn bench() -> Bench {
    let mut keys: Vec<_> = cells().into_iter().map(|cell| Key { name: cell.key, bar: cell.bar }).collect();
    if is_full() {
        keys.push(Key { name: GAIN.into(), bar: Bar::AtLeast(LEAST_GAIN) });
        let shared = [shared::TWO, shared::FOUR];
        keys.extend(shared.map(|name| Key { name: name.into(), bar: Bar::AtLeast(shared::LEAST) }));
    }
    Bench { name: "loss", keys, run }
}

fn run(record: &mut Record) -> Result<(), String> {
    let own = Config { window_log2: WINDOW_LOG2, ..config() };
    let library = model(Top::DeviceW64, &own).map_err(|e| e.to_string())?;
    if is_full() {
        shared::run(&library, WINDOW_LOG2 as u32, record)?;
    }
    let mut wholes: Vec<(Load, f64)> = vec![];
    for Cell { key, load, harm, .. } in cells() {
        let whole = match wholes.iter().find(|(of, _)| *of == load) {
            Some((_, whole)) => *whole,
            None => {
                let outcome = one(&library, load, 0, Harm::None, false);
                eprintln!("{key}: {} us without loss", outcome.ps / 1_000_000);
                wholes.push((load, outcome.goodput()));
                outcome.goodput()
            }
        };
        let goodput = harmed(&library, &key, load, harm, false);
        eprintln!("{key}: {:.4}", goodput / whole);
        record.put(&key, goodput / whole);
        if is_full() && key == "loss.write.p1.ratio" {
            let gain = goodput / harmed(&library, GAIN, load, harm, true);
            eprintln!("{GAIN}: {gain:.1}");
            record.put(GAIN, gain);
        }
    }
    Ok(())
}

/// Goodput of as many runs as it takes to harm enough frames. `is_bare`: without recovery.
fn harmed(library: &Arc<Library>, key: &str, load: Load, harm: Harm, is_bare: bool) -> f64 {
    let mut all = Outcome::default();
    for seed in 1.. {
        let outcome = one(library, load, seed, harm, is_bare);
        eprintln!("{key}: seed {seed}, {} us, {} frames harmed", outcome.ps / 1_000_000, outcome.harmed);
        all = all.and(outcome);
        if all.harmed >= harm.least() {
            break;
        }
    }
    all.goodput()
}
