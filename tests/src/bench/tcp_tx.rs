// SPDX-License-Identifier: MIT OR Apache-2.0
//! Throughput of TCP transmit: segments of full size, and ACKs, back to back.
use super::key::{Bar, Bench, Key, Record};
use crate::tcp_tx::{Fact, Row, Stage};
use crate::tcp_wire::Conn;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::run_case;
use std::cell::Cell;

/// Frames of one measurement.
const FRAMES: usize = 60;

/// Names, payload octets (0: ACKs) and IPv6 of what is sent.
const KINDS: [(&str, usize, bool); 5] = [
    ("ipv4.1500", 1_460, false),
    ("ipv6.1500", 1_440, true),
    ("ipv4.9000", 8_960, false),
    ("ipv4.acks", 0, false),
    ("ipv6.acks", 0, true),
];

fn key(kind: &str) -> String {
    format!("tcp_tx.{kind}.beats_per_cycle")
}

/// Connections of the stage.
const CONNECTIONS: usize = 4;

/// Beats a cycle towards the MAC; a data frame may be followed by one idle cycle.
pub fn bench() -> Bench {
    let keys = KINDS.map(|(kind, _, _)| Key { name: key(kind), bar: Bar::AtLeast(0.99) });
    Bench { name: "tcp_tx", keys: keys.into(), run }
}

fn run(record: &mut Record) -> Result<(), String> {
    for (kind, octets, ipv6) in KINDS {
        let measured = Cell::new(0.0);
        run_case(&key(kind), Top::TcpTxW64, 1, |bench| {
            let mut stage = Stage::new(bench);
            let mut rows = vec![];
            for qp in 0..CONNECTIONS {
                let mut row = Row::random(bench.rng());
                row.conn = Conn { window: row.conn.window, ..Conn::random(bench.rng(), ipv6, false, false) };
                stage.insert(bench, qp, &row)?;
                rows.push(row);
            }
            bench.restart_rates();
            match octets {
                0 => acks(bench, &mut stage),
                _ => {
                    for i in 0..FRAMES {
                        let seq = rows[0].nxt.wrapping_add((i * octets) as u32);
                        stage.segment(bench, 0, seq, vec![i as u8; octets], false);
                    }
                }
            }
            stage.frames(bench, FRAMES)?;
            measured.set(bench.sink_rate(stage.frames).beats_per_cycle());
            Ok(())
        });
        record.put(key(kind), measured.get());
    }
    Ok(())
}

/// Facts that ask for ACKs, in turn over the connections, each of which owes two: it may owe three
/// at most.
fn acks(bench: &mut ferrowarp_sim::Bench, stage: &mut Stage) {
    let mut asked = 0;
    while asked < FRAMES {
        if asked < bench.waiting(stage.frames) + 2 * CONNECTIONS {
            stage.fact(bench, asked % CONNECTIONS, Fact { ack_now: true, ..Fact::default() });
            asked += 1;
        }
        stage.step(bench);
    }
}
