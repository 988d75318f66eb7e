//! The server: one client at a time.
use super::function::{PciFunction, Refusal};
use super::outgoing::Outgoing;
use super::session::serve;
use super::socket::{wait, Connection, End};
use crate::eth::{EthError, SocketFile};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;

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

/// A listening socket.
#[derive(Debug)]
pub struct Server {
    listener: UnixListener,
    _file: SocketFile,
}

impl Server {
    /// Listens on `path`; a socket that a dead process left there is replaced.
    pub fn listen(path: &Path) -> Result<Self, ServerError> {
        let (listener, file) = SocketFile::bind(path, |path| {
            let listener = UnixListener::bind(path)?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        })?;
        Ok(Self { listener, _file: file })
    }

    /// Serves one client after the other until `stop` becomes readable. When a client has gone, in whatever way, the
    /// function is reset and reaches none of its memory any more.
    pub fn run(&self, function: &mut dyn PciFunction, stop: &OwnedFd) -> Result<(), ServerError> {
        loop {
            let stream = match wait(&self.listener, stop).and_then(|()| Ok(self.listener.accept()?)) {
                Ok((stream, _)) => stream,
                Err(End::Stopped) => return Ok(()),
                Err(End::Io(e)) if e.kind() == io::ErrorKind::WouldBlock => continue,
                Err(End::Io(e)) => return Err(ServerError::Accept(e)),
                Err(other) => return Err(ServerError::Accept(io::Error::other(other))),
            };
            let out = Arc::new(Outgoing::new(stream));
            let ended = serve(&Connection { out: &out, stop, listener: &self.listener }, &out, function)?;
            tracing::info!(why = %ended, "the vfio-user client is gone");
            if matches!(ended, End::Stopped) {
                return Ok(());
            }
        }
    }
}
