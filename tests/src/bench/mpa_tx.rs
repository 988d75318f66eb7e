// SPDX-License-Identifier: MIT OR Apache-2.0
//! Throughput of MPA transmit: FPDUs of MULPDU length back to back.
use super::key::{Bar, Bench, Key, Record};
use crate::mpa_model::mulpdu;
use crate::mpa_tx::{random_ulpdu, Order, Sender};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::run_case;
use std::cell::Cell;

/// FPDUs of one measurement: at every phase of the marker interval that such a stream meets.
const FPDUS: usize = 64;

/// EMSS without and with jumbo frames, in octets.
const EMSS: [usize; 2] = [1_460, 8_960];

fn key(width: usize, emss: usize, markers: bool) -> String {
    let kind = if markers { "markers" } else { "plain" };
    format!("mpa_tx.w{width}.emss{emss}.{kind}.beats_per_cycle")
}

fn settings() -> impl Iterator<Item = (Top, usize, usize, bool)> {
    let widths = [(Top::BenchW64, 64), (Top::BenchW256, 256)];
    widths.into_iter().flat_map(|(top, width)| {
        EMSS.into_iter().flat_map(move |emss| [false, true].map(|markers| (top, width, emss, markers)))
    })
}

/// Output beats a cycle of MPA transmit.
pub fn bench() -> Bench {
    let key = |(_, width, emss, markers)| Key { name: key(width, emss, markers), bar: Bar::AtLeast(0.97) };
    Bench { name: "mpa_tx", keys: settings().map(key).collect(), run }
}

fn run(record: &mut Record) -> Result<(), String> {
    for (top, width, emss, markers) in settings() {
        let name = key(width, emss, markers);
        let measured = Cell::new(0.0);
        run_case(&name, top, 1, |bench| {
            let sender = Sender::new(bench);
            let ulpdu = random_ulpdu(bench.rng(), mulpdu(emss, markers));
            let mut offset = 0;
            let order = |_| {
                let order = Order::new(ulpdu.clone(), offset, markers);
                offset += order.wire().len() as u64;
                order
            };
            let orders: Vec<_> = (0..FPDUS).map(order).collect();
            sender.check(bench, &orders)?;
            measured.set(bench.sink_rate(sender.fpdus).beats_per_cycle());
            Ok(())
        });
        record.put(name, measured.get());
    }
    Ok(())
}
