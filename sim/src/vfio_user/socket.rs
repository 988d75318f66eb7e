//! Messages with descriptors over a unix socket.
use super::function::Refusal;
use super::wire::{Head, HEAD, MOST_FDS, MOST_MESSAGE};
use rustix::event::{poll, PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{recvmsg, send, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags};
use std::io::{self, ErrorKind, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};

/// A message of the client.
pub(super) struct Message {
    pub(super) head: Head,
    pub(super) body: Vec<u8>,
    pub(super) fds: Vec<OwnedFd>,
}

/// Why no further message comes.
#[derive(Debug, thiserror::Error)]
pub(super) enum End {
    /// The client closed its end, perhaps inside of a message.
    #[error("the client closed the connection")]
    Closed,
    /// The server is to stop.
    #[error("the server stops")]
    Stopped,
    /// A size that no message has: where the next one begins is unknown.
    #[error("a message of {0} octets; {HEAD} to {MOST_MESSAGE} are possible")]
    Size(u32),
    /// More descriptors than a message may have.
    #[error("more than {MOST_FDS} descriptors beside a message")]
    Descriptors,
    /// There is nothing to serve any more.
    #[error(transparent)]
    Function(Refusal),
    /// The socket failed.
    #[error("the socket: {0}")]
    Io(#[from] io::Error),
}

/// One client's connection, which ends when `stop` becomes readable. Who else calls at `listener` is turned away.
pub(super) struct Connection<'a> {
    pub(super) stream: UnixStream,
    pub(super) stop: &'a OwnedFd,
    pub(super) listener: &'a UnixListener,
}

impl Connection<'_> {
    /// The next message, whole.
    pub(super) fn receive(&self) -> Result<Message, End> {
        let mut fds = vec![];
        let mut head = [0; HEAD];
        self.fill(&mut head, &mut fds)?;
        let head = Head::parse(&head);
        let size = head.size as usize;
        if !(HEAD..=MOST_MESSAGE).contains(&size) {
            return Err(End::Size(head.size));
        }
        let mut body = vec![0; size - HEAD];
        self.fill(&mut body, &mut fds)?;
        Ok(Message { head, body, fds })
    }

    /// Sends an answer. A client that reads none is waited for, but not longer than until the server is to stop.
    pub(super) fn send(&self, mut octets: &[u8]) -> Result<(), End> {
        while !octets.is_empty() {
            match send(&self.stream, octets, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
                Ok(taken) => octets = &octets[taken..],
                Err(Errno::AGAIN) => {
                    let room = (self.stream.as_fd(), PollFlags::OUT);
                    if first_of(&[(self.stop.as_fd(), PollFlags::IN), room])? == 0 {
                        return Err(End::Stopped);
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::PIPE | Errno::CONNRESET) => return Err(End::Closed),
                Err(e) => return Err(End::Io(e.into())),
            }
        }
        Ok(())
    }

    /// Waits until the client has said something, or is gone. Another one would wait for ever: a device has one owner. One that
    /// comes after this one has gone is not turned away, since the end is seen first.
    fn wait(&self) -> Result<(), End> {
        loop {
            match first_readable(&[self.stop.as_fd(), self.stream.as_fd(), self.listener.as_fd()])? {
                0 => return Err(End::Stopped),
                1 => return Ok(()),
                _ => match self.listener.accept() {
                    Ok(_) => tracing::info!("another vfio-user client is turned away"),
                    Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::ConnectionAborted) => {}
                    Err(e) => return Err(End::Io(e)),
                },
            }
        }
    }

    fn fill(&self, mut room: &mut [u8], fds: &mut Vec<OwnedFd>) -> Result<(), End> {
        while !room.is_empty() {
            self.wait()?;
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
            let mut beside = RecvAncillaryBuffer::new(&mut space);
            let flags = RecvFlags::CMSG_CLOEXEC;
            let got = match recvmsg(&self.stream, &mut [IoSliceMut::new(room)], &mut beside, flags) {
                Ok(got) => got,
                Err(Errno::INTR | Errno::AGAIN) => continue,
                Err(Errno::CONNRESET) => return Err(End::Closed),
                Err(e) => return Err(End::Io(e.into())),
            };
            for message in beside.drain() {
                if let RecvAncillaryMessage::ScmRights(rights) = message {
                    fds.extend(rights);
                }
            }
            // the kernel closes descriptors that did not fit and says so
            let cut = got.flags.contains(rustix::net::ReturnFlags::CTRUNC);
            if cut || fds.len() > MOST_FDS {
                return Err(End::Descriptors);
            }
            if got.bytes == 0 {
                return Err(End::Closed);
            }
            room = &mut room[got.bytes..];
        }
        Ok(())
    }
}

/// Waits until `socket` has something; an error if `stop` has.
pub(super) fn wait(socket: &impl AsFd, stop: &OwnedFd) -> Result<(), End> {
    match first_readable(&[stop.as_fd(), socket.as_fd()])? {
        0 => Err(End::Stopped),
        _ => Ok(()),
    }
}

/// Waits until one of them has something: the first one that has.
fn first_readable(fds: &[BorrowedFd<'_>]) -> Result<usize, End> {
    first_of(&fds.iter().map(|&fd| (fd, PollFlags::IN)).collect::<Vec<_>>())
}

/// Waits until one of them is as it is to be, or has failed: the first one that is.
fn first_of(fds: &[(BorrowedFd<'_>, PollFlags)]) -> Result<usize, End> {
    loop {
        let mut polled: Vec<_> = fds.iter().map(|&(fd, flags)| PollFd::from_borrowed_fd(fd, flags)).collect();
        match poll(&mut polled, None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(e) => return Err(End::Io(e.into())),
        }
        if let Some(first) = polled.iter().position(|fd| !fd.revents().is_empty()) {
            return Ok(first);
        }
    }
}
