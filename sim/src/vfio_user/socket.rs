// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages with descriptors over a unix socket.
use super::asked::Asker;
use super::door::{Door, PAUSE};
use super::function::Refusal;
use super::outgoing::Outgoing;
use super::strange::Descriptors;
use super::wire::{Head, HEAD, MOST_FDS, MOST_MESSAGE};
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{recvmsg, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::SyncSender;
use std::sync::Arc;
use std::time::Instant;

/// A message of the client.
pub(super) struct Message {
    pub(super) head: Head,
    pub(super) body: Vec<u8>,
    pub(super) fds: Descriptors,
    /// One for each descriptor, until the message is done.
    _claims: Vec<Arc<()>>,
}

/// Most descriptors beside messages that wait: a client that looks at answers has one.
const MOST_CLAIMS: usize = 4 * MOST_FDS;

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
    /// More than messages that wait may have.
    #[error("more than {MOST_CLAIMS} descriptors beside messages that wait")]
    Hoard,
    /// There is nothing to serve any more.
    #[error(transparent)]
    Function(Refusal),
    /// A message was not taken in its time.
    #[error("the client takes no message")]
    Late,
    /// The socket failed.
    #[error("the socket: {0}")]
    Io(#[from] io::Error),
}

/// One client's connection, which ends when `stop` becomes readable. Who else calls at `door` is
/// turned away.
pub(super) struct Connection<'a> {
    pub(super) out: &'a Outgoing,
    pub(super) stop: &'a OwnedFd,
    pub(super) door: &'a Door,
}

impl Connection<'_> {
    /// The next message, whole.
    fn receive(&self, claim: &Arc<()>) -> Result<Message, End> {
        let mut fds = Descriptors::default();
        let mut head = [0; HEAD];
        self.fill(&mut head, &mut fds)?;
        let head = Head::parse(&head);
        let size = head.size as usize;
        if !(HEAD..=MOST_MESSAGE).contains(&size) {
            return Err(End::Size(head.size));
        }
        let mut body = vec![0; size - HEAD];
        self.fill(&mut body, &mut fds)?;
        if Arc::strong_count(claim) - 1 + fds.0.len() > MOST_CLAIMS {
            return Err(End::Hoard);
        }
        let claims = vec![claim.clone(); fds.0.len()];
        Ok(Message { head, body, fds, _claims: claims })
    }

    /// Takes what comes until the connection ends: commands go into the queue, whose end says why;
    /// answers go to who asked, past the commands that wait, since these may be waiting for them.
    pub(super) fn read_all(&self, queue: &SyncSender<Result<Message, End>>, asker: &Asker) {
        let claim = Arc::new(());
        loop {
            let item = match self.receive(&claim) {
                Ok(Message { head, body, .. }) if head.is_answer() => {
                    asker.answered(head, body);
                    continue;
                }
                item => item,
            };
            let is_end = item.is_err();
            if is_end {
                asker.close();
            }
            // a session that has ended takes nothing more
            if queue.send(item).is_err() || is_end {
                return;
            }
        }
    }

    /// Waits until the client has said something, or is gone. Another one would wait for ever: a
    /// device has one owner. One that comes after this one has gone is not turned away, since the
    /// end is seen first.
    fn wait(&self) -> Result<(), End> {
        loop {
            match first_readable(&[self.stop.as_fd(), self.out.stream().as_fd(), self.door.as_fd()])? {
                0 => return Err(End::Stopped),
                1 => return Ok(()),
                // whatever becomes of a stranger is no matter of this client
                _ => match self.door.accept() {
                    Ok(Some(_)) => tracing::info!("another vfio-user client is turned away"),
                    Ok(None) => {}
                    Err(why) => {
                        tracing::warn!(%why, "another vfio-user client cannot be turned away");
                        std::thread::sleep(PAUSE);
                    }
                },
            }
        }
    }

    fn fill(&self, mut room: &mut [u8], Descriptors(fds): &mut Descriptors) -> Result<(), End> {
        while !room.is_empty() {
            self.wait()?;
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
            let mut beside = RecvAncillaryBuffer::new(&mut space);
            let flags = RecvFlags::CMSG_CLOEXEC;
            let got = match recvmsg(self.out.stream(), &mut [IoSliceMut::new(room)], &mut beside, flags) {
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
    let fds: Vec<_> = fds.iter().map(|&fd| (fd, PollFlags::IN)).collect();
    loop {
        if let Some(first) = first_of(&fds, None)? {
            return Ok(first);
        }
    }
}

/// Waits until one of them is as it is to be, or has failed: the first one that is. None if none is
/// in time.
pub(super) fn first_of(
    fds: &[(BorrowedFd<'_>, PollFlags)],
    until: Option<Instant>,
) -> Result<Option<usize>, End> {
    loop {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        // longer than the kernel can count is for ever
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        let mut polled: Vec<_> = fds.iter().map(|&(fd, flags)| PollFd::from_borrowed_fd(fd, flags)).collect();
        match poll(&mut polled, timeout.as_ref()) {
            Ok(0) if left.is_some() => return Ok(None),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(e) => return Err(End::Io(e.into())),
        }
        if let Some(first) = polled.iter().position(|fd| !fd.revents().is_empty()) {
            return Ok(Some(first));
        }
    }
}
