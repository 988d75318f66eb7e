// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records, packing, acknowledgments, and a ring that is full.
use crate::host::{dwords, of_device, Host};
use crate::wire::{Record, ACK, DATA, NP_OK};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::run_case;
use rand::Rng;

/// A write of `payload` dwords with a header of three.
fn write(bench: &mut ferrowarp_sim::Bench, payload: usize) -> Vec<u8> {
    let mut octets = dwords(bench, 3 + payload);
    octets[..4].copy_from_slice(&[payload as u8, (payload >> 8) as u8, 0, 0x40]);
    octets
}

#[test]
fn a_configuration_counts_from_its_place_on() {
    run_case("carrier-config", Top::CarrierW64, 1, |bench| {
        let mut host = Host::new(bench);
        host.greet(bench)?;
        assert_eq!(bench.get("pcie_cfg"), 0);
        host.give(1, dwords(bench, 200));
        host.to_send.push_back(Record::Config(0x03D3_A55A));
        host.give(1, dwords(bench, 3));
        host.until(bench, 2_000, |host, _| host.inward.len() == 1)?;
        host.until(bench, 500, |_, bench| bench.get("pcie_cfg") == 0x03D3_A55A)?;
        host.settle(bench, 1_000)?;
        host.begin(bench);
        host.greet(bench)?;
        assert_eq!(bench.get("pcie_cfg"), 0, "a new epoch begins without a configuration");
        Ok(())
    });
}

#[test]
fn tlps_pass_during_the_reset_of_a_record_and_reset_done_follows() {
    run_case("carrier-reset", Top::CarrierW64, 2, |bench| {
        let mut host = Host::new(bench);
        host.greet(bench)?;
        host.reset_cycles = 3_000;
        host.to_send.push_back(Record::Reset);
        host.give(1, dwords(bench, 7));
        host.settle(bench, 1_000)?;
        host.to_send.push_back(Record::Reset);
        host.until(bench, 4_000, |host, _| host.resets_done == 1)?;
        host.until(bench, 4_000, |host, _| host.resets_done == 2)?;
        assert_eq!(host.resets, 3);
        Ok(())
    });
}

#[test]
fn five_writes_of_256_octets_share_a_frame() {
    run_case("carrier-pack", Top::CarrierW64, 3, |bench| {
        let mut host = Host::new(bench);
        host.greet(bench)?;
        for _ in 0..5 {
            let tlp = write(bench, 64);
            host.emit(bench, tlp);
        }
        host.settle(bench, 1_000)?;
        let head = host.newest.unwrap_or_default();
        assert_eq!((head.kind, head.records, host.expected), (DATA, 5, 1));
        for payload in [256, 256] {
            let tlp = write(bench, payload);
            host.emit(bench, tlp);
        }
        host.settle(bench, 1_000)?;
        assert_eq!(host.expected, 3, "two writes of 1,024 octets need two frames");
        Ok(())
    });
}

/// Rows of 8 octets that a frame of 1,514 octets has behind its header.
const MOST_ROWS: usize = 186;

#[test]
fn a_frame_takes_a_record_that_fits_to_the_last_row_and_no_longer_one() {
    run_case("carrier-fit", Top::CarrierW64, 6, |bench| {
        let mut host = Host::new(bench);
        host.greet(bench)?;
        for rows in MOST_ROWS - 2..=MOST_ROWS + 2 {
            for odd in [0, 1].repeat(4) {
                // a row for the head of the record, then two dwords a row
                let first = bench.rng().random_range(60..=130);
                let even = write(bench, 2 * (first - 1) - 3);
                let second = write(bench, 2 * (rows - first - 1) - odd - 3);
                host.emit(bench, even);
                host.emit(bench, second);
                let before = host.expected;
                host.settle(bench, 2_000)?;
                let frames = if rows <= MOST_ROWS { 1 } else { 2 };
                assert_eq!(host.expected - before, frames, "{first} rows, {rows} in all, {odd} dwords less");
            }
        }
        Ok(())
    });
}

#[test]
fn a_host_that_does_not_acknowledge_stops_the_device_and_nothing_is_lost() {
    run_case("carrier-full", Top::CarrierW64, 4, |bench| {
        let mut host = Host::new(bench);
        host.greet(bench)?;
        host.acks = false;
        for small in [false, true] {
            for _ in 0..400 {
                let tlp = if small { write(bench, 1) } else { of_device(bench) };
                host.emit(bench, tlp);
                if small {
                    for _ in 0..30 {
                        host.step(bench)?;
                    }
                }
            }
            host.until(bench, 20_000, |_, bench| bench.get("pcie_np_room") == 0)?;
            for _ in 0..10_000 {
                host.step(bench)?;
            }
            assert!(bench.get("pcie_np_room") == 0 && !bench.sent_all(host.pcie_tx));
            // TLPs still come in
            host.give(1, dwords(bench, 30));
            host.until(bench, 2_000, |host, _| host.inward.is_empty())?;
            host.acks = true;
            host.settle(bench, 400_000)?;
            host.until(bench, 2_000, |_, bench| bench.get("pcie_np_room") == 1)?;
            host.acks = false;
        }
        Ok(())
    });
}

#[test]
fn an_ack_leaves_alone_and_shows_np_ok() {
    run_case("carrier-ack", Top::CarrierW64, 5, |bench| {
        let mut host = Host::new(bench);
        host.greet(bench)?;
        host.give(1, dwords(bench, 30));
        host.until(bench, 200, |host, _| host.inward.is_empty())?;
        host.until(bench, 100, |host, _| host.newest.is_some_and(|h| h.kind == ACK && h.acknowledged == 1))?;
        for np_ok in [0, 1] {
            bench.set("pcie_np_ok", np_ok);
            host.newest = None;
            host.ask(bench);
            host.until(bench, 60, |host, _| host.newest.is_some_and(|h| h.kind == ACK))?;
            let flags = host.newest.unwrap_or_default().flags;
            assert_eq!(flags & NP_OK != 0, np_ok == 1);
        }
        Ok(())
    });
}

/// What the README of `host/carrier` says, in cycles.
const INWARD: u64 = 6;
const OUTWARD: u64 = 21;

#[test]
fn first_beats_come_after_the_latencies_of_the_readme() {
    run_case("carrier-latency", Top::CarrierW64, 1, |bench| {
        let mut host = Host::new(bench);
        host.greet(bench)?;
        bench.restart_rates();
        host.give(1, dwords(bench, 20));
        host.settle(bench, 1_000)?;
        let ended = bench.source_rate(host.rx).last_cycle;
        assert_eq!(bench.sink_rate(host.pcie_rx).first_cycle - ended, INWARD, "from the wire to the device");
        // the ack of the frame leaves
        (0..300).try_for_each(|_| host.step(bench))?;
        let tlp = write(bench, 64);
        bench.restart_rates();
        host.emit(bench, tlp);
        host.settle(bench, 1_000)?;
        let ended = bench.source_rate(host.pcie_tx).last_cycle;
        assert_eq!(bench.sink_rate(host.tx).first_cycle - ended, OUTWARD, "from the device to the wire");
        Ok(())
    });
}
