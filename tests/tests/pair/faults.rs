// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices, two connections: one does what it must not, the other one does not notice.
use ferrowarp_abi::codec::{Doorbell, MrRow, SendWqe};
use ferrowarp_abi::consts::{admin_opcode, doorbell_kind, event_kind, wc_status};
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use ferrowarp_sim::link::{Fate, Sent};
use ferrowarp_sim::{run_pair_on, Pair, Side};
use ferrowarp_tests::device::{
    alone, library, link, rewrite, same, Blame, RecvWork, Scene, Shape, BAD, QPS, TO_BASE,
};
use ferrowarp_tests::proves::{proves, proves_rows};
use std::sync::Mutex;

/// Octets of a bad message: one segment, not a multiple of eight.
const OCTETS: usize = 203;

/// Runs a case; the cycles that the good connection took.
fn run(
    name: &str,
    hook: impl Fn() -> Box<dyn FnMut(&Sent<'_>) -> Fate + Send>,
    deed: impl Fn(&mut Scene, &mut Pair) -> Result<(), String>,
    blame: Option<Blame>,
) -> u64 {
    let library = library().expect("the device's model");
    let cycles = Mutex::new(0);
    run_pair_on(name, &library, link(), 0, |pair| {
        let mut scene = Scene::new(pair, hook())?;
        scene.run(pair, &deed)?;
        scene.check(pair, blame)?;
        *cycles.lock().map_err(|e| e.to_string())? = scene.cycles;
        Ok(())
    });
    let cycles = cycles.into_inner();
    cycles.expect("the case did not panic")
}

/// Nothing happens to the frames.
fn deliver() -> Box<dyn FnMut(&Sent<'_>) -> Fate + Send> {
    Box::new(|_| Fate::Deliver)
}

/// Runs a case and compares the good connection's time with that of a run without a bad deed.
fn case(
    name: &str,
    hook: impl Fn() -> Box<dyn FnMut(&Sent<'_>) -> Fate + Send>,
    deed: impl Fn(&mut Scene, &mut Pair) -> Result<(), String>,
    blame: Option<Blame>,
) {
    let alone = alone(Shape::default());
    let cycles = run(name, hook, deed, blame);
    // three in a hundred: the wire and the memories carry the few frames of the bad deed too
    assert!(100 * cycles <= 103 * alone, "the good connection took {cycles} cycles, alone {alone}");
}

/// What B must say of a peer's fault.
fn remote(status: u8, error: u16, event: u8) -> Option<Blame> {
    Some(Blame::remote(1, status, error, event))
}

/// B refuses an RDMA Write with this error.
fn write_refused(name: &str, error: u16, octets: usize, place: impl Fn(&Scene) -> (STag, u64)) {
    let deed = |scene: &mut Scene, pair: &mut Pair| {
        let (stag, to) = place(scene);
        // the second one comes to a queue pair that has stopped
        scene.write(pair, stag, to, octets);
        scene.write(pair, stag, to, octets);
        Ok(())
    };
    case(name, deliver, deed, remote(wc_status::LOC_ACCESS_ERR, error, event_kind::QP_ACCESS_ERROR));
}

#[test]
fn an_unknown_stag() {
    let _proof = proves_rows(&["DDP-7.2-04", "DDP-4.2-10"]);
    write_refused("unknown_stag", 0x1100, OCTETS, |scene| {
        (STag(scene.traffic.hosts[1].stag().0 ^ 0x10_00), TO_BASE)
    });
}

#[test]
fn a_refused_segment_is_kept_as_it_came() {
    let library = library().expect("the device's model");
    run_pair_on("kept", &library, link(), 0, |pair| {
        let mut scene = Scene::new(pair, deliver())?;
        let (stag, to) = (scene.traffic.hosts[1].stag().0 ^ 1, TO_BASE + 5);
        scene.run(pair, |scene, pair| {
            scene.write(pair, STag(stag), to, OCTETS);
            Ok(())
        })?;
        let (row, octets) = scene.captured(pair, 1, QPS[BAD])?;
        same("B", "has_segment and length", (row.has_segment, row.length), (true, OCTETS as u16 + 14))?;
        let header = [&[0xC1, 0x40][..], &stag.to_be_bytes(), &to.to_be_bytes()].concat();
        same("B", "the DDP header", &octets[..14], &header[..])?;
        let (none, zeros) = scene.captured(pair, 1, QPS[1 - BAD])?;
        same("B", "the other queue pair's", (none.is_captured, zeros), (false, vec![0; octets.len()]))
    });
}

#[test]
fn a_wrong_key() {
    write_refused("wrong_key", 0x1100, OCTETS, |scene| (STag(scene.traffic.hosts[1].stag().0 ^ 1), TO_BASE));
}

#[test]
fn before_the_region() {
    write_refused("before", 0x1101, OCTETS, |scene| (scene.traffic.hosts[1].stag(), TO_BASE - 1));
}

#[test]
fn across_the_end_of_the_region() {
    let _proof = proves("DDP-7.2-05");
    let place = |scene: &Scene| {
        let host = &scene.traffic.hosts[1];
        (host.stag(), TO_BASE + (host.expected.len() - OCTETS + 1) as u64)
    };
    write_refused("across_end", 0x1101, OCTETS, place);
}

#[test]
fn an_offset_that_wraps() {
    let _proof = proves("DDP-7.1-20");
    let top = 0xFFFF_FFFF_FFFF_FFF0;
    write_refused("wrap", 0x1103, 32, |scene| (scene.traffic.hosts[1].stag(), top));
}

#[test]
fn a_region_of_another_protection_domain() {
    let _proof = proves("DDP-8.2-02");
    let deed = |scene: &mut Scene, pair: &mut Pair| {
        let host = &mut scene.traffic.hosts[1];
        let row = MrRow {
            base: host.base,
            length: 65_536,
            to_base: TaggedOffset(0),
            pd: 8,
            local_write: true,
            remote_write: true,
            is_valid: true,
            key: 0x77,
            ..Default::default()
        };
        let row = row.octets().map_err(|e| e.to_string())?;
        host.nic.command(&mut pair.b, admin_opcode::MR_WRITE, 20, &row);
        scene.commanded(pair)?;
        scene.write(pair, STag(20 << 8 | 0x77), 64, OCTETS);
        Ok(())
    };
    let blame = remote(wc_status::LOC_ACCESS_ERR, 0x1102, event_kind::QP_ACCESS_ERROR);
    case("wrong_pd", deliver, deed, blame);
}

#[test]
fn a_send_without_a_receive() {
    let _proof = proves_rows(&["DDP-7.1-03", "DDP-7.2-10", "DDP-7.1-14"]);
    let deed = |scene: &mut Scene, pair: &mut Pair| {
        scene.send(pair, OCTETS);
        scene.send(pair, OCTETS);
        Ok(())
    };
    case("no_receive", deliver, deed, remote(wc_status::FATAL_ERR, 0x1202, event_kind::QP_FATAL));
}

#[test]
fn a_send_longer_than_its_receive() {
    let _proof = proves("DDP-7.2-13");
    let deed = |scene: &mut Scene, pair: &mut Pair| {
        let host = &mut scene.traffic.hosts[1];
        let at = host.give(OCTETS, 16);
        let scatters = vec![host.sge(at, OCTETS - 1)];
        host.qps[BAD].post_recv(&host.nic, &mut pair.b, &RecvWork { wr_id: 77, scatters });
        host.qps[BAD].ring(&host.nic, &mut pair.b, false, true);
        scene.send(pair, OCTETS);
        scene.send(pair, OCTETS);
        Ok(())
    };
    let blame = remote(wc_status::LOC_LEN_ERR, 0x1205, event_kind::QP_FATAL);
    case("too_long", deliver, deed, blame.map(|b| Blame { wr_id: Some(77), ..b }));
}

/// What A must say of a work request of its own.
fn local(status: u8, wr_id: Option<u64>) -> Option<Blame> {
    let event = event_kind::QP_REQUEST_ERROR;
    Some(Blame { host: 0, status, error: 0, wr_id, is_local: true, is_recv: false, event, overrun: None })
}

/// An RDMA Write that nothing is wrong with, to the end of B's region.
fn good_write(scene: &mut Scene, pair: &mut Pair) {
    let host = &scene.traffic.hosts[1];
    let (stag, to) = (host.stag(), TO_BASE + (host.expected.len() - OCTETS) as u64);
    scene.write(pair, stag, to, OCTETS);
}

/// A refuses a work request with this status, and does not begin the one behind it.
fn request_refused(name: &str, status: u8, head: SendWqe, tail: impl Fn(&mut Scene) -> Vec<u8>) {
    let deed = |scene: &mut Scene, pair: &mut Pair| {
        let host = &scene.traffic.hosts[1];
        let (remote_stag, remote_to) = (host.stag(), TaggedOffset(TO_BASE));
        let tail = tail(scene);
        scene.slot(pair, 555, SendWqe { remote_stag, remote_to, ..head }, &tail)?;
        good_write(scene, pair);
        Ok(())
    };
    case(name, deliver, deed, local(status, Some(555)));
}

/// So many gathers of 16 octets, as they stand in a slot.
fn gathers(scene: &mut Scene, count: usize) -> Vec<u8> {
    (0..count).flat_map(|_| scene.gather(16).octets().expect("fields fit")).collect()
}

#[test]
fn a_request_with_an_opcode_that_is_none() {
    let head = SendWqe { opcode: 9, num_sge: 1, length: ByteCount(16), ..Default::default() };
    request_refused("opcode", wc_status::LOC_QP_OP_ERR, head, |scene| gathers(scene, 1));
}

#[test]
fn a_request_with_five_gathers() {
    let head = SendWqe { num_sge: 5, length: ByteCount(80), ..Default::default() };
    request_refused("five_gathers", wc_status::LOC_QP_OP_ERR, head, |scene| gathers(scene, 5));
}

#[test]
fn a_request_with_97_octets_inline() {
    let head = SendWqe { is_inline: true, length: ByteCount(97), ..Default::default() };
    request_refused("inline_97", wc_status::LOC_LEN_ERR, head, |_| vec![0xEE; 96]);
}

#[test]
fn a_gather_across_the_end_of_its_region() {
    let head = SendWqe { num_sge: 1, length: ByteCount(16), ..Default::default() };
    let tail = |scene: &mut Scene| {
        let host = &scene.traffic.hosts[0];
        host.sge(host.expected.len() - 15, 16).octets().expect("fields fit").to_vec()
    };
    request_refused("gather_outside", wc_status::LOC_PROT_ERR, head, tail);
}

#[test]
fn a_producer_index_that_the_send_queue_cannot_have() {
    let deed = |scene: &mut Scene, pair: &mut Pair| {
        let bell = Doorbell { kind: doorbell_kind::SQ, number: QPS[BAD], value: 1_000, ..Default::default() };
        scene.traffic.hosts[0].nic.ring(&mut pair.a, bell);
        Ok(())
    };
    case("sq_index", deliver, deed, local(wc_status::LOC_QP_OP_ERR, None));
}

#[test]
fn a_producer_index_that_the_receive_queue_cannot_have() {
    let deed = |scene: &mut Scene, pair: &mut Pair| {
        let bell = Doorbell { kind: doorbell_kind::RQ, number: QPS[BAD], value: 1_000, ..Default::default() };
        scene.traffic.hosts[0].nic.ring(&mut pair.a, bell);
        Ok(())
    };
    case("rq_index", deliver, deed, local(wc_status::LOC_QP_OP_ERR, None));
}

#[test]
fn doorbells_that_name_nothing() {
    let deed = |scene: &mut Scene, pair: &mut Pair| {
        let mut told = 0;
        for (kind, number) in [(doorbell_kind::SQ, 16), (doorbell_kind::RQ, 0x7FFF), (99, 3)] {
            let bell = Doorbell { kind, number, value: 1, ..Default::default() };
            scene.traffic.hosts[0].nic.ring(&mut pair.a, bell);
            for _ in 0..10 {
                scene.traffic.step(pair);
                told += pair.a.get("bad_doorbell");
            }
        }
        // a queue pair that was never set up
        let bell = Doorbell { kind: doorbell_kind::SQ, number: 9, value: 1, ..Default::default() };
        scene.traffic.hosts[0].nic.ring(&mut pair.a, bell);
        match told {
            3 => Ok(()),
            told => Err(format!("3 doorbells name nothing, {told} were told")),
        }
    };
    case("no_such_doorbell", deliver, deed, None);
}

/// What A sends on the bad connection, but for its first Send and acknowledgements, is replaced by
/// `change`.
fn from_a(
    mut change: impl FnMut(&[u8]) -> Fate + Send + 'static,
) -> Box<dyn FnMut(&Sent<'_>) -> Fate + Send> {
    Box::new(move |sent| match sent.from == Side::A && sent.data.len() > OCTETS {
        true => change(sent.data),
        false => Fate::Deliver,
    })
}

#[test]
fn a_payload_bit_that_only_the_mpa_crc_knows() {
    // an octet of the payload: 14 of Ethernet, 20 of IPv4
    let flip = |data: &[u8]| {
        let at = 14 + 20 + 86;
        Fate::Replace(rewrite(data, at, u16::from_be_bytes([data[at], data[at + 1]]) ^ 0x0100))
    };
    let deed = |scene: &mut Scene, pair: &mut Pair| {
        good_write(scene, pair);
        good_write(scene, pair);
        Ok(())
    };
    let blame = remote(wc_status::FATAL_ERR, 0x2002, event_kind::QP_FATAL);
    case("mpa_crc", || from_a(flip), deed, blame);
}

#[test]
fn a_frame_with_a_bad_fcs() {
    let deed = |scene: &mut Scene, pair: &mut Pair| {
        good_write(scene, pair);
        Ok(())
    };
    // nothing is sent again yet: the connection waits, and nothing is wrong with it
    case("fcs", || from_a(|_| Fate::Corrupt(1_000)), deed, None);
}
