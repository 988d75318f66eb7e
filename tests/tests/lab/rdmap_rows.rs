// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of RFC 5040 sections 5, 6 and 8 that take the whole device to show: a scripted peer reads
//! and writes where it may and where it may not; driver, firmware and Verilog.
use ferrowarp::{Access, MemoryRegion, Remote, Status};
use ferrowarp_abi::codec::{AdminAnswer, AdminCommand, MrRow};
use ferrowarp_abi::consts::{admin_opcode, admin_row};
use ferrowarp_abi::types::{STag, TaggedOffset};
use ferrowarp_tests::driver::lab::{Lab, PATIENCE};
use ferrowarp_tests::driver::segments::{read_request, tagged, untagged, TAGGED};
use ferrowarp_tests::driver::talk::{options, Talk, REGION};
use ferrowarp_tests::fw::mpa::Frame;
use ferrowarp_tests::mpa_model::hex;
use ferrowarp_tests::proves::{proves, proves_rows};
use std::ptr::NonNull;

/// A buffer of the peer.
const SINK: (u32, u64) = (0x0BAD_CAFE, 0x7_0000_0100);
/// An STag that nobody has.
const NOBODYS: u32 = 0x00C0_FF33;
/// Reads of the peer that the device holds, and the words of a Reply that uses all of them.
const READS: u32 = 8;
const DEPTHS: u32 = READS << 16 | READS;

fn talk(lab: &mut Lab, port: u16) -> Talk {
    let options = options().ird(READS as u16).ord(READS as u16);
    Talk::initiate(lab, port, options, &Frame::reply().enhanced(DEPTHS)).0
}

/// Where a region is, as the peer names it.
fn named(region: &MemoryRegion) -> (u32, u64) {
    (region.stag().0, region.to_base().0)
}

/// The peer writes `octets` there.
fn write(to: (u32, u64), octets: &[u8]) -> Vec<u8> {
    tagged(TAGGED, 0x40, to.0, to.1, octets)
}

/// What a peer says is taken: an answer comes if it is a Read Request; the answer's payload.
fn taken(lab: &mut Lab, says: &[u8]) -> Option<Vec<u8>> {
    lab.peer.inbox.clear();
    lab.ulpdu(says);
    let end = lab.peer.snd_nxt;
    lab.until("an ACK", |lab| lab.peer.log.iter().any(|seg| seg.ack == Some(end)));
    // what is refused would be seen now
    lab.sync();
    if says[1] != 0x41 {
        assert!(lab.peer.inbox.is_empty() && !lab.peer.fin, "{:02x?}", lab.peer.inbox);
        return None;
    }
    lab.until("an answer", |lab| !lab.peer.inbox.is_empty());
    let answer = first(lab);
    assert_eq!(answer[..2], [TAGGED, 0x42], "{answer:02x?}");
    assert_eq!(answer[2..14], says[18..30], "its sink");
    Some(answer[14..].to_vec())
}

/// The ULPDU of the first FPDU in the inbox.
fn first(lab: &Lab) -> Vec<u8> {
    let inbox = &lab.peer.inbox;
    inbox[2..][..usize::from(inbox[0]) << 8 | usize::from(inbox[1])].to_vec()
}

/// What a peer says is refused: the first word of the Terminate. The connection is over.
fn refused(lab: &mut Lab, ours: Talk, says: &[u8]) -> Vec<u8> {
    lab.peer.inbox.clear();
    lab.closes = true;
    lab.ulpdu(says);
    lab.until("a FIN", |lab| lab.peer.fin);
    lab.until("the end", |_| ours.connection.ended().is_some());
    let told = first(lab);
    assert_eq!(told[..2], [0x41, 0x47], "a Terminate and nothing else: {told:02x?}");
    told[18..22].to_vec()
}

#[test]
fn from_the_first_fpdu_to_the_fin_there_is_nothing_else() {
    let _proof = proves_rows(&["RDMAP-6.1-02", "RDMAP-3.1-01", "RDMAP-4.1-02"]);
    let mut lab = Lab::new("only-rdmap");
    let ours = talk(&mut lab, 22_000);
    let part = |octets| ours.region.segment(0, octets).expect("a segment");
    let theirs = Remote { stag: STag(0x77), to: TaggedOffset(0x1000) };
    ours.qp().post_recv(7, &[part(64)]).expect("room");
    let kinds = [(false, None), (true, None), (false, Some(STag(5))), (true, Some(STag(5)))];
    for (solicited, invalidate) in kinds {
        let segments = [part(2_000)];
        let send = ours.qp().send(1, &segments).invalidate(invalidate);
        if solicited { send.solicited() } else { send }.post().expect("room");
        assert_eq!(ours.next(&mut lab).status, Status::Success);
    }
    ours.qp().write(2, &[part(5_000)], theirs).post().expect("room");
    assert_eq!(ours.next(&mut lab).status, Status::Success);
    let before = lab.ulpdus(true).len();
    lab.ulpdu(&read_request(1, SINK, 3_000, named(&ours.region)));
    ours.qp().read(3, part(8), theirs).post().expect("room");
    // three segments of the answer
    lab.until("an answer and a question", |lab| lab.whole_ulpdus(true).0.len() >= before + 4);
    // 43 is a Send of version 1, and is taken as one
    lab.ulpdu(&untagged(0x43, 0, 0, 1, &[1]));
    assert_eq!(ours.next(&mut lab).wr_id, 7);
    let app = lab.app(move |_| ours.connection.disconnect(PATIENCE));
    lab.closes = true;
    drop(lab.finish("the end", app));
    let ulpdus = lab.ulpdus(true);
    assert!(ulpdus.iter().all(|ulpdu| ulpdu[0] & 0x3F == 1), "DDP of version 1, no reserved bit");
    assert!(ulpdus.iter().all(|ulpdu| ulpdu[1] & 0xF0 == 0x40), "RDMAP of version 1, no reserved bit");
    let mut kinds: Vec<_> = ulpdus.iter().map(|ulpdu| ulpdu[1]).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, [0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46], "all kinds");
    let said = lab.peer.log.iter().map(|seg| seg.data.len()).sum::<usize>();
    assert!(said >= lab.peer.inbox.len() && lab.peer.fin);
}

/// Tagged offset of an answer, and its payload.
type Answer = (u64, Vec<u8>);

/// As many as were agreed on, of 0 to 2,000 octets, while no answer may leave.
#[test]
fn read_requests_up_to_the_depth_wait_and_are_answered_in_order() {
    let _proof = proves_rows(&["RDMAP-5.2.2-04", "RDMAP-5.5-27"]);
    let mut lab = Lab::new("inbound-reads");
    let ours = talk(&mut lab, 22_000);
    let octets: Vec<u8> = (0..REGION).map(|n| (n % 253) as u8).collect();
    ours.region.memory().write(0, &octets).expect("room");
    let (stag, to) = named(&ours.region);
    let (mut expected, mut got): (Vec<Answer>, Vec<Answer>) = (vec![], vec![]);
    for round in 0..2 {
        lab.peer.inbox.clear();
        lab.room(Some(0));
        lab.sync();
        for n in 0..READS {
            let (at, length) = (n as usize * 97, [2_000, 1, 0, 1_441, 64][(n + round) as usize % 5]);
            let sink = (SINK.0, u64::from(round * READS + n) << 32);
            expected.push((sink.1, octets[at..at + length].to_vec()));
            let source = (stag, to + at as u64);
            lab.ulpdu(&read_request(round * READS + n + 1, sink, length as u32, source));
        }
        let end = lab.peer.snd_nxt;
        lab.until("an ACK of them", |lab| lab.peer.log.iter().any(|seg| seg.ack == Some(end)));
        assert!(lab.peer.inbox.is_empty() && !ours.connection.is_closed());
        lab.room(None);
        let last = SINK.0.to_be_bytes();
        let whole: usize =
            expected[(round * READS) as usize..].iter().map(|(_, payload)| payload.len()).sum();
        lab.until("the answers", |lab| {
            let answers = lab.whole_ulpdus(true).0;
            let octets: usize = answers.iter().map(|ulpdu| ulpdu.len() - 14).sum();
            octets == whole && answers.iter().filter(|ulpdu| ulpdu[0] & 0x40 != 0).count() == READS as usize
        });
        for ulpdu in lab.whole_ulpdus(true).0 {
            assert_eq!((ulpdu[1], &ulpdu[2..6]), (0x42, &last[..]), "{ulpdu:02x?}");
            let to = u64::from_be_bytes(ulpdu[6..14].try_into().expect("eight octets"));
            match got.last_mut().filter(|(at, octets)| to == at + octets.len() as u64 && !octets.is_empty()) {
                Some((_, octets)) => octets.extend(&ulpdu[14..]),
                None => got.push((to, ulpdu[14..].to_vec())),
            }
        }
    }
    assert!(got == expected, "each is answered, in their order");
    ours.works(&mut lab);
}

/// Another place than this one.
type Elsewhere = fn((u32, u64)) -> (u32, u64);

#[test]
fn a_read_request_is_checked_before_memory_is_read() {
    let _proof = proves_rows(&["RDMAP-5.2.1-16", "RDMAP-5.2.1-12"]);
    let mut lab = Lab::new("read-source");
    let most = REGION as u64;
    let wrong: [(Elsewhere, u32, &str); 4] = [
        (|(_, to)| (NOBODYS, to), 1, "0100e000"),
        (|(stag, to)| (stag, to - 1), 1, "0101e000"),
        (|(stag, to)| (stag, to + REGION as u64), 1, "0101e000"),
        // it would go on in whatever lies behind
        (|(stag, to)| (stag, to + REGION as u64 - 4), 8, "0101e000"),
    ];
    for (n, (source, octets, word)) in wrong.into_iter().enumerate() {
        let ours = talk(&mut lab, 22_000 + n as u16);
        let (stag, to) = named(&ours.region);
        assert_eq!(taken(&mut lab, &read_request(1, SINK, 8, (stag, to + most - 8))), Some(vec![0; 8]));
        let request = read_request(2, SINK, octets, source((stag, to)));
        assert_eq!(refused(&mut lab, ours, &request), hex(word), "{n}");
    }
}

/// Memory that the application registers where it is; it is never freed, since the device may write
/// it at any time.
#[derive(Copy, Clone)]
struct Leaked(NonNull<u8>, usize);

// SAFETY: it is read octet by octet, volatile, and written by the device alone.
unsafe impl Send for Leaked {}

impl Leaked {
    fn new(octets: usize, octet: u8) -> Self {
        let memory = Box::leak(vec![octet; octets].into_boxed_slice());
        Self(NonNull::from(memory).cast(), octets)
    }

    fn register(self, lab: &Lab, at: usize, octets: usize) -> MemoryRegion {
        assert!(at + octets <= self.1);
        // SAFETY: it lies within the memory, which is never freed, and to which there is no
        // reference.
        unsafe { lab.pd.register_foreign(self.0.add(at), octets, Access::ALL) }.expect("a region")
    }

    fn look(self) -> Vec<u8> {
        // SAFETY: it lies within the memory, which is never freed.
        (0..self.1).map(|at| unsafe { self.0.add(at).read_volatile() }).collect()
    }
}

/// A region of the application's that begins and ends anywhere.
#[test]
fn what_lies_beside_a_region_is_never_touched() {
    let _proof = proves_rows(&["RDMAP-8.1.1-04", "RDMAP-8.1.1-05"]);
    let mut lab = Lab::new("guards");
    let (before, octets) = (37, 1_001);
    let memory = Leaked::new(3 * 4_096, 0x77);
    let register = |lab: &Lab| memory.register(lab, before, octets);
    let (end, mut port) = (octets as u64, 22_000);
    let mut next = |lab: &mut Lab| {
        port += 1;
        talk(lab, port)
    };
    for at in [u64::MAX, end] {
        let (region, ours) = (register(&lab), next(&mut lab));
        let (stag, to) = named(&region);
        // the last and the first octet that may be touched
        let good = if at == end { end - 1 } else { 0 };
        taken(&mut lab, &write((stag, to + good), &[0xEE]));
        assert_eq!(taken(&mut lab, &read_request(1, SINK, 1, (stag, to + good))), Some(vec![0xEE]));
        assert_eq!(refused(&mut lab, ours, &write((stag, to.wrapping_add(at)), &[0xBB])), hex("1101c000"));
        let ours = next(&mut lab);
        let beside = read_request(1, SINK, 1, (stag, to.wrapping_add(at)));
        assert_eq!(refused(&mut lab, ours, &beside), hex("0101e000"));
        // with its region it goes
        let ours = next(&mut lab);
        drop(region);
        assert_eq!(refused(&mut lab, ours, &write((stag, to), &[0xBB])), hex("1100c000"));
    }
    let now = memory.look().into_iter().enumerate();
    let changed: Vec<_> = now.filter(|(_, octet)| *octet != 0x77).collect();
    assert_eq!(changed, [(before, 0xEE), (before + octets - 1, 0xEE)]);
}

#[test]
fn a_peer_has_the_rights_that_it_was_given() {
    let _proof = proves("RDMAP-8.1.1-06");
    let mut lab = Lab::new("rights");
    let mut port = 22_000;
    for (remote_read, remote_write) in [(true, false), (false, true), (true, true)] {
        for reads in [true, false] {
            port += 1;
            let ours = talk(&mut lab, port);
            let access = Access { local_write: true, remote_read, remote_write };
            let region = lab.pd.allocate(64, access).expect("a region");
            let says = match reads {
                true => read_request(1, SINK, 16, named(&region)),
                false => write(named(&region), &[0xEE; 16]),
            };
            match (reads, if reads { remote_read } else { remote_write }) {
                (_, true) => drop(taken(&mut lab, &says)),
                (true, false) => assert_eq!(refused(&mut lab, ours, &says), hex("0102e000")),
                // DDP has no number for it
                (false, false) => assert_eq!(refused(&mut lab, ours, &says), hex("1100c000")),
            }
            let written = region.memory().copy(0, 16).expect("octets") == [0xEE; 16];
            assert_eq!(written, !reads && remote_write);
        }
    }
}

/// The driver binds no region of an application to a queue pair, so the test does: as the driver
/// does with its own.
fn bind(lab: &Lab, region: &MemoryRegion, qp: u16) {
    let index = (region.stag().0 >> 8) as u16;
    let ask = |opcode, octets: &[u8]| {
        let head = AdminCommand { opcode, row: admin_row::MR, index }.octets().expect("a command");
        let answer = lab.backend.ask([&head[..], octets].concat()).wait(PATIENCE).expect("an answer");
        assert_eq!(answer[0], 0, "done");
        answer[AdminAnswer::LEN..].to_vec()
    };
    let row = MrRow::parse(&ask(admin_opcode::READ_ROW, &[])).expect("a row");
    let row = MrRow { bound_to_qp: true, qp, ..row };
    ask(admin_opcode::MR_WRITE, &row.octets().expect("a row"));
}

#[test]
fn a_region_that_is_bound_to_a_stream_is_no_other_streams() {
    let _proof = proves("RDMAP-8.1.1-03");
    let mut lab = Lab::new("bound");
    let first = talk(&mut lab, 22_000);
    let its = lab.peer.clone();
    let region = lab.pd.allocate(64, Access::ALL).expect("a region");
    bind(&lab, &region, first.qp().number());
    let reads = |msn| read_request(msn, SINK, 8, named(&region));
    // of the same protection domain
    for (port, says, word) in
        [(22_001, write(named(&region), &[0xBB; 8]), "1102c000"), (22_002, reads(1), "0103e000")]
    {
        let ours = talk(&mut lab, port);
        assert_eq!(refused(&mut lab, ours, &says), hex(word));
    }
    lab.peer = its;
    taken(&mut lab, &write(named(&region), &[0xEE; 8]));
    assert_eq!(taken(&mut lab, &reads(1)), Some(vec![0xEE; 8]));
    assert!(!first.connection.is_closed());
}

/// The peer writes without a pause while the application takes the region away.
#[test]
fn behind_a_revocation_no_octet_changes() {
    let _proof = proves_rows(&["RDMAP-8.1.1-07", "DDP-8.3.1-07"]);
    let mut lab = Lab::new("revoked-flood");
    let memory = Leaked::new(1_024, 0);
    for port in 22_000..22_004 {
        let region = memory.register(&lab, 0, 1_024);
        let ours = talk(&mut lab, port);
        let place = named(&region);
        lab.closes = true;
        let mut revokes = None;
        let mut region = Some(region);
        for n in 0..=u8::MAX {
            lab.ulpdu(&write(place, &[n; 1_024]));
            if n == 64 {
                let region = region.take();
                revokes = Some(lab.app(move |_| {
                    drop(region);
                    memory.look()
                }));
            }
        }
        let revokes = revokes.expect("in the middle of it");
        let then = lab.finish("the revocation", revokes);
        lab.until("a FIN", |lab| lab.peer.fin);
        lab.until("the end", |_| ours.connection.ended().is_some());
        assert_eq!(first(&lab)[18..22], hex("1100c000"));
        assert!(memory.look() == then, "port {port}: an octet changed behind the revocation");
    }
}
