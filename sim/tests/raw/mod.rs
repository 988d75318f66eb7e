// SPDX-License-Identifier: MIT OR Apache-2.0
//! A vfio-user client by hand: it says anything, with any descriptors, and answers for memory that
//! it gave without one.
#![allow(dead_code, reason = "no test uses all of it")]
use rustix::net::{sendmsg, SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use std::io::{self, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// Commands of the server.
pub const DMA_READ: u16 = 11;
pub const DMA_WRITE: u16 = 12;
/// Most descriptors that are sent at once.
const MOST_FDS: usize = 16;

/// How the client answers for its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Honest,
    Refuses,
    /// Names another address.
    Lies,
    Silent,
}

/// A message of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Came {
    pub id: u16,
    pub command: u16,
    pub flags: u32,
    pub errno: u32,
    pub body: Vec<u8>,
}

pub struct Raw {
    pub stream: UnixStream,
    /// Memory without a descriptor, from this address on.
    pub base: u64,
    pub memory: Vec<u8>,
    pub mood: Mood,
    /// What was asked for: command, address, octets.
    pub asked: Vec<(u16, u64, u64)>,
}

/// A message of a command, by the specification's form.
pub fn message(command: u16, body: &[u8]) -> Vec<u8> {
    whole(9, command, 0, 0, body)
}

fn whole(id: u16, command: u16, flags: u32, errno: u32, body: &[u8]) -> Vec<u8> {
    let mut octets: Vec<u8> = [id, command].into_iter().flat_map(u16::to_le_bytes).collect();
    octets.extend([16 + body.len() as u32, flags, errno].into_iter().flat_map(u32::to_le_bytes));
    octets.extend(body);
    octets
}

pub fn octets_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Sends octets with descriptors beside them.
pub fn send_with(stream: &UnixStream, octets: &[u8], fds: &[BorrowedFd<'_>]) -> io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() {
        assert!(beside.push(SendAncillaryMessage::ScmRights(fds)), "{} descriptors", fds.len());
    }
    Ok(sendmsg(stream, &[IoSlice::new(octets)], &mut beside, SendFlags::NOSIGNAL)?)
}

impl Raw {
    /// Connects and says how many octets of its memory it moves at a time.
    pub fn connect(path: &Path, most: u64) -> Self {
        let stream = UnixStream::connect(path).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let (asked, memory) = Default::default();
        let mut raw = Self { stream, base: 0, memory, mood: Mood::Honest, asked };
        let text = format!("{{\"capabilities\":{{\"max_data_xfer_size\":{most}}}}}\0");
        let body = [&[0, 0, 1, 0], text.as_bytes()].concat();
        assert_eq!(raw.ask(1, &body).1, 0);
        raw
    }

    /// The next message; none if the connection has ended, or nothing comes.
    pub fn next(&mut self) -> Option<Came> {
        let mut head = [0; 16];
        self.stream.read_exact(&mut head).ok()?;
        let half = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().unwrap());
        let mut body = vec![0; word(4) as usize - 16];
        self.stream.read_exact(&mut body).ok()?;
        Some(Came { id: half(0), command: half(2), flags: word(8), errno: word(12), body })
    }

    /// Answers a request of the server in its mood; one that has gone meanwhile hears nothing.
    pub fn serve(&mut self, came: &Came) {
        let number = |at: usize| u64::from_le_bytes(came.body[at..at + 8].try_into().unwrap());
        let (address, count) = (number(0), number(8));
        self.asked.push((came.command, address, count));
        let place = (address - self.base) as usize..(address - self.base + count) as usize;
        let body = match (self.mood, came.command) {
            (Mood::Silent, _) => return,
            (Mood::Refuses, _) => {
                return drop(self.stream.write_all(&whole(came.id, came.command, 0x21, 14, &[])));
            }
            (Mood::Lies, _) => octets_of(&[address + 8, count]),
            (Mood::Honest, DMA_READ) => [&came.body[..16], &self.memory[place]].concat(),
            (Mood::Honest, DMA_WRITE) => {
                self.memory[place].copy_from_slice(&came.body[16..]);
                came.body[..16].to_vec()
            }
            (Mood::Honest, other) => panic!("command {other} of the server"),
        };
        drop(self.stream.write_all(&whole(came.id, came.command, 1, 0, &body)));
    }

    /// Gives a command and serves until it is answered: the body, and the number that says why not.
    pub fn ask(&mut self, command: u16, body: &[u8]) -> (Vec<u8>, u32) {
        self.stream.write_all(&message(command, body)).unwrap();
        loop {
            let came = self.next().expect("an answer");
            if came.flags & 0xf == 1 {
                assert_eq!((came.id, came.command), (9, command));
                return (came.body, came.errno);
            }
            self.serve(&came);
        }
    }

    /// Memory without a descriptor; flags: 1 to be read, 2 to be written.
    pub fn map(&mut self, flags: u64, iova: u64, octets: u64) {
        assert_eq!(self.ask(2, &octets_of(&[32 | flags << 32, 0, iova, octets])).1, 0);
    }

    /// Serves requests until nothing comes for so long.
    pub fn serve_for(&mut self, quiet: Duration) {
        self.stream.set_read_timeout(Some(quiet)).unwrap();
        while let Some(came) = self.next() {
            self.serve(&came);
        }
        self.stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    }
}
