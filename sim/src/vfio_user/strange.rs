// SPDX-License-Identifier: MIT OR Apache-2.0
//! Descriptors of a client, of which most kinds may not even be closed: a file system in user space
//! (FUSE) has the close of its files wait for its own answer.
use super::shared::is_eventfd;
use parking_lot::Mutex;
use rustix::fs::fcntl_get_seals;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;

/// Most threads at once that close descriptors. More are not closed before the process ends.
const MOST_CLOSING: usize = 64;

/// Threads that close descriptors.
static CLOSING: AtomicUsize = AtomicUsize::new(0);

/// Whether a descriptor is a file in memory: memfd, tmpfs (`/dev/shm`) or hugetlbfs. The kernel
/// answers by itself, without the file system: only these files have seals. Their reads, writes and
/// closes come to an end.
pub(super) fn is_memory(fd: &impl AsFd) -> bool {
    fcntl_get_seals(fd).is_ok()
}

/// Descriptors that came beside messages.
#[derive(Debug, Default)]
pub(super) struct Descriptors(pub(super) Vec<OwnedFd>);

impl Drop for Descriptors {
    fn drop(&mut self) {
        let all = std::mem::take(&mut self.0);
        let (_, strange): (Vec<_>, Vec<_>) = all.into_iter().partition(|fd| is_memory(fd) || is_eventfd(fd));
        close(strange);
    }
}

/// Files of a client that are not in memory. The last handle of each is here.
#[derive(Debug, Default)]
pub(super) struct Strangers(pub(super) Vec<Arc<File>>);

impl Drop for Strangers {
    fn drop(&mut self) {
        close(std::mem::take(&mut self.0));
    }
}

/// Closes what may make its thread wait.
fn close<T: Send + 'static>(strange: Vec<T>) {
    if strange.is_empty() {
        return;
    }
    let is_one_more = |closing: usize| (closing < MOST_CLOSING).then_some(closing + 1);
    if CLOSING.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_one_more).is_err() {
        tracing::error!("{MOST_CLOSING} closes of files of vfio-user clients do not end; more stay open");
        std::mem::forget(strange);
        return;
    }
    // a thread that cannot be started must not leave them to this one
    let place = Arc::new(Mutex::new(Some(strange)));
    let closes = place.clone();
    let body = move || {
        let strange = closes.lock().take();
        drop(strange);
        CLOSING.fetch_sub(1, Ordering::Relaxed);
    };
    if let Err(why) = thread::Builder::new().name("ferrowarp-vfio-close".into()).spawn(body) {
        tracing::error!(%why, "files of a vfio-user client stay open");
        std::mem::forget(place.lock().take());
        CLOSING.fetch_sub(1, Ordering::Relaxed);
    }
}
