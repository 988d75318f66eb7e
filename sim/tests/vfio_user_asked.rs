// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory that a client gives without a descriptor: the server asks for it, and nothing hangs on a
//! client that does not answer.
mod raw;
mod stub;

use ferrowarp_sim::memory::{Octets, Unreached};
use raw::{octets_of, Mood, Raw, DMA_READ, DMA_WRITE};
use std::sync::Arc;
use std::thread::spawn;
use std::time::{Duration, Instant};
use stub::Served;

const IOVA: u64 = 0x7000_0000;
/// How long the server waits for an answer, and how much longer a busy machine may take.
const ANSWER: Duration = Duration::from_secs(3);
const GRACE: Duration = Duration::from_secs(5);
/// Long enough for a thread to ask.
const QUIET: Duration = Duration::from_millis(300);

/// A client with a page at [`IOVA`].
fn client(served: &Served, most: u64, flags: u64) -> (Raw, Arc<dyn Octets>) {
    let mut raw = Raw::connect(&served.path, most);
    (raw.base, raw.memory) = (IOVA, (0..4096).map(|n| n as u8).collect());
    raw.map(flags, IOVA, 4096);
    let (range, writable) = served.told.lock().unwrap().ranges[&IOVA].clone();
    assert_eq!((range.len(), writable), (4096, flags & 2 != 0));
    (raw, range)
}

fn load(range: &Arc<dyn Octets>, at: u64, octets: usize) -> Result<Vec<u8>, Unreached> {
    let mut into = vec![0; octets];
    range.load(at, &mut into).map(|()| into)
}

/// A read of eight octets of the BAR.
fn bar_read(offset: u64) -> Vec<u8> {
    octets_of(&[offset, 8 << 32])
}

#[test]
fn octets_are_asked_for_in_pieces_that_the_client_takes() {
    let served = Served::new("asked");
    let (mut raw, range) = client(&served, 16, 3);
    let device = spawn(move || {
        let read = load(&range, 0x100, 40);
        (read, range.store(0x200, &[0xa5; 20]), load(&range, 0x1fe, 4))
    });
    raw.serve_for(QUIET);
    let (read, written, again) = device.join().unwrap();
    assert_eq!(read, Ok((0..40).collect()));
    assert_eq!((written, again), (Ok(()), Ok(vec![0xfe, 0xff, 0xa5, 0xa5])));
    assert_eq!(raw.memory[0x1ff..0x216], [&[0xff][..], &[0xa5; 20], &[0x14, 0x15]].concat());
    let [r, w] = [DMA_READ, DMA_WRITE].map(|command| move |at, octets| (command, IOVA + at, octets));
    let asked = [r(0x100, 16), r(0x110, 16), r(0x120, 8), w(0x200, 16), w(0x210, 4), r(0x1fe, 4)];
    assert_eq!(raw.asked, asked);
    assert_eq!(raw.ask(3, &octets_of(&[0, IOVA, 4096])).1, 0);
    assert!(served.told.lock().unwrap().ranges.is_empty());
}

/// The server waits for the function, which waits for the client, which waits for the server: it
/// has to answer meanwhile.
#[test]
fn a_command_may_wait_for_memory_that_its_client_answers_for() {
    let served = Served::new("circle");
    let (mut raw, _) = client(&served, 1 << 20, 1);
    served.told.lock().unwrap().looks_into = Some(IOVA);
    for _ in 0..100 {
        let (body, errno) = raw.ask(9, &bar_read(0x18));
        assert_eq!((errno, &body[16..]), (0, &[0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f][..]));
    }
    // commands stand between the request and its answer
    let writes: Vec<u8> = (0..10).flat_map(|_| raw::message(10, &octets_of(&[0, 8 << 32, 7]))).collect();
    std::io::Write::write_all(&mut raw.stream, &[raw::message(9, &bar_read(0x18)), writes].concat()).unwrap();
    let mut answers = 0;
    while answers < 11 {
        let came = raw.next().unwrap();
        match came.flags & 0xf {
            1 => (answers, _) = (answers + 1, assert_eq!(came.errno, 0)),
            _ => raw.serve(&came),
        }
    }
    assert_eq!(raw.asked.len(), 101);
}

#[test]
fn the_last_octets_of_all_addresses_are_reached() {
    let served = Served::new("last");
    let mut raw = Raw::connect(&served.path, 4);
    (raw.base, raw.memory) = (u64::MAX - 7, (0..8).collect());
    raw.map(3, raw.base, 8);
    let range = served.told.lock().unwrap().ranges[&raw.base].0.clone();
    let device = spawn(move || (load(&range, 0, 8), load(&range, 7, 1), range.store(7, &[9])));
    raw.serve_for(QUIET);
    assert_eq!(device.join().unwrap(), (Ok((0..8).collect()), Ok(vec![7]), Ok(())));
    assert_eq!(raw.memory[7], 9);
}

#[test]
fn what_the_client_does_not_grant_is_not_reached() {
    let served = Served::new("denied");
    let (mut raw, range) = client(&served, 4096, 2);
    assert_eq!(load(&range, 0, 4), Err(Unreached::NotReadable), "it was mapped to be written");
    for mood in [Mood::Refuses, Mood::Lies, Mood::Honest] {
        raw.mood = mood;
        let range = range.clone();
        let device = spawn(move || range.store(8, &[1; 4]));
        raw.serve_for(QUIET);
        let expected = if mood == Mood::Honest { Ok(()) } else { Err(Unreached::Refused) };
        assert_eq!(device.join().unwrap(), expected, "{mood:?}");
    }
    assert_eq!(raw.asked, [(DMA_WRITE, IOVA + 8, 4); 3]);
}

#[test]
fn who_does_not_answer_is_waited_for_once_and_served_on() {
    let served = Served::new("mute");
    let (mut raw, range) = client(&served, 4096, 3);
    served.told.lock().unwrap().looks_into = Some(IOVA);
    raw.mood = Mood::Silent;
    let start = Instant::now();
    let (body, errno) = raw.ask(9, &bar_read(0));
    assert_eq!((errno, &body[16..]), (0, &[0xff; 8][..]));
    assert!((ANSWER..ANSWER + GRACE).contains(&start.elapsed()), "{:?}", start.elapsed());
    let start = Instant::now();
    assert_eq!(range.store(0, &[1]), Err(Unreached::NoAnswer));
    assert!(start.elapsed() < ANSWER);
    assert_eq!(raw.asked, [(DMA_READ, IOVA, 8)], "it is not asked again");
    // the answer that comes too late is nobody's
    raw.mood = Mood::Honest;
    let late = raw::Came { id: 1, command: DMA_READ, flags: 0, errno: 0, body: octets_of(&[IOVA, 8]) };
    raw.serve(&late);
    assert_eq!(raw.ask(4, &[0; 16]).1, 0);
}

#[test]
fn who_is_gone_is_not_waited_for() {
    let served = Served::new("gone");
    let (mut raw, range) = client(&served, 4096, 3);
    let waiting = range.clone();
    let device = spawn(move || {
        let start = Instant::now();
        (load(&waiting, 0, 4), start.elapsed())
    });
    assert_eq!(raw.next().unwrap().command, DMA_READ);
    drop(raw);
    let (read, took) = device.join().unwrap();
    assert_eq!(read, Err(Unreached::NoAnswer));
    assert!(took < ANSWER, "{took:?}");
    served.resets(1);
    assert_eq!(range.store(0, &[1]), Err(Unreached::NoAnswer));
}

/// A client that reads nothing fills its socket: neither the device nor the end of the server waits
/// for it.
#[test]
fn who_reads_nothing_holds_up_nobody() {
    let served = Served::new("full");
    let (raw, range) = client(&served, 4096, 3);
    raw.stream.set_nonblocking(true).unwrap();
    let read = raw::message(9, &octets_of(&[0, 7 | 256 << 32]));
    let mut last = Instant::now();
    while last.elapsed() < QUIET {
        match std::io::Write::write(&mut &raw.stream, &read) {
            Ok(_) => last = Instant::now(),
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    let start = Instant::now();
    assert_eq!(load(&range, 0, 4), Err(Unreached::NoAnswer));
    assert!(start.elapsed() < ANSWER + GRACE);
    let start = Instant::now();
    drop(served);
    assert!(start.elapsed() < GRACE);
}
