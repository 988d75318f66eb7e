// SPDX-License-Identifier: MIT OR Apache-2.0
//! The vfio-user server, asked by the client of the crate `vfio_user` and by octets that no client
//! would send.
mod raw;
mod stub;

use ferrowarp_sim::vfio_user::{CONFIG_REGION, MSIX_IRQ, REGIONS};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use raw::{message, octets_of, send_with};
use rustix::event::{eventfd, EventfdFlags};
use rustix::fs::{memfd_create, MemfdFlags};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};
use stub::{answer, Served, BAR_SIZE};
use vfio_user::Client;

fn memory(octets: u64) -> File {
    let file = File::from(memfd_create("fw", MemfdFlags::CLOEXEC).unwrap());
    file.set_len(octets).unwrap();
    file
}

#[test]
fn another_projects_client_finds_regions_interrupts_and_memory() {
    let served = Served::new("client");
    let mut client = Client::new(&served.path).unwrap();
    let sizes: Vec<_> = (0..REGIONS as u32).map(|n| client.region(n).unwrap().size).collect();
    assert_eq!(sizes, [BAR_SIZE, 0, 0, 0, 0, 0, 0, 256, 0]);
    client.region_write(0, 8, &[1, 2, 3, 4]).unwrap();
    let mut octets = [0; 8];
    client.region_read(0, 8, &mut octets).unwrap();
    assert_eq!(octets, [1, 2, 3, 4, 0, 0, 0, 0]);
    let mut config = [0; 256];
    client.region_read(CONFIG_REGION as u32, 0, &mut config).unwrap();
    assert_eq!(config[250], 250);
    let vectors: Vec<_> = (0..5).map(|n| client.get_irq_info(n).unwrap().count).collect();
    assert_eq!(vectors, [0, 0, 4, 0, 0]);

    let file = memory(0x3000);
    client.dma_map(0x1000, 0x10_0000, 0x2000, file.as_raw_fd()).unwrap();
    let range = served.told.lock().unwrap().ranges[&0x10_0000].clone();
    assert_eq!((range.0.len(), range.1), (0x2000, true));
    range.0.store(0x1ffc, &[5, 6, 7, 8]).unwrap();
    file.write_all_at(&[9], 0x1000).unwrap();
    let mut end = [0; 4];
    file.read_exact_at(&mut end, 0x2ffc).unwrap();
    let mut start = [0; 2];
    range.0.load(0, &mut start).unwrap();
    assert_eq!((end, start), ([5, 6, 7, 8], [9, 0]));
    // a client that cuts its file short does itself harm, not us
    file.set_len(0).unwrap();
    range.0.load(0, &mut start).unwrap();
    assert_eq!(start, [0, 0]);
    client.dma_unmap(0x10_0000, 0x2000).unwrap();
    // memory of the client that no file holds
    let cells: Vec<AtomicU8> = (0..16).map(AtomicU8::new).collect();
    let own = File::options().read(true).write(true).open("/proc/self/mem").unwrap();
    client.dma_map(cells.as_ptr() as u64, 0x5000, 16, own.as_raw_fd()).unwrap();
    let range = served.told.lock().unwrap().ranges[&0x5000].0.clone();
    range.load(3, &mut start).unwrap();
    range.store(4, &[77, 78]).unwrap();
    assert_eq!((start, cells[5].load(Ordering::Acquire)), ([3, 4], 78));
    client.dma_unmap(0x5000, 16).unwrap();
    assert!(served.told.lock().unwrap().ranges.is_empty());

    let event = eventfd(0, EventfdFlags::NONBLOCK).unwrap();
    client.set_irqs(MSIX_IRQ as u32, 4 | 32, 2, 1, &[event.as_raw_fd()]).unwrap();
    rustix::io::write(&served.told.lock().unwrap().vectors[&2], &3_u64.to_ne_bytes()).unwrap();
    let mut count = [0; 8];
    rustix::io::read(&event, &mut count).unwrap();
    assert_eq!(u64::from_ne_bytes(count), 3);
    // what is no eventfd might make the device wait
    let (_reader, pipe) = std::io::pipe().unwrap();
    for fd in [pipe.as_raw_fd(), file.as_raw_fd(), own.as_raw_fd()] {
        // this client does not look at the number
        client.set_irqs(MSIX_IRQ as u32, 4 | 32, 2, 1, &[fd]).unwrap();
    }
    rustix::io::write(&served.told.lock().unwrap().vectors[&2], &5_u64.to_ne_bytes()).unwrap();
    rustix::io::read(&event, &mut count).unwrap();
    assert_eq!(u64::from_ne_bytes(count), 5, "the eventfd stays");
    client.reset().unwrap();
    client.region_read(0, 8, &mut octets).unwrap();
    assert_eq!(octets, [0; 8]);
}

#[test]
fn a_client_that_goes_leaves_nothing_and_another_one_may_come() {
    let served = Served::new("again");
    for round in 1..=3 {
        let mut client = Client::new(&served.path).unwrap();
        client.dma_map(0, 0x1000, 0x1000, memory(0x1000).as_raw_fd()).unwrap();
        let event = eventfd(0, EventfdFlags::empty()).unwrap();
        client.set_irqs(MSIX_IRQ as u32, 4 | 32, 0, 1, &[event.as_raw_fd()]).unwrap();
        drop(client);
        served.resets(round);
    }
    // the reset comes first, the rest at once behind it
    Client::new(&served.path).unwrap();
    let told = served.told.lock().unwrap();
    assert!(told.ranges.is_empty() && told.vectors.is_empty());
}

#[test]
fn what_cannot_be_is_refused_with_a_number() {
    let served = Served::new("refused");
    let mut early = served.raw();
    early.write_all(&message(4, &[0; 16])).unwrap();
    assert_eq!(answer(&mut early).unwrap().1, 22, "a command before the version");
    drop(early);
    let mut stream = served.agreed();
    let mut ask = |command: u16, words: &[u64]| {
        stream.write_all(&message(command, &octets_of(words))).unwrap();
        answer(&mut stream).unwrap().1
    };
    let access = |region: u64, count: u64| region | count << 32;
    assert_eq!(ask(9, &[0, access(0, 4)]), 0);
    for (why, offset, what) in [
        ("beyond the end", 4094, access(0, 4)),
        ("offset that wraps", u64::MAX - 3, access(0, 8)),
        ("a region without octets", 0, access(1, 4)),
        ("a region that is none", 0, access(77, 4)),
        ("not aligned", 2, access(0, 4)),
        ("four gigabytes", 0, access(0, 0xffff_fff8)),
        ("nothing", 0, access(0, 0)),
    ] {
        assert_eq!(ask(9, &[offset, what]), 22, "a read: {why}");
    }
    assert_eq!(ask(10, &[0, access(0, 8)]), 22, "a write without its data");
    assert_eq!(ask(10, &[0, access(7, 8), 1]), 13, "the function says no");
    assert_eq!(ask(10, &[0, access(0, 8), 1]), 0);
    assert_eq!(ask(2, &[3 << 32, 0, 0, u64::MAX]), 0, "memory without a descriptor");
    assert_eq!(ask(2, &[3 << 32, 0, 0, 0]), 22, "nothing to map");
    assert_eq!(ask(2, &[3 << 32, 0, u64::MAX, 2]), 22, "a range that wraps");
    assert_eq!(ask(3, &[0, 0, 0]), 22, "nothing to unmap");
    assert_eq!(ask(3, &[2 << 32, 0, 0]), 0, "all");
    assert_eq!(ask(99, &[]), 22, "no command");
    assert_eq!(ask(13, &[7]), 22, "a reset with a body");
    assert_eq!(ask(1, &[0]), 22, "a second version");
    assert_eq!(ask(13, &[]), 0);
}

#[test]
fn who_wants_no_answer_gets_none_also_if_it_is_refused() {
    let served = Served::new("silent");
    let mut stream = served.agreed();
    let access = |region: u64, count: u64| region | count << 32;
    let bodies: [(u16, &[u64]); 6] = [
        (10, &[0, access(0, 8), 7]),
        (10, &[0, access(7, 8), 7]),
        (2, &[0, 0, 0, 0]),
        (9, &[0, access(77, 4)]),
        (1, &[0]),
        (99, &[]),
    ];
    for (command, words) in bodies {
        let mut silent = message(command, &octets_of(words));
        silent[8] = 0x10;
        stream.write_all(&silent).unwrap();
    }
    stream.write_all(&message(9, &octets_of(&[0, access(0, 8)]))).unwrap();
    let (body, errno) = answer(&mut stream).unwrap();
    assert_eq!(
        (errno, body[16]),
        (0, 7),
        "the first answer is that of the read, and the first write was done"
    );
}

/// Answers stay in the socket until there is no room: the server waits for the client, and not for
/// ever.
#[test]
fn a_client_that_reads_no_answer_does_not_keep_the_server_from_stopping() {
    let served = Served::new("deaf");
    let stream = served.agreed();
    stream.set_nonblocking(true).unwrap();
    let read = message(9, &octets_of(&[0, 7 | 256 << 32]));
    let mut asked = 0;
    let mut last = Instant::now();
    // nothing more goes in when the server takes nothing more
    while last.elapsed() < Duration::from_millis(200) {
        match (&stream).write(&read) {
            Ok(octets) if octets == read.len() => (asked, last) = (asked + 1, Instant::now()),
            Ok(octets) => panic!("{octets} octets of a message"),
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    assert!(asked > 100, "{asked}");
    let stopped = Instant::now();
    drop(served);
    assert!(stopped.elapsed() < Duration::from_secs(5));
}

/// What is mapped of the hostile client's file: bus address, offset, octets. Between and around lie
/// canaries.
const WINDOWS: [(u64, u64, u64); 4] = [
    (1 << 40, 0x1003, 0x11d),
    ((1 << 40) + 0x11d, 0x1800, 0x800),
    (2 << 40, 0x2001, 1),
    (u64::MAX - 0xfff, 0x3000, 0x1000),
];
const FILE: u64 = 0x5000;
const CANARY: u8 = 0xca;

/// A device that writes and reads the ends of all windows as long as it may.
fn work(served: &Served, done: &AtomicBool) -> u64 {
    let mut accesses = 0;
    while !done.load(Ordering::Acquire) {
        // the lock is held: when the function has unmapped, no access is under way
        let told = served.told.lock().unwrap();
        for (iova, _, _) in WINDOWS {
            let Some((range, writable)) = told.ranges.get(&iova) else { continue };
            let (last, mut octets) = (range.len() - 1, [0]);
            for at in [0, last] {
                if *writable {
                    range.store(at, &[1]).unwrap();
                }
                // not all may be read
                let _ = range.load(at, &mut octets);
                accesses += 1;
            }
        }
        drop(told);
        std::thread::yield_now();
    }
    accesses
}

/// A mapping of a window or its end, most of them good ones.
fn mapping(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let &(iova, offset, octets) = WINDOWS.choose(rng).unwrap();
    if rng.random_bool(0.4) {
        return message(3, &octets_of(&[0, iova, octets - rng.random_range(0..2)]));
    }
    message(2, &octets_of(&[32 | rng.random_range(0..4) << 32, offset, iova, octets]))
}

/// Ten thousand messages of all kinds, most of them wrong in some way, with descriptors of all
/// kinds, while a device uses what is mapped. The server lives, and serves the next client; nothing
/// beside a mapping is touched.
#[test]
fn hostile_messages_end_a_session_at_most() {
    let served = Served::new("hostile");
    let file = memory(FILE);
    file.write_all_at(&[CANARY; FILE as usize], 0).unwrap();
    let done = AtomicBool::new(false);
    let accesses = std::thread::scope(|scope| {
        let device = scope.spawn(|| work(&served, &done));
        talk(&served, &file);
        done.store(true, Ordering::Release);
        device.join().unwrap()
    });
    assert!(accesses > 100, "{accesses}");
    let mut octets = [0; FILE as usize];
    file.read_exact_at(&mut octets, 0).unwrap();
    for (_, offset, length) in WINDOWS {
        let window = &mut octets[offset as usize..][..length as usize];
        assert!(window.contains(&1), "{offset:#x} was never written");
        window.fill(CANARY);
    }
    assert!(octets.iter().all(|&octet| octet == CANARY), "octets beside a mapping");
    let mut client = Client::new(&served.path).unwrap();
    client.region_write(0, 0, &[1]).unwrap();
    let told = served.told.lock().unwrap();
    assert!(told.ranges.is_empty() && told.vectors.is_empty());
}

fn talk(served: &Served, file: &File) {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let edges = [0, 1, 2, 4, 8, 16, 0xff8, 0x1000, 0x7fff_ffff, 0xffff_ffff, 1 << 32, u64::MAX - 7, u64::MAX];
    let endless = memory(1 << 46);
    let own = File::options().read(true).write(true).open("/proc/self/mem").unwrap();
    let readable = File::open(format!("/proc/self/fd/{}", endless.as_raw_fd())).unwrap();
    let event = eventfd(u32::MAX, EventfdFlags::CLOEXEC).unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    let (socket, _other) = UnixStream::pair().unwrap();
    let folder = File::open("/").unwrap();
    let fds = [
        endless.as_fd(),
        own.as_fd(),
        readable.as_fd(),
        event.as_fd(),
        reader.as_fd(),
        writer.as_fd(),
        socket.as_fd(),
        folder.as_fd(),
    ];
    let (mut sent, mut sessions, mut refused, mut mapped) = (0, 0, 0, 0);
    while sent < 10_000 {
        let mut stream = if rng.random_bool(0.9) { served.agreed() } else { served.raw() };
        sessions += 1;
        for _ in 0..rng.random_range(1..200) {
            sent += 1;
            let command = *[1, 2, 3, 4, 5, 7, 8, 9, 10, 13, 0, 11, 12, 14, 500].choose(rng).unwrap();
            let words = rng.random_range(0..6);
            let mut body: Vec<u8> =
                (0..words).flat_map(|_| edges.choose(rng).unwrap().to_le_bytes()).collect();
            body.truncate(body.len() - rng.random_range(0..=body.len().min(9)) / 4 * 4);
            let mut octets = message(command, &body);
            // nine are more than a message may have
            let count =
                *[0, 0, 0, 0, 0, 1, 1, 1, 2, 8].choose(rng).unwrap() + usize::from(rng.random_ratio(1, 200));
            let mut beside: Vec<_> = (0..count).map(|_| *fds.choose(rng).unwrap()).collect();
            let is_window = rng.random_bool(0.2);
            if is_window {
                (octets, beside) = (mapping(rng), vec![file.as_fd()]);
            } else {
                match rng.random_range(0..40) {
                    0 => octets[4..8].copy_from_slice(&(*edges.choose(rng).unwrap() as u32).to_le_bytes()),
                    1 => octets[8..12].copy_from_slice(&rng.random::<u32>().to_le_bytes()),
                    2 => octets.truncate(rng.random_range(1..octets.len())),
                    _ => {}
                }
            }
            let flags = u32::from_le_bytes(octets.get(8..12).map_or([0; 4], |o| o.try_into().unwrap()));
            if send_with(&stream, &octets, &beside).is_err() {
                break;
            }
            let whole = octets.len() >= 16 && octets[4..8] == (octets.len() as u32).to_le_bytes();
            if !whole || flags & 0x10 != 0 || flags & 0xf == 1 {
                // the server waits for more, says nothing, takes it for an answer, or has ended the
                // session: no answer can be awaited
                break;
            }
            match answer(&mut stream) {
                Some((_, 0)) => mapped += u32::from(is_window),
                Some(_) => refused += 1,
                None => break,
            }
        }
    }
    assert!(
        sessions > 50 && refused > 2_000 && mapped > 200,
        "{sessions} sessions, {refused} refusals, {mapped} mappings"
    );
}
