// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of what a silent server has: an end waits for a second in all, and what the server may
//! still reach is never used again. A server that answers somebody is not silent.
use super::server::{Mood, Server, DMA_MAP, DMA_UNMAP, REGION_READ, REGION_WRITE, RESET};
use super::{command, memory, timed, unmapped, DROP, END, MOMENT, WATCH};
use ferrowarp::backend::{Backend, BackendError, PciBackend};
use ferrowarp_abi::codec::Doorbell;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn opened() -> (Server, Arc<PciBackend>) {
    let server = Server::new();
    let backend = Arc::new(PciBackend::vfio_user(&server.path()).unwrap());
    (server, backend)
}

/// Has a thread give a command at which the server stops; returns when that has happened.
fn stuck(server: &Server, backend: &Arc<PciBackend>, number: u16) {
    server.arm(number, Mood::Stops);
    let asks = backend.clone();
    std::thread::spawn(move || command(&asks, number).unwrap_err());
    let begun = Instant::now();
    while server.state().stopped.is_empty() {
        assert!(begun.elapsed() < WATCH, "command {number} is not given");
        std::thread::yield_now();
    }
}

#[test]
fn an_end_waits_for_a_second_and_leaves_the_memory_to_the_server() {
    for number in [DMA_UNMAP, RESET] {
        let (server, backend) = opened();
        let memory = memory(&backend);
        let iova = backend.map(memory.clone(), true).unwrap();
        server.arm(number, Mood::Stops);
        let asks = backend.clone();
        let end = move || match number {
            RESET => asks.reset(),
            _ => unmapped(&asks, iova),
        };
        let (told, took) = timed("an end", end);
        assert!(told.is_err() && took < DROP, "command {number}: {told:?} {took:?}");
        let (_, took) = timed("the end of a device", move || drop(backend));
        assert!(took < DROP, "command {number}: {took:?}");
        assert_eq!(Arc::strong_count(&memory), 2, "command {number}: the server may write the memory");
    }
}

#[test]
fn one_second_is_for_all_that_a_drop_asks() {
    let (server, backend) = opened();
    let memories = [(); 4].map(|()| memory(&backend));
    let iovas = memories.each_ref().map(|memory| backend.map(memory.clone(), true).unwrap());
    server.arm(DMA_UNMAP, Mood::Stops);
    let asks = backend.clone();
    let (told, took) = timed("four ends", move || iovas.map(|iova| unmapped(&asks, iova)));
    assert!(told.iter().all(Result::is_err) && took < DROP, "{told:?} {took:?}");
    assert!(memories.iter().all(|memory| Arc::strong_count(memory) == 2));
}

#[test]
fn an_end_does_not_wait_for_the_turn_of_a_request_that_is_not_answered() {
    for number in [REGION_READ, DMA_MAP] {
        let (server, backend) = opened();
        let memory = memory(&backend);
        let iova = backend.map(memory.clone(), true).unwrap();
        stuck(&server, &backend, number);
        let asks = backend.clone();
        let (told, took) = timed("an end", move || unmapped(&asks, iova));
        assert!(told.is_err() && took < DROP, "behind command {number}: {told:?} {took:?}");
        assert_eq!(Arc::strong_count(&memory), 2);
    }
}

#[test]
fn a_server_that_answers_others_is_not_silent() {
    let (server, backend) = opened();
    let memory = memory(&backend);
    let iova = backend.map(memory.clone(), true).unwrap();
    // five answers take longer than an end, and none of them does: a busy machine may add three
    // seconds to each
    let (slow, most) = (Duration::from_secs(1), Duration::from_secs(4));
    server.state().slow = slow;
    let begun = Instant::now();
    let told = std::thread::scope(|scope| {
        for _ in 0..5 {
            scope.spawn(|| backend.register(0).unwrap());
        }
        std::thread::sleep(Duration::from_millis(100));
        // SAFETY: the server reaches no memory.
        unsafe { backend.unmap(iova, most) }
    });
    assert_eq!((told, Arc::strong_count(&memory)), (Ok(()), 1));
    assert!(begun.elapsed() >= 6 * slow, "the answers did not wait for each other");
}

/// Resets a device whose server is late for an end. False if a busy machine made the server late
/// for the reset, too.
fn is_reset_behind_an_end() -> bool {
    let (server, backend) = opened();
    let iova = backend.map(memory(&backend), true).unwrap();
    server.arm(DMA_UNMAP, Mood::Late(END + Duration::from_millis(300)));
    assert_eq!(unmapped(&backend, iova), Err(BackendError::Silent(END)));
    let (told, took) = timed("a reset", move || backend.reset());
    assert!(told.is_ok() || took >= END, "{told:?} after {took:?}: the reset has not its own second");
    assert!(took < DROP, "{took:?}");
    told.is_ok()
}

#[test]
fn a_reset_has_a_second_of_its_own_behind_an_end_that_gave_up() {
    assert!((0..10).any(|_| is_reset_behind_an_end()), "no reset was done");
}

#[test]
fn a_doorbell_of_an_end_waits_for_a_second() {
    for number in [REGION_WRITE, REGION_READ, DMA_MAP] {
        let (server, backend) = opened();
        match number {
            // the doorbell itself is not answered
            REGION_WRITE => server.arm(number, Mood::Stops),
            _ => stuck(&server, &backend, number),
        }
        let rings = backend.clone();
        // SAFETY: the server reaches no memory.
        let ring = move || unsafe { rings.doorbell_within(Doorbell::default(), END) };
        let (told, took) = timed("a doorbell", ring);
        assert!(
            told == Err(BackendError::Silent(END)) && took < DROP,
            "behind command {number}: {told:?} {took:?}"
        );
    }
}

#[test]
fn a_server_that_is_late_for_an_end_serves_on() {
    let (server, backend) = opened();
    let memory = memory(&backend);
    let iova = backend.map(memory.clone(), true).unwrap();
    server.arm(DMA_UNMAP, Mood::Late(Duration::from_secs(3)));
    let asks = backend.clone();
    let (told, took) = timed("an end", move || unmapped(&asks, iova));
    assert!(told == Err(BackendError::Silent(END)) && (END..DROP).contains(&took), "{told:?} {took:?}");
    let asks = backend.clone();
    let (magic, took) = timed("a read behind it", move || asks.register(0));
    assert!(magic == Ok(0x4677_5270) && took < MOMENT, "{magic:?} {took:?}");
    assert_eq!(Arc::strong_count(&memory), 2, "nobody was told that the server gave it up");
}
