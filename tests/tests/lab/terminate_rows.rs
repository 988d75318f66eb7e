// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of RFC 5040 sections 4.8 and 7 on Terminates, by a scripted peer that does what is refused:
//! driver, firmware and Verilog.
use ferrowarp::{Access, Error, Remote, Status};
use ferrowarp_abi::error::TermError;
use ferrowarp_abi::types::{STag, TaggedOffset};
use ferrowarp_tests::driver::lab::Lab;
use ferrowarp_tests::driver::segments::{
    read_request, tagged, untagged, with_octet, with_word, TAGGED, UNTAGGED,
};
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT, REGION};
use ferrowarp_tests::fw::mpa::{first_fpdu, Frame};
use ferrowarp_tests::mpa_model::hex;
use ferrowarp_tests::proves::proves_rows;

/// An STag that nobody has.
const NOBODYS: u32 = 0x00C0_FF33;
/// A buffer of the peer.
const SINK: (u32, u64) = (0x0BAD_CAFE, 0x7_0000_0100);
/// Octets of the receive that each connection has.
const RECEIVE: usize = 64;

/// Connections of a lab, each to a port of its own.
struct Ports(Lab, u16);

impl Ports {
    fn new(name: &str) -> Self {
        Self(Lab::new(name), 22_000)
    }

    /// A connection with one receive posted; the peer closes when the device does.
    fn talk(&mut self) -> (&mut Lab, Talk) {
        let Self(lab, port) = self;
        *port += 1;
        let (ours, _) = Talk::initiate(lab, *port, options(), &Frame::reply().enhanced(CLIENT));
        lab.closes = true;
        ours.qp().post_recv(7, &[ours.region.segment(0, RECEIVE).expect("a segment")]).expect("room");
        (lab, ours)
    }

    /// The peer says this on a new connection; the Terminate.
    fn refused(&mut self, says: impl FnOnce(&mut Lab, &Talk) -> Vec<u8>) -> Terminate {
        let (lab, ours) = self.talk();
        let said = says(lab, &ours);
        lab.ulpdu(&said);
        Terminate { said, ..Terminate::of(lab, &ours) }
    }
}

/// Where the region of a connection is, as the peer names it.
fn region(ours: &Talk) -> (u32, u64) {
    (ours.region.stag().0, ours.region.to_base().0)
}

/// A Terminate that came, and how the connection ended.
#[derive(Debug)]
struct Terminate {
    /// The segment that is refused.
    said: Vec<u8>,
    /// From its control field on; nothing if there was none.
    told: Vec<u8>,
    /// What the driver says.
    error: Option<TermError>,
}

impl Terminate {
    /// The one behind everything else that the device sends; then both sides close.
    fn of(lab: &mut Lab, ours: &Talk) -> Self {
        lab.until("a FIN", |lab| lab.peer.fin);
        assert!(!lab.peer.rst);
        let mut ulpdus = lab.ulpdus(true);
        let told = ulpdus.pop_if(|last| last[..18] == hex("4147 00000000 00000002 00000001 00000000"));
        assert!(ulpdus.iter().all(|ulpdu| ulpdu[1] != 0x47), "one Terminate: {ulpdus:02x?}");
        let mut ended = None;
        lab.until("the end", |_| {
            ended = ours.connection.ended();
            ended.is_some()
        });
        let error = match ended {
            Some(Err(Error::Connection(why))) => why.number(),
            other => panic!("{other:?}"),
        };
        // nothing was delivered, nothing placed where a message would have been
        let done = ours.next(lab);
        assert!((done.wr_id, done.octets) != (7, 0) || done.status != Status::Success, "{done:?}");
        assert_eq!(ours.region.memory().copy(0, RECEIVE).expect("octets"), [0; RECEIVE]);
        Self { said: vec![], told: told.map(|told| told[18..].to_vec()).unwrap_or_default(), error }
    }

    /// Layer and type, code.
    fn numbers(&self) -> u16 {
        u16::from_be_bytes([self.told[0], self.told[1]])
    }
}

/// A message of 16 octets on queue 0.
fn send(control: u8, names: u32) -> Vec<u8> {
    untagged(control, names, 0, 1, &[0x5E; 16])
}

#[test]
fn each_class_of_errors_has_a_header_of_its_size() {
    let _proof = proves_rows(&["RDMAP-4.8-01", "RDMAP-4.8-02"]);
    let mut ports = Ports::new("term-classes");
    type Says = fn(&mut Lab, &Talk) -> Vec<u8>;
    let classes: [(&str, Says, &str, usize); 8] = [
        ("0/1 a Read Request", |_, ours| read_request(1, SINK, 8, (NOBODYS, region(ours).1)), "0100e000", 48),
        ("0/1 a Send with Invalidate", |_, _| send(0x44, NOBODYS), "0109c000", 20),
        ("0/2 untagged", |_, _| send(0x48, 0), "0206c000", 20),
        ("0/2 tagged", |_, ours| tagged(TAGGED, 0x48, region(ours).0, region(ours).1, &[1]), "0206c000", 16),
        ("1/1", |_, _| tagged(TAGGED, 0x40, NOBODYS, 0, &[1]), "1100c000", 16),
        ("1/2", |_, _| untagged(0x43, 0, 0, 1, &[1; RECEIVE + 1]), "1205c000", 20),
        ("1/2 a Read Request", |_, ours| read_request(0, SINK, 8, region(ours)), "1203c000", 20),
        (
            "0/2 a Read Request",
            |_, ours| with_octet(read_request(1, SINK, 8, region(ours)), 1, 0x81),
            "0205c000",
            20,
        ),
    ];
    for (what, says, word, octets) in classes {
        let Terminate { said, told, .. } = ports.refused(says);
        assert_eq!((&told[..4], told.len()), (&hex(word)[..], 4 + octets), "{what}: {told:02x?}");
        assert_eq!(told[4..6], (said.len() as u16).to_be_bytes(), "{what}");
        assert_eq!(told[6..], said[..octets - 2], "{what}: bit for bit");
    }
    // MPA: a CRC that is not that of the FPDU
    let (lab, ours) = ports.talk();
    let mut spoilt = first_fpdu(&send(0x43, 0));
    spoilt[30] ^= 1;
    lab.say(&spoilt);
    assert_eq!(Terminate::of(lab, &ours).told, hex("20020000"));
    // our own fault: memory that is not there any more
    let (lab, ours) = ports.talk();
    lose(lab, &ours);
    assert_eq!(Terminate::of(lab, &ours).told, hex("00000000"));
}

/// A Send whose memory is gone.
fn lose(lab: &mut Lab, ours: &Talk) {
    let gone = lab.pd.allocate(64, Access::LOCAL).expect("a region");
    let part = gone.segment(0, 8).expect("a segment");
    drop(gone);
    ours.qp().send(8, &[part]).post().expect("a connection");
    assert_eq!(ours.next(lab).status, Status::LocalProtection);
}

#[test]
fn the_length_is_that_of_the_segment() {
    let _proof = proves_rows(&["RDMAP-4.8-45"]);
    let mut ports = Ports::new("term-length");
    // without payload neither STag nor TO count: the version is wrong instead. 1,454 is the MULPDU
    // of an MSS of 1,460
    for octets in [14, 15, 1_454] {
        let payload = vec![1; octets - 14];
        let first = if octets == 14 { 0xC2 } else { TAGGED };
        let Terminate { said, told, .. } = ports.refused(|_, _| tagged(first, 0x40, NOBODYS, 0, &payload));
        assert_eq!((said.len(), told[2]), (octets, 0xC0));
        assert_eq!(told[4..6], (octets as u16).to_be_bytes());
        assert_eq!(told[6..], said[..14]);
    }
}

#[test]
fn a_terminate_leaves_in_each_of_the_four_situations() {
    let _proof = proves_rows(&["RDMAP-7.1-02"]);
    let mut ports = Ports::new("term-cases");
    // 1: a request of our own, in the place of which it stands
    let (lab, ours) = ports.talk();
    lose(lab, &ours);
    let own = Terminate::of(lab, &ours);
    assert_eq!((own.told, lab.ulpdus(true).len()), (hex("00000000"), 1), "and no Send");
    // 2: a message that came
    let came = ports.refused(|_, _| send(0x44, NOBODYS));
    assert_eq!(came.told[..4], hex("0109c000"));
    assert_eq!(came.told[6..], came.said[..18]);
    // 3: a Read Request
    let (to, most) = (1, REGION as u32);
    let read = ports.refused(|_, ours| read_request(1, SINK, most, (region(ours).0, region(ours).1 + to)));
    assert_eq!(read.told[..4], hex("0101e000"));
    assert_eq!(read.told[6..], read.said[..46]);
    // 4: several before it leaves, since the peer has no room
    let (lab, ours) = ports.talk();
    lab.room(Some(0));
    lab.sync();
    let first = read_request(1, SINK, 8, (NOBODYS, 5));
    lab.ulpdu(&first);
    lab.ulpdu(&send(0x44, NOBODYS + 1));
    let end = lab.peer.snd_nxt;
    lab.until("an ACK of both", |lab| lab.peer.log.iter().any(|seg| seg.ack == Some(end)));
    assert!(lab.peer.inbox.is_empty(), "nothing may leave");
    lab.room(None);
    let one = Terminate::of(lab, &ours);
    assert_eq!(one.told, [&hex("0100e000 002e")[..], &first].concat(), "the first of them");
}

/// A way in which a message may be wrong, and the numbers of the Terminate that says so.
type Wrong = (&'static str, fn(Vec<u8>) -> Vec<u8>, u16);

/// Of the seven kinds of messages that are no Read Requests.
#[test]
fn every_message_is_checked_before_it_has_effect() {
    let _proof = proves_rows(&["RDMAP-7.2-01", "RDMAP-7.2-02", "RDMAP-7.2-04"]);
    let mut ports = Ports::new("term-checks");
    let versions: [Wrong; 2] = [
        ("RV=10b", |m| with_octet(m.clone(), 1, m[1] & 0x3F | 0x80), 0x0205),
        ("RV=11b", |m| with_octet(m.clone(), 1, m[1] | 0xC0), 0x0205),
    ];
    let of_tagged: [Wrong; 4] = [
        ("DV=00b", |m| with_octet(m.clone(), 0, m[0] & !3), 0x1104),
        ("STag", |m| with_word(m, 2, NOBODYS), 0x1100),
        ("TO", |m| with_word(m, 10, 0xFFFF_FFF0), 0x1101),
        ("the opcode of a Send", |m| with_octet(m, 1, 0x43), 0x0206),
    ];
    let of_untagged: [Wrong; 5] = [
        ("DV=00b", |m| with_octet(m, 0, UNTAGGED & !3), 0x1206),
        ("QN", |m| with_word(m, 6, 3), 0x1201),
        ("MSN", |m| with_word(m, 10, 0), 0x1203),
        ("MO", |m| with_word(m, 14, 1), 0x1204),
        ("the opcode of a Write", |m| with_octet(m, 1, 0x40), 0x0206),
    ];
    for control in [0x40, 0x42] {
        for (what, wrong, numbers) in of_tagged.iter().chain(&versions) {
            let refused = ports.refused(|lab, ours| wrong(good(lab, ours, control)));
            assert_eq!(refused.error.map(TermError::to_bits), Some(*numbers), "{control:x} {what}");
            assert_eq!(refused.numbers(), *numbers, "{control:x} {what}");
        }
    }
    for control in [0x43, 0x44, 0x45, 0x46, 0x47] {
        for (what, wrong, numbers) in of_untagged.iter().chain(&versions) {
            let refused = ports.refused(|lab, ours| wrong(good(lab, ours, control)));
            assert_eq!(refused.error.map(TermError::to_bits), Some(*numbers), "{control:x} {what}");
            // what was meant as a Terminate is not answered with one (section 7.1): the error is
            // told to the application alone
            let is_terminate = control == 0x47 && !matches!(*what, "QN" | "the opcode of a Write");
            match is_terminate {
                true => assert!(refused.told.is_empty(), "{what}: {:02x?}", refused.told),
                false => assert_eq!(refused.numbers(), *numbers, "{control:x} {what}"),
            }
        }
    }
}

/// A good message of a kind on a connection, the first of its kind there.
fn good(lab: &mut Lab, ours: &Talk, control: u8) -> Vec<u8> {
    let (stag, to) = region(ours);
    match control {
        0x40 => tagged(TAGGED, control, stag, to, &[0x5E; 16]),
        0x42 => {
            let sink = ours.region.segment(0, 16).expect("a segment");
            let from = Remote { stag: STag(SINK.0), to: TaggedOffset(SINK.1) };
            ours.qp().read(9, sink, from).post().expect("a connection");
            lab.until("a Read Request", |lab| !lab.peer.inbox.is_empty());
            let asked = lab.ulpdus(true).pop().expect("it came");
            [&[TAGGED, control][..], &asked[18..30], &[0x5E; 16]].concat()
        }
        0x47 => untagged(control, 0, 2, 1, &hex("02ff0000")),
        _ => send(control, if control.is_multiple_of(2) { stag } else { 0 }),
    }
}
