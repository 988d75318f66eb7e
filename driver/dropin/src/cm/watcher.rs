// SPDX-License-Identifier: MIT OR Apache-2.0
//! A thread that waits for the descriptors of connections and listeners, so that events come to
//! their channels while the program does something else.
use crate::bell::owned;
use crate::errno::Errno;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::{Arc, OnceLock, Weak};

/// Events that one look takes.
const MOST: usize = 32;

/// What goes on when one of its descriptors is readable.
pub trait Goes: Debug + Send + Sync {
    /// Takes what there is, until none of the descriptors is readable.
    fn go_on(self: Arc<Self>);
}

/// The thread's list.
#[derive(Debug)]
struct Watcher {
    set: OwnedFd,
    /// By descriptors.
    watched: Mutex<BTreeMap<RawFd, Weak<dyn Goes>>>,
}

/// A descriptor that the thread waits for, until this is dropped.
#[derive(Debug)]
pub struct Watched {
    fd: RawFd,
    watcher: &'static Watcher,
}

/// Waits for a descriptor. The error is the system's, of a process with too many descriptors or
/// threads.
pub fn watch(fd: BorrowedFd<'_>, who: Weak<dyn Goes>) -> Result<Watched, Errno> {
    let (watcher, fd) = (watcher()?, fd.as_raw_fd());
    watcher.watched.lock().insert(fd, who);
    let watched = Watched { fd, watcher };
    let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: fd as u64 };
    // SAFETY: both descriptors are open, and the event is this frame's.
    match unsafe { libc::epoll_ctl(watcher.set.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &mut event) } {
        -1 => Err(Errno::last()),
        _ => Ok(watched),
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let set = self.watcher.set.as_raw_fd();
        // SAFETY: a deletion takes no event. The descriptor is open: its owner is dropped later.
        unsafe { libc::epoll_ctl(set, libc::EPOLL_CTL_DEL, self.fd, std::ptr::null_mut()) };
        self.watcher.watched.lock().remove(&self.fd);
    }
}

/// The one of this process, whose thread runs.
fn watcher() -> Result<&'static Watcher, Errno> {
    static ONE: OnceLock<Watcher> = OnceLock::new();
    static RUNS: Mutex<bool> = Mutex::new(false);
    let watcher = match ONE.get() {
        Some(watcher) => watcher,
        None => {
            // SAFETY: a call without pointers.
            let set = owned(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
            ONE.get_or_init(|| Watcher { set, watched: Mutex::default() })
        }
    };
    let mut runs = RUNS.lock();
    if !*runs {
        start(watcher)?;
        *runs = true;
    }
    Ok(watcher)
}

/// Starts the thread. No signal of the program reaches it.
fn start(watcher: &'static Watcher) -> Result<(), Errno> {
    // SAFETY: all zeros are a set of signals, which the next call writes.
    let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = unsafe { std::mem::zeroed() };
    // SAFETY: both sets are this frame's. A thread has the mask of the thread that starts it.
    unsafe {
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
    }
    let started = std::thread::Builder::new().name("ferrowarp-event".into()).spawn(|| watcher.run());
    // SAFETY: the set is the one that the call above gave.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
    started.map(drop).map_err(|_| Errno(libc::EAGAIN))
}

impl Watcher {
    /// Until the process ends.
    fn run(&'static self) {
        let none = libc::epoll_event { events: 0, u64: 0 };
        loop {
            let mut events = [none; MOST];
            // SAFETY: the array has room for as many events.
            let count =
                unsafe { libc::epoll_wait(self.set.as_raw_fd(), events.as_mut_ptr(), MOST as i32, -1) };
            for event in events.iter().take(usize::try_from(count).unwrap_or(0)) {
                let fd = event.u64 as RawFd;
                // one that is gone meanwhile is not in the set any more
                let who = self.watched.lock().get(&fd).and_then(Weak::upgrade);
                let Some(who) = who else { continue };
                let went = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| who.go_on()));
                if went.is_err() {
                    tracing::error!(fd, "a panic of the library was stopped; the descriptor is left");
                    drop(Watched { fd, watcher: self });
                }
            }
        }
    }
}
