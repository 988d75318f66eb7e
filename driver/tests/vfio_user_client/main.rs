// SPDX-License-Identifier: MIT OR Apache-2.0
//! The driver against a vfio-user server that stops, refuses or answers wrongly at each of its
//! messages, and against another project's server.
mod ends;
mod judge;
mod lost;
mod server;

use ferrowarp::backend::{Backend, BackendError, PciBackend};
use ferrowarp::dma::DmaMemory;
use ferrowarp_abi::codec::Doorbell;
use server::{
    Mood, Server, DMA_MAP, DMA_UNMAP, GET_INFO, REGION_READ, REGION_WRITE, RESET, SET_IRQS, VERSION,
};
use std::io::Read;
use std::path::Path;
use std::sync::mpsc::channel;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Commands with which a device is opened, and those of a device that is open.
const OPENING: [u16; 3] = [VERSION, GET_INFO, SET_IRQS];
const OPEN: [u16; 5] = [REGION_READ, REGION_WRITE, DMA_MAP, DMA_UNMAP, RESET];
/// Those of them with which something ends.
const ENDS: [u16; 2] = [DMA_UNMAP, RESET];
/// What is wrong with an answer.
const WRONG: [Mood; 6] =
    [Mood::OtherId, Mood::OtherCommand, Mood::Command, Mood::Short, Mood::Long, Mood::Endless];
/// The rule for a request: so long, and what a busy machine adds. Without the rule a request waits
/// for ever.
const ANSWER: Duration = Duration::from_secs(6);
const MOMENT: Duration = Duration::from_secs(40);
/// The rule for an end: so long, and what a busy machine adds. Without the rule an end waits as
/// long as a request.
const END: Duration = Duration::from_secs(1);
const DROP: Duration = Duration::from_secs(5);
/// What is taken for ever.
const WATCH: Duration = Duration::from_secs(60);
const EACCES: i32 = 13;

/// Does something, and how long that took.
fn timed<R: Send + 'static>(what: &str, body: impl FnOnce() -> R + Send + 'static) -> (R, Duration) {
    let (done, ended) = channel();
    let begun = Instant::now();
    std::thread::spawn(move || done.send(body()));
    let result = ended.recv_timeout(WATCH).unwrap_or_else(|_| panic!("{what} hung for {WATCH:?}"));
    (result, begun.elapsed())
}

fn memory(backend: &PciBackend) -> Arc<DmaMemory> {
    Arc::new(DmaMemory::zeroed(backend.arena(), 10).unwrap())
}

fn unmapped(backend: &PciBackend, iova: u64) -> Result<(), BackendError> {
    // SAFETY: the server reaches no memory.
    unsafe { backend.unmap(iova, END) }
}

/// Has the driver give a command.
fn command(backend: &PciBackend, command: u16) -> Result<(), BackendError> {
    match command {
        REGION_READ => backend.register(0).map(drop),
        // SAFETY: the server reaches no memory.
        REGION_WRITE => unsafe { backend.doorbell(Doorbell::default()) },
        DMA_MAP => backend.map(memory(backend), true).map(drop),
        DMA_UNMAP => backend.map(memory(backend), true).and_then(|iova| unmapped(backend, iova)),
        RESET => backend.reset(),
        other => panic!("no call of the driver gives command {other}"),
    }
}

/// What the driver says when the server is in this mood at this command. A device that is open says
/// the same from then on.
fn told(number: u16, mood: Mood) -> (BackendError, Duration) {
    let server = Server::new();
    let what = format!("command {number}, {mood:?}:");
    if OPENING.contains(&number) {
        server.arm(number, mood);
        let path = server.path();
        let (opened, took) = timed(&what, move || PciBackend::vfio_user(&path).map(drop));
        return (opened.expect_err(&what), took);
    }
    let backend = Arc::new(PciBackend::vfio_user(&server.path()).unwrap());
    server.arm(number, mood);
    let asked = backend.clone();
    let (mut first, mut took) = timed(&what, move || command(&asked, number));
    if ENDS.contains(&number) && matches!(first, Err(BackendError::Silent(_))) {
        // an end does not wait until the server is lost: the next request does
        assert!((END..DROP).contains(&took), "{what} {took:?}");
        let next = backend.clone();
        (first, took) = timed(&what, move || next.register(0).map(drop));
    }
    let why = first.expect_err(&what);
    if !matches!(why, BackendError::Refused { .. }) {
        let begun = Instant::now();
        let again = [0, 4].map(|register| backend.register(register).unwrap_err());
        assert!(again.iter().all(|next| *next == why), "{what} {again:?} behind {why:?}");
        // nothing waits for the server again
        assert!(begun.elapsed() < DROP, "{what} {:?}", begun.elapsed());
    }
    (why, took)
}

/// All commands at once, since each waits: what the driver says of each mood.
fn each(moods: &[Mood], judge: impl Fn(u16, Mood, BackendError, Duration) + Copy + Send) {
    std::thread::scope(|scope| {
        for (&number, &mood) in OPENING.iter().chain(&OPEN).flat_map(|n| moods.iter().map(move |m| (n, m))) {
            if (number, mood) == (VERSION, Mood::Long) {
                // the text of a version may be longer
                continue;
            }
            scope.spawn(move || {
                let (why, took) = told(number, mood);
                judge(number, mood, why, took);
            });
        }
    });
}

#[test]
fn a_server_that_stops_is_an_error_in_a_moment_and_for_good() {
    each(&[Mood::Stops, Mood::Half], |number, mood, why, took| {
        assert!(took < MOMENT, "command {number}, {mood:?}: {took:?}");
        let BackendError::Lost(text) = &why else { panic!("command {number}, {mood:?}: {why:?}") };
        // what the client says of its own wait: a device is opened within five seconds
        let waited =
            text.split_once("no answer to ").and_then(|(_, rest)| rest.split(' ').nth(2)?.parse().ok());
        let least = if OPENING[..2].contains(&number) { 4_000 } else { ANSWER.as_millis() as u64 };
        assert!(waited.is_some_and(|waited: u64| waited >= least), "{text}");
    });
}

#[test]
fn a_server_that_answers_wrongly_is_an_error_at_once_and_for_good() {
    each(&WRONG, |number, mood, why, took| {
        assert!(took < MOMENT, "command {number}, {mood:?}: {took:?}");
        let BackendError::Lost(text) = &why else { panic!("command {number}, {mood:?}: {why:?}") };
        let wanted = match mood {
            Mood::OtherId => "is due",
            Mood::OtherCommand => "has the command",
            Mood::Command => "is no answer to",
            // a text may be shorter
            Mood::Short if number == VERSION => "octets follow the answer to",
            Mood::Endless => "4294967295 octets",
            _ => "octets",
        };
        assert!(text.contains(wanted), "command {number}, {mood:?}: {text}");
    });
}

#[test]
fn a_server_that_closes_the_connection_has_stopped() {
    each(&[Mood::Closes], |number, _, why, took| {
        assert!(took < MOMENT, "command {number}: {took:?}");
        match number {
            // without a word: another client has it
            VERSION => assert!(matches!(why, BackendError::Busy(_)), "{why:?}"),
            _ => assert!(matches!(why, BackendError::Stopped(_)), "command {number}: {why:?}"),
        }
    });
}

#[test]
fn a_refusal_is_an_error_with_its_errno_and_the_next_request_is_answered() {
    each(&[Mood::Refuses(EACCES as u32)], |number, _, why, took| {
        assert!(took < MOMENT, "command {number}: {took:?}");
        assert!(matches!(why, BackendError::Refused { errno: EACCES, .. }), "command {number}: {why:?}");
        assert!(why.to_string().contains("Permission denied"), "{why}");
    });
    let server = Server::new();
    let backend = PciBackend::vfio_user(&server.path()).unwrap();
    for number in OPEN {
        server.arm(number, Mood::Refuses(EACCES as u32));
        command(&backend, number).unwrap_err();
        assert_eq!(backend.register(0), Ok(0x4677_5270), "behind a refusal of command {number}");
    }
}

#[test]
fn no_descriptor_of_a_server_stays() {
    let server = Server::new();
    let backend = PciBackend::vfio_user(&server.path()).unwrap();
    server.arm(REGION_READ, Mood::Descriptors);
    assert_eq!(backend.register(0), Ok(0x4677_5270));
    let mut pipe = server.state().pipe.take().unwrap();
    let (read, _) =
        timed("a pipe of which nobody has the other end", move || pipe.read(&mut [0; 1]).unwrap());
    assert_eq!(read, 0, "the client keeps a descriptor");
}

#[test]
fn memory_is_mapped_with_the_rights_that_it_has() {
    let server = Server::new();
    let backend = PciBackend::vfio_user(&server.path()).unwrap();
    for writable in [true, false] {
        backend.map(memory(&backend), writable).unwrap();
    }
    assert_eq!(server.state().maps, [3, 1]);
}

/// Stops a server, then drops the device of a memory that it maps: who has the memory then, and how
/// long the drop took.
fn dropped(stops_at: u16, is_reading: bool) -> (usize, Duration) {
    let server = Server::new();
    let backend = Arc::new(PciBackend::vfio_user(&server.path()).unwrap());
    let memory = memory(&backend);
    backend.map(memory.clone(), true).unwrap();
    server.arm(stops_at, Mood::Stops);
    let reader = is_reading.then(|| {
        let reads = backend.clone();
        std::thread::spawn(move || reads.register(0).unwrap_err())
    });
    if let Some(reader) = reader {
        reader.join().unwrap();
    }
    let (_, took) = timed("the end of a device", move || drop(backend));
    (Arc::strong_count(&memory), took)
}

#[test]
fn the_end_of_a_device_waits_for_a_moment_and_its_memory_is_never_used_again() {
    for (stops_at, is_reading) in [(REGION_WRITE, false), (REGION_READ, true)] {
        let (holders, took) = dropped(stops_at, is_reading);
        assert!(took < DROP, "command {stops_at}: {took:?}");
        assert_eq!(
            holders, 2,
            "command {stops_at}: the server may write memory that goes back to the system"
        );
    }
}

#[test]
fn a_server_that_takes_no_caller_is_told_in_time() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("socket");
    let socket = |path: &Path| {
        use rustix::net::{bind, listen, socket, AddressFamily, SocketAddrUnix, SocketType};
        let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
        bind(&socket, &SocketAddrUnix::new(path).unwrap()).unwrap();
        listen(&socket, 0).unwrap();
        socket
    };
    let _full = socket(&path);
    let _first = std::os::unix::net::UnixStream::connect(&path).unwrap();
    let (opened, took) = timed("a call", move || PciBackend::vfio_user(&path).map(drop));
    let why = opened.unwrap_err();
    assert!(matches!(&why, BackendError::Open(text) if text.contains("takes no caller")), "{why:?}");
    assert!(took < MOMENT, "{took:?}");
}
