// SPDX-License-Identifier: MIT OR Apache-2.0
//! Read Requests of the peer on emitted Verilog: what is taken, in which order, and what is
//! refused.
use ferrowarp_sim::Bench;
use ferrowarp_tests::ddp_model::{status, tagged, untagged, Request};
use ferrowarp_tests::ddp_rx::{one, Rx, PD, QP, STAG, TO};
use ferrowarp_tests::mr::Region;
use ferrowarp_tests::proves::{proves_model, proves_model_rows};
use rand::Rng;

/// STag of a region that the peer may read: octets from `SOURCE` on, tagged offset from `FROM` on.
const READS: u32 = 20 << 8 | 0x77;
/// As above.
const SOURCE: u64 = 0x50_0000;
/// As above.
const FROM: u64 = 0x1_0000_0000;
/// Octets of it.
const SPAN: u64 = 1 << 20;

fn region() -> Region {
    let rights = Region { remote_write: false, remote_read: true, to_base: FROM, ..Region::default() };
    Region { base: SOURCE, length: SPAN, pd: PD, key: READS as u8, is_valid: true, ..rights }
}

/// A Read Request of the one queue pair.
fn request(src_stag: u32, src_to: u64, length: u32) -> Request {
    Request { qp: QP, sink_stag: 0x0102_0304, sink_to: 0x1112_1314_1516_1718, length, src_stag, src_to }
}

/// Runs a body with the region that the peer may read.
fn with_source(name: &str, body: impl Fn(&mut Bench, &mut Rx) -> Result<(), String>) {
    one(name, |bench, rx| {
        rx.region(bench, READS >> 8, region())?;
        body(bench, rx)
    });
}

#[test]
fn a_read_request_comes_out_as_it_came_in() {
    let _proof = proves_model_rows(&["RDMAP-A.2-01", "RDMAP-A.2-06", "RDMAP-A.2-10"]);
    with_source("rr-octets", |bench, rx| {
        // octets by hand: controls, four that mean nothing, QN, MSN, MO, then the five fields
        let mut ulpdu = vec![0x41, 0x41, 0xDE, 0xAD, 0xBE, 0xEF, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0];
        ulpdu.extend([0x01, 0x02, 0x03, 0x04]);
        ulpdu.extend([0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18]);
        ulpdu.extend([0x00, 0x00, 0x12, 0x34]);
        ulpdu.extend([0x00, 0x00, 0x14, 0x77]);
        ulpdu.extend([0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x03]);
        rx.good(bench, &[ulpdu])?;
        let expected = Request {
            qp: QP,
            sink_stag: 0x0102_0304,
            sink_to: 0x1112_1314_1516_1718,
            length: 0x1234,
            src_stag: 0x1477,
            src_to: 0x1_0000_0003,
        };
        assert_eq!(rx.requests, [(expected, 0)]);
        Ok(())
    });
}

#[test]
fn the_layout_of_a_read_request() {
    let _proof = proves_model_rows(&["RDMAP-4.4-02", "RDMAP-4.4-05", "RDMAP-4.4-07"]);
    with_source("rr-layout", |bench, rx| {
        for msn in 1..=40 {
            let (sink_stag, sink_to) = (bench.rng().random(), bench.rng().random());
            let (src_to, length) =
                (FROM + bench.rng().random_range(0..1_000), bench.rng().random_range(0..9_000));
            let request = Request { sink_stag, sink_to, ..request(READS, src_to, length) };
            rx.good(bench, &[request.ulpdu(msn)])?;
            assert_eq!(rx.requests.pop(), Some((request, 0)));
            rx.model.requests.clear();
            rx.free(bench, QP)?;
        }
        Ok(())
    });
}

#[test]
fn valid_read_requests_tell_the_consumer_nothing() {
    let _proof = proves_model_rows(&["RDMAP-5.2.1-05", "RDMAP-3.2-10", "RDMAP-2.4-03"]);
    with_source("rr-silent", |bench, rx| {
        rx.post_at(1, 0, 64);
        for msn in 1..=100 {
            rx.good(bench, &[request(READS, FROM, 64).ulpdu(msn)])?;
            rx.free(bench, QP)?;
        }
        assert_eq!((rx.requests.len(), rx.completions.len(), rx.memory.len()), (100, 0, 0));
        assert_eq!(rx.events.len(), 1, "the first FPDU alone");
        // no receive was taken
        rx.good(bench, &[untagged(3, 0, 1, 0, true, &[1; 8])])?;
        assert_eq!(rx.completions.len(), 1);
        Ok(())
    });
}

#[test]
fn the_source_of_a_read_of_nothing_is_not_looked_at() {
    let _proof = proves_model_rows(&["RDMAP-5.2.1-17", "RDMAP-7.2-18", "RDMAP-5.2.1-15"]);
    with_source("rr-empty", |bench, rx| {
        rx.regions.revoke(bench, READS >> 8)?;
        for (msn, (stag, to)) in [(0, u64::MAX), (READS, FROM), (u32::MAX, 0)].into_iter().enumerate() {
            rx.good(bench, &[request(stag, to, 0).ulpdu(msn as u32 + 1)])?;
        }
        assert_eq!(rx.requests.len(), 3);
        let mut bad = request(0, 0, 0).ulpdu(1);
        bad[1] = 0xC1;
        assert_eq!(rx.error(bench, &[], &[bad])?, 0x0205);
        Ok(())
    });
}

#[test]
fn a_source_that_is_not_there() {
    let _proof = proves_model_rows(&["RDMAP-7.2-12", "RDMAP-4.8-12", "RDMAP-5.2.1-06"]);
    with_source("rr-stag", |bench, rx| {
        for stag in [0, READS ^ 1, READS ^ 0x100, READS ^ 0x10_0000] {
            let fault = rx.bad(bench, &[], &[request(stag, FROM, 8).ulpdu(1)])?;
            assert_eq!((fault.error, fault.status, fault.index), (0x0100, status::ACCESS, None));
        }
        rx.regions.revoke(bench, READS >> 8)?;
        rx.model.regions.0.remove(&(READS >> 8));
        assert_eq!(rx.error(bench, &[], &[request(READS, FROM, 8).ulpdu(1)])?, 0x0100, "revoked");
        Ok(())
    });
}

#[test]
fn a_source_of_another_stream() {
    let _proof = proves_model_rows(&["RDMAP-7.2-13", "RDMAP-4.8-15"]);
    with_source("rr-stream", |bench, rx| {
        rx.region(bench, 21, Region { pd: PD + 1, key: 0, ..region() })?;
        rx.region(bench, 22, Region { only: Some(4), key: 0, ..region() })?;
        for index in [21, 22] {
            assert_eq!(rx.error(bench, &[], &[request(index << 8, FROM, 8).ulpdu(1)])?, 0x0103);
        }
        Ok(())
    });
}

#[test]
fn a_source_that_may_not_be_read() {
    let _proof = proves_model_rows(&["RDMAP-7.2-17", "RDMAP-4.8-14"]);
    with_source("rr-rights", |bench, rx| {
        let writes = Region { remote_read: false, remote_write: true, key: 0, ..region() };
        rx.region(bench, 21, writes)?;
        rx.region(bench, 22, Region { remote_write: false, local_write: true, ..writes })?;
        for index in [21, 22] {
            assert_eq!(rx.error(bench, &[], &[request(index << 8, FROM, 8).ulpdu(1)])?, 0x0102);
        }
        Ok(())
    });
}

#[test]
fn sources_outside_the_region() {
    let _proof = proves_model_rows(&["RDMAP-7.2-14", "RDMAP-7.2-15", "RDMAP-4.8-13"]);
    with_source("rr-bounds", |bench, rx| {
        for (to, length) in [(FROM - 1, 1), (FROM + SPAN, 1), (FROM + SPAN - 7, 8), (FROM, SPAN as u32 + 1)] {
            assert_eq!(rx.error(bench, &[], &[request(READS, to, length).ulpdu(1)])?, 0x0101, "{to:#x}");
        }
        rx.set_up(bench, QP, PD, 9)?;
        let all = [(FROM, SPAN as u32), (FROM + SPAN - 8, 8), (FROM, 1)];
        for (msn, (to, length)) in all.into_iter().enumerate() {
            rx.good(bench, &[request(READS, to, length).ulpdu(msn as u32 + 1)])?;
        }
        assert_eq!(rx.requests.len(), 3);
        Ok(())
    });
}

#[test]
fn source_offsets_that_wrap() {
    let _proof = proves_model_rows(&["RDMAP-7.2-16", "RDMAP-4.8-16"]);
    with_source("rr-wrap", |bench, rx| {
        rx.region(bench, 21, Region { to_base: u64::MAX - 63, length: 64, key: 0, ..region() })?;
        let top = 0xFFFF_FFFF_FFFF_FFF0;
        for length in [0x20, 0x10, u32::MAX] {
            assert_eq!(rx.error(bench, &[], &[request(21 << 8, top, length).ulpdu(1)])?, 0x0104);
        }
        rx.set_up(bench, QP, PD, 9)?;
        rx.good(bench, &[request(21 << 8, top, 15).ulpdu(1)])
    });
}

#[test]
fn a_read_request_has_28_octets() {
    let _proof = proves_model_rows(&["RDMAP-4.2-03", "RDMAP-4.4-01"]);
    with_source("rr-length", |bench, rx| {
        let header = request(READS, FROM, 8).header();
        for octets in 0..28 {
            let ulpdu = untagged(1, 1, 1, 0, true, &header[..octets]);
            assert_eq!(rx.error(bench, &[], &[ulpdu])?, 0x02FF, "{octets} octets");
        }
        for octets in [29, 30, 36, 200] {
            let mut long = header.clone();
            long.resize(octets, 0);
            assert_eq!(
                rx.error(bench, &[], &[untagged(1, 1, 1, 0, true, &long)])?,
                0x1205,
                "{octets} octets"
            );
        }
        assert_eq!(rx.error(bench, &[], &[untagged(1, 1, 1, 0, false, &header)])?, 0x02FF, "not the last");
        assert!(rx.requests.is_empty());
        Ok(())
    });
}

#[test]
fn untagged_fields_of_a_read_request() {
    let _proof = proves_model_rows(&["RDMAP-7.2-09", "RDMAP-7.2-08"]);
    with_source("rr-untagged", |bench, rx| {
        let good = request(READS, FROM, 8);
        let header = good.header();
        assert_eq!(rx.error(bench, &[], &[untagged(1, 3, 1, 0, true, &header)])?, 0x1201, "QN");
        assert_eq!(rx.error(bench, &[], &[good.ulpdu(2)])?, 0x1202, "MSN ahead");
        assert_eq!(rx.error(bench, &[], &[good.ulpdu(0)])?, 0x1203, "MSN behind");
        assert_eq!(
            rx.error(bench, &[], &[good.ulpdu(1), good.ulpdu(2), good.ulpdu(2)])?,
            0x1203,
            "MSN again"
        );
        assert_eq!(rx.error(bench, &[], &[untagged(1, 1, 1, 28, true, &header)])?, 0x1204, "MO");
        assert_eq!(rx.error(bench, &[], &[untagged(1, 1, 1, 4, true, &header[..24])])?, 0x1204, "MO");
        assert_eq!(rx.error(bench, &[], &[untagged(1, 1, 1, 4, true, &header)])?, 0x1205, "MO and length");
        let mut version = good.ulpdu(1);
        version[0] = 0x40;
        assert_eq!(rx.error(bench, &[], &[version])?, 0x1206, "DV");
        Ok(())
    });
}

#[test]
fn opcodes_and_versions_on_queue_1() {
    let _proof = proves_model_rows(&["RDMAP-7.2-10", "RDMAP-7.2-11"]);
    with_source("rr-opcode", |bench, rx| {
        let good = request(READS, FROM, 8);
        for opcode in (0..16).filter(|o| *o != 1) {
            let ulpdu = untagged(opcode, 1, 1, 0, true, &good.header());
            assert_eq!(rx.error(bench, &[64], &[ulpdu])?, 0x0206, "opcode {opcode}");
        }
        for version in [0x00, 0x80, 0xC0] {
            let mut ulpdu = good.ulpdu(1);
            ulpdu[1] = version | 1;
            assert_eq!(rx.error(bench, &[], &[ulpdu])?, 0x0205);
        }
        Ok(())
    });
}

#[test]
fn as_many_requests_as_were_agreed_and_not_one_more() {
    let _proof = proves_model_rows(&["RDMAP-6.1-11", "RDMAP-6.1-05", "RDMAP-5.2.1-03"]);
    with_source("rr-ird", |bench, rx| {
        let good = request(READS, FROM, 8);
        for ird in [1, 3, 4, 8, 200] {
            rx.ird = ird;
            let most = u32::from(ird.min(8));
            let row = rx.model.pairs[&QP].clone();
            rx.set_up(bench, QP, row.pd, row.cq)?;
            let before: Vec<_> = (1..=most + 1).map(|msn| good.ulpdu(msn)).collect();
            assert_eq!(rx.error(bench, &[], &before)?, 0x1202, "IRD {ird}");
        }
        // a Request that was answered makes room for one
        rx.ird = 2;
        rx.set_up(bench, QP, PD, 9)?;
        for msn in 1..=40 {
            if msn > 2 {
                rx.free(bench, QP)?;
            }
            rx.good(bench, &[if msn % 3 == 0 { request(0, 0, 0) } else { good }.ulpdu(msn)])?;
        }
        assert_eq!(rx.error(bench, &[], &[good.ulpdu(1), good.ulpdu(2), good.ulpdu(3)])?, 0x1202);
        rx.ird = 0;
        assert_eq!(rx.error(bench, &[], &[good.ulpdu(1)])?, 0x1202, "none at all");
        Ok(())
    });
}

#[test]
fn a_queue_pair_has_its_own_limit() {
    let _proof = proves_model_rows(&["RDMAP-8.1.2-10", "RDMAP-8.1.1-14"]);
    with_source("rr-own", |bench, rx| {
        rx.ird = 4;
        for qp in [QP, 5] {
            rx.set_up(bench, qp, PD, 9)?;
        }
        for msn in 1..=5 {
            rx.send(bench, QP, 0, &request(READS, FROM, 8).ulpdu(msn));
        }
        for msn in 1..=4 {
            rx.send(bench, 5, 0, &Request { qp: 5, ..request(READS, FROM, 8) }.ulpdu(msn));
        }
        rx.check(bench)?;
        assert_eq!((rx.faults.len(), rx.requests.len()), (1, 8));
        assert_eq!((rx.faults[0].qp, rx.faults[0].error), (QP, 0x1202));
        Ok(())
    });
}

#[test]
fn a_request_waits_for_what_was_placed_before_it() {
    let _proof = proves_model_rows(&["RDMAP-5.5-16", "RDMAP-5.5-24", "RDMAP-B-06"]);
    with_source("rr-fence", |bench, rx| {
        // not before the octets are handed over
        bench.hold_sink(rx.place, true);
        rx.send(bench, QP, 0, &tagged(0, STAG, TO, true, &[1; 700]));
        rx.send(bench, QP, 0, &request(0, 0, 0).ulpdu(1));
        rx.run(bench, 400)?;
        assert!(rx.requests.is_empty());
        // nor before they are out of the device
        rx.stuck = 1;
        bench.hold_sink(rx.place, false);
        rx.run(bench, 400)?;
        assert_eq!((rx.requests.len(), rx.placed.len()), (0, 1));
        rx.stuck = 0;
        rx.check(bench)?;
        assert_eq!(rx.requests[0].1, 1);
        // a Send behind a Request that waits is delivered
        rx.stuck = 2;
        rx.post_at(1, 0, 64);
        rx.send(bench, QP, 0, &tagged(0, STAG, TO, true, &[2; 30]));
        rx.send(bench, QP, 0, &request(READS, FROM, 64).ulpdu(2));
        rx.send(bench, QP, 0, &untagged(3, 0, 1, 0, true, &[1; 8]));
        rx.run(bench, 400)?;
        assert_eq!((rx.requests.len(), rx.completions.len()), (1, 1));
        rx.stuck = 0;
        rx.check(bench)
    });
}

#[test]
fn a_send_before_a_request_is_delivered_before_it() {
    let _proof = proves_model_rows(&["RDMAP-B-03", "RDMAP-5.2.1-10"]);
    with_source("rr-order", |bench, rx| {
        rx.post_at(1, 0, 64);
        rx.send(bench, QP, 0, &untagged(3, 0, 1, 0, true, &[1; 48]));
        for msn in 1..=8 {
            rx.send(bench, QP, 0, &request(READS, FROM + u64::from(msn), 9 - msn).ulpdu(msn));
        }
        bench.hold_channel_sink(rx.deliver, true);
        rx.run(bench, 300)?;
        assert!(rx.requests.is_empty(), "a Request passed a completion");
        bench.hold_channel_sink(rx.deliver, false);
        rx.check(bench)?;
        let lengths: Vec<_> = rx.requests.iter().map(|r| r.0.length).collect();
        assert_eq!(lengths, [8, 7, 6, 5, 4, 3, 2, 1]);
        Ok(())
    });
}

#[test]
fn the_first_fault_is_the_one_that_is_told() {
    let _proof = proves_model("RDMAP-7.1-06");
    with_source("rr-first", |bench, rx| {
        rx.post_at(1, 0, 64);
        rx.send(bench, QP, 0, &request(READS ^ 1, FROM, 8).ulpdu(1));
        rx.send(bench, QP, 0, &untagged(4, 0, 1, 0, true, &[1; 8]));
        rx.check(bench)?;
        assert_eq!(rx.faults.iter().map(|f| f.error).collect::<Vec<_>>(), [0x0100]);
        Ok(())
    });
}
