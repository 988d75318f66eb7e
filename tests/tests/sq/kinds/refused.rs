// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests and commands that are not possible.
use super::*;

#[test]
fn a_source_revoked_inside_a_response() {
    case("withdrawn", |bench, rig| {
        rig.set_up(bench, 2, 4, 1_454)?;
        let payload = octets(bench, 40 * 1_440);
        let request = rig.ask_for(bench, 2, payload);
        rig.run(bench, 100_000, |_, rig| rig.order.len() == 7)?;
        rig.revoke(request.source.0);
        rig.run(bench, 10_000, |_, rig| !rig.faults.is_empty())?;
        // those that were granted leave
        rig.run(bench, 5_000, |_, rig| rig.qps[2].ulpdus() == rig.order.len())?;
        rig.quiet(bench)?;
        let fault = Fault { qp: 2, error: 0x0100, status: ACCESS_ERR, wr_id: None, is_local: false };
        assert_eq!(rig.faults, [fault]);
        let sent = rig.qps[2].ulpdus();
        assert!((7..=8).contains(&sent) && rig.unsent.is_empty());
        // 14 octets of each ULPDU are its header; MULPDU is 1,454
        assert_eq!(rig.quotes, [Some(request.quoted(1, 1_440 * sent as u32))], "it asks for the rest");
        Ok(())
    });
}

#[test]
fn a_source_that_cannot_be_read() {
    case("unreadable", |bench, rig| {
        rig.set_up(bench, 2, 4, 1_454)?;
        let payload = octets(bench, 100);
        rig.ask_for(bench, 2, payload);
        rig.finish(bench)?;
        // the region is there, its memory is not
        rig.claim_as(2, 0x5500, 0x9_0000_0000, 4_096);
        let request = Request { sink: (1, 2), length: 3_000, source: (0x5500, 0x9_0000_0000) };
        rig.request(bench, 2, &request);
        rig.run(bench, 10_000, |_, rig| !rig.faults.is_empty())?;
        rig.quiet(bench)?;
        assert_eq!(
            rig.faults,
            [Fault { qp: 2, error: 0, status: GENERAL_ERR, wr_id: None, is_local: false }]
        );
        assert_eq!(rig.quotes, [None]);
        assert!(!bench.host(rig.payload).take_refused().is_empty() && !rig.unsent.is_empty());
        rig.unsent.clear();
        Ok(())
    });
}

#[test]
fn a_row_with_more_reads_than_there_are_slots_is_not_ready() {
    case("ird", |bench, rig| {
        rig.ird = 9;
        rig.set_up(bench, 2, 4, 1_454)?;
        rig.doorbell(bench, 2, 1);
        rig.quiet(bench)?;
        assert_eq!((rig.bad_doorbells, rig.faults.len()), (1, 0));
        Ok(())
    });
}

/// A work request that must fail, on a queue pair of its own.
fn fails(bench: &mut Bench, rig: &mut Rig, slot: &[u8], status: u64) -> Result<(), String> {
    rig.write_slot(bench, 8, slot);
    rig.ring(bench, 8);
    rig.run(bench, 10_000, |_, rig| !rig.faults.is_empty())?;
    rig.quiet(bench)?;
    assert_eq!(rig.faults, [Fault { qp: 8, error: 0, status, wr_id: Some(NAME), is_local: true }]);
    assert_eq!(rig.qps[8].ulpdus(), 0);
    rig.faults.clear();
    rig.set_up(bench, 8, 4, 1_454)
}

#[test]
fn reads_that_are_not_possible() {
    case("bad-reads", |bench, rig| {
        rig.set_up(bench, 8, 4, 1_454)?;
        let good = Post { wr_id: NAME, ..read(bench, rig, 8, 100) };
        let two = Post { sges: vec![good.sges[0]; 2], ..good.clone() };
        fails(bench, rig, &two.octets(), OP_ERR)?;
        let mut none = good.octets();
        none[2] = 0;
        fails(bench, rig, &none, OP_ERR)?;
        let mut long = good.octets();
        long[7] += 1;
        fails(bench, rig, &long, LEN_ERR)?;
        let mut other = good.clone();
        other.sges[0].key ^= 1;
        fails(bench, rig, &other.octets(), PROT_ERR)?;
        rig.set_access(good.sges[0].key, Access { local_write: false, ..Access::default() });
        fails(bench, rig, &good.octets(), PROT_ERR)?;
        rig.qps[8].ord = 0;
        rig.set_up(bench, 8, 4, 1_454)?;
        rig.set_access(good.sges[0].key, Access::default());
        fails(bench, rig, &good.octets(), OP_ERR)
    });
}

#[test]
fn raw_octets_that_do_not_fit_a_segment() {
    case("bad-raw", |bench, rig| {
        rig.set_up(bench, 8, 4, 1_454)?;
        for length in [EMSS + 1, 1_025, 5_000] {
            let raw = message(bench, RAW, length);
            let post = Post { wr_id: NAME, ..rig.gathered(bench, 8, raw, 1) };
            fails(bench, rig, &post.octets(), LEN_ERR)?;
        }
        let nothing = Message { opcode: RAW, ..Message::default() };
        let post = Post { wr_id: NAME, inline: true, message: nothing, ..Post::default() };
        fails(bench, rig, &post.octets(), LEN_ERR)
    });
}

#[test]
fn commands_that_are_no_terminate() {
    case("bad-control", |bench, rig| {
        for (slot, status) in [
            ([3, 0x40, 0, 0, 0, 0, 0, 4], OP_ERR),
            ([7, 0, 0, 0, 0, 0, 0, 4], OP_ERR),
            ([7, 0x40, 0, 0, 0, 0, 0, 97], LEN_ERR),
        ] {
            rig.faults.clear();
            rig.set_up(bench, 8, 4, 1_454)?;
            let mut slot = slot.to_vec();
            slot.resize(128, 0);
            rig.command(bench, 8, &slot);
            rig.run(bench, 10_000, |_, rig| !rig.faults.is_empty())?;
            rig.quiet(bench)?;
            assert_eq!(rig.faults, [Fault { qp: 8, error: 0, status, wr_id: None, is_local: true }]);
            assert_eq!(rig.qps[8].ulpdus(), 0);
        }
        Ok(())
    });
}
