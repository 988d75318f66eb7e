//! Two devices, two connections: one does what it must not, the other one does not notice.
use ferrowarp_abi::codec::MrRow;
use ferrowarp_abi::consts::{admin_opcode, event_kind, wc_status};
use ferrowarp_abi::types::{STag, TaggedOffset};
use ferrowarp_sim::link::{Fate, Sent};
use ferrowarp_sim::{run_pair_on, Pair};
use ferrowarp_tests::device::{library, link, Blame, RecvWork, Scene, BAD, TO_BASE};
use ferrowarp_tests::proves::{proves, proves_rows};
use std::sync::{Mutex, OnceLock};

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
    static ALONE: OnceLock<u64> = OnceLock::new();
    let alone = *ALONE.get_or_init(|| run("alone", deliver, |_, _| Ok(()), None));
    let cycles = run(name, hook, deed, blame);
    // three in a hundred: the frame of the bad deed itself, and its reads and writes of host memory
    assert!(100 * cycles <= 103 * alone, "the good connection took {cycles} cycles, alone {alone}");
}

/// What B must say of a peer's fault.
fn remote(status: u8, error: u16, event: u8) -> Option<Blame> {
    Some(Blame { host: 1, status, error, wr_id: None, is_local: false, is_recv: true, event })
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
