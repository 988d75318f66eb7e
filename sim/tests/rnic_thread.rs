// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device that runs by itself: what it leaves behind when it fails.
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::eth::{Delivery, EthError, EthPort, Tick};
use ferrowarp_sim::model;
use ferrowarp_sim::rnic::{wire, Rnic, RnicConfig, Served, TraceFiles, PATIENCE};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Cycles between two looks at a port.
const LOOK: u64 = 16;

/// A port that breaks after so many looks.
struct Breaks {
    left: u64,
    socket: UnixDatagram,
}

impl EthPort for Breaks {
    fn send(&mut self, _frame: &[u8]) -> Result<Delivery, EthError> {
        Ok(Delivery::Sent)
    }

    fn receive(&mut self) -> Result<Option<Vec<u8>>, EthError> {
        let source = io::Error::other("it is unplugged");
        self.left =
            self.left.checked_sub(1).ok_or(EthError::Io { port: "a port".into(), step: "", source })?;
        Ok(None)
    }

    fn poll_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A port at which a frame of another length waits at each look.
struct Floods {
    frames: usize,
    socket: UnixDatagram,
}

impl EthPort for Floods {
    fn send(&mut self, _frame: &[u8]) -> Result<Delivery, EthError> {
        Ok(Delivery::Sent)
    }

    fn receive(&mut self) -> Result<Option<Vec<u8>>, EthError> {
        self.frames += 1;
        Ok(Some(vec![0xff; 60 + self.frames * 37 % 1_400]))
    }

    fn poll_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A device whose port breaks after so many cycles.
fn device(cycles: u64, trace: Option<PathBuf>) -> (Config, RnicConfig) {
    let port = Breaks { left: cycles / LOOK, socket: UnixDatagram::unbound().unwrap() };
    device_at(Box::new(port), trace)
}

fn device_at(port: Box<dyn EthPort>, trace: Option<PathBuf>) -> (Config, RnicConfig) {
    let config = Config { qps: 16, cqs: 32, window_log2: 14, ..Config::profile(Profile::TenG) };
    let library = model(Top::RnicW64, &config).unwrap();
    // ticks by cycles: it does not rest
    let tick: Tick = "cycles:1000".parse().unwrap();
    let wire = wire(&config);
    let trace = trace.map(|stem| TraceFiles { stem, keep: false, cycles: 20_000 });
    (
        config,
        RnicConfig {
            library,
            wire,
            port,
            flaps: None,
            tick,
            patience: PATIENCE,
            forgives: false,
            pcap: None,
            trace,
        },
    )
}

/// A client that asks nothing hears of nothing: who watches the device sees that it has failed, and
/// why.
#[test]
fn a_served_device_that_fails_has_ended_although_its_client_waits() {
    let path = std::env::temp_dir().join(format!("fw-failed-{}", std::process::id()));
    let (config, device) = device(3_000, None);
    let served = Served::start(&path, &config, device).unwrap();
    let mut client = UnixStream::connect(&path).unwrap();
    let end = Instant::now() + Duration::from_secs(120);
    while !served.has_ended() {
        assert!(Instant::now() < end, "nobody notices");
        std::thread::sleep(Duration::from_millis(5));
    }
    let told = served.finish().unwrap_err().to_string();
    assert!(told.contains("it is unplugged"), "{told}");
    assert_eq!(client.read(&mut [0; 16]).unwrap(), 0, "the client is let go");
    assert!(!path.exists());
}

#[test]
fn a_device_that_fails_leaves_its_last_cycles_and_one_that_ends_leaves_nothing() {
    let folder = std::env::temp_dir().join(format!("ferrowarp-rnic-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let files = || std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap()).collect::<Vec<_>>();

    let rnic = Rnic::start(device(u64::MAX, Some(folder.join("good"))).1).unwrap();
    rnic.bar_read(0, 0, 4).unwrap();
    assert!(!files().is_empty(), "it is being recorded");
    rnic.finish().unwrap();
    assert_eq!(files().len(), 0);

    // in the third file, which takes the place of the first
    let rnic = Rnic::start(device(41_000, Some(folder.join("bad"))).1).unwrap();
    let end = Instant::now() + Duration::from_secs(120);
    while rnic.bar_read(0, 0, 4).is_ok() {
        assert!(Instant::now() < end, "it does not fail");
    }
    let told = rnic.finish().unwrap_err().to_string();
    let [last, before] = ["bad-0.fst", "bad-1.fst"].map(|name| folder.join(name));
    let waves = format!("last cycles: {}, before them {};", last.display(), before.display());
    assert!(told.contains("it is unplugged") && told.contains(&waves), "{told}");
    // an FST begins with the block type 0, its length 329, then start and end time: two units a
    // cycle
    let span = |file| {
        let octets = std::fs::read(file).unwrap();
        let number = |at: usize| u64::from_be_bytes(octets[at..at + 8].try_into().unwrap());
        assert_eq!((octets[0], number(1)), (0, 329));
        (number(9), number(17))
    };
    let [(start, _), (before, end)] = [span(&last), span(&before)];
    assert_eq!((end - before, start - end), (2 * 20_000 - 1, 1));
    assert_eq!(files().len(), 2);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A reset waits for a frame that is on its way in, so that resets end in cycles of all kinds. The
/// next one has been ordered by then.
#[test]
fn a_reset_behind_a_reset_is_done() {
    let port = Floods { frames: 0, socket: UnixDatagram::unbound().unwrap() };
    let rnic = Arc::new(Rnic::start(device_at(Box::new(port), None).1).unwrap());
    let (done, ended) = channel();
    for _ in 0..2 {
        let (rnic, done) = (rnic.clone(), done.clone());
        std::thread::spawn(move || (0..100).for_each(|nth| drop(done.send(rnic.reset().map(|()| nth)))));
    }
    for nth in 0..200 {
        let told = ended.recv_timeout(Duration::from_secs(60));
        let is_done = told.is_ok_and(|told| told.is_ok());
        assert!(is_done, "{nth} resets are done, and no further one: {:?}", rnic.finish());
    }
    rnic.finish().unwrap();
}
