// SPDX-License-Identifier: MIT OR Apache-2.0
//! The socket's place in the file system.
use super::FiguresError;
use rustix::fs::{fchmod, Mode};
use rustix::io::Errno;
use rustix::net::{bind as bind_to, connect as connect_to, listen, socket_with};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Clients that wait for their turn.
const BACKLOG: i32 = 16;

/// A socket that this process has bound.
#[derive(Debug)]
pub(super) struct Place {
    /// It holds when the process changes its folder.
    path: PathBuf,
    /// File system and inode: another program may have taken the name since.
    file: (u64, u64),
}

impl Place {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Unlinks the socket, if the name is still its own.
    pub(super) fn unlink(&self) {
        let is_ours = file_at(&self.path).is_ok_and(|file| file == self.file);
        if let Some(why) = is_ours.then(|| std::fs::remove_file(&self.path).err()).flatten() {
            tracing::warn!(path = %self.path.display(), %why, "the socket of figures stays behind");
        }
    }
}

fn file_at(path: &Path) -> std::io::Result<(u64, u64)> {
    path.symlink_metadata().map(|file| (file.dev(), file.ino()))
}

/// A listener at this path for this user alone, in the place of a socket on which nobody answers
/// any more.
pub(super) fn bind(path: &Path) -> Result<(UnixListener, Place), FiguresError> {
    let failed = |why: String| FiguresError::Socket { path: path.into(), why };
    let refused = |why: Errno| failed(why.to_string());
    // the kernel would draw a name of its own
    let whole = std::path::absolute(path).map_err(|e| failed(e.to_string()))?;
    let address = SocketAddrUnix::new(path).map_err(refused)?;
    clear(path)?;
    let socket = unconnected().map_err(refused)?;
    // a socket's file has the mode that the socket has when it is bound
    fchmod(&socket, Mode::RUSR | Mode::WUSR).map_err(refused)?;
    bind_to(&socket, &address).map_err(|why| match why {
        Errno::ADDRINUSE => FiguresError::InUse(path.into()),
        why => refused(why),
    })?;
    let file = file_at(&whole).map_err(|e| failed(e.to_string()))?;
    let place = Place { path: whole, file };
    if let Err(why) = listen(&socket, BACKLOG) {
        place.unlink();
        return Err(refused(why));
    }
    Ok((socket.into(), place))
}

/// Removes a socket on which nobody answers any more.
fn clear(path: &Path) -> Result<(), FiguresError> {
    let failed = |why: String| FiguresError::Socket { path: path.into(), why };
    match path.symlink_metadata() {
        Err(why) if why.kind() == ErrorKind::NotFound => return Ok(()),
        Err(why) => return Err(failed(why.to_string())),
        Ok(there) if !there.file_type().is_socket() => return Err(FiguresError::NoSocket(path.into())),
        Ok(_) => {}
    }
    match connect(path) {
        // it may have no place for another client, or be of another type
        Ok(_) | Err(Errno::AGAIN | Errno::PROTOTYPE) => Err(FiguresError::InUse(path.into())),
        Err(Errno::CONNREFUSED) => match std::fs::remove_file(path) {
            Err(why) if why.kind() != ErrorKind::NotFound => Err(failed(why.to_string())),
            _ => Ok(()),
        },
        Err(Errno::NOENT) => Ok(()),
        Err(why) => Err(failed(why.to_string())),
    }
}

/// A connection to the socket at this path. It does not wait: [`Errno::AGAIN`] of a program that
/// has no place for another client.
pub(super) fn connect(path: &Path) -> Result<UnixStream, Errno> {
    let socket = unconnected()?;
    connect_to(&socket, &SocketAddrUnix::new(path)?)?;
    Ok(socket.into())
}

fn unconnected() -> Result<OwnedFd, Errno> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)
}
