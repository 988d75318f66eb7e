//! Devices `vfio-user:`: a function of another process, behind a unix socket.
use super::pci::{Function, PciBackend};
use super::{BackendError, Timers};
use crate::dma::DmaMemory;
use std::fmt;
use std::fs::File;
use std::os::fd::{AsRawFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vfio_user::Client;

/// Region of configuration space, in VFIO's order.
const CONFIG: u32 = 7;
/// Command register of configuration space, and what it is to be: memory and bus master.
const COMMAND: u64 = 4;
const MEMORY_AND_MASTER: u16 = 6;

/// The client's end.
struct Socket {
    path: PathBuf,
    client: Mutex<Client>,
    /// This process's memory, for what no file holds: opened when it is first needed.
    own: Mutex<Option<File>>,
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vfio-user:{}", self.path.display())
    }
}

/// Connects to a server and opens the device there.
pub(super) fn open(path: &Path, timers: Timers) -> Result<PciBackend, BackendError> {
    let failed = |why| BackendError::Open(format!("vfio-user:{}: {why}", path.display()));
    let client = Client::new(path).map_err(|why| failed(why.to_string()))?;
    let socket = Socket { path: path.into(), client: Mutex::new(client), own: Mutex::default() };
    socket.said(socket.client().region_write(CONFIG, COMMAND, &MEMORY_AND_MASTER.to_le_bytes()))?;
    PciBackend::new(Arc::new(socket), timers)
}

impl Socket {
    fn client(&self) -> MutexGuard<'_, Client> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn said<T>(&self, answer: Result<T, vfio_user::Error>) -> Result<T, BackendError> {
        answer.map_err(|why| BackendError::Stopped(format!("{self:?}: {why}")))
    }

    /// Descriptor and place in its file of a memory.
    fn place(&self, memory: &DmaMemory) -> Result<(RawFd, u64), BackendError> {
        if let Some(file) = memory.file() {
            return Ok((file.as_raw_fd(), 0));
        }
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if own.is_none() {
            let file = File::options().read(true).write(true).open("/proc/self/mem");
            let why = |e| BackendError::Map { octets: memory.len(), why: format!("/proc/self/mem: {e}") };
            *own = Some(file.map_err(why)?);
        }
        // the file stays open as long as this does
        Ok((own.as_ref().map_or(-1, AsRawFd::as_raw_fd), memory.address()))
    }
}

impl Function for Socket {
    fn read(&self, bar: usize, offset: u64) -> Result<u32, BackendError> {
        let mut octets = [0; 4];
        self.said(self.client().region_read(bar as u32, offset, &mut octets))?;
        Ok(u32::from_le_bytes(octets))
    }

    fn write(&self, bar: usize, offset: u64, octets: &[u8]) -> Result<(), BackendError> {
        self.said(self.client().region_write(bar as u32, offset, octets))
    }

    /// The client's `dma_map` always asks for reading and writing; who may write is `MrRow`'s matter.
    fn map(&self, iova: u64, memory: &DmaMemory, _writable: bool) -> Result<(), BackendError> {
        let (fd, offset) = self.place(memory)?;
        self.said(self.client().dma_map(offset, iova, memory.len() as u64, fd))
    }

    fn unmap(&self, iova: u64, memory: &DmaMemory) -> Result<(), BackendError> {
        self.said(self.client().dma_unmap(iova, memory.len() as u64))
    }
}
