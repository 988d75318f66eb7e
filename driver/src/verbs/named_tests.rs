// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a request names of the peer: a Write or Read one place, a Send one STag or none. The
//! functions and types alone decide this, so the tests write them down.
use super::request::{ReadVerb, SendVerb, WriteVerb};
use super::tests::{scene, Scene};
use super::*;
use ferrowarp_abi::codec::{QpRow, SendWqe};
use ferrowarp_abi::consts::admin_opcode;
use ferrowarp_abi::opcode::Opcode;
use ferrowarp_abi::types::{STag, TaggedOffset};

type Queue = QueuePair<Connected>;
/// A request of a queue pair, and of a batch.
type Of<'q, V> = WorkRequest<&'q Queue, V>;
type In<'s, 'l, V> = WorkRequest<&'s mut Sends<'l>, V>;

/// The head of the request in block `nth` of the scene's send queue.
fn head(scene: &Scene, nth: u64) -> SendWqe {
    let row = QpRow::parse(&scene.fake.told(admin_opcode::QP_WRITE)[0].1).unwrap();
    SendWqe::parse(&scene.fake.octets(row.sq_base + 64 * nth, SendWqe::LEN)).unwrap()
}

/// Block, opcode, STag and offset of each request.
fn named(scene: &Scene, blocks: &[u64]) -> Vec<(u8, u32, u64)> {
    let heads = blocks.iter().map(|nth| head(scene, *nth));
    heads.map(|head| (head.opcode, head.remote_stag.0, head.remote_to.0)).collect()
}

const PLACES: [Remote; 2] = [
    Remote { stag: STag(0x0102_0304), to: TaggedOffset(u64::MAX) },
    Remote { stag: STag(0x0506_0708), to: TaggedOffset(0x1234_5678_9ABC_DEF0) },
];

/// Who makes a Write has these five functions, and no other type has its verb.
#[test]
fn a_write_names_one_place_however_much_it_gathers() {
    fn functions() {
        let _: for<'q, 'o> fn(&'q Queue, u64, &'o [Segment], Remote) -> Of<'q, WriteVerb<'o>> = Queue::write;
        let _: for<'q, 'o> fn(&'q Queue, u64, &'o [u8], Remote) -> Of<'q, WriteVerb<'o>> =
            Queue::write_inline;
        let _: for<'s, 'o> fn(
            &'s mut Sends<'static>,
            u64,
            &'o [Segment],
            Remote,
        ) -> In<'s, 'static, WriteVerb<'o>> = Sends::<'static>::write;
        let _: for<'s, 'o> fn(
            &'s mut Sends<'static>,
            u64,
            &'o [u8],
            Remote,
        ) -> In<'s, 'static, WriteVerb<'o>> = Sends::<'static>::write_inline;
        let _: fn(&'static [Segment], Remote) -> AnyVerb<'static> = AnyVerb::write;
    }
    functions();
    let scene = scene();
    scene.connect();
    let qp = QueuePair::connected(&scene.qp.0);
    let segments = [scene.region.segment(0, 10).unwrap(); 4];
    PLACES.iter().for_each(|place| qp.write(1, &segments, *place).post().unwrap());
    // four gathers take two blocks
    let write = Opcode::RdmaWrite as u8;
    let want = PLACES.map(|place| (write, place.stag.0, place.to.0));
    assert_eq!(named(&scene, &[0, 2]), want);
    assert_eq!((head(&scene, 0).num_sge, head(&scene, 2).length.0), (4, 40));
}

/// The same of a Read, which has three functions.
#[test]
fn a_read_names_one_place_and_one_sink() {
    fn functions() {
        let _: for<'q> fn(&'q Queue, u64, Segment, Remote) -> Of<'q, ReadVerb> = Queue::read;
        let _: for<'s> fn(&'s mut Sends<'static>, u64, Segment, Remote) -> In<'s, 'static, ReadVerb> =
            Sends::<'static>::read;
        let _: fn(&'static [Segment; 1], Remote) -> AnyVerb<'static> = AnyVerb::read;
    }
    functions();
    let scene = scene();
    scene.connect();
    let qp = QueuePair::connected(&scene.qp.0);
    let sink = scene.region.segment(0, 10).unwrap();
    PLACES.iter().for_each(|place| qp.read(1, sink, *place).post().unwrap());
    let want = PLACES.map(|place| (Opcode::ReadRequest as u8, place.stag.0, place.to.0));
    assert_eq!(named(&scene, &[0, 1]), want);
}

/// The functions above ask for a [`Remote`]: both of its fields must be given, since nothing gives
/// a value of either.
#[test]
fn no_place_is_without_stag_or_offset() {
    /// Two of these for one type are no choice, and the line that asks does not compile.
    trait Given<T> {
        const IS: bool = false;
    }
    struct ByDefault;
    impl<T> Given<()> for T {}
    impl<T: Default> Given<ByDefault> for T {}
    const { assert!(!<Remote as Given<_>>::IS) };
    // all fields, none of which is optional
    let Remote { stag: STag(stag), to: TaggedOffset(to) } = PLACES[0];
    let (_, _): (u32, u64) = (stag, to);
    // a region of the peer has both, and gives both
    let region = RemoteRegion { stag: STag(7), to: TaggedOffset(0x1000), len: 10 };
    assert_eq!(region.at(4, 6).unwrap(), Remote { stag: STag(7), to: TaggedOffset(0x1004) });
}

#[test]
fn a_send_invalidates_the_stag_that_it_names_also_without_octets() {
    fn functions() {
        // the value that makes a Send one with Invalidate is the STag
        let _: fn(Of<'static, SendVerb<'static>>, STag) -> Of<'static, SendVerb<'static>> =
            WorkRequest::invalidate;
        let _: fn(Of<'static, SendVerb<'static>>, Option<STag>) -> Of<'static, SendVerb<'static>> =
            WorkRequest::invalidate;
        let _: fn(&'static [Segment], bool, Option<STag>) -> AnyVerb<'static> = AnyVerb::send;
    }
    functions();
    let scene = scene();
    scene.connect();
    let qp = QueuePair::connected(&scene.qp.0);
    let stag = STag(0x0102_0304);
    qp.send(1, &[]).post().unwrap();
    qp.send(2, &[]).invalidate(None).solicited().post().unwrap();
    qp.send(3, &[]).invalidate(stag).post().unwrap();
    qp.send(4, &[]).solicited().invalidate(stag).post().unwrap();
    let mut sends = qp.sends();
    sends.any(5, AnyVerb::send(&[], false, Some(stag))).post().unwrap();
    sends.any(6, AnyVerb::send(&[], true, Some(stag))).post().unwrap();
    sends.any(7, AnyVerb::send(&[], true, None)).post().unwrap();
    sends.ring().unwrap();
    let [plain, solicited, invalidate, both] =
        [Opcode::Send, Opcode::SendSolicited, Opcode::SendInvalidate, Opcode::SendSolicitedInvalidate];
    let want = [
        (plain, 0),
        (solicited, 0),
        (invalidate, stag.0),
        (both, stag.0),
        (invalidate, stag.0),
        (both, stag.0),
        (solicited, 0),
    ];
    let want = want.map(|(opcode, stag)| (opcode as u8, stag, 0));
    assert_eq!(named(&scene, &[0, 1, 2, 3, 4, 5, 6]), want);
}
