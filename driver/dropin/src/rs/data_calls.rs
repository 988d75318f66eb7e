// SPDX-License-Identifier: MIT OR Apache-2.0
//! Functions of C that move octets.
use super::socket::{find, Socket};
use super::stream::Stream;
use crate::errno::Errno;
use crate::guard::or_minus_long;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::time::{Duration, Instant};

/// Flags of a send, without effect but MSG_DONTWAIT: no signal comes of a socket here.
const SEND_FLAGS: c_int = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL | libc::MSG_MORE | libc::MSG_WAITALL;
/// Flags of a receive.
const RECEIVE_FLAGS: c_int = libc::MSG_DONTWAIT | libc::MSG_PEEK | libc::MSG_WAITALL;

/// How long a mapping waits for a connection that is being made.
const HANDSHAKE: Duration = Duration::from_secs(60);

/// The socket, and whether the call does not wait. EOPNOTSUPP: a flag is not known.
fn begin(fd: c_int, flags: c_int, known: c_int) -> Result<(std::sync::Arc<Socket>, bool), Errno> {
    let socket = find(fd)?;
    if flags & !known != 0 {
        return Err(Errno::NOT_SUPPORTED);
    }
    let is_nonblocking = flags & libc::MSG_DONTWAIT != 0 || socket.is_nonblocking()?;
    Ok((socket, is_nonblocking))
}

/// Octets of a program.
///
/// # Safety
/// There are `len` readable octets at `from`, which nobody writes during the call.
unsafe fn octets<'a>(from: *const c_void, len: usize) -> Result<&'a [u8], Errno> {
    match from.is_null() || isize::try_from(len).is_err() {
        true if len == 0 => Ok(&[]),
        true => Err(Errno(libc::EFAULT)),
        // SAFETY: the caller's promise.
        false => Ok(unsafe { std::slice::from_raw_parts(from.cast(), len) }),
    }
}

/// Sends pieces until all octets were taken. A call that has sent some and cannot go on gives their
/// count.
fn send_all(
    socket: &Socket,
    is_nonblocking: bool,
    octets: &[u8],
    mut send: impl FnMut(&mut Stream, usize) -> Result<usize, Errno>,
) -> Result<isize, Errno> {
    let mut done = 0;
    let sent = socket.until(is_nonblocking, None, |inner| {
        let Some(stream) = inner.stream()? else { return Ok(None) };
        done += send(stream, done)?;
        Ok((done == octets.len()).then_some(()))
    });
    match sent {
        Err(why) if done == 0 => Err(why),
        _ => Ok(done as isize),
    }
}

/// Sends octets. A blocking socket sends all of them. EPIPE: the peer takes none.
#[no_mangle]
unsafe extern "C" fn rsend(socket: c_int, from: *const c_void, len: usize, flags: c_int) -> isize {
    or_minus_long(|| {
        let (socket, is_nonblocking) = begin(socket, flags, SEND_FLAGS)?;
        // SAFETY: the program's promise.
        let octets = unsafe { octets(from, len) }?;
        send_all(&socket, is_nonblocking, octets, |stream, done| stream.send(&octets[done..]))
    })
}

/// Receives octets. 0: the peer sends no more.
#[no_mangle]
unsafe extern "C" fn rrecv(socket: c_int, to: *mut c_void, len: usize, flags: c_int) -> isize {
    or_minus_long(|| {
        let (socket, is_nonblocking) = begin(socket, flags, RECEIVE_FLAGS)?;
        let is_peek = flags & libc::MSG_PEEK != 0;
        let is_all = flags & libc::MSG_WAITALL != 0 && !is_peek;
        let into: &mut [u8] = match to.is_null() || isize::try_from(len).is_err() {
            true if len == 0 => &mut [],
            true => return Err(Errno(libc::EFAULT)),
            // SAFETY: the program gives room for so many octets, which nobody else uses.
            false => unsafe { std::slice::from_raw_parts_mut(to.cast(), len) },
        };
        let mut done = 0;
        let received = socket.until(is_nonblocking, None, |inner| {
            let Some(stream) = inner.stream()? else { return Ok(None) };
            let Some(more) = stream.receive(&mut into[done..], is_peek)? else { return Ok(None) };
            done += more;
            Ok((more == 0 || !is_all || done == into.len()).then_some(()))
        });
        match received {
            Err(why) if done == 0 => Err(why),
            _ => Ok(done as isize),
        }
    })
}

/// Maps memory, for the peer to write it (PROT_WRITE) or for nobody (PROT_NONE). The answer is the
/// offset by which the peer names the memory: `offset`, or the address if that is -1.
#[no_mangle]
unsafe extern "C" fn riomap(
    socket: c_int,
    address: *mut c_void,
    len: usize,
    rights: c_int,
    flags: c_int,
    offset: libc::off_t,
) -> libc::off_t {
    let mapped = or_minus_long(|| {
        let (socket, _) = begin(socket, flags, 0)?;
        let start = NonNull::new(address.cast::<u8>()).ok_or(Errno::INVALID)?;
        if rights & !libc::PROT_WRITE != 0 {
            return Err(Errno::INVALID);
        }
        let offset = match offset {
            -1 => None,
            offset => Some(u64::try_from(offset).map_err(|_| Errno::INVALID)?),
        };
        let is_shared = rights & libc::PROT_WRITE != 0;
        // programs do not expect EAGAIN here: the end of the handshake is waited for
        let mapped = socket.until(false, Some(Instant::now() + HANDSHAKE), |inner| {
            let Some(stream) = inner.stream()? else { return Ok(None) };
            // SAFETY: the program keeps the memory until it takes the mapping back.
            unsafe { stream.map(start, len, is_shared, offset) }.map(Some)
        })?;
        isize::try_from(mapped).map_err(|_| Errno::INVALID)
    });
    mapped as libc::off_t
}

/// Takes a mapping back. EINVAL: there is none of this memory.
#[no_mangle]
extern "C" fn riounmap(socket: c_int, address: *mut c_void, len: usize) -> c_int {
    crate::guard::or_minus(|| {
        let unmap = |stream: &mut Stream| stream.unmap(address.addr(), len);
        find(socket)?.with(|inner| inner.stream()?.map_or(Err(Errno::INVALID), unmap))?;
        Ok(0)
    })
}

/// Writes octets into memory that the peer has mapped at an offset. The peer is not told. EINVAL:
/// nothing is mapped there.
#[no_mangle]
unsafe extern "C" fn riowrite(
    socket: c_int,
    from: *const c_void,
    len: usize,
    offset: libc::off_t,
    flags: c_int,
) -> usize {
    let written = or_minus_long(|| {
        let (socket, is_nonblocking) = begin(socket, flags, SEND_FLAGS)?;
        let offset = u64::try_from(offset).map_err(|_| Errno::INVALID)?;
        // SAFETY: the program's promise.
        let octets = unsafe { octets(from, len) }?;
        send_all(&socket, is_nonblocking, octets, |stream, done| {
            stream.write_mapped(&octets[done..], offset + done as u64)
        })
    });
    written.cast_unsigned()
}
