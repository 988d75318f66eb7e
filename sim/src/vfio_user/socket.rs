// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages with descriptors over a unix socket.
use super::asked::Asker;
use super::door::{Door, PAUSE};
use super::end::{first_readable, End, MOST_CLAIMS};
use super::outgoing::Outgoing;
use super::strange::Descriptors;
use super::wire::{Head, HEAD, MOST_FDS, MOST_MESSAGE};
use rustix::io::Errno;
use rustix::net::{recvmsg, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::mpsc::SyncSender;
use std::sync::Arc;

/// A message of the client.
pub(super) struct Message {
    pub(super) head: Head,
    pub(super) body: Vec<u8>,
    pub(super) fds: Descriptors,
    /// One for each descriptor, until the message is done.
    _claims: Vec<Arc<()>>,
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
