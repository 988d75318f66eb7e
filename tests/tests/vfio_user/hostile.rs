// SPDX-License-Identifier: MIT OR Apache-2.0
//! A client that does what it likes while the device reads and writes its memory: mappings go in
//! use, resets come during accesses, and the next client has a device.
#[path = "../../../sim/tests/raw/mod.rs"]
mod raw;

use ferrowarp_abi::consts::csr;
use ferrowarp_sim::eth::{JoinedPort, Wire};
use ferrowarp_tests::bus::{spoilt, Bus, EVENTS, IOVA, OCTETS, QP, SQ};
use ferrowarp_tests::served::served;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use raw::{message, octets_of, send_with, Mood, Raw, DMA_READ, DMA_WRITE};
use rustix::event::{eventfd, EventfdFlags};
use rustix::fs::{memfd_create, MemfdFlags};
use std::fs::File;
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// Sessions, and messages of one after its device has work.
const SESSIONS: u64 = 16;
const MESSAGES: usize = 60;
/// The second entry of the event ring: that of the Ethernet link comes first.
const SECOND: u64 = EVENTS + 16;
/// Octets of a file on both sides of what is mapped of it, and what they are.
const AROUND: u64 = 0x1000;
const CANARY: u8 = 0xca;

impl Bus for Raw {
    fn read(&mut self, region: u32, offset: u64, into: &mut [u8]) {
        let access = u64::from(region) | (into.len() as u64) << 32;
        let (body, errno) = self.ask(9, &octets_of(&[offset, access]));
        assert_eq!(errno, 0, "a read of {offset:#x}");
        into.copy_from_slice(&body[16..]);
    }

    fn write(&mut self, region: u32, offset: u64, octets: &[u8]) {
        let access = u64::from(region) | (octets.len() as u64) << 32;
        let (_, errno) = self.ask(10, &[&octets_of(&[offset, access]), octets].concat());
        assert_eq!(errno, 0, "a write of {offset:#x}");
    }
}

/// A client with all the device's rings in memory without a descriptor.
fn asked(path: &Path, mood: Mood) -> Raw {
    let mut raw = Raw::connect(path, 1 << 20);
    (raw.base, raw.memory) = (IOVA, vec![0; OCTETS as usize]);
    raw.memory[SQ as usize..][..spoilt().len()].copy_from_slice(&spoilt());
    raw.map(3, IOVA, OCTETS);
    raw.set_up();
    raw.mood = mood;
    raw
}

/// A client with the rings in a file, between canaries.
fn mapped(path: &Path) -> (Raw, Option<File>) {
    let mut raw = Raw::connect(path, 1 << 20);
    let file = File::from(memfd_create("hostile", MemfdFlags::CLOEXEC).unwrap());
    file.set_len(OCTETS + 2 * AROUND).unwrap();
    for around in [0, AROUND + OCTETS] {
        file.write_all_at(&[CANARY; AROUND as usize], around).unwrap();
    }
    file.write_all_at(&spoilt(), AROUND + SQ).unwrap();
    let map = message(2, &octets_of(&[32 | 3 << 32, AROUND, IOVA, OCTETS]));
    assert_eq!(send_with(&raw.stream, &map, &[file.as_fd()]).unwrap(), map.len());
    assert_eq!(raw.next().unwrap().errno, 0);
    // longer than any memory, and taken away when the client goes
    let endless = File::from(memfd_create("endless", MemfdFlags::CLOEXEC).unwrap());
    endless.set_len(1 << 46).unwrap();
    let map = message(2, &octets_of(&[32 | 3 << 32, 0, 1 << 50, 1 << 46]));
    assert_eq!(send_with(&raw.stream, &map, &[endless.as_fd()]).unwrap(), map.len());
    assert_eq!(raw.next().unwrap().errno, 0);
    raw.set_up();
    (raw, Some(file))
}

/// Things to say at any time, most of them wrong.
fn word(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let access = |region: u64, octets: u64| region | octets << 32;
    let edges = [0, 1, 4, 0x1000, IOVA, IOVA + 0x1000, OCTETS, 32 | 3 << 32, u64::MAX];
    match rng.random_range(0..8) {
        0 => message(3, &octets_of(&[0, IOVA, OCTETS])),
        1 => message(13, &[]),
        // the reset of configuration space, and the end of bus mastering
        2 => message(10, &[&octets_of(&[0x58, access(7, 2)]), &[0, 0x80][..]].concat()),
        3 => message(10, &[&octets_of(&[4, access(7, 2)]), &[2, 0][..]].concat()),
        4 => message(9, &octets_of(&[4 * rng.random_range(0..16), access(0, 4)])),
        5 => message(10, &octets_of(&[u64::from(QP) * 4096, access(2, 8), rng.random()])),
        _ => {
            let command = *[1, 2, 3, 4, 5, 7, 8, 9, 10, 13, 77].choose(rng).unwrap();
            let words: Vec<u64> = (0..rng.random_range(0..5)).map(|_| *edges.choose(rng).unwrap()).collect();
            message(command, &octets_of(&words))
        }
    }
}

/// Says such things, with descriptors that may be of a wrong kind, and answers for its memory
/// meanwhile.
fn rave(raw: &mut Raw, rng: &mut ChaCha8Rng) {
    let event = eventfd(u32::MAX, EventfdFlags::CLOEXEC).unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    let (socket, _other) = UnixStream::pair().unwrap();
    let empty = File::from(memfd_create("empty", MemfdFlags::CLOEXEC).unwrap());
    let fds = [event.as_fd(), reader.as_fd(), writer.as_fd(), empty.as_fd(), socket.as_fd()];
    let mouth = raw.stream.try_clone().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while let Some(came) = raw.next() {
                if came.flags & 0xf == 0 {
                    raw.serve(&came);
                }
            }
        });
        for _ in 0..MESSAGES {
            let beside: Vec<_> = (0..rng.random_range(0..3)).map(|_| *fds.choose(rng).unwrap()).collect();
            // one that was thrown out has nothing to say
            if send_with(&mouth, &word(rng), &beside).is_err() {
                break;
            }
            std::thread::sleep(Duration::from_micros(rng.random_range(0..300)));
        }
        mouth.shutdown(Shutdown::Both).unwrap();
    });
}

#[test]
fn a_device_at_work_outlives_what_its_client_does() {
    let [port, _cable] = JoinedPort::pair(&Wire::default()).unwrap();
    let (path, served) = served("hostile", port);
    for seed in 0..SESSIONS {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let (mut raw, file) = match seed % 4 {
            0 | 2 => mapped(&path),
            1 => (asked(&path, Mood::Honest), None),
            _ => (asked(&path, Mood::Refuses), None),
        };
        raw.ring();
        rave(&mut raw, rng);
        if let Some(file) = file {
            for around in [0, AROUND + OCTETS] {
                let mut octets = [0; AROUND as usize];
                file.read_exact_at(&mut octets, around).unwrap();
                assert!(octets.iter().all(|&o| o == CANARY), "session {seed}: octets beside the mapping");
            }
        }
    }
    // the last word is an honest client's
    let mut raw = asked(&path, Mood::Honest);
    assert_ne!(raw.word(csr::MAGIC), u32::MAX);
    raw.ring();
    let end = Instant::now() + Duration::from_secs(60);
    while raw.memory[SECOND as usize + 15] & 1 == 0 {
        assert!(Instant::now() < end, "no event");
        raw.serve_for(Duration::from_millis(50));
    }
    let event = &raw.memory[SECOND as usize..][..16];
    assert_eq!((event[0], &event[2..4]), (3, &QP.to_be_bytes()[..]), "{event:02x?}");
    let [fetched, told] = [(DMA_READ, SQ), (DMA_WRITE, SECOND)]
        .map(|(command, at)| raw.asked.iter().any(|&(c, address, _)| c == command && address == IOVA + at));
    assert!(fetched && told, "{:?}", raw.asked);
    drop(raw);
    let stats = served.finish().unwrap();
    assert_eq!(stats.mapped, 0, "{stats:?}");
}

/// The work request cannot be read and the event cannot be written: the device stops the queue
/// pair, and answers.
#[test]
fn a_device_whose_client_does_not_answer_for_its_memory_goes_on() {
    let [port, _cable] = JoinedPort::pair(&Wire::default()).unwrap();
    let (path, served) = served("mute", port);
    for mood in [Mood::Silent, Mood::Refuses] {
        let mut raw = asked(&path, mood);
        raw.ring();
        raw.serve_for(Duration::from_millis(500));
        let start = Instant::now();
        assert_ne!(raw.word(csr::MAGIC), u32::MAX);
        assert!(start.elapsed() < Duration::from_secs(20), "{mood:?}: {:?}", start.elapsed());
        assert!(!raw.asked.is_empty() && raw.memory[SECOND as usize + 15] == 0);
    }
    let stats = served.finish().unwrap();
    assert!(stats.refused > 1, "{stats:?}");
}
