// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines on a unix socket, each with a deadline.
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{recv, send, RecvFlags, SendFlags};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Instant;

/// Why a line does not come, or go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// The deadline has passed.
    Late,
    /// Who serves is to end.
    Stopped,
    /// The other end has closed.
    Closed,
    /// The line is too long.
    Long,
    /// The system refuses a call.
    Failed(Errno),
}

/// Waits until a call on a descriptor does not block, until then at most.
pub(super) fn ready(
    fd: impl AsFd,
    flags: PollFlags,
    stop: Option<&OwnedFd>,
    until: Option<Instant>,
) -> Result<(), Broken> {
    loop {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        // what is ready all the time is late, too
        if left.is_some_and(|left| left.is_zero()) {
            return Err(Broken::Late);
        }
        let left = left.map(Timespec::try_from).transpose().map_err(|_| Broken::Failed(Errno::INVAL))?;
        let mut fds = vec![PollFd::new(&fd, flags)];
        fds.extend(stop.map(|stop| PollFd::new(stop, PollFlags::IN)));
        match poll(&mut fds, left.as_ref()) {
            Err(Errno::INTR) => {}
            Err(why) => return Err(Broken::Failed(why)),
            Ok(_) if fds[1..].iter().any(|stop| !stop.revents().is_empty()) => return Err(Broken::Stopped),
            Ok(0) => return Err(Broken::Late),
            Ok(_) => return Ok(()),
        }
    }
}

/// A connection until its deadline.
pub(super) struct Wire<'a> {
    pub(super) stream: &'a UnixStream,
    /// Ready when who serves is to end.
    pub(super) stop: Option<&'a OwnedFd>,
    pub(super) until: Instant,
}

impl Wire<'_> {
    /// A line of so many octets at most, without its line feed. The end of the stream ends a line,
    /// too.
    pub(super) fn line(&self, most: usize) -> Result<Vec<u8>, Broken> {
        let (mut line, mut room) = (vec![], [0; 1024]);
        loop {
            self.wait(PollFlags::IN)?;
            match recv(self.stream, &mut room, RecvFlags::DONTWAIT) {
                Ok((0, _)) if line.is_empty() => return Err(Broken::Closed),
                Ok((0, _)) => return Ok(line),
                Ok((octets, _)) => {
                    let came = &room[..octets];
                    let end = came.iter().position(|&octet| octet == b'\n');
                    line.extend(&came[..end.unwrap_or(octets)]);
                    if line.len() > most {
                        return Err(Broken::Long);
                    }
                    if end.is_some() {
                        return Ok(line);
                    }
                }
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(why) => return Err(broken(why)),
            }
        }
    }

    /// Sends all octets.
    pub(super) fn send(&self, octets: &[u8]) -> Result<(), Broken> {
        let mut left = octets;
        while !left.is_empty() {
            self.wait(PollFlags::OUT)?;
            match send(self.stream, left, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
                Ok(taken) => left = &left[taken..],
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(why) => return Err(broken(why)),
            }
        }
        Ok(())
    }

    fn wait(&self, flags: PollFlags) -> Result<(), Broken> {
        ready(self.stream, flags, self.stop, Some(self.until))
    }
}

/// What a call that failed says of the connection.
fn broken(why: Errno) -> Broken {
    match why {
        Errno::PIPE | Errno::CONNRESET => Broken::Closed,
        why => Broken::Failed(why),
    }
}
