// SPDX-License-Identifier: MIT OR Apache-2.0
//! Socket files: made where a dead process left one, never where a living one listens; removed when
//! they are dropped.
use super::error::EthError;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::{Path, PathBuf};

/// Octets of `sun_path` in the kernel's `sockaddr_un` (unix(7)), less its final NUL.
const MOST: usize = 107;

/// A socket's file that this process made; dropping it removes it.
#[derive(Debug)]
pub(crate) struct SocketFile(PathBuf);

impl SocketFile {
    /// Runs `bind` for `path`, after a socket that nobody listens on any more was removed from
    /// there.
    pub(crate) fn bind<S>(
        path: &Path,
        bind: impl FnOnce(&Path) -> io::Result<S>,
    ) -> Result<(S, Self), EthError> {
        check(path)?;
        match std::fs::symlink_metadata(path) {
            Ok(found) if !found.file_type().is_socket() => return Err(EthError::NotASocket(path.into())),
            Ok(_) if listens(path) => return Err(EthError::InUse(path.into())),
            // if it cannot be removed, `bind` says so
            Ok(_) => drop(std::fs::remove_file(path)),
            Err(_) => {}
        }
        let socket = bind(path).map_err(|source| EthError::Bind { path: path.into(), source })?;
        Ok((socket, Self(path.into())))
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // one that somebody else removed is gone as well
        drop(std::fs::remove_file(&self.0));
    }
}

/// Refuses a path that no socket can have.
pub(super) fn check(path: &Path) -> Result<(), EthError> {
    let octets = path.as_os_str().as_bytes().len();
    if octets > MOST {
        return Err(EthError::LongPath { path: path.into(), octets, most: MOST });
    }
    Ok(())
}

/// A process has the socket open, of either type.
fn listens(path: &Path) -> bool {
    let refused = |e: io::Error| e.kind() == ErrorKind::ConnectionRefused;
    let stream = UnixStream::connect(path);
    let datagram = UnixDatagram::unbound().and_then(|s| s.connect(path));
    // the kernel refuses both on a socket without a process, and says "wrong type" to one of them
    // otherwise
    !(stream.is_err_and(refused) && datagram.is_err_and(refused))
}
