// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which descriptors a vfio-user server takes for memory, and a file whose reads, or whose file
//! system, never answer.
mod endless;
mod raw;
mod stub;

use endless::Endless;
use raw::{message, octets_of, send_with};
use rustix::fs::{memfd_create, MemfdFlags};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stub::{answer, Served};
use tempfile::TempDir;

const EACCES: u32 = 13;
const PAGE: u64 = 4096;
/// Where the files are mapped.
const IOVA: u64 = 0x10_0000;
/// How long a server may take for what it does at once, and for a file.
const MOMENT: Duration = Duration::from_secs(2);
const WATCH: Duration = Duration::from_secs(10);

/// Maps a page of a file, to be read: the errno of the answer; none if the connection ended.
fn map(stream: &mut UnixStream, offset: u64, file: &impl AsFd) -> Option<u32> {
    let map = message(2, &octets_of(&[32 | 1 << 32, offset, IOVA, PAGE]));
    send_with(stream, &map, &[file.as_fd()]).ok()?;
    answer(stream).map(|(_, errno)| errno)
}

/// Has the device read what is mapped.
fn look(stream: &mut UnixStream) -> Option<Vec<u8>> {
    stream.write_all(&message(9, &octets_of(&[0, 4 << 32]))).ok()?;
    answer(stream).map(|(body, _)| body[16..].to_vec())
}

/// Whether a client that comes now is served.
fn lives(served: &Served) -> bool {
    let mut stream = served.agreed();
    stream.write_all(&message(4, &octets_of(&[16, 0]))).is_ok() && answer(&mut stream).is_some()
}

/// Does something that may not take for ever.
fn timed<R: Send + 'static>(what: &str, body: impl FnOnce() -> R + Send + 'static) -> (R, Duration) {
    let (done, ended) = channel();
    let begun = Instant::now();
    std::thread::spawn(move || done.send(body()));
    let result = ended.recv_timeout(WATCH).unwrap_or_else(|_| panic!("{what} hung for {WATCH:?}"));
    (result, begun.elapsed())
}

/// A file of a page, of which the first octets are known.
fn filled(file: File) -> File {
    file.set_len(PAGE).unwrap();
    (&file).write_all(b"page").unwrap();
    file
}

#[test]
fn memory_of_all_backends_of_qemu_is_accepted() {
    let served = Served::new("files");
    served.told.lock().unwrap().looks_into = Some(IOVA);
    let mut stream = served.agreed();
    let mut seen = |offset: u64, file: &File| {
        assert_eq!(map(&mut stream, offset, file), Some(0), "{file:?}");
        let octets = look(&mut stream);
        stream.write_all(&message(3, &octets_of(&[24, IOVA, PAGE]))).unwrap();
        assert_eq!(answer(&mut stream).unwrap().1, 0);
        octets.unwrap()
    };
    let memfd = File::from(memfd_create("fw", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).unwrap());
    let shm = tempfile::tempfile_in("/dev/shm").unwrap();
    for file in [memfd, shm] {
        assert_eq!(seen(0, &filled(file)), b"page");
    }
    // a file of huge pages, none of which is taken: this machine may have none
    let huge = File::from(memfd_create("fw", MemfdFlags::CLOEXEC | MemfdFlags::HUGETLB).unwrap());
    huge.set_len(2 << 20).unwrap();
    assert_eq!(seen(0, &huge), [0; 4]);
    // memory of this process that no file holds
    let octets = *b"here";
    let own = File::open("/proc/self/mem").unwrap();
    assert_eq!(seen(octets.as_ptr() as u64, &own), octets);
}

#[test]
fn a_file_of_another_file_system_is_refused_and_the_session_goes_on() {
    let served = Served::new("disk");
    let (program, device) =
        (File::open(std::env::current_exe().unwrap()).unwrap(), Path::new("/sys/kernel/mm"));
    let attribute = std::fs::read_dir(device.join("ksm")).unwrap().next().unwrap().unwrap();
    let attribute = File::open(attribute.path()).unwrap();
    let mut stream = served.agreed();
    for file in [program, attribute] {
        assert_eq!(map(&mut stream, 0, &file), Some(EACCES), "{file:?}");
    }
    let file = filled(File::from(memfd_create("fw", MemfdFlags::CLOEXEC).unwrap()));
    assert_eq!(map(&mut stream, 0, &file), Some(0));
}

/// Set in a process that has a page of a file in its memory: the file.
const HOLDS: &str = "FERROWARP_HOLDS";

/// A process with a page of the file in its memory, and the address of that page.
fn holder(path: &Path) -> (Child, u64) {
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "a_file_whose_reads_never_end_holds_up_nobody", "--nocapture"]).env(HOLDS, path);
    let mut child = again.stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = lines.map_while(Result::ok).find_map(|line| line.strip_prefix("page ")?.parse().ok());
    (child, address.unwrap())
}

/// The other process: it ends with its input.
fn hold(path: &OsStr) {
    let file = File::open(path).unwrap();
    // SAFETY: nobody reads or writes the mapping in this process.
    let page = unsafe { memmap2::MmapOptions::new().len(PAGE as usize).map(&file) }.unwrap();
    eprintln!("page {}", page.as_ptr() as u64);
    assert_eq!(std::io::stdin().read(&mut [0]).unwrap(), 0);
}

/// The file itself, and memory of a process with a page in the file.
#[test]
fn a_file_whose_reads_never_end_holds_up_nobody() {
    if let Some(path) = std::env::var_os(HOLDS) {
        hold(&path);
        return;
    }
    let folder = TempDir::new().unwrap();
    let Some(endless) = Endless::mount(folder.path()) else {
        // only root mounts: an access that does not end is a unit test of the server's hand
        assert!(!rustix::process::geteuid().is_root(), "root mounts no FUSE");
        return;
    };
    let served = Arc::new(Served::new("endless"));
    served.told.lock().unwrap().looks_into = Some(IOVA);
    let file = File::open(&endless.path).unwrap();
    let mut stream = served.agreed();
    let told = file.try_clone().unwrap();
    let mapping = move || (map(&mut stream, 0, &told), stream);
    let ((errno, mut stream), took) = timed("a mapping of the file", mapping);
    assert!(errno == Some(EACCES) && took < MOMENT, "{errno:?} {took:?}");

    let (mut child, at) = holder(&endless.path);
    let memory = File::open(format!("/proc/{}/mem", child.id())).unwrap();
    assert_eq!(map(&mut stream, at, &memory), Some(0));
    let (read, took) = timed("a read by the device", move || look(&mut stream));
    assert!(read.is_none(), "the client is not ended: {read:?}");
    assert!(took < Duration::from_secs(5), "{took:?}");
    let next = served.clone();
    assert!(timed("the next client", move || lives(&next)).0);

    // a file system that says nothing, not even to a close
    let served = Arc::new(Served::new("mute"));
    endless.mute();
    let mut stream = served.agreed();
    let mapping = move || {
        let errno = map(&mut stream, 0, &file);
        // closing it would not end
        std::mem::forget(file);
        errno
    };
    let (errno, took) = timed("a mapping of a mute file", mapping);
    assert!(errno.is_none() && took < Duration::from_secs(5), "{errno:?} {took:?}");
    let next = served.clone();
    assert!(timed("the next client", move || lives(&next)).0);
    // the process goes when nothing holds its memory any more
    drop((endless, child.stdin.take()));
    assert!(child.wait().unwrap().success());
}
