// SPDX-License-Identifier: MIT OR Apache-2.0
//! A function for the tests of the vfio-user server, which keeps what it is told, and its server.
#![allow(dead_code, reason = "no test uses all of it")]
use crate::raw::message;
use ferrowarp_sim::memory::Octets;
use ferrowarp_sim::vfio_user::{PciFunction, Refusal, Server, CONFIG_REGION, REGIONS};
use rustix::event::{eventfd, EventfdFlags};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

const BAR: usize = 0;
pub const BAR_SIZE: u64 = 4096;

/// What the function was told.
#[derive(Default)]
pub struct Told {
    pub bar: Vec<u8>,
    pub ranges: BTreeMap<u64, (Arc<dyn Octets>, bool)>,
    pub vectors: BTreeMap<u16, OwnedFd>,
    pub resets: usize,
    /// A read of the BAR is one of the memory there: the device has to look into it.
    pub looks_into: Option<u64>,
    /// An access of the device goes on.
    pub accesses: bool,
}

/// A function whose one BAR is memory, with four vectors.
#[derive(Clone)]
struct Plain(Arc<Mutex<Told>>);

impl PciFunction for Plain {
    fn regions(&self) -> [u64; REGIONS] {
        let mut sizes = [0; REGIONS];
        (sizes[BAR], sizes[CONFIG_REGION]) = (BAR_SIZE, 256);
        sizes
    }

    fn vectors(&self) -> u16 {
        4
    }

    fn read(&mut self, region: usize, offset: u64, into: &mut [u8]) -> Result<(), Refusal> {
        let told = self.0.lock().unwrap();
        let range = told.looks_into.and_then(|iova| told.ranges.get(&iova)).map(|range| range.0.clone());
        match (region, range) {
            (BAR, Some(range)) => {
                drop(told);
                // a processor reads ones where nothing answers
                let there = offset + into.len() as u64 <= range.len();
                if !there || range.load(offset, into).is_err() {
                    into.fill(0xff);
                }
            }
            (BAR, None) => into.copy_from_slice(&told.bar[offset as usize..][..into.len()]),
            _ => into.iter_mut().zip(offset..).for_each(|(octet, at)| *octet = at as u8),
        }
        Ok(())
    }

    fn write(&mut self, region: usize, offset: u64, octets: &[u8]) -> Result<(), Refusal> {
        match region {
            BAR => self.0.lock().unwrap().bar[offset as usize..][..octets.len()].copy_from_slice(octets),
            _ => return Err(Refusal::Access("configuration space may not be written".into())),
        }
        Ok(())
    }

    fn map(&mut self, iova: u64, octets: Arc<dyn Octets>, writable: bool) -> Result<(), Refusal> {
        let mut told = self.0.lock().unwrap();
        if told.ranges.contains_key(&iova) {
            return Err(Refusal::Exists(format!("{iova:#x} is mapped")));
        }
        told.ranges.insert(iova, (octets, writable));
        Ok(())
    }

    fn unmap(&mut self, iova: u64, octets: u64) -> Result<(), Refusal> {
        let range = self.0.lock().unwrap().ranges.remove(&iova);
        assert_eq!(range.map(|(r, _)| r.len()), Some(octets), "the server unmaps what it mapped");
        Ok(())
    }

    fn unmap_all(&mut self) -> Result<(), Refusal> {
        while self.0.lock().unwrap().accesses {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.0.lock().unwrap().ranges.clear();
        Ok(())
    }

    fn set_vector(&mut self, vector: u16, fd: Option<OwnedFd>) -> Result<(), Refusal> {
        assert!(vector < 4);
        let vectors = &mut self.0.lock().unwrap().vectors;
        match fd {
            Some(fd) => vectors.insert(vector, fd),
            None => vectors.remove(&vector),
        };
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Refusal> {
        let mut told = self.0.lock().unwrap();
        told.resets += 1;
        told.bar.fill(0);
        Ok(())
    }
}

/// A server in a thread of its own.
pub struct Served {
    pub path: PathBuf,
    pub told: Arc<Mutex<Told>>,
    stop: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fw-vu-{name}-{}", std::process::id()));
        let told = Arc::new(Mutex::new(Told { bar: vec![0; BAR_SIZE as usize], ..Default::default() }));
        let stop = Arc::new(eventfd(0, EventfdFlags::empty()).unwrap());
        let server = Server::listen(&path).unwrap();
        let (mut function, ends) = (Plain(told.clone()), stop.clone());
        let thread = std::thread::spawn(move || server.run(&mut function, &ends).unwrap());
        Self { path, told, stop, thread: Some(thread) }
    }

    /// Waits until the function was reset so often: a client that went is noticed a little later.
    pub fn resets(&self, wanted: usize) {
        for _ in 0..2_000 {
            if self.told.lock().unwrap().resets >= wanted {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("{wanted} resets were expected, {} came", self.told.lock().unwrap().resets);
    }

    /// A connection that has exchanged versions.
    pub fn agreed(&self) -> UnixStream {
        let mut stream = self.raw();
        stream.write_all(&message(1, &[0, 0, 1, 0])).unwrap();
        assert_eq!(answer(&mut stream).unwrap().1, 0);
        stream
    }

    pub fn raw(&self) -> UnixStream {
        let stream = UnixStream::connect(&self.path).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        rustix::io::write(&*self.stop, &1_u64.to_ne_bytes()).unwrap();
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking(), "the server panicked");
        assert!(!self.path.exists() || std::thread::panicking(), "the socket's file stays behind");
    }
}

/// The next answer: its body, and its errno; none if the connection ended.
pub fn answer(stream: &mut UnixStream) -> Option<(Vec<u8>, u32)> {
    let mut head = [0; 16];
    stream.read_exact(&mut head).ok()?;
    let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().unwrap());
    assert_eq!(word(8) & 0xf, 1, "an answer");
    assert_eq!(word(8) & 0x20 != 0, word(12) != 0, "a number goes with the error flag");
    let mut body = vec![0; word(4) as usize - 16];
    stream.read_exact(&mut body).ok()?;
    Some((body, word(12)))
}
