// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices `vfio-user:`: a function of another process, behind a unix socket.
mod client;
mod stream;
mod wire;

use super::function::Function;
use super::own::OwnMemory;
use super::pci::PciBackend;
use super::spans::Span;
use super::vectors::Vectors;
use super::{is_cut_off, BackendError, End, Timers};
use crate::dma::DmaMemory;
use client::{Client, Patience, Request, Since, ANSWER};
use ferrowarp_abi::consts::bar::VECTORS;
use parking_lot::{Mutex, MutexGuard};
use std::fmt;
use std::fs::File;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wire::{pair, Command, DMA_READ, DMA_READ_WRITE};

/// Region of configuration space, in VFIO's order.
const CONFIG: u32 = 7;
/// MSI-X among the interrupts, in VFIO's order, and `SET_IRQS` with descriptors that are to be
/// triggered.
const MSIX: u32 = 2;
const EVENTFD: u32 = 4 | 32;
/// Command register of configuration space, and what it is to be: memory and bus master.
const COMMAND: u64 = 4;
const MEMORY_AND_MASTER: u16 = 6;
/// Octets of the fixed body of an access to a region.
const ACCESS: usize = 16;

/// The client's end.
struct Socket {
    path: PathBuf,
    client: Mutex<Client>,
    since: Since,
    own: OwnMemory,
    vectors: Vectors,
    /// What the end of an object has.
    end: Duration,
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vfio-user:{}", self.path.display())
    }
}

/// Connects to a server and opens the device there.
pub(super) fn open(path: &Path, timers: Timers) -> Result<PciBackend, BackendError> {
    let client = Client::connect(path)?;
    let (since, client) = (client.since(), Mutex::new(client));
    let (own, vectors) = Default::default();
    let socket = Socket { path: path.into(), client, since, own, vectors, end: timers.end };
    socket.turn().write(CONFIG, COMMAND, &MEMORY_AND_MASTER.to_le_bytes())?;
    PciBackend::new(Arc::new(socket), timers)
}

/// Requests of one call.
struct Turn<'a> {
    client: MutexGuard<'a, Client>,
    patience: Patience,
}

impl Turn<'_> {
    /// Gives a command whose answer has a body of so many octets.
    fn ask(&mut self, request: Request<'_>, body: usize) -> Result<Vec<u8>, BackendError> {
        self.client.ask(request, body..=body, self.patience)
    }

    fn read(&mut self, region: u32, offset: u64, into: &mut [u8]) -> Result<(), BackendError> {
        let words = [offset, pair(region, into.len() as u32)];
        let answer = self.ask(Request::new(Command::RegionRead, &words), ACCESS + into.len())?;
        into.copy_from_slice(&answer[ACCESS..]);
        Ok(())
    }

    fn write(&mut self, region: u32, offset: u64, data: &[u8]) -> Result<(), BackendError> {
        let words = [offset, pair(region, data.len() as u32)];
        self.ask(Request { data, ..Request::new(Command::RegionWrite, &words) }, ACCESS).map(drop)
    }
}

impl Socket {
    /// Directs a vector to an eventfd, if it is not yet.
    fn direct(&self, vector: u16) -> Result<File, BackendError> {
        self.vectors.get(vector, |fd| {
            // 20 octets, then one vector: a server may take one descriptor a message
            let (words, count) = ([pair(20, EVENTFD), pair(MSIX, vector.into())], 1_u32.to_ne_bytes());
            let beside = Some(fd.as_fd());
            let request = Request { data: &count, beside, ..Request::new(Command::SetIrqs, &words) };
            self.turn().ask(request, 0).map(drop)
        })
    }

    /// The connection, when requests that came before are answered, or the server is lost.
    fn turn(&self) -> Turn<'_> {
        Turn { client: self.client.lock(), patience: Patience::Asks(ANSWER) }
    }

    /// The connection for an end, which is not made with a server that is silent for `most`: one
    /// that owes somebody an answer for so long. A server that answers others is waited for.
    fn last_turn(&self, most: Duration) -> Result<Turn<'_>, BackendError> {
        loop {
            let since = *self.since.lock();
            let until = since.unwrap_or_else(Instant::now) + most;
            if let Some(client) = self.client.try_lock_until(until) {
                return Ok(Turn { client, patience: Patience::Ends(most) });
            }
            if since.is_some() && *self.since.lock() == since {
                return Err(BackendError::Silent(most));
            }
        }
    }
}

impl Function for Socket {
    fn read(&self, bar: usize, offset: u64) -> Result<u32, BackendError> {
        let mut octets = [0; 4];
        self.turn().read(bar as u32, offset, &mut octets)?;
        Ok(u32::from_le_bytes(octets))
    }

    /// In quadwords, so that half as many requests cross the socket.
    fn read_run(&self, bar: usize, offset: u64, into: &mut [u8]) -> Result<(), BackendError> {
        let places = (offset..).step_by(8);
        into.chunks_mut(8).zip(places).try_for_each(|(octets, at)| self.turn().read(bar as u32, at, octets))
    }

    fn write(&self, bar: usize, offset: u64, octets: &[u8]) -> Result<(), BackendError> {
        self.turn().write(bar as u32, offset, octets)
    }

    fn write_within(
        &self,
        bar: usize,
        offset: u64,
        octets: &[u8],
        most: Duration,
    ) -> Result<(), BackendError> {
        self.last_turn(most)?.write(bar as u32, offset, octets)
    }

    fn map(&self, span: &Span, memory: &DmaMemory) -> Result<(), BackendError> {
        let (file, offset) = self.own.place(span, memory)?;
        let flags = if span.writable { DMA_READ_WRITE } else { DMA_READ };
        let words = [pair(32, flags), offset, span.iova, span.octets];
        let beside = Some(file.as_fd());
        self.turn().ask(Request { beside, ..Request::new(Command::DmaMap, &words) }, 0).map(drop)
    }

    fn unmap(&self, span: &Span, most: Duration) -> Result<(), BackendError> {
        let words = [pair(24, 0), span.iova, span.octets];
        self.last_turn(most)?.ask(Request::new(Command::DmaUnmap, &words), 24).map(drop)
    }

    /// The server answers when the function reaches nothing any more, and it may reach nothing
    /// then: it is asked whether it may. The reset has the time of an end of its own: a server that
    /// was late for an end may answer meanwhile.
    fn reset(&self) -> Result<(), BackendError> {
        let until = Instant::now() + self.end;
        let client = self.client.try_lock_until(until).ok_or(BackendError::Silent(self.end))?;
        let (mut turn, mut command) = (Turn { client, patience: Patience::Cuts(until, self.end) }, [0xff; 2]);
        turn.ask(Request::new(Command::DeviceReset, &[]), 0)?;
        turn.write(CONFIG, COMMAND, &[0; 2])?;
        turn.read(CONFIG, COMMAND, &mut command)?;
        is_cut_off(command)
    }

    fn vectors(&self) -> u16 {
        VECTORS
    }

    fn begin(&self) -> Result<(), BackendError> {
        self.direct(0).map(drop)
    }

    fn interrupts(&self, vector: u16) -> Option<File> {
        // a server may have fewer vectors
        self.direct(vector).ok()
    }

    fn end(&self) -> Option<End> {
        self.client.lock().line().ok().map(End::HangUp)
    }
}
