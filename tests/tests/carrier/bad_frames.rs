// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames that are not possible: dropped whole, counted once, no TLP out of them.
use crate::host::{dwords, Host};
use crate::wire::{frame, Head, Record, ACK, ASK, DATA, HELLO, NAK, NP_OK, READY};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, Frame};
use rand::Rng;

const COUNTERS: u64 = 11;
const TAKEN: u64 = 2;
const MALFORMED: u64 = 6;
const BAD_FCS: u64 = 7;

fn counts(host: &mut Host, bench: &mut Bench) -> Result<Vec<u64>, String> {
    (0..COUNTERS).map(|index| host.count(bench, index)).collect()
}

/// Gives a frame to a host's device and fails unless counter `index` alone steps.
fn gives(host: &mut Host, bench: &mut Bench, frame: Frame, index: u64, what: &str) -> Result<(), String> {
    let mut due = counts(host, bench)?;
    bench.send(host.rx, frame);
    for _ in 0..230 {
        host.step(bench)?;
    }
    due[index as usize] += 1;
    let have = counts(host, bench)?;
    (have == due).then_some(()).ok_or_else(|| format!("{what}: counters {have:?}, due {due:?}"))
}

/// A data frame of five records.
fn data(host: &Host) -> (Head, Vec<u8>) {
    let tlp = |dwords: usize| Record::Tlp { bar_hit: 1, octets: vec![0xA5; 4 * dwords] };
    let records = [tlp(3), Record::Reset, tlp(4), Record::Config(0x0051_1234), tlp(21)];
    let head = Head { kind: DATA, epoch: host.epoch, records: 5, ..Head::default() };
    (head, records.iter().flat_map(Record::octets).collect())
}

#[test]
fn a_frame_that_is_not_possible_is_malformed() {
    run_case("carrier-bad", Top::CarrierW64, 1, |bench| {
        let mut host = Host::new(bench);
        host.greet(bench)?;
        let (head, records) = data(&host);
        let good = frame(head, &records);
        let places = [
            (14, 0x00, "version 0"),
            (14, 0x20, "version 2"),
            (14, 0x10 | READY, "ready"),
            (14, 0x10 | NP_OK, "np_ok"),
            (14, 0x10 | ASK, "data that asks"),
            (15, 0, "kind 0"),
            (15, 4, "kind 4"),
            (15, ACK, "an ack with records"),
            (15, HELLO, "a hello with records"),
            (6, 0x03, "source is a group"),
            (22, 1, "261 records"),
            (23, 0, "no record"),
            (23, 4, "four records"),
            (23, 6, "six records"),
            (24, 0, "record of kind 0"),
            (24, 4, "reset_done"),
            (24, 5, "record of kind 5"),
            (25, 8, "BAR 3"),
            (25, 0x80, "BAR 7"),
            (27, 2, "two dwords"),
            (27, 5, "dwords that do not fit"),
            (26, 1, "259 dwords"),
            (28, 1, "a TLP with a value"),
            (49, 1, "a reset with a BAR"),
            (51, 3, "a reset with dwords"),
            (55, 1, "a reset with a value"),
            (84, 0x04, "configuration beyond 26 bits"),
            (85, 0x54, "payload of 2,048 octets"),
        ];
        for (at, octet, what) in places {
            let mut octets = good.clone();
            octets[at] = octet;
            gives(&mut host, bench, Frame::good(octets), MALFORMED, what)?;
        }
        let ack = Head { kind: ACK, records: 0, ..head };
        let hello = Head { kind: HELLO, records: 0, ..head };
        let heads = [
            (Head { sequence: 1, ..ack }, "an ack with a number"),
            (Head { sequence: 256, ..hello }, "a hello with a number"),
            (Head { acknowledged: 1, ..hello }, "a hello that acknowledges"),
            (Head { flags: NAK, ..hello }, "a hello that naks"),
            (Head { flags: ASK, ..hello }, "a hello that asks"),
        ];
        for (head, what) in heads {
            gives(&mut host, bench, Frame::good(frame(head, &[])), MALFORMED, what)?;
        }
        for dwords in [0, 1, 2, 371, 372] {
            let record = Record::Tlp { bar_hit: 1, octets: vec![1; 4 * dwords] }.octets();
            let octets = frame(Head { records: 1, ..head }, &record);
            gives(&mut host, bench, Frame::good(octets), MALFORMED, &format!("{dwords} dwords"))?;
        }
        let behind = frame(head, &[&records[..], &[0; 8]].concat());
        gives(&mut host, bench, Frame::good(behind), MALFORMED, "a row behind the records")?;
        gives(&mut host, bench, Frame { data: good.clone(), err: true }, BAD_FCS, "a wrong FCS")?;
        assert_eq!(host.resets, 1, "a reset of a bad frame");
        host.give(1, dwords(bench, 370));
        host.settle(bench, 1_000)?;
        assert_eq!(host.count(bench, TAKEN)?, 1);
        Ok(())
    });
}

#[test]
fn a_frame_cut_short_anywhere_is_dropped_and_the_next_one_is_taken() {
    run_case("carrier-cut", Top::CarrierW64, 2, |bench| {
        let mut host = Host::new(bench);
        host.greet(bench)?;
        let (head, records) = data(&host);
        let good = frame(head, &records);
        for octets in 14..good.len() {
            let what = format!("{octets} of {} octets", good.len());
            gives(&mut host, bench, Frame::good(good[..octets].to_vec()), MALFORMED, &what)?;
        }
        host.give(1, dwords(bench, 4));
        host.settle(bench, 1_000)
    });
}

#[test]
fn random_octets_never_make_a_tlp() {
    for seed in 0..4 {
        run_case("carrier-noise", Top::CarrierW64, seed, |bench| {
            let mut host = Host::new(bench);
            host.greet(bench)?;
            let (head, records) = data(&host);
            let good = frame(Head { sequence: 7, ..head }, &records);
            for _ in 0..400 {
                let mut octets = good.clone();
                let from = bench.rng().random_range(14..octets.len());
                let to = bench.rng().random_range(from..=octets.len().min(from + 9));
                bench.rng().fill(&mut octets[from..to]);
                octets[16..18].copy_from_slice(&host.epoch.to_be_bytes());
                // never the number that the device expects
                octets[18] |= 0x40;
                bench.send(host.rx, Frame::good(octets));
            }
            host.until(bench, 100_000, |host, bench| bench.sent_all(host.rx))?;
            host.give(1, dwords(bench, 4));
            host.settle(bench, 9_000)?;
            assert_eq!((host.resets, host.count(bench, TAKEN)?), (1, 1));
            Ok(())
        });
    }
}

#[test]
fn frames_of_the_wire_pass_unchanged_both_ways() {
    run_case("carrier-wire", Top::CarrierW64, 3, |bench| {
        let mut host = Host::new(bench);
        host.greet(bench)?;
        let mut inward = vec![];
        for length in (1..80).chain([1_514]) {
            let mut data = vec![0; length];
            bench.rng().fill(&mut data[..]);
            if length >= 14 {
                data[12] = 0x08;
            }
            let frame = Frame { data, err: bench.rng().random_ratio(1, 4) };
            inward.push(frame.clone());
            bench.send(host.rx, frame.clone());
            bench.send(host.wire_tx, Frame::good(frame.data));
        }
        // between them frames of the carrier
        for i in 0..40 {
            host.give(i % 8, dwords(bench, 3 + usize::from(i)));
            let tlp = crate::host::of_device(bench);
            host.emit(bench, tlp);
        }
        host.settle(bench, 40_000)?;
        host.until(bench, 9_000, |h, bench| bench.sent_all(h.rx) && h.ether.len() == inward.len())?;
        assert_eq!(bench.received(host.wire_rx), inward);
        let outward: Vec<_> = inward.into_iter().map(|frame| frame.data).collect();
        assert_eq!(host.ether, outward);
        Ok(())
    });
}
