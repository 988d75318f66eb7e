// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory of the application, where it is.
use crate::ends::{connected, disconnect, pattern, place};
use crate::pair::Pair;
use ferrowarp::dma::DmaError;
use ferrowarp::{Access, Error, WcOpcode};
use std::ptr::NonNull;

/// A buffer that begins and ends in the middle of pages: the peer writes and reads it, and nothing
/// beside it changes.
pub fn memory_of_the_application_is_written_where_it_is(pair: &Pair) {
    const OCTETS: usize = 10_001;
    let ([theirs, ours], connections) = connected(pair, 1 << 15);
    let qp = connections[1].queue_pair();
    let mut buffer = vec![0xEE_u8; 3 * 4_096 + OCTETS];
    let odd = 4_096 - buffer.as_ptr() as usize % 4_096 + 77;
    ours.put(0, &pattern(6, OCTETS));
    let whole = |at| ours.region.segment(at, OCTETS).unwrap();
    theirs
        .pd
        .with_registered(&mut buffer[odd..odd + OCTETS], Access::ALL, |region| {
            assert_eq!(region.memory().len(), OCTETS);
            qp.write(1, &[whole(0)], place(region, 0)).post().unwrap();
            ours.done(1, WcOpcode::Write);
            qp.read(2, whole(OCTETS + 1), place(region, 0)).post().unwrap();
            ours.done(2, WcOpcode::Read);
        })
        .unwrap();
    assert_eq!(ours.copy(OCTETS + 1, OCTETS), pattern(6, OCTETS), "what came back");
    assert_eq!(buffer[odd..odd + OCTETS], pattern(6, OCTETS), "the application's own buffer");
    assert!(buffer[..odd].iter().chain(&buffer[odd + OCTETS..]).all(|&octet| octet == 0xEE));
    disconnect(connections);
}

/// Regions of the same pages have lives of their own: one goes, the others stay.
pub fn regions_overlap_and_nest(pair: &Pair) {
    let ([theirs, ours], connections) = connected(pair, 4_096);
    let qp = connections[1].queue_pair();
    let mut buffer = vec![0_u8; 5 * 4_096];
    let start = NonNull::new(buffer.as_mut_ptr()).unwrap();
    let register = |at: usize, octets: usize, access| {
        // SAFETY: the octets live until the end of this function, behind the regions, and are
        // looked at when nobody names them.
        unsafe { theirs.pd.register_foreign(start.add(at), octets, access) }.unwrap()
    };
    let outer = register(0, 5 * 4_096, Access::ALL);
    let inner = register(4_096, 100, Access::ALL);
    let across = register(4_000, 8_192, Access::ALL);
    let write = |wr_id: u64, octets: &[u8], to| {
        ours.put(0, octets);
        qp.write(wr_id, &[ours.region.segment(0, octets.len()).unwrap()], to).post().unwrap();
        ours.done(wr_id, WcOpcode::Write);
    };
    write(1, b"outer", place(&outer, 4_090));
    write(2, b"inner", place(&inner, 20));
    drop(outer);
    write(3, b"across", place(&across, 200));
    drop(inner);
    write(4, b"last", place(&across, 8_000));
    disconnect(connections);
    drop(across);
    let at = |at: usize, octets: usize| &buffer[at..at + octets];
    assert_eq!((at(4_090, 5), at(4_116, 5)), (&b"outer"[..], &b"inner"[..]));
    assert_eq!((at(4_200, 6), at(12_000, 4)), (&b"across"[..], &b"last"[..]));
    assert_eq!(buffer.iter().filter(|&&octet| octet != 0).count(), 20, "nothing else");
}

/// And memory that may only be read is given to nobody who writes.
pub fn memory_that_is_not_there_is_refused(pair: &Pair) {
    static TEXT: [u8; 5_000] = [7; 5_000];
    let ([theirs, ours], connections) = connected(pair, 1 << 13);
    let constant = NonNull::from(&TEXT).cast::<u8>();
    for access in [Access::ALL, Access::LOCAL] {
        // SAFETY: it is refused; a static lives for ever.
        let told = unsafe { theirs.pd.register_foreign(constant, TEXT.len(), access) }.map(drop);
        assert!(matches!(told, Err(Error::Memory(DmaError::ReadOnly { .. }))), "{told:?}");
    }
    // SAFETY: it is refused.
    let nowhere = unsafe { theirs.pd.register_foreign(NonNull::dangling(), 100, Access::ALL) }.map(drop);
    assert!(matches!(nowhere, Err(Error::Memory(DmaError::Unmapped { .. }))), "{nowhere:?}");
    let reads = Access { remote_read: true, ..Access::default() };
    // SAFETY: a static lives for ever, and nobody writes it.
    let region = unsafe { theirs.pd.register_foreign(constant, TEXT.len(), reads) }.unwrap();
    let sink = ours.region.segment(1, TEXT.len()).unwrap();
    connections[1].queue_pair().read(1, sink, place(&region, 0)).post().unwrap();
    ours.done(1, WcOpcode::Read);
    assert_eq!(ours.copy(1, TEXT.len()), TEXT);
    disconnect(connections);
}
