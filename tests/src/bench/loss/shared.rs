//! Several devices send to one of them through one port of a switch: who gets how much of the wire.
use super::super::Record;
use crate::device::{clock_ps, link, Message, Switched, SEND};
use ferrowarp_sim::link::switch::{PortConfig, Switch, SwitchConfig, SwitchPort};
use ferrowarp_sim::{Library, LinkConfig};
use std::sync::Arc;

/// Key of Jain's index of two senders, and its bar.
pub(super) const TWO: &str = "loss.shared2.jain";
/// Key of what four senders get together, as a part of the wire's limit, and its bar.
pub(super) const FOUR: &str = "loss.shared4.ratio";
pub(super) const LEAST: f64 = 0.90;

/// Octets that may wait for the port.
const QUEUE: u64 = 512 << 10;
/// Octets of a Write, and Writes posted at any time.
const LONG: usize = 64 << 10;
const DEEP: usize = 12;
/// Nanoseconds of a cable: two of them, there and back, are a round trip of 10 us.
const CABLE_NS: u64 = 2_500;
/// Milliseconds until it counts, and that count.
const SETTLE_MS: u64 = 50;
const COUNT_MS: u64 = 20;
const PS_OF_MS: u64 = 1_000_000_000;
/// Octets of a full frame on a wire, preamble and gap counted, and those of its payload: MULPDU is 1,452, of which 14 are header.
const FRAME: f64 = 1_538.0;
const PAYLOAD: f64 = 1_438.0;
/// Bits a picosecond of the wire.
const WIRE: f64 = 0.01;
/// Registers as they are after a reset.
const REGISTERS: [(&str, u64); 5] =
    [("tick_use_pin", 0), ("rto_min", 100), ("ack_delay", 1), ("retry_limit", 15), ("recovery", 7)];

/// Puts both figures.
pub(super) fn run(library: &Arc<Library>, window_log2: u32, record: &mut Record) -> Result<(), String> {
    let two = octets(library, 2, window_log2)?;
    let (sum, squares): (f64, f64) = (two.iter().sum(), two.iter().map(|x| x * x).sum());
    record.put(TWO, sum * sum / (two.len() as f64 * squares));
    let four = octets(library, 4, window_log2)?;
    let most = WIRE / 8.0 * PAYLOAD / FRAME * (COUNT_MS * PS_OF_MS) as f64;
    record.put(FOUR, four.iter().sum::<f64>() / most);
    Ok(())
}

/// Octets of each sender that were completed in the time that counts.
fn octets(library: &Arc<Library>, senders: usize, window_log2: u32) -> Result<Vec<f64>, String> {
    let line = LinkConfig { delay_ns: CABLE_NS, ..link() };
    let switch = |links: Vec<_>| {
        let ends = links.into_iter().map(|link| {
            let port = PortConfig { queue: QUEUE, ..Default::default() };
            (port, Box::new(link) as Box<dyn SwitchPort>)
        });
        Switch::new(SwitchConfig::default(), ends.collect()).expect("cables with delay")
    };
    let mut all = Switched::on(library, senders + 1, (line, window_log2), switch)?;
    REGISTERS.iter().for_each(|&(register, value)| all.set(register, value));
    let sink = senders;
    let payload: Vec<u8> = (0..LONG).map(|i| (i * 31 + i / 253) as u8).collect();
    let flows = (0..senders).map(|from| all.flow([from, sink], &payload)).collect::<Result<Vec<_>, _>>()?;
    // the lower device is the initiator, which speaks first
    for from in 0..senders {
        all.post([from, sink], Message::plain(SEND, vec![from as u8; 16]))?;
    }
    all.until_settled(1_000_000)?;
    let mut done = vec![0_usize; senders];
    let mut before = vec![];
    let start = all.cycle();
    let at = |ms: u64| start + ms * PS_OF_MS / clock_ps();
    while all.cycle() < at(SETTLE_MS + COUNT_MS) {
        for (from, done) in done.iter_mut().enumerate() {
            for _ in all.owed(from)?..DEEP {
                all.write(flows[from]);
                *done += 1;
            }
        }
        if before.is_empty() && all.cycle() >= at(SETTLE_MS) {
            before = done.clone();
            eprintln!("{senders} senders: {done:?} Writes in {SETTLE_MS} ms");
        }
        all.block()?;
    }
    eprintln!("{senders} senders: {done:?} Writes in {} ms", SETTLE_MS + COUNT_MS);
    all.until_settled(20_000_000)?;
    all.compare()?;
    Ok(done.iter().zip(before).map(|(done, before)| ((done - before) * LONG) as f64).collect())
}
