// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who comes in, with how many descriptors: one client that takes all of the process's must not
//! shut the others out.
use super::function::Refusal;
use super::shared::Identity;
use super::strange::{is_memory, Descriptors, Strangers};
use rustix::io::Errno;
use rustix::process::{getrlimit, Resource};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// Descriptors that no client gets: those of the process itself.
const RESERVED: usize = 48;
/// Files of a client at least, and at most.
const FEWEST: usize = 8;
const MOST: usize = 4096;
/// Pause after a call that could neither be accepted nor turned away.
pub(super) const PAUSE: Duration = Duration::from_millis(10);

/// Servers of this process.
static SERVERS: AtomicUsize = AtomicUsize::new(0);

/// A server's claim to a share of the descriptors.
#[derive(Debug)]
pub(super) struct Share(());

impl Share {
    pub(super) fn new() -> Self {
        SERVERS.fetch_add(1, Ordering::Relaxed);
        Self(())
    }

    /// Files that a client of each server may have given.
    fn files() -> usize {
        let limit = getrlimit(Resource::Nofile).current;
        let all = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let servers = SERVERS.load(Ordering::Relaxed).max(1);
        // half of what is there: one that comes lies beside its like for a moment
        (all.saturating_sub(RESERVED) / 2 / servers).clamp(FEWEST, MOST)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        SERVERS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A listening socket, and a descriptor that makes room to turn a caller away when no other is
/// free.
#[derive(Debug)]
pub(super) struct Door {
    listener: UnixListener,
    spare: Mutex<Option<File>>,
}

/// A descriptor that stands for nothing.
fn spare() -> Option<File> {
    File::open("/dev/null").ok()
}

impl Door {
    pub(super) fn new(listener: UnixListener) -> Self {
        Self { listener, spare: Mutex::new(spare()) }
    }

    /// Who calls; `None` if nobody does any more, or who does was turned away because no descriptor
    /// is free.
    pub(super) fn accept(&self) -> io::Result<Option<UnixStream>> {
        match self.listener.accept() {
            Ok((stream, _)) => Ok(Some(stream)),
            Err(why) if is_full(&why) => {
                tracing::warn!(%why, "a vfio-user client is turned away");
                self.turn_away();
                Ok(None)
            }
            Err(why) => match why.kind() {
                ErrorKind::WouldBlock | ErrorKind::ConnectionAborted | ErrorKind::Interrupted => Ok(None),
                _ => Err(why),
            },
        }
    }

    fn turn_away(&self) {
        let mut place = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        drop(place.take());
        let accepted = self.listener.accept();
        let is_away = accepted.is_ok();
        drop(accepted);
        *place = spare();
        if !is_away {
            std::thread::sleep(PAUSE);
        }
    }
}

impl AsFd for Door {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

/// The system has no descriptor, or no memory for one.
fn is_full(why: &io::Error) -> bool {
    let full = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    full.iter().any(|errno| why.raw_os_error() == Some(errno.raw_os_error()))
}

/// The files of a client's memory: each is one descriptor, however many ranges of it are mapped.
#[derive(Debug, Default)]
pub(super) struct Files {
    files: BTreeMap<((u64, u64), u32), Weak<File>>,
    strangers: Strangers,
}

impl Files {
    /// The file of a descriptor that came. One that is here already, to be used in the same ways,
    /// stands for it. A file that is not in memory stays until the client goes.
    pub(super) fn keep(&mut self, fd: OwnedFd, identity: &Identity) -> Result<Arc<File>, Refusal> {
        let (is_strange, mut came) = (!is_memory(&fd), Descriptors(vec![]));
        let mode = rustix::fs::fcntl_getfl(&fd);
        came.0.push(fd);
        let mode = mode.map_err(|e| Refusal::Access(format!("the descriptor: {e}")))?;
        let key = (identity.place, mode.bits());
        if let Some(file) = self.files.get(&key).and_then(Weak::upgrade) {
            return Ok(file);
        }
        self.files.retain(|_, file| file.strong_count() > 0);
        let most = Share::files();
        if self.files.len() >= most {
            return Err(Refusal::Full(format!("{most} files are mapped already, and a client has no more")));
        }
        let file = came.0.pop().map(|fd| Arc::new(File::from(fd)));
        let file = file.ok_or_else(|| Refusal::Absent("no descriptor".into()))?;
        self.files.insert(key, Arc::downgrade(&file));
        if is_strange {
            self.strangers.0.push(file.clone());
        }
        Ok(file)
    }
}
