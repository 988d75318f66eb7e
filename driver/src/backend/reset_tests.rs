// SPDX-License-Identifier: MIT OR Apache-2.0
//! A reset, and what a device may still do when there was none: memory is given up behind a reset
//! that was done alone.
use super::pci_tests::{opened, unmapped, Table};
use super::{Backend, BackendError, PciBackend};
use crate::dma::{DmaMemory, PAGE};
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ALL_ONES: u32 = u32::MAX;

/// A memory of the driver's own that the device may write, and where.
fn mapped(backend: &PciBackend) -> (Arc<DmaMemory>, u64) {
    let memory = Arc::new(DmaMemory::zeroed(backend.arena(), 4096).unwrap());
    let iova = backend.map(memory.clone(), true).unwrap();
    (memory, iova)
}

/// A device that nothing answers for, of which the driver knows that.
fn gone() -> (Arc<Table>, PciBackend, Arc<DmaMemory>, u64) {
    let (table, backend) = opened();
    let (memory, iova) = mapped(&backend);
    table.0.lock().unwrap().reads_as = Some(ALL_ONES);
    let why = backend.register(0x0c4).unwrap_err();
    assert!(matches!(why, BackendError::Gone { register: 0x0c4, value: ALL_ONES }), "{why}");
    (table, backend, memory, iova)
}

fn lost() -> BackendError {
    BackendError::Lost("the table is lost".into())
}

fn still_master() -> BackendError {
    BackendError::Map { octets: 0, why: "master".into() }
}

#[test]
fn memory_stays_behind_a_reset_that_fails() {
    let (table, backend) = opened();
    let (memory, iova) = mapped(&backend);
    {
        let mut state = table.0.lock().unwrap();
        (state.cannot_reset, state.holds) = (Some(lost()), true);
    }
    assert_eq!(backend.reset(), Err(lost()));
    assert!(unmapped(&backend, iova).is_err(), "memory of a device that was not reset is given up");
    assert_eq!(Arc::strong_count(&memory), 2, "memory of a device that was not reset is given up");
    drop(backend);
    assert_eq!(Arc::strong_count(&memory), 2, "the end of the device gives up what the device may write");
}

#[test]
fn a_device_is_asked_nothing_more_also_behind_a_reset_that_fails() {
    let (table, backend) = opened();
    table.0.lock().unwrap().cannot_reset = Some(still_master());
    backend.reset().unwrap_err();
    let (_, mapped) = (backend.lives().unwrap_err(), table.0.lock().unwrap().maps);
    let memory = Arc::new(DmaMemory::zeroed(backend.arena(), 4096).unwrap());
    backend.map(memory, true).unwrap_err();
    assert_eq!(table.0.lock().unwrap().maps, mapped, "memory is given to it");
}

#[test]
fn a_device_that_is_gone_is_reset_all_the_same() {
    let (table, backend, ..) = gone();
    backend.reset().unwrap();
    assert_eq!(table.0.lock().unwrap().resets, 1);
}

#[test]
fn memory_stays_with_a_device_that_is_gone_and_does_not_give_it_up() {
    let (table, backend, memory, iova) = gone();
    table.0.lock().unwrap().holds = true;
    assert!(unmapped(&backend, iova).is_err(), "memory of a device that was not reset is given up");
    assert_eq!(Arc::strong_count(&memory), 2);
    // a device that cannot be emptied is reset in the end
    drop(backend);
    assert_eq!((table.0.lock().unwrap().resets, Arc::strong_count(&memory)), (1, 1));
}

#[test]
fn memory_stays_with_a_device_that_is_gone_and_cannot_be_reset() {
    let (table, backend, memory, iova) = gone();
    {
        let mut state = table.0.lock().unwrap();
        (state.cannot_reset, state.holds) = (Some(lost()), true);
    }
    unmapped(&backend, iova).unwrap_err();
    drop(backend);
    assert_eq!(Arc::strong_count(&memory), 2, "the end of the device gives up what the device may write");
}

#[test]
fn a_device_that_was_reset_reads_nothing_and_is_not_called_gone() {
    let (table, backend) = opened();
    backend.reset().unwrap();
    let reads = {
        let mut state = table.0.lock().unwrap();
        // its command register forbids accesses
        state.reads_as = Some(ALL_ONES);
        state.reads
    };
    let told = [backend.register(0).map(drop), backend.lives(), backend.look()];
    assert!(told.iter().all(|told| matches!(told, Err(BackendError::Stopped(_)))), "{told:?}");
    assert_eq!(table.0.lock().unwrap().reads, reads, "a register is read");
}

#[test]
fn a_reset_that_fails_behind_one_that_was_done_takes_nothing_back() {
    let (table, backend) = opened();
    backend.reset().unwrap();
    table.0.lock().unwrap().cannot_reset = Some(still_master());
    backend.reset().unwrap_err();
    let reads = table.0.lock().unwrap().reads;
    let told = backend.register(0);
    assert_eq!(table.0.lock().unwrap().reads, reads, "a device that was reset is read: {told:?}");
}

#[test]
fn a_read_that_a_reset_overtakes_does_not_say_that_the_device_is_gone() {
    let (table, backend) = opened();
    let before = {
        let mut state = table.0.lock().unwrap();
        state.blocks = true;
        state.reads
    };
    let told = std::thread::scope(|scope| {
        let reader = scope.spawn(|| backend.register(0x0c4));
        let begun = Instant::now();
        while table.0.lock().unwrap().reads == before {
            assert!(begun.elapsed() < Duration::from_secs(30), "the register is not read");
            std::thread::yield_now();
        }
        backend.reset().unwrap();
        let mut state = table.0.lock().unwrap();
        (state.reads_as, state.blocks) = (Some(ALL_ONES), false);
        drop(state);
        reader.join().unwrap()
    });
    let told = [told.map(drop), backend.lives()];
    assert!(told.iter().all(|told| matches!(told, Err(BackendError::Stopped(_)))), "{told:?}");
}

/// Two pieces of a page of the application's, and where the device finds them.
fn lent(backend: &PciBackend, octets: &mut [u8; 2 * PAGE]) -> [(Arc<DmaMemory>, u64); 2] {
    let page = octets.as_ptr().align_offset(PAGE);
    let (one, other) = octets[page..][..PAGE].split_at_mut(200);
    [one, other].map(|piece| {
        let (len, start) = (piece.len(), NonNull::from(piece).cast());
        // SAFETY: the octets live as long as the test, and no device reaches them.
        let memory = Arc::new(unsafe { DmaMemory::foreign(start, len) }.unwrap());
        let iova = backend.map(memory.clone(), true).unwrap();
        (memory, iova)
    })
}

#[test]
fn a_shared_page_is_taken_from_a_device_that_is_gone_by_its_first_user() {
    let (table, backend) = opened();
    let mut octets = [0; 2 * PAGE];
    let [(one, at), (other, other_at)] = lent(&backend, &mut octets);
    assert_eq!(table.ranges(), 1, "they share no page");
    table.0.lock().unwrap().reads_as = Some(ALL_ONES);
    backend.register(0x0c4).unwrap_err();
    // its row was not taken out: the device may come back, and write the piece for a peer
    unmapped(&backend, at).unwrap();
    assert_eq!(table.ranges(), 0, "memory goes back that the device may write");
    assert_eq!((Arc::strong_count(&one), Arc::strong_count(&other)), (1, 2));
    unmapped(&backend, other_at).unwrap();
    assert_eq!(Arc::strong_count(&other), 1);
}

#[test]
fn a_shared_page_that_a_device_that_is_gone_does_not_give_up_is_kept_for_each_user() {
    let (table, backend) = opened();
    let mut octets = [0; 2 * PAGE];
    let [(one, at), (other, other_at)] = lent(&backend, &mut octets);
    table.0.lock().unwrap().reads_as = Some(ALL_ONES);
    backend.register(0x0c4).unwrap_err();
    table.0.lock().unwrap().holds = true;
    let told = [at, other_at].map(|iova| unmapped(&backend, iova));
    assert!(told.iter().all(Result::is_err), "memory goes back that the device may write: {told:?}");
    assert_eq!((Arc::strong_count(&one), Arc::strong_count(&other)), (2, 2));
    backend.reset().unwrap();
}
