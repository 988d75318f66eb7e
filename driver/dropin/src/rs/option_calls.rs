// SPDX-License-Identifier: MIT OR Apache-2.0
//! Functions of C that ask for options of a socket, and set them.
use super::socket::{find, State};
use crate::errno::Errno;
use crate::guard::or_minus;
use libc::socklen_t;
use std::ffi::{c_int, c_void};

/// Longest option that is set, in octets.
const LONGEST: usize = 64;

/// Sets an option. ENOPROTOOPT: there is no such option.
#[no_mangle]
unsafe extern "C" fn rsetsockopt(
    socket: c_int,
    level: c_int,
    name: c_int,
    value: *const c_void,
    len: socklen_t,
) -> c_int {
    or_minus(|| {
        let socket = find(socket)?;
        let len = usize::try_from(len).unwrap_or(LONGEST).min(LONGEST);
        if value.is_null() {
            return Err(Errno(libc::EFAULT));
        }
        // SAFETY: the program gives as many octets as it says.
        let octets = unsafe { std::slice::from_raw_parts(value.cast::<u8>(), len) };
        socket.with(|inner| inner.options.set(level, name, octets)).map(|()| 0)
    })
}

/// Asks for an option. SO_ERROR is told once.
#[no_mangle]
unsafe extern "C" fn rgetsockopt(
    socket: c_int,
    level: c_int,
    name: c_int,
    to: *mut c_void,
    len: *mut socklen_t,
) -> c_int {
    or_minus(|| {
        let socket = find(socket)?;
        if to.is_null() || len.is_null() {
            return Err(Errno(libc::EFAULT));
        }
        let value = socket.with(|inner| match (level, name) {
            (libc::SOL_SOCKET, libc::SO_ERROR) => {
                let why = match &mut inner.state {
                    State::Open(stream) => stream.ends.error.take(),
                    State::Failed(why) => why.take(),
                    _ => None,
                };
                Ok(why.map_or(0, |why| why.0).to_ne_bytes().to_vec())
            }
            (libc::SOL_SOCKET, libc::SO_TYPE) => Ok(libc::SOCK_STREAM.to_ne_bytes().to_vec()),
            _ => match &inner.state {
                // a connection has what it was made with
                State::Open(stream) => stream.rig.options.get(level, name),
                _ => inner.options.get(level, name),
            },
        })?;
        // SAFETY: the program gives a number, and as many octets as it says.
        unsafe {
            let room = usize::try_from(len.read()).unwrap_or(0).min(value.len());
            std::ptr::copy_nonoverlapping(value.as_ptr(), to.cast::<u8>(), room);
            len.write(room as socklen_t);
        }
        Ok(0)
    })
}

/// F_GETFL and F_SETFL, of which O_NONBLOCK counts. EINVAL: another command.
///
/// The third argument of a function with variable arguments is where that of another function is,
/// on x86-64 and AArch64 of Linux.
#[no_mangle]
extern "C" fn rfcntl(socket: c_int, command: c_int, argument: c_int) -> c_int {
    or_minus(|| {
        let socket = find(socket)?;
        match command {
            libc::F_GETFL => socket.flags(),
            libc::F_SETFL => socket.set_flags(argument).map(|()| 0),
            _ => Err(Errno::INVALID),
        }
    })
}
