// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole device behind its PCI Express edge: admin commands, doorbells, interrupts and resets
//! by TLPs.
use ferrowarp_abi::codec::{AdminCommand, SendWqe};
use ferrowarp_abi::consts::{admin_opcode, admin_row, csr, work_opcode};
use ferrowarp_sim::pcie::RcConfig;
use ferrowarp_tests::device::SendWork;
use ferrowarp_tests::rnic::{run_edges, CLOCK_PS};
use ferrowarp_tests::rnic_posts::{first_fetch_ps, post, set_up, MESSAGE, QP};

#[test]
fn the_edge_is_as_wide_as_its_register_says() {
    run_edges("rnic-width", 1, |bench| {
        let set = set_up(bench, RcConfig::steady(CLOCK_PS))?;
        let width = set.nic.get(bench, csr::WIDTH)?;
        for port in ["pcie_rx_data", "pcie_tx_data"] {
            let bits = 8 * bench.get_bytes(port).len() as u32;
            assert!(matches!(bits, 64 | 128));
            assert_eq!(width, bits << 16 | 64, "{port}");
        }
        Ok(())
    });
}

#[test]
fn the_first_fetch_follows_the_doorbell_in_time() {
    run_edges("rnic-first-fetch", 1, |bench| {
        let (set, ps) = first_fetch_ps(bench)?;
        assert!(ps <= 160_000, "doorbell to first SQ fetch: {ps} ps");
        // at 128 bits TLPs are put right first
        let cycles = 23 + u64::from(bench.has("pcie_rx_is_sof"));
        assert_eq!(ps / CLOCK_PS, cycles, "cycles, as the README of `host/pcie` says");
        bench.expect(set.nic.tx, 1);
        bench.run_until(5_000, |b| b.waiting(set.nic.tx) > 0)?;
        let frame = bench.received(set.nic.tx).remove(0);
        assert_eq!(&frame.data[54..58], [1, 2, 3, 4]);
        Ok(())
    });
}

/// The place of a counter.
fn counter(name: &str) -> u16 {
    ferrowarp_abi::host::counters::index(name).map_or(0, |i| csr::COUNTER + 4 * i as u16)
}

#[test]
fn what_leaves_and_leaves_again_is_counted() {
    run_edges("rnic-counters", 1, |bench| {
        let set = set_up(bench, RcConfig::steady(CLOCK_PS))?;
        set.nic.set(bench, csr::RTO_MIN, 2);
        let work = SendWork {
            head: SendWqe { opcode: work_opcode::RAW, is_signaled: true, ..Default::default() },
            inline: Some(vec![1, 2, 3, 4]),
            ..Default::default()
        };
        post(bench, &set, &work.slot())?;
        bench.expect(set.nic.tx, 2);
        // nobody acknowledges
        let mut frames = vec![];
        for tick in 0..8 {
            bench.set("tick_pin", 1);
            bench.step();
            bench.set("tick_pin", 0);
            (0..400).for_each(|_| bench.step());
            frames.extend(bench.received(set.nic.tx));
            if frames.len() == 2 {
                break;
            }
            assert!(tick < 7, "{} frames left", frames.len());
        }
        assert_eq!(frames[0].data[54..58], frames[1].data[54..58]);
        for (name, wanted) in [
            ("tx_frames", 2),
            ("tcp_out_segments", 2),
            ("tcp_timeouts", 1),
            ("tcp_lost", 0),
            ("rx_frames", 0),
            ("rdma_in_fpdus", 0),
        ] {
            assert_eq!(set.nic.get(bench, counter(name))?, wanted, "{name}");
        }
        // by docs/registers.md: segments and octets again, duplicate ACKs, timeouts, bad CRCs
        for (qp, wanted) in [(QP, [1, 4, 0, 1, 0]), (QP + 1, [0; 5])] {
            for (place, wanted) in wanted.into_iter().enumerate() {
                let at = csr::QP_COUNTER + 32 * qp + 4 * place as u16;
                assert_eq!(set.nic.get(bench, at)?, wanted, "queue pair {qp}, place {place}");
            }
        }
        Ok(())
    });
}

#[test]
fn a_bad_request_stops_its_queue_pair_by_an_event_and_its_message() {
    run_edges("rnic-message", 1, |bench| {
        let set = set_up(bench, RcConfig { msix: true, ..RcConfig::steady(CLOCK_PS) })?;
        // opcode 15 is none
        let mut slot = vec![0; 64];
        slot[0] = 15;
        post(bench, &set, &slot)?;
        let (root, message) = (set.nic.root, set.message);
        bench.run_until(20_000, |b| {
            let came = b.root(root).host.read(message, 4);
            came.is_ok_and(|octets| octets == MESSAGE.to_le_bytes())
        })?;
        // the event is in memory before its message
        let event = set.nic.memory(bench, set.events, 16)?;
        assert_eq!((event[0], &event[2..4], event[15] & 1), (3, &QP.to_be_bytes()[..], 1), "{event:02x?}");
        for name in ["events", "messages", "qp_stopped"] {
            assert_eq!(set.nic.get(bench, counter(name))?, 1, "{name}");
        }
        assert_eq!(set.nic.get(bench, csr::ERROR_WHAT)?, 0);
        Ok(())
    });
}

#[test]
fn a_reset_begins_anew_and_answers_all_the_time() {
    run_edges("rnic-flr", 1, |bench| {
        let set = set_up(bench, RcConfig::steady(CLOCK_PS))?;
        set.nic.set(bench, csr::RTO_MIN, 77);
        assert_eq!(set.nic.get(bench, csr::RTO_MIN)?, 77);
        let row = AdminCommand { opcode: admin_opcode::READ_ROW, row: admin_row::QP, index: QP };
        for (flr, rto_min) in [(false, 77), (true, 100)] {
            if flr {
                bench.set("pcie_flr", 1);
                bench.run_until(5_000, |b| b.get("pcie_flr_done") == 1)?;
                bench.set("pcie_flr", 0);
            } else {
                set.nic.set(bench, csr::RESTART, 1);
                let mut states = vec![];
                for _ in 0..100 {
                    states.push(set.nic.get(bench, csr::STATUS)?);
                }
                assert!(states.contains(&2) && states.contains(&0), "{states:?}");
            }
            set.nic.ready(bench)?;
            assert_eq!(set.nic.get(bench, csr::RTO_MIN)?, rto_min);
            let (_, read) = set.nic.ask(bench, row, &[])?;
            assert!(read.iter().all(|&o| o == 0), "a row outlives the reset: {read:02x?}");
        }
        Ok(())
    });
}

#[test]
fn a_reset_is_answered_whenever_it_comes_into_a_restart() {
    run_edges("rnic-flr-restart", 1, |bench| {
        let set = set_up(bench, RcConfig::steady(CLOCK_PS))?;
        // a restart drains for 256 cycles and more, and holds the device for 16
        for delay in (0..480).step_by(7) {
            set.nic.set(bench, csr::RTO_MIN, 77);
            set.nic.set(bench, csr::RESTART, 1);
            (0..delay).for_each(|_| bench.step());
            bench.set("pcie_flr", 1);
            bench
                .run_until(5_000, |b| b.get("pcie_flr_done") == 1)
                .map_err(|e| format!("after {delay}: {e}"))?;
            bench.set("pcie_flr", 0);
            set.nic.ready(bench)?;
            assert_eq!(set.nic.get(bench, csr::RTO_MIN)?, 100, "after {delay} cycles");
        }
        Ok(())
    });
}
