// SPDX-License-Identifier: MIT OR Apache-2.0
//! Peer of QEMU's `-netdev dgram` on unix sockets: one datagram is one frame. Needs no privilege.
use super::error::{EthError, MAX_FRAME};
use super::path::{check, SocketFile};
use super::port::{check_length, Delivery, EthPort};
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};

/// Two socket files: ours, and the peer's, which may come and go.
#[derive(Debug)]
pub struct DgramPort {
    socket: UnixDatagram,
    remote: PathBuf,
    _file: SocketFile,
    room: Box<[u8]>,
}

impl DgramPort {
    /// Binds `local`; frames go to `remote`, which need not be there yet.
    pub fn bind(local: &Path, remote: &Path) -> Result<Self, EthError> {
        check(remote)?;
        let (socket, file) = SocketFile::bind(local, |path| {
            let socket = UnixDatagram::bind(path)?;
            socket.set_nonblocking(true)?;
            Ok(socket)
        })?;
        // an octet more than a frame may have tells one that is too long
        let room = vec![0; MAX_FRAME + 1].into();
        Ok(Self { socket, remote: remote.into(), _file: file, room })
    }

    fn failed(&self, step: &'static str, source: io::Error) -> EthError {
        EthError::Io { port: format!("datagrams to {}", self.remote.display()), step, source }
    }
}

impl EthPort for DgramPort {
    fn send(&mut self, frame: &[u8]) -> Result<Delivery, EthError> {
        check_length(frame)?;
        match self.socket.send_to(frame, &self.remote) {
            Ok(_) => Ok(Delivery::Sent),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                Ok(Delivery::Busy)
            }
            // the peer has not begun yet, or has ended
            Err(e)
                if matches!(
                    e.kind(),
                    ErrorKind::NotFound | ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset
                ) =>
            {
                Ok(Delivery::Unplugged)
            }
            Err(e) => Err(self.failed("a frame is not sent", e)),
        }
    }

    fn receive(&mut self) -> Result<Option<Vec<u8>>, EthError> {
        loop {
            return match self.socket.recv(&mut self.room) {
                // neither is a frame; whoever sent it is no Ethernet
                Ok(octets) if check_length(&self.room[..octets]).is_err() => continue,
                Ok(octets) => Ok(Some(self.room[..octets].to_vec())),
                Err(e) if e.kind() == ErrorKind::WouldBlock => Ok(None),
                // what an earlier send to a peer that is gone left behind
                Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionReset) => continue,
                Err(e) => Err(self.failed("no frame can be received", e)),
            };
        }
    }

    fn poll_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
