// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several devices send to one of them through one port of a switch: who gets how much of the wire.
use super::super::key::Record;
use super::runs::{LONG, REGISTERS, WRITES};
use crate::device::{clock_ps, link, of_limit, Message, Switched, SEND};
use ferrowarp_sim::link::switch::{PortConfig, Switch, SwitchConfig, SwitchPort};
use ferrowarp_sim::{Library, LinkConfig};
use std::sync::Arc;

/// Key of Jain's index of two senders.
pub(super) const TWO: &str = "loss.shared2.jain";
/// Key of what four senders get together, as a part of the wire's limit.
pub(super) const FOUR: &str = "loss.shared4.ratio";
/// Bar of both.
pub(super) const LEAST: f64 = 0.90;

/// Octets that may wait for the port.
const QUEUE: u64 = 512 << 10;
/// Nanoseconds of a cable: two of them, there and back, are a round trip of 10 us.
const CABLE_NS: u64 = 2_500;
/// Milliseconds before those that count, and those.
const SETTLE_MS: u64 = 50;
const COUNT_MS: u64 = 20;
const PS_OF_MS: u64 = 1_000_000_000;

/// Puts both figures.
pub(super) fn run(library: &Arc<Library>, window_log2: u32, record: &mut Record) -> Result<(), String> {
    let two = octets(library, 2, window_log2)?;
    let part = |octets: &usize| *octets as f64;
    let (sum, squares): (f64, f64) = (two.iter().map(part).sum(), two.iter().map(part).map(|x| x * x).sum());
    record.put(TWO, sum * sum / (two.len() as f64 * squares));
    let four = octets(library, 4, window_log2)?;
    record.put(FOUR, of_limit(four.iter().sum(), COUNT_MS * PS_OF_MS));
    Ok(())
}

/// Octets of each sender that were completed in the time that counts.
fn octets(library: &Arc<Library>, senders: usize, window_log2: u32) -> Result<Vec<usize>, String> {
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
    // as many wait at any time, so that of two counts the difference is what was completed
    let mut posted = vec![0_usize; senders];
    let mut before = vec![];
    let start = all.cycle();
    let at = |ms: u64| start + ms * PS_OF_MS / clock_ps();
    while all.cycle() < at(SETTLE_MS + COUNT_MS) {
        for (from, posted) in posted.iter_mut().enumerate() {
            for _ in all.owed(from)?..WRITES {
                all.write(flows[from]);
                *posted += 1;
            }
        }
        if before.is_empty() && all.cycle() >= at(SETTLE_MS) {
            before = posted.clone();
            eprintln!("{senders} senders: {posted:?} Writes in {SETTLE_MS} ms");
        }
        all.block()?;
    }
    let dropped = all.switch().stats()[sink].dropped;
    let ms = SETTLE_MS + COUNT_MS;
    eprintln!("{senders} senders: {posted:?} Writes in {ms} ms, {dropped} frames found the queue full");
    if dropped == 0 {
        return Err(format!("the queue of {QUEUE} octets was never full: nobody had to yield"));
    }
    all.until_settled(20_000_000)?;
    all.compare()?;
    Ok(posted.iter().zip(before).map(|(posted, before)| (posted - before) * LONG).collect())
}
