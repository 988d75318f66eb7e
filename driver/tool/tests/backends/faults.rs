// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a peer refuses: its Terminate names error and request, both sides flush, both connections
//! end.
use crate::ends::{connected, pattern, place, End};
use crate::pair::{until, Pair, PATIENCE};
use ferrowarp::{Access, Connected, Error, QueuePair, Remote, Status};
use ferrowarp_abi::error::TermError;
use ferrowarp_abi::types::{STag, TaggedOffset};
use ferrowarp_firmware::error::ConnError;

/// Octets of the server's region.
const REGION: usize = 4_096;
/// An STag that nobody has.
const NOBODYS: Remote = Remote { stag: STag(0x00C0_FF33), to: TaggedOffset(0x1_0000_0007) };

/// How the request of the deed ends, and what becomes of the server's first receive.
struct Outcome {
    request: Status,
    receive: Status,
    error: TermError,
    /// What the Terminate says of the request.
    named: &'static str,
}

/// The client does it behind a Send that arrives; both sides see how it ends.
fn refused(pair: &Pair, due: &Outcome, deed: impl FnOnce(&End, &End, &QueuePair<Connected>)) {
    let ([theirs, ours], connections) = connected(pair, REGION);
    theirs.put(0, &pattern(1, REGION));
    theirs.receive(1, 0, 64);
    theirs.receive(2, 64, 64);
    ours.receive(3, 0, 64);
    let [server, client] = connections;
    ours.send(client.queue_pair(), 4, 0, 8);
    ours.done(4, ferrowarp::WcOpcode::Send);
    assert_eq!(theirs.ends(1), [(1, Status::Success)]);
    deed(&ours, &theirs, client.queue_pair());
    // a Write or Send that TCP delivered is done for its sender
    assert_eq!(ours.ends(2), [(3, Status::Flushed), (9, due.request)]);
    let told = until("the Terminate", || client.terminated());
    assert_eq!(told.error, Some(due.error), "{told}");
    assert!(told.to_string().contains(due.named), "{told}");
    assert_eq!(theirs.ends(1), [(2, due.receive)]);
    let ended = client.disconnect(PATIENCE);
    assert!(
        matches!(&ended, Err(Error::Connection(ConnError::Terminated(received))) if *received == told),
        "{ended:?}"
    );
    let ended = server.disconnect(PATIENCE);
    assert!(
        matches!(ended, Err(Error::Connection(ConnError::Fault(error))) if error == due.error),
        "{ended:?}"
    );
    assert_eq!(theirs.copy(128, REGION - 128), pattern(1, REGION)[128..], "the server's memory");
}

/// A refused Write.
fn written(pair: &Pair, error: TermError, to: impl FnOnce(&End) -> Remote) {
    let due =
        Outcome { request: Status::Success, receive: Status::Flushed, error, named: "our RDMA Write, 1014" };
    refused(pair, &due, |ours, theirs, qp| {
        qp.write(9, &[ours.region.segment(0, 1_000).unwrap()], to(theirs)).post().unwrap();
    });
}

/// A refused Read.
fn read(pair: &Pair, error: TermError, from: impl FnOnce(&End) -> Remote) {
    let due = Outcome {
        request: Status::Flushed,
        receive: Status::Flushed,
        error,
        named: "our RDMA Read Request, 46 octets",
    };
    refused(pair, &due, |ours, theirs, qp| {
        qp.read(9, ours.region.segment(0, 1_000).unwrap(), from(theirs)).post().unwrap();
    });
}

pub fn a_write_to_a_bad_stag(pair: &Pair) {
    written(pair, TermError::DdpInvalidStag, |_| NOBODYS);
}

pub fn a_write_beyond_the_end(pair: &Pair) {
    written(pair, TermError::DdpBaseBounds, |theirs| theirs.place(REGION as u64 - 999));
}

pub fn a_read_of_a_bad_stag(pair: &Pair) {
    read(pair, TermError::RdmapInvalidStag, |_| NOBODYS);
}

/// A region that may be read only: to a writer its STag is none (RFC 5041 has no code for the
/// right).
pub fn a_write_without_the_right(pair: &Pair) {
    let mut kept = None;
    written(pair, TermError::DdpInvalidStag, |theirs| {
        let access = Access { remote_write: false, ..Access::ALL };
        place(kept.insert(theirs.pd.allocate(1_000, access).unwrap()), 0)
    });
}

pub fn a_read_of_another_domain(pair: &Pair) {
    let stranger = End::new(&pair.devices[0], 1_000);
    read(pair, TermError::RdmapStagNotOnStream, |_| stranger.place(0));
}

pub fn a_send_that_is_too_long(pair: &Pair) {
    let (request, error) = (Status::Success, TermError::DdpTooLong);
    let due = Outcome { request, receive: Status::LocalLength, error, named: "our Send, 118 octets" };
    refused(pair, &due, |ours, _, qp| ours.send(qp, 9, 0, 100));
}

/// The second message takes the last receive, the third finds none.
pub fn a_send_without_a_receive(pair: &Pair) {
    let (request, error) = (Status::Success, TermError::DdpNoBuffer);
    let due = Outcome { request, receive: Status::Success, error, named: "our Send, 26 octets, MSN 3" };
    refused(pair, &due, |ours, _, qp| {
        qp.send(8, &[ours.region.segment(0, 8).unwrap()]).unsignaled().post().unwrap();
        ours.send(qp, 9, 0, 8);
    });
}

/// A segment whose region is gone when the device would read it: the request fails here, and the
/// peer hears of a local fault.
pub fn our_own_bad_segment(pair: &Pair) {
    let ([theirs, ours], [server, client]) = connected(pair, REGION);
    theirs.receive(1, 0, 64);
    ours.receive(3, 0, 64);
    let gone = ours.pd.allocate(64, Access::LOCAL).unwrap();
    let segment = gone.segment(0, 64).unwrap();
    drop(gone);
    client.queue_pair().send(9, &[segment]).post().unwrap();
    assert_eq!(ours.ends(2), [(3, Status::Flushed), (9, Status::LocalProtection)]);
    assert_eq!(theirs.ends(1), [(1, Status::Flushed)]);
    let told = until("the Terminate", || server.terminated());
    assert_eq!((told.layer, told.etype), (0, 0), "a local fault of the peer: {told}");
    drop((server.disconnect(PATIENCE), client.disconnect(PATIENCE)));
}
