// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a client of a vfio-user server may hold, and whom it may disturb. The limit on descriptors
//! is the process's: one test.
mod raw;
mod stub;

use raw::{message, octets_of, send_with};
use rustix::fs::{memfd_create, MemfdFlags};
use rustix::net::{connect, socket_with, AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use rustix::process::{getrlimit, setrlimit, Resource, Rlimit};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use stub::{answer, Served};

/// Descriptors that the process may have.
const LIMIT: u64 = 160;
/// "Too many open files", the number that a map without room is refused with.
const EMFILE: u32 = 24;

/// Maps a page of a file at `page`: the number of the answer.
fn map(stream: &mut UnixStream, page: u64, file: &impl AsFd) -> Option<u32> {
    let map = message(2, &octets_of(&[32 | 3 << 32, 0, page << 12, 4096]));
    send_with(stream, &map, &[file.as_fd()]).ok()?;
    answer(stream).map(|(_, errno)| errno)
}

fn memory() -> File {
    let file = File::from(memfd_create("bounds", MemfdFlags::CLOEXEC).unwrap());
    file.set_len(4096).unwrap();
    file
}

/// Whether the client's device answers.
fn lives(stream: &mut UnixStream) -> bool {
    stream.write_all(&message(4, &octets_of(&[16, 0]))).is_ok() && answer(stream).is_some()
}

#[test]
fn a_client_holds_its_share_and_disturbs_nobody() {
    let [a, b, c] = ["bounds-a", "bounds-b", "bounds-c"].map(Served::new);
    let limit = Rlimit { current: Some(LIMIT), ..getrlimit(Resource::Nofile) };
    setrlimit(Resource::Nofile, limit).unwrap();
    let (mut greedy, mut other) = (a.agreed(), b.agreed());

    // a file is one descriptor, however often it is mapped
    let file = memory();
    for page in 0..2 * LIMIT {
        assert_eq!(map(&mut greedy, page, &file), Some(0), "page {page}");
    }
    // files are a share of what the process may have, and the session goes on
    let refused =
        (0..LIMIT).map(|n| map(&mut greedy, 10_000 + n, &memory())).position(|told| told != Some(0));
    let refused = refused.expect("one client takes all descriptors");
    assert!((7..LIMIT as usize / 3).contains(&refused), "{refused} files");
    assert_eq!(map(&mut greedy, 20_000, &memory()), Some(EMFILE));
    assert!(lives(&mut greedy));
    assert_eq!(map(&mut other, 0, &memory()), Some(0));

    // nobody can be accepted: who is served is served on, and who waits for a client waits on
    let stranger =
        || socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
    let strangers: Vec<_> = (0..6).map(|_| stranger()).collect();
    let filled: Vec<OwnedFd> = std::iter::from_fn(|| file.as_fd().try_clone_to_owned().ok()).collect();
    for (nth, stranger) in strangers.iter().enumerate() {
        let path = if nth < 3 { &b.path } else { &c.path };
        connect(stranger, &SocketAddrUnix::new(path).unwrap()).unwrap();
        assert!(lives(&mut other), "a stranger ends the session of another client");
    }
    std::thread::sleep(std::time::Duration::from_millis(100));
    drop((filled, strangers));
    assert!(lives(&mut other) && lives(&mut greedy));
    assert!(lives(&mut c.agreed()), "the server has ended");

    // a message that cannot be ends the client that says it
    greedy.write_all(&[0xff; 16]).unwrap();
    assert!(answer(&mut greedy).is_none() && lives(&mut other));
    a.resets(1);
    assert!(lives(&mut a.agreed()));
    // descriptors beside messages that wait are bounded, too
    let mut hoards = c.agreed();
    let busy = c.told.lock().unwrap();
    hoards.write_all(&message(9, &octets_of(&[0, 4 << 32]))).unwrap();
    let eight = [file.as_fd(); 8];
    for _ in 0..5 {
        send_with(&hoards, &message(4, &octets_of(&[16, 0])), &eight).unwrap();
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    drop(busy);
    let answered = std::iter::from_fn(|| answer(&mut hoards)).count();
    assert!(answered < 6 && lives(&mut c.agreed()), "{answered} messages with 40 descriptors are taken");

    let mode = std::fs::metadata(&a.path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "others may connect");
}
