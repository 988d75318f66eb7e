//! Devices `vfio-user:`: a function of another process, behind a unix socket.
use super::own::OwnMemory;
use super::pci::{Function, PciBackend};
use super::spans::Span;
use super::{is_cut_off, BackendError, Timers};
use crate::dma::DmaMemory;
use rustix::event::{eventfd, EventfdFlags};
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vfio_user::{Client, Error as Refused};

/// Region of configuration space, in VFIO's order.
const CONFIG: u32 = 7;
/// MSI-X among the interrupts, in VFIO's order, and `SET_IRQS` with descriptors that are to be triggered.
const MSIX: u32 = 2;
const EVENTFD: u32 = 4 | 32;
/// Command register of configuration space, and what it is to be: memory and bus master.
const COMMAND: u64 = 4;
const MEMORY_AND_MASTER: u16 = 6;

/// The client's end.
struct Socket {
    path: PathBuf,
    client: Mutex<Client>,
    own: OwnMemory,
    /// Counts interrupts.
    messages: OwnedFd,
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vfio-user:{}", self.path.display())
    }
}

/// The other end closed the connection.
fn is_end(why: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    matches!(why.kind(), BrokenPipe | ConnectionReset | UnexpectedEof)
}

/// Connects to a server and opens the device there.
pub(super) fn open(path: &Path, timers: Timers) -> Result<PciBackend, BackendError> {
    let failed = |why| BackendError::Open(format!("vfio-user:{}: {why}", path.display()));
    let client = Client::new(path).map_err(|why| match why {
        // a server turns who comes second away without a word
        Refused::StreamRead(e) | Refused::StreamWrite(e) if is_end(&e) => {
            BackendError::Busy(format!("vfio-user:{}", path.display()))
        }
        why => failed(why.to_string()),
    })?;
    let messages = eventfd(0, EventfdFlags::CLOEXEC).map_err(|e| failed(format!("no eventfd: {e}")))?;
    let (path, own) = (path.into(), OwnMemory::default());
    let socket = Socket { path, client: Mutex::new(client), own, messages };
    socket.said(socket.client().set_irqs(MSIX, EVENTFD, 0, 1, &[socket.messages.as_raw_fd()]))?;
    socket.said(socket.client().region_write(CONFIG, COMMAND, &MEMORY_AND_MASTER.to_le_bytes()))?;
    PciBackend::new(Arc::new(socket), timers)
}

impl Socket {
    fn client(&self) -> MutexGuard<'_, Client> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn said<T>(&self, answer: Result<T, Refused>) -> Result<T, BackendError> {
        answer.map_err(|why| BackendError::Stopped(format!("{self:?}: {why}")))
    }
}

impl Function for Socket {
    fn read(&self, bar: usize, offset: u64) -> Result<u32, BackendError> {
        let mut octets = [0; 4];
        self.said(self.client().region_read(bar as u32, offset, &mut octets))?;
        Ok(u32::from_le_bytes(octets))
    }

    /// In quadwords, so that half as many requests cross the socket.
    fn read_run(&self, bar: usize, offset: u64, into: &mut [u8]) -> Result<(), BackendError> {
        let places = (offset..).step_by(8);
        let read = |(octets, at): (&mut [u8], u64)| self.client().region_read(bar as u32, at, octets);
        self.said(into.chunks_mut(8).zip(places).try_for_each(read))
    }

    fn write(&self, bar: usize, offset: u64, octets: &[u8]) -> Result<(), BackendError> {
        self.said(self.client().region_write(bar as u32, offset, octets))
    }

    /// The client's `dma_map` always asks for reading and writing; who may write is `MrRow`'s matter.
    fn map(&self, span: &Span, memory: &DmaMemory) -> Result<(), BackendError> {
        let (file, offset) = self.own.place(span, memory)?;
        self.said(self.client().dma_map(offset, span.iova, span.octets, file.as_raw_fd()))
    }

    fn unmap(&self, span: &Span) -> Result<(), BackendError> {
        self.said(self.client().dma_unmap(span.iova, span.octets))
    }

    /// The server answers when the function reaches nothing any more, and it may reach nothing then. What the client's answer to a
    /// reset says is not looked at, so the function is asked whether it may.
    fn reset(&self) -> Result<(), BackendError> {
        let mut command = [0xff; 2];
        let mut client = self.client();
        let asked = client.reset().and_then(|()| client.region_write(CONFIG, COMMAND, &[0; 2]));
        let asked = asked.and_then(|()| client.region_read(CONFIG, COMMAND, &mut command));
        self.said(asked)?;
        is_cut_off(command)
    }

    fn interrupts(&self) -> Option<File> {
        self.messages.try_clone().ok().map(File::from)
    }
}
