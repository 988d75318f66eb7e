// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread that waits for interrupts and makes the connection manager look at its rings at once.
use super::pump::Call;
use crate::error::Error;
use crate::threads;
use rustix::event::{eventfd, poll, EventfdFlags, PollFd, PollFlags};
use rustix::io::{read, write, Errno};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::mpsc::Sender;
use std::sync::Arc;
use std::thread::JoinHandle;

/// The thread's handle. Dropping it ends the thread.
#[derive(Debug)]
pub(super) struct Waker {
    stop: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Waker {
    /// Waits for an eventfd that counts interrupts; each makes one call that does nothing.
    pub(super) fn start(interrupts: File, calls: Sender<Call>) -> Result<Self, Error> {
        let failed = |why: String| Error::Thread { what: "interrupts", why };
        let stop = eventfd(0, EventfdFlags::CLOEXEC).map_err(|e| failed(e.to_string()))?;
        let stop = Arc::new(stop);
        let stopped = stop.clone();
        let body = move || wait(&interrupts, &stopped, &calls);
        let thread = threads::spawn("ferrowarp-irq", body);
        Ok(Self { stop, thread: Some(thread.map_err(|e| failed(e.to_string()))?) })
    }
}

fn wait(interrupts: &File, stop: &OwnedFd, calls: &Sender<Call>) {
    loop {
        let mut fds = [PollFd::new(stop, PollFlags::IN), PollFd::new(interrupts, PollFlags::IN)];
        match poll(&mut fds, None) {
            Err(Errno::INTR) => continue,
            Ok(_) if fds[0].revents().is_empty() => {}
            // asked to stop, or nothing can be awaited: the rings are looked at in turn then
            _ => return,
        }
        let counted = read(interrupts, &mut [0; 8]);
        if counted.is_err() || calls.send(Box::new(|_| {})).is_err() {
            return;
        }
    }
}

impl Drop for Waker {
    fn drop(&mut self) {
        let asked = write(&*self.stop, &1_u64.to_ne_bytes());
        if let (Ok(_), Some(thread)) = (asked, self.thread.take()) {
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{channel, TryRecvError};
    use std::time::Duration;

    #[test]
    fn each_interrupt_calls_and_the_thread_ends_with_its_handle() {
        let fd = eventfd(0, EventfdFlags::CLOEXEC).unwrap();
        let (calls, inbox) = channel();
        let waker = Waker::start(File::from(fd.try_clone().unwrap()), calls).unwrap();
        for _ in 0..3 {
            write(&fd, &1_u64.to_ne_bytes()).unwrap();
            drop(inbox.recv_timeout(Duration::from_secs(30)).unwrap());
        }
        assert!(matches!(inbox.try_recv(), Err(TryRecvError::Empty)));
        drop(waker);
        assert!(matches!(inbox.try_recv(), Err(TryRecvError::Disconnected)));
    }
}
