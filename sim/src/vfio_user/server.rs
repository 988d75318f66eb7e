// SPDX-License-Identifier: MIT OR Apache-2.0
//! The server: one client at a time.
use super::door::{Door, Share};
use super::end::{wait, End};
use super::function::{PciFunction, Refusal};
use super::outgoing::Outgoing;
use super::session::serve;
use super::socket::Connection;
use crate::eth::{EthError, SocketFile};
use rustix::fs::{fchmod, Mode};
use rustix::net::{bind, socket_with, AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;

/// Clients that wait to be accepted, or turned away.
const BACKLOG: i32 = 16;

/// Why a server cannot be made, or ended.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The socket.
    #[error(transparent)]
    Socket(#[from] EthError),
    /// Waiting for a client.
    #[error("no client can be accepted: {0}")]
    Accept(io::Error),
    /// The simulation.
    #[error(transparent)]
    Function(#[from] Refusal),
}

/// A listening socket, to which its owner alone may connect.
#[derive(Debug)]
pub struct Server {
    door: Door,
    /// One of those among whom descriptors are shared.
    _share: Share,
    _file: SocketFile,
}

/// A listening socket that is there for the owner from its first moment on.
fn listen(path: &Path) -> io::Result<UnixListener> {
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    // the file gets the mode of the socket
    fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
    bind(&socket, &SocketAddrUnix::new(path)?)?;
    rustix::net::listen(&socket, BACKLOG)?;
    let listener = UnixListener::from(socket);
    listener.set_nonblocking(true)?;
    Ok(listener)
}

impl Server {
    /// Listens on `path`; a socket that a dead process left there is replaced.
    pub fn listen(path: &Path) -> Result<Self, ServerError> {
        let (listener, file) = SocketFile::bind(path, listen)?;
        Ok(Self { door: Door::new(listener), _share: Share::new(), _file: file })
    }

    /// Serves one client after the other until `stop` becomes readable. When a client has gone, in
    /// whatever way, the function is reset and reaches none of its memory any more.
    pub fn run(&self, function: &mut dyn PciFunction, stop: &OwnedFd) -> Result<(), ServerError> {
        loop {
            let stream = match wait(&self.door, stop).and_then(|()| Ok(self.door.accept()?)) {
                Ok(Some(stream)) => stream,
                Ok(None) => continue,
                Err(End::Stopped) => return Ok(()),
                Err(End::Io(e)) => return Err(ServerError::Accept(e)),
                Err(other) => return Err(ServerError::Accept(io::Error::other(other))),
            };
            let out = Arc::new(Outgoing::new(stream));
            let ended = serve(&Connection { out: &out, stop, door: &self.door }, &out, function)?;
            tracing::info!(why = %ended, "the vfio-user client is gone");
            if matches!(ended, End::Stopped) {
                return Ok(());
            }
        }
    }
}
