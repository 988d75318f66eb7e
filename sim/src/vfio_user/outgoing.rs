// SPDX-License-Identifier: MIT OR Apache-2.0
//! The way to the client: answers of the server and requests of the device meet here, each goes
//! whole.
use super::end::{first_of, End};
use parking_lot::Mutex;
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{send, SendFlags};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Instant;

/// The client's connection, as far as it is written.
#[derive(Debug)]
pub(super) struct Outgoing {
    stream: UnixStream,
    /// Whose message it is.
    turn: Mutex<()>,
    /// The session has ended: nothing is said any more.
    is_over: AtomicBool,
}

/// Who may write the client's memory. The end of the connection tells the client that nobody does
/// any more, so the connection ends with the last of these.
#[derive(Debug)]
pub(super) struct Open(pub(super) Arc<Outgoing>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Outgoing {
    pub(super) fn new(stream: UnixStream) -> Self {
        Self { stream, turn: Mutex::new(()), is_over: AtomicBool::new(false) }
    }

    /// The connection, to be read.
    pub(super) fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// Sends an answer. A client that reads none is waited for, but not longer than until the
    /// server is to stop.
    pub(super) fn answer(&self, octets: &[u8], stop: &OwnedFd) -> Result<(), End> {
        let _turn = self.turn.lock();
        self.push(octets, Some(stop), None)
    }

    /// Sends a request, for which there is time until then.
    pub(super) fn ask(&self, octets: &[u8], until: Instant) -> Result<(), End> {
        let _turn = self.turn.try_lock_until(until).ok_or(End::Late)?;
        self.push(octets, None, Some(until))
    }

    /// Takes and says nothing more: whoever reads the connection here finds its end, and the client
    /// can write nothing.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        // one that is closed already stays so
        drop(self.stream.shutdown(Shutdown::Read));
    }

    /// Ends the connection.
    fn close(&self) {
        // one that is closed already stays so
        drop(self.stream.shutdown(Shutdown::Both));
    }

    fn push(&self, octets: &[u8], stop: Option<&OwnedFd>, until: Option<Instant>) -> Result<(), End> {
        if self.is_over.load(Ordering::SeqCst) {
            return Err(End::Closed);
        }
        let mut left = octets;
        while !left.is_empty() {
            match send(&self.stream, left, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
                Ok(taken) => left = &left[taken..],
                Err(Errno::AGAIN) => {
                    let stop = stop.map(|stop| (stop.as_fd(), PollFlags::IN));
                    let room = (self.stream.as_fd(), PollFlags::OUT);
                    let fds: Vec<_> = [room].into_iter().chain(stop).collect();
                    match first_of(&fds, until)? {
                        Some(0) => {}
                        Some(_) => return Err(End::Stopped),
                        None => {
                            // nothing can stand behind a part of a message
                            if left.len() < octets.len() {
                                self.end();
                            }
                            return Err(End::Late);
                        }
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::PIPE | Errno::CONNRESET) => return Err(End::Closed),
                Err(e) => return Err(End::Io(e.into())),
            }
        }
        Ok(())
    }
}
