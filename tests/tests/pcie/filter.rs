// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which frames a device receives, and the counters of its queue pairs: both by registers alone.
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::record::{TxFact, TxFpdu};
use ferrowarp_hdl::tcp::timer_kind::{DUPLICATES, EXPIRY, PROBE};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{model, random_frame, run_case, run_case_on, seeds, Bench, Frame, Pattern};
use ferrowarp_tests::pcie_bar::Host;
use ferrowarp_tests::record::Record;
use rand::seq::IndexedRandom;
use rand::Rng;
use rust_hdl::prelude::Synth;

const RX_FILTER: u64 = 0x090;
const RX_MAC_LOW: u64 = 0x0a0;
const RX_MAC_HIGH: u64 = 0x0b0;
const QP_COUNTER: u64 = 0x800;
const RAW_TX_CONSUMER: u64 = 0x038;

/// What the registers say.
#[derive(Default)]
struct Accept {
    promiscuous: bool,
    broadcast: bool,
    multicast: bool,
    macs: Vec<[u8; 6]>,
}

impl Accept {
    /// By IEEE 802.3, 3.2.3: the first octet's lowest bit says group, all ones are all stations.
    fn takes(&self, frame: &Frame) -> bool {
        let Some(to) = frame.data.get(..6) else { return true };
        let everyone = to == [0xff; 6];
        self.promiscuous
            || everyone && self.broadcast
            || to[0] & 1 == 1 && !everyone && self.multicast
            || self.macs.iter().any(|mac| mac == to)
    }

    fn write(&self, host: &Host, bench: &mut Bench, empty: [u8; 6]) -> Result<(), String> {
        let kinds = [self.promiscuous, self.broadcast, self.multicast];
        let value = kinds.iter().enumerate().fold(0, |v, (i, &on)| v | u32::from(on) << i);
        host.set(bench, RX_FILTER, value)?;
        for i in 0..4 {
            // a place that is not valid holds an address all the same
            let mac = self.macs.get(i).copied().unwrap_or(empty);
            let high = u32::from(mac[4]) | u32::from(mac[5]) << 8 | u32::from(i < self.macs.len()) << 16;
            host.set(bench, RX_MAC_LOW + 4 * i as u64, u32::from_le_bytes([mac[0], mac[1], mac[2], mac[3]]))?;
            host.set(bench, RX_MAC_HIGH + 4 * i as u64, high)?;
        }
        Ok(())
    }
}

#[test]
fn frames_are_received_by_their_destination() {
    for seed in seeds(1..7, 1..100) {
        run_case("pcie-filter", Top::PcieBarW64, seed, |bench| {
            let host = Host::new(bench, Pattern::None, Pattern::None);
            let rx = bench.source("frames", if seed % 2 == 0 { Pattern::None } else { Pattern::Random });
            let tx = bench.sink("received", Pattern::None);
            let (mut came, mut dropped) = (0, 0);
            for round in 0..8 {
                let known: Vec<[u8; 6]> = (0..5).map(|_| bench.rng().random::<[u8; 6]>()).collect();
                let accept = Accept {
                    promiscuous: round == 0 || bench.rng().random_ratio(1, 6),
                    broadcast: bench.rng().random(),
                    multicast: bench.rng().random(),
                    macs: known[..bench.rng().random_range(0..=4)].to_vec(),
                };
                if round > 0 {
                    accept.write(&host, bench, known[4])?;
                }
                let frames: Vec<_> = (0..40)
                    .map(|_| {
                        let octets = match bench.rng().random_range(0..8) {
                            0 => bench.rng().random_range(1..20),
                            _ => bench.rng().random_range(60..200),
                        };
                        let mut frame = random_frame(bench.rng(), octets);
                        let mut to = *known.choose(bench.rng()).expect("there are five");
                        match bench.rng().random_range(0..5) {
                            0 => to = [0xff; 6],
                            1 => to[0] |= 1,
                            // the neighbour of an address that is received
                            2 => to[bench.rng().random_range(0..6)] ^= 1 << bench.rng().random_range(0..8),
                            _ => {}
                        }
                        frame.data.iter_mut().zip(to).for_each(|(octet, mac)| *octet = mac);
                        frame
                    })
                    .collect();
                let wanted: Vec<_> = frames.iter().filter(|f| accept.takes(f)).cloned().collect();
                dropped += frames.len() - wanted.len();
                frames.into_iter().for_each(|f| bench.send(rx, f));
                let (mut seen, mut refused) = (0, 0);
                for _ in 0..6_000 {
                    bench.step();
                    seen += bench.get("came");
                    refused += bench.get("filtered");
                    if bench.sent_all(rx) && seen == 40 {
                        break;
                    }
                }
                (0..4).for_each(|_| bench.step());
                let passed = bench.received(tx);
                if passed != wanted {
                    return Err(format!("{} frames passed, expected {}", passed.len(), wanted.len()));
                }
                if (seen, refused) != (40, 40 - wanted.len() as u64) {
                    return Err(format!("{seen} frames came and {refused} were dropped"));
                }
                came += wanted.len();
            }
            assert!(came > 50 && dropped > 50, "{came} frames passed, {dropped} did not");
            Ok(())
        });
    }
}

/// Puts a record on a channel for one cycle.
fn offer<T: Synth + 'static>(bench: &mut Bench, channel: &str, record: &Record<T>, taken: bool) {
    bench.set_bytes(&format!("{channel}_item"), &record.octets());
    bench.set(&format!("{channel}_valid"), 1);
    bench.set(&format!("{channel}_ready"), taken.into());
}

#[test]
fn each_queue_pair_has_counters_of_its_own() {
    for seed in seeds(1..5, 1..50) {
        run_case("pcie-qp-counters", Top::PcieBarW64, seed, |bench| {
            let mut host = Host::new(bench, Pattern::None, Pattern::None);
            // places 0 to 6 as docs/registers.md has them
            let mut counts = [[0_u32; 7]; 16];
            // cleared after reset
            (0..130).for_each(|_| bench.step());
            for cycle in 0..6_000_u64 {
                for port in ["fact_valid", "seg_valid", "timer_valid", "fpdu_valid"] {
                    bench.set(port, 0);
                }
                let qp = bench.rng().random_range(0..16_u64);
                let (coin, taken) = (bench.rng().random(), bench.rng().random_ratio(7, 8));
                // as close as the wire lets them come
                if cycle % 10 == 0 {
                    let fact = Record::<TxFact>::new().with("qp", qp).with("has_ack", true).with("ack", 77);
                    offer(bench, "fact", &fact.with("window", 9).with("is_dup", coin), taken);
                    counts[qp as usize][2] += u32::from(coin && taken);
                }
                if cycle % 10 == 3 {
                    let octets = bench.rng().random_range(24..1_460);
                    let seg = Record::<TxFpdu>::new().with("qp", qp).with("length", octets - 6);
                    let seg =
                        seg.with("replay", coin).with("seq", 5).with("octets", octets).with("crc", true);
                    offer(bench, "seg", &seg, taken);
                    if coin && taken {
                        counts[qp as usize][0] += 1;
                        counts[qp as usize][1] += octets as u32;
                    }
                }
                // every connection's timer at one tick
                if cycle % 1_000 < 16 {
                    let (kind, place) =
                        [(EXPIRY, 3), (DUPLICATES, 5), (PROBE, 6)][bench.rng().random_range(0..3)];
                    bench.set("timer_qp", cycle % 1_000);
                    bench.set("timer_kind", kind as u64);
                    bench.set("timer_valid", 1);
                    counts[(cycle % 1_000) as usize][place] += 1;
                }
                if cycle % 97 == 5 {
                    bench.set("fpdu_conn", qp);
                    bench.set("fpdu_verdict", u64::from(coin));
                    bench.set("fpdu_valid", 1);
                    bench.set("fpdu_ready", taken.into());
                    counts[qp as usize][4] += u32::from(coin && taken);
                }
                bench.step();
            }
            for port in ["fact_valid", "seg_valid", "timer_valid", "fpdu_valid"] {
                bench.set(port, 0);
            }
            for (qp, wanted) in counts.iter().enumerate() {
                for place in 0..8 {
                    let value = host.get(bench, QP_COUNTER + 32 * qp as u64 + 4 * place as u64)?;
                    let wanted = wanted.get(place).copied().unwrap_or(0);
                    if value != wanted {
                        return Err(format!("queue pair {qp}, place {place}: {value}, expected {wanted}"));
                    }
                }
            }
            assert!(counts.iter().flatten().filter(|&&n| n > 0).count() > 80);
            Ok(())
        });
    }
}

#[test]
fn counters_that_are_being_cleared_read_as_zero_at_once() {
    // 64 queue pairs: clearing takes 512 cycles, a completion waits 255 for its register
    let library = model(Top::PcieBarW64, &Config::profile(Profile::TenG)).expect("the model");
    run_case_on("pcie-qp-counters-cleared", &library, 1, |bench| {
        let mut host = Host::new(bench, Pattern::None, Pattern::None);
        let raw_tx_consumer = 0x0BAD_CAFE;
        while bench.cycle() < 600 {
            for (offset, wanted) in [(QP_COUNTER + 32 * 63, 0), (RAW_TX_CONSUMER, raw_tx_consumer)] {
                let asked = bench.cycle();
                let value = host.get(bench, offset)?;
                let took = bench.cycle() - asked;
                if value != wanted || took > 60 {
                    return Err(format!("{offset:#x}: {value:#x} after {took} cycles, expected {wanted:#x}"));
                }
            }
        }
        Ok(())
    });
}
