// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cells that give one item for each frame (CRC32c, Internet checksum): frames in, items out.
use ferrowarp_sim::{Bench, Frame, Pattern, Rate};

/// What came out of a cell, and how fast frames went in and items out.
#[derive(Clone, Debug)]
pub struct Digests {
    /// The field `item` of each frame, in frame order.
    pub items: Vec<u64>,
    /// Beats into the cell.
    pub rx: Rate,
    /// Items out of it.
    pub tx: Rate,
}

/// Sends `frames` to `<prefix>_rx` and takes an item for each from `<prefix>_tx`.
pub fn digests(
    bench: &mut Bench,
    prefix: &str,
    frames: &[Frame],
    idle: Pattern,
    stall: Pattern,
) -> Result<Digests, String> {
    let source = bench.source(&format!("{prefix}_rx"), idle);
    let sink = bench.channel_sink(&format!("{prefix}_tx"), stall);
    frames.iter().for_each(|f| bench.send(source, f.clone()));
    bench.expect_items(sink, frames.len() as u64);
    let octets: usize = frames.iter().map(|f| f.data.len()).sum();
    bench.run_until(16 * octets as u64 + 10_000, |b| b.waiting_items(sink) >= frames.len())?;
    let item = |i: &ferrowarp_sim::Item| match (i.u64("item"), i.u64("empty")) {
        (Some(item), Some(0)) => Ok(item),
        _ => Err(format!("an item of {prefix}_tx that is empty or too wide: {i}")),
    };
    let items = bench.taken(sink).iter().map(item).collect::<Result<Vec<_>, _>>()?;
    match items.len() == frames.len() {
        true => Ok(Digests { items, rx: bench.source_rate(source), tx: bench.channel_sink_rate(sink) }),
        false => Err(format!("{} items for {} frames", items.len(), frames.len())),
    }
}
