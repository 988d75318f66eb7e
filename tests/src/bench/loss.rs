//! Two whole devices on a link that loses frames: what part of the goodput without loss is left.
//!
//! One connection, IPv4, MTU 1,500, CRCs, no markers; host memories of 600 ns a read without stalls. The link has 10 Gb/s and 5 us of
//! delay each way, so that a round trip takes about 10 us. The window has 1 MiB. A tick has 1,000 cycles (6.4 us), an ACK is delayed for
//! one, and the least timeout has 156: about 1 ms. Each frame of either direction is lost by itself with the probability of the cell.
//!
//! - `loss.write.<p>.ratio`: RDMA Writes of 64 KiB, twelve of them posted at any time. `<p>` is `p001`, `p01`, `p1` or `p5`: one frame
//!   of 10,000, of 1,000, of 100, of 20. Payload octets over the time from the first octet on the wire to a Write's completion
//!   behind which others wait, over the same without loss. So no run ends with a timeout for its last frame.
//! - `loss.read.<p>.ratio`: RDMA Reads of 64 KiB, eight of them asked for at any time.
//!
//! Runs of one seed after another make a cell, until 30 frames with payload were lost. Each run is on fresh devices, tells its seed, and ends
//! with a comparison of both memories. Reads, `p001` and `p5` are measured with `FERROWARP_FULL=1` only.
use super::{Bar, Bench, Key, Record};
use crate::device::{clock_ps, config, link, units, Message, Plan, Traffic, Wire, RDMA_WRITE, SEND};
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::link::Fate;
use ferrowarp_sim::{model, run_pair_on, Library, LinkConfig, MemoryTiming, Pair, Side};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Octets of a message.
const LONG: usize = 64 << 10;
/// Messages of a run that are measured: 5.5 MB.
const MEASURED: usize = 84;
/// Messages behind them, which are not.
const BEHIND: usize = 8;
/// Writes posted at any time, and Reads, as many as the device may have without an answer.
const WRITES: usize = 12;
const READS: usize = 8;
/// Frames with payload that a cell loses at least.
const LOSSES: u64 = 30;
/// log2 of the window.
const WINDOW_LOG2: u64 = 20;
/// Ticks of the least timeout.
const RTO_MIN: u64 = 156;
/// Expiries in a row until a connection is lost.
const RETRIES: u64 = 12;
/// Frames of more octets have payload.
const SMALL: usize = 200;

/// A probability of loss: its name in a key, one frame in so many, the bars of Writes and of Reads, and whether its Writes are in the
/// small part.
struct Odds {
    name: &'static str,
    one_in: u32,
    bars: [Bar; 2],
    is_small: bool,
}

const ODDS: [Odds; 4] = [
    Odds { name: "p001", one_in: 10_000, bars: [Bar::Informative; 2], is_small: false },
    Odds { name: "p01", one_in: 1_000, bars: [Bar::AtLeast(0.92), Bar::Informative], is_small: true },
    Odds { name: "p1", one_in: 100, bars: [Bar::AtLeast(0.60), Bar::Informative], is_small: true },
    Odds { name: "p5", one_in: 20, bars: [Bar::Informative; 2], is_small: false },
];

/// What is sent.
#[derive(Clone, Copy, PartialEq)]
enum Verb {
    Write,
    Read,
}

const ALL: [Verb; 2] = [Verb::Write, Verb::Read];

impl Verb {
    fn key(self, odds: &Odds) -> String {
        format!("loss.{}.{}.ratio", ["write", "read"][self as usize], odds.name)
    }

    fn bar(self, odds: &Odds) -> Bar {
        odds.bars[self as usize]
    }

    /// The cells of this run.
    fn cells(self) -> impl Iterator<Item = &'static Odds> {
        let full = std::env::var("FERROWARP_FULL").is_ok_and(|full| full == "1");
        ODDS.iter().filter(move |o| full || (self != Self::Read && o.is_small))
    }
}

/// Goodput on a link that loses frames.
pub fn bench() -> Bench {
    let cells = ALL.into_iter().flat_map(|verb| verb.cells().map(move |o| (verb, o)));
    let key = |(verb, odds): (Verb, &Odds)| Key { name: verb.key(odds), bar: verb.bar(odds) };
    Bench { name: "loss", keys: cells.map(key).collect(), run }
}

/// What a run brought.
#[derive(Clone, Copy, Default)]
struct Outcome {
    ps: u64,
    /// Frames with payload that were lost.
    lost: u64,
}

fn run(record: &mut Record) -> Result<(), String> {
    let own = Config { window_log2: WINDOW_LOG2, ..config() };
    let library = model(Top::DeviceW64, &own).map_err(|e| e.to_string())?;
    for verb in ALL {
        let cells: Vec<_> = verb.cells().collect();
        if cells.is_empty() {
            continue;
        }
        let whole = one(&library, verb, 0, None);
        eprintln!("{}: {} us without loss", verb.key(cells[0]), whole.ps / 1_000_000);
        for odds in cells {
            let (mut ps, mut lost, mut runs) = (0, 0, 0);
            while lost < LOSSES {
                runs += 1;
                let outcome = one(&library, verb, runs, Some(odds.one_in));
                eprintln!(
                    "{}: seed {runs}, {} us, {} lost",
                    verb.key(odds),
                    outcome.ps / 1_000_000,
                    outcome.lost
                );
                ps += outcome.ps;
                lost += outcome.lost;
            }
            record.put(verb.key(odds), (whole.ps * runs) as f64 / ps as f64);
        }
    }
    Ok(())
}

/// A run on fresh devices, of which one frame in `one_in` is lost.
fn one(library: &Arc<Library>, verb: Verb, seed: u64, one_in: Option<u32>) -> Outcome {
    let far = LinkConfig { delay_ns: 5_000, ..link() };
    let outcome = Cell::new(Outcome::default());
    run_pair_on("loss", library, far, seed, |pair| {
        outcome.set(measure(pair, verb, seed, one_in)?);
        Ok(())
    });
    outcome.get()
}

fn measure(pair: &mut Pair, verb: Verb, seed: u64, one_in: Option<u32>) -> Result<Outcome, String> {
    let all = MEASURED + BEHIND;
    let plan = Plan {
        wires: vec![Wire::plain(0, config().mtu as u16, WINDOW_LOG2 as u32)],
        numbers: vec![3],
        timing: MemoryTiming::steady(clock_ps()),
        longest: LONG,
        budget: all * LONG / 3,
    };
    let mut traffic = Traffic::new(pair, plan)?;
    for bench in [&mut pair.a, &mut pair.b] {
        bench.set("rto_min", units(RTO_MIN));
        bench.set("retry_limit", RETRIES);
    }
    let lost = Arc::new(AtomicU64::new(0));
    if let Some(one_in) = one_in {
        let (mut fate, lost) = (ChaCha8Rng::seed_from_u64(seed), lost.clone());
        pair.link.set_hook(move |sent| {
            if !fate.random_ratio(1, one_in) {
                return Fate::Deliver;
            }
            lost.fetch_add(u64::from(sent.data.len() > SMALL), Ordering::Relaxed);
            Fate::Drop
        });
    }
    let start = pair.a.cycle();
    let most = if verb == Verb::Read { READS } else { WRITES };
    let mut posted = 0;
    while posted - traffic.waiting(0, 0) < MEASURED {
        if posted < all && traffic.waiting(0, 0) < most {
            let payload = traffic.hosts[1].inverse(LONG);
            match verb {
                Verb::Write => traffic.post(pair, 0, 0, Message::plain(RDMA_WRITE, payload)),
                Verb::Read => traffic.post_read(pair, 0, 0, &payload, [0, 0]),
            }
            posted += 1;
        }
        (0..20).for_each(|_| traffic.step(pair));
        traffic.look(pair)?;
        // a hundred times what the wire needs
        if pair.a.cycle() - start > 100_000_000 {
            return Err(format!("{} of {posted} messages are not done", traffic.waiting(0, 0)));
        }
    }
    let data = if verb == Verb::Read { Side::B } else { Side::A };
    let ps = pair.a.cycle() * clock_ps() - pair.link.stats(data).first_ps;
    let outcome = Outcome { ps, lost: lost.load(Ordering::Relaxed) };
    pair.link.set_hook(|_| Fate::Deliver);
    traffic.until_settled(pair, 2_000_000)?;
    // it comes behind the octets of every Write
    traffic.post(pair, 0, 0, Message::plain(SEND, vec![8; 16]));
    traffic.until_settled(pair, 100_000)?;
    traffic.compare(pair)?;
    Ok(outcome)
}
