// SPDX-License-Identifier: MIT OR Apache-2.0
//! A unix socket on which nothing is waited for beyond a moment.
//!
//! A descriptor that the server sends does not come into this process: a receive without room for
//! descriptors has the kernel close them.
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{
    connect, recv, sendmsg, socket_with, AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketAddrUnix, SocketFlags, SocketType,
};
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// Pause between two calls at a server that has no place for another caller.
const CALL_EVERY: Duration = Duration::from_millis(5);

/// Why nothing comes, or goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// The moment has passed.
    Late,
    /// The server closed the connection.
    Closed,
    /// The socket failed.
    Failed(Errno),
}

/// A connection.
#[derive(Debug)]
pub(super) struct Stream(UnixStream);

impl Stream {
    /// Calls until then.
    pub(super) fn connect(path: &Path, until: Instant) -> Result<Self, Broken> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None);
        let socket = socket.map_err(Broken::Failed)?;
        let address = SocketAddrUnix::new(path).map_err(Broken::Failed)?;
        loop {
            match connect(&socket, &address) {
                Ok(()) => return Ok(Self(socket.into())),
                Err(Errno::AGAIN | Errno::INTR) if Instant::now() < until => std::thread::sleep(CALL_EVERY),
                Err(Errno::AGAIN | Errno::INTR) => return Err(Broken::Late),
                Err(why) => return Err(Broken::Failed(why)),
            }
        }
    }

    /// Sends octets, and a descriptor beside the first of them.
    pub(super) fn send(
        &self,
        octets: &[u8],
        beside: Option<BorrowedFd<'_>>,
        until: Instant,
    ) -> Result<(), Broken> {
        let mut left = octets;
        while !left.is_empty() {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            let fds = beside.filter(|_| left.len() == octets.len()).map(|fd| [fd]);
            if let Some(fds) = &fds {
                // there is room for one
                control.push(SendAncillaryMessage::ScmRights(fds));
            }
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            match sendmsg(&self.0, &[IoSlice::new(left)], &mut control, flags) {
                Ok(taken) => left = &left[taken..],
                Err(Errno::AGAIN) => self.wait(PollFlags::OUT, until)?,
                Err(Errno::INTR) => {}
                Err(why) => return Err(broken(why)),
            }
        }
        Ok(())
    }

    /// Fills the first `least` octets of `room`, and more if they have come already. `there` counts
    /// the octets that are there, also of a call that ends too early.
    pub(super) fn receive(
        &self,
        room: &mut [u8],
        there: &mut usize,
        least: usize,
        until: Instant,
    ) -> Result<(), Broken> {
        while *there < least {
            self.wait(PollFlags::IN, until)?;
            match recv(&self.0, &mut room[*there..], RecvFlags::DONTWAIT) {
                Ok((0, _)) => return Err(Broken::Closed),
                Ok((octets, _)) => *there += octets,
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(why) => return Err(broken(why)),
            }
        }
        Ok(())
    }

    /// Waits for the end of the stream behind octets of no matter: what came instead of it. A
    /// server that writes without end is late.
    pub(super) fn ended(&self, until: Instant) -> Broken {
        while Instant::now() < until {
            if let Err(why) = self.receive(&mut [0; 64], &mut 0, 1, until) {
                return why;
            }
        }
        Broken::Late
    }

    /// The socket, for whoever waits until the server hangs up.
    pub(super) fn line(&self) -> std::io::Result<OwnedFd> {
        self.0.try_clone().map(OwnedFd::from)
    }

    /// Ends the connection: the server finds its end.
    pub(super) fn close(&self) {
        // one that is closed already stays so
        drop(self.0.shutdown(Shutdown::Both));
    }

    fn wait(&self, flags: PollFlags, until: Instant) -> Result<(), Broken> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left).map_err(|_| Broken::Failed(Errno::INVAL))?;
            match poll(&mut [PollFd::new(&self.0, flags)], Some(&timeout)) {
                Ok(0) => return Err(Broken::Late),
                Ok(_) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(why) => return Err(Broken::Failed(why)),
            }
        }
    }
}

/// What a call that failed says of the connection.
fn broken(why: Errno) -> Broken {
    match why {
        Errno::PIPE | Errno::CONNRESET => Broken::Closed,
        why => Broken::Failed(why),
    }
}
