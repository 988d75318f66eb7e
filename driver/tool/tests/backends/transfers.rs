// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every operation, from one FPDU to many, every octet compared.
use crate::ends::{connect, connected, disconnect, pattern, place, End};
use crate::pair::{both, Pair};
use ferrowarp::{Access, QpOptions, Segment, WcOpcode};

/// Octets of messages: a few, one FPDU, just more than one, several windows of 16 KiB.
const SIZES: [usize; 4] = [3, 1_000, 1_447, 40_001];

/// Messages of several gathers fall into several scatters, batches keep their order, small ones
/// travel in the request.
pub fn messages_arrive_in_order_and_in_pieces(pair: &Pair) {
    const SECOND: usize = 50_000;
    let ([theirs, ours], connections) = connected(pair, 1 << 17);
    let qp = connections[1].queue_pair();
    ours.put(0, &pattern(1, SECOND));
    for (n, octets) in SIZES.into_iter().enumerate() {
        let (n, half, third) = (n as u64, octets / 2, octets / 3);
        // the second scatter has room for more
        let scatters = [(0, half), (SECOND, octets)];
        let scatters = scatters.map(|(at, octets)| theirs.region.segment(at, octets).unwrap());
        theirs.qp.post_recv(n, &scatters).unwrap();
        theirs.known();
        let gathers = [(0, third), (third, third), (2 * third, octets - 2 * third)];
        let gathers = gathers.map(|(at, octets)| ours.region.segment(at, octets).unwrap());
        let solicited = n % 2 == 1;
        let send = qp.send(n, &gathers);
        if solicited { send.solicited() } else { send }.post().unwrap();
        let came = theirs.done(n, WcOpcode::Receive);
        assert_eq!((came.octets as usize, came.is_solicited), (octets, solicited));
        ours.done(n, WcOpcode::Send);
        let got = [theirs.copy(0, half), theirs.copy(SECOND, octets - half)].concat();
        assert_eq!(got, pattern(1, octets), "{octets} octets");
    }

    (10..14).for_each(|wr_id| theirs.receive(wr_id, 100 * wr_id as usize, 100));
    let mut batch = qp.sends();
    batch.send_inline(20, b"in the request").post().unwrap();
    batch.send(21, &[ours.region.segment(7, 30).unwrap()]).unsignaled().post().unwrap();
    batch.send(22, &[]).post().unwrap();
    batch.send(23, &[ours.region.segment(9, 99).unwrap()]).post().unwrap();
    assert_eq!(batch.posted(), 4);
    batch.ring().unwrap();
    let octets = [10, 11, 12, 13].map(|wr_id| theirs.done(wr_id, WcOpcode::Receive).octets);
    assert_eq!(octets, [14, 30, 0, 99]);
    for wr_id in [20, 22, 23] {
        ours.done(wr_id, WcOpcode::Send);
    }
    assert_eq!(theirs.copy(1_000, 14), b"in the request");
    assert_eq!(theirs.copy(1_100, 30), pattern(1, 37)[7..]);
    assert_eq!(theirs.copy(1_300, 99), pattern(1, 108)[9..]);
    disconnect(connections);
}

/// Whether all octets of a part of the region are 0xEE.
fn untouched(end: &End, at: usize, octets: usize) -> bool {
    end.copy(at, octets).iter().all(|&octet| octet == 0xEE)
}

/// Not an octet beside them changes.
pub fn writes_land_where_they_belong(pair: &Pair) {
    const AT: usize = 1_003;
    let ([theirs, ours], connections) = connected(pair, 1 << 16);
    let qp = connections[1].queue_pair();
    ours.put(0, &pattern(3, 50_000));
    for (n, octets) in [0].into_iter().chain(SIZES).enumerate() {
        theirs.put(0, &[0xEE; 1 << 16]);
        let half = octets / 2;
        let gathers = [(5, half), (5 + half, octets - half)];
        let gathers = gathers.map(|(at, octets)| ours.region.segment(at, octets).unwrap());
        qp.write(n as u64, &gathers, theirs.place(AT as u64)).post().unwrap();
        ours.done(n as u64, WcOpcode::Write);
        // a message behind it is delivered when the Write has been placed
        theirs.receive(100, 60_000, 1);
        ours.send(qp, 101, 0, 1);
        ours.done(101, WcOpcode::Send);
        theirs.done(100, WcOpcode::Receive);
        assert_eq!(theirs.copy(AT, octets), pattern(3, octets + 5)[5..], "{octets} octets");
        assert!(untouched(&theirs, 0, AT) && untouched(&theirs, AT + octets, 60_000 - AT - octets));
    }
    disconnect(connections);
}

/// Not an octet beside them changes, and several may be under way at once.
pub fn reads_bring_every_octet(pair: &Pair) {
    const AT: usize = 2_001;
    let ([theirs, ours], connections) = connected(pair, 1 << 16);
    let qp = connections[1].queue_pair();
    theirs.put(0, &pattern(4, 1 << 16));
    for (n, octets) in SIZES.into_iter().enumerate() {
        ours.put(0, &[0xEE; 1 << 16]);
        let sink = ours.region.segment(AT, octets).unwrap();
        qp.read(n as u64, sink, theirs.place(7)).post().unwrap();
        assert_eq!(ours.done(n as u64, WcOpcode::Read).octets as usize, octets);
        assert_eq!(ours.copy(AT, octets), pattern(4, octets + 7)[7..], "{octets} octets");
        assert!(untouched(&ours, 0, AT) && untouched(&ours, AT + octets, (1 << 16) - AT - octets));
    }
    let mut batch = qp.sends();
    for n in 0..8 {
        let sink = ours.region.segment(n * 8_000, 5_000).unwrap();
        batch.read(n as u64, sink, theirs.place(1_000 * n as u64)).post().unwrap();
    }
    batch.ring().unwrap();
    for wr_id in 0..8 {
        ours.done(wr_id, WcOpcode::Read);
    }
    for n in 0..8 {
        assert_eq!(ours.copy(n * 8_000, 5_000), pattern(4, 1_000 * n + 5_000)[1_000 * n..], "Read {n}");
    }
    disconnect(connections);
}

/// The region that a Send with Invalidate names is told with the receive, and is gone.
pub fn a_send_invalidates_and_says_so(pair: &Pair) {
    let ([theirs, ours], connections) = connected(pair, 4_096);
    let qp = connections[1].queue_pair();
    let once = theirs.pd.allocate_for(&theirs.qp, 64, Access::ALL).unwrap();
    theirs.receive(1, 0, 8);
    theirs.receive(2, 0, 8);
    qp.write(3, &[ours.region.segment(0, 64).unwrap()], place(&once, 0)).post().unwrap();
    ours.done(3, WcOpcode::Write);
    let segments = [ours.region.segment(0, 8).unwrap()];
    qp.send(4, &segments).invalidate(once.stag()).solicited().post().unwrap();
    ours.done(4, WcOpcode::Send);
    let came = theirs.done(1, WcOpcode::Receive);
    assert_eq!((came.invalidated, came.is_solicited, came.octets), (Some(once.stag()), true, 8));
    // what does not name it goes on
    ours.send(qp, 5, 0, 3);
    ours.done(5, WcOpcode::Send);
    assert_eq!(theirs.done(2, WcOpcode::Receive).invalidated, None);
    disconnect(connections);
}

/// Writes, Reads and Sends in both directions of a connection, under way together.
pub fn both_sides_at_once(pair: &Pair) {
    const OCTETS: usize = 9_000;
    let (ends, connections) = connected(pair, 1 << 16);
    let parts = [0, 10_000, 20_000, 30_000, 40_000, 50_000];
    for (way, end) in ends.iter().enumerate() {
        // what is sent, what is written to the peer, what the peer reads
        (0..3).for_each(|n| end.put(parts[n], &pattern(way as u8 * 8 + n as u8, OCTETS)));
        end.receive(1, parts[3], OCTETS);
    }
    let work = |way: usize| {
        let (end, peer, qp) = (&ends[way], &ends[1 - way], connections[way].queue_pair());
        let part = |n: usize| end.region.segment(parts[n], OCTETS).unwrap();
        let mut batch = qp.sends();
        batch.read(2, part(5), peer.place(parts[2] as u64)).post().unwrap();
        batch.write(3, &[part(1)], peer.place(parts[4] as u64)).post().unwrap();
        batch.send(4, &[part(0)]).post().unwrap();
        batch.ring().unwrap();
        end.ends(4).iter().map(|(wr_id, status)| (*wr_id, status.to_string())).collect::<Vec<_>>()
    };
    let (first, second) = both(|| work(0), || work(1));
    let all = [1, 2, 3, 4].map(|wr_id| (wr_id, "done".to_string()));
    assert_eq!((&first[..], &second[..]), (&all[..], &all[..]));
    for (way, end) in ends.iter().enumerate() {
        for (n, from) in [(3, 0), (4, 1), (5, 2)] {
            let theirs = pattern((1 - way as u8) * 8 + from, OCTETS);
            assert_eq!(end.copy(parts[n], OCTETS), theirs, "part {n} of end {way}");
        }
    }
    disconnect(connections);
}

/// Places of `octets` octets of a region, in `count` pieces that lie apart, the last of which has
/// the rest.
fn pieces(octets: usize, count: usize) -> Vec<(usize, usize)> {
    let each = octets / count.max(1);
    (0..count).map(|n| (200 * n, if n + 1 < count { each } else { octets - each * n })).collect()
}

/// Requests of one block and of two, around rings of few blocks: inline and from memory, signaled
/// and not.
pub fn requests_of_both_sizes_take_turns(pair: &Pair) {
    const INLINE: [usize; 7] = [32, 33, 1, 96, 0, 95, 31];
    let few = QpOptions::default().sends(4).receives(4);
    let ends: [End; 2] = std::array::from_fn(|n| End::with(&pair.devices[n], 1 << 12, few));
    let connections = connect(pair, [&ends[0], &ends[1]]);
    let ([theirs, ours], qp) = (&ends, connections[1].queue_pair());
    ours.put(0, &pattern(6, 1_000));
    let segments = |end: &End, pieces: &[(usize, usize)]| -> Vec<Segment> {
        pieces.iter().map(|&(at, octets)| end.region.segment(at, octets).unwrap()).collect()
    };
    let octets = |end: &End, pieces: &[(usize, usize)]| {
        pieces.iter().flat_map(|&(at, octets)| end.copy(at, octets)).collect::<Vec<_>>()
    };
    for turn in 0..35 {
        let text = pattern(turn as u8, INLINE[turn % 7]);
        let gathers = pieces(if turn % 5 == 0 { 0 } else { 90 + turn }, turn % 5);
        let scatters = pieces(130, 1 + turn % 3);
        theirs.put(0, &[0xEE; 1 << 12]);
        theirs.qp.post_recv(turn as u64, &segments(theirs, &scatters)).unwrap();
        theirs.known();
        let mut batch = qp.sends();
        batch.write_inline(1, &text, theirs.place(2_000)).unsignaled().post().unwrap();
        batch.write(2, &segments(ours, &gathers), theirs.place(3_000)).unsignaled().post().unwrap();
        match turn % 2 {
            0 => batch.send(3, &segments(ours, &gathers)).post().unwrap(),
            _ => batch.send_inline(3, &text).post().unwrap(),
        }
        batch.ring().unwrap();
        ours.done(3, WcOpcode::Send);
        let message = if turn % 2 == 0 { octets(ours, &gathers) } else { text.clone() };
        let came = theirs.done(turn as u64, WcOpcode::Receive);
        assert_eq!(came.octets as usize, message.len(), "message {turn}");
        assert_eq!(octets(theirs, &scatters)[..message.len()], message, "message {turn}");
        assert_eq!(theirs.copy(2_000, text.len()), text, "inline Write {turn}");
        let written = octets(ours, &gathers);
        assert_eq!(theirs.copy(3_000, written.len()), written, "Write {turn}");
        assert!(untouched(theirs, 2_000 + text.len(), 500) && untouched(theirs, 3_000 + written.len(), 500));
    }
    disconnect(connections);
}

/// What a Read brings is what the fenced requests behind it send.
pub fn a_fenced_request_waits_for_reads(pair: &Pair) {
    const OCTETS: usize = 10_000;
    let ([theirs, ours], connections) = connected(pair, 1 << 16);
    let part = |at, octets| ours.region.segment(at, octets).unwrap();
    theirs.put(0, &pattern(9, OCTETS));
    theirs.receive(1, 50_000, 100);
    let mut batch = connections[1].queue_pair().sends();
    batch.read(2, part(0, OCTETS), theirs.place(0)).post().unwrap();
    batch.write(3, &[part(0, OCTETS)], theirs.place(20_000)).unsignaled().fenced().post().unwrap();
    batch.read(4, part(40_000, 100), theirs.place(OCTETS as u64 - 100)).post().unwrap();
    batch.send(5, &[part(40_000, 100)]).fenced().post().unwrap();
    batch.ring().unwrap();
    ours.done(2, WcOpcode::Read);
    ours.done(4, WcOpcode::Read);
    ours.done(5, WcOpcode::Send);
    theirs.done(1, WcOpcode::Receive);
    assert_eq!(theirs.copy(20_000, OCTETS), pattern(9, OCTETS));
    assert_eq!(theirs.copy(50_000, 100), pattern(9, OCTETS)[OCTETS - 100..]);
    disconnect(connections);
}
