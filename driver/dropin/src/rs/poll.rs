// SPDX-License-Identifier: MIT OR Apache-2.0
//! `rpoll`: waits for rsockets and for other descriptors together.
use super::socket::{find, Inner, Socket, State, SLICE};
use crate::errno::Errno;
use crate::guard::or_minus;
use libc::{nfds_t, pollfd, POLLERR, POLLHUP, POLLIN, POLLOUT};
use std::ffi::c_int;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a program may ask for of an rsocket, as one of POLLIN and POLLOUT.
const NORMAL: [(i16, i16); 2] = [(libc::POLLRDNORM, POLLIN), (libc::POLLWRNORM, POLLOUT)];

impl Inner {
    /// What is ready.
    fn ready(&self) -> i16 {
        match &self.state {
            State::Fresh => POLLOUT | POLLHUP,
            State::Listening(_, requests) if requests.is_empty() => 0,
            State::Listening(..) => POLLIN,
            State::Connecting(..) => 0,
            State::Open(stream) => stream.ready(),
            State::Failed(_) => POLLIN | POLLOUT | POLLERR | POLLHUP,
            State::Closed => libc::POLLNVAL,
        }
    }
}

/// Looks at all descriptors once: how many have something. `sockets` are the rsockets among them.
fn look(fds: &mut [pollfd], sockets: &[Option<Arc<Socket>>]) -> Result<c_int, Errno> {
    let plain = |(fd, socket): (&pollfd, &Option<Arc<Socket>>)| pollfd {
        fd: if socket.is_some() { -1 } else { fd.fd },
        ..*fd
    };
    let mut others: Vec<_> = fds.iter().zip(sockets).map(plain).collect();
    poll(&mut others, Duration::ZERO)?;
    for ((fd, other), socket) in fds.iter_mut().zip(&others).zip(sockets) {
        fd.revents = match socket {
            None => other.revents,
            Some(socket) => {
                let ready = socket.with(|inner| Ok(inner.ready())).unwrap_or(libc::POLLNVAL);
                let same = NORMAL.iter().filter(|(_, is)| ready & is != 0).map(|(name, _)| name);
                let ready = same.fold(ready, |ready, name| ready | name);
                ready & (fd.events | POLLERR | POLLHUP | libc::POLLNVAL)
            }
        };
    }
    Ok(fds.iter().filter(|fd| fd.revents != 0).count() as c_int)
}

/// The kernel's `poll`, for `most` at most.
fn poll(fds: &mut [pollfd], most: Duration) -> Result<(), Errno> {
    // SAFETY: entries of the caller's own.
    match unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as nfds_t, most.as_millis() as c_int) } {
        -1 => Err(Errno::last()),
        _ => Ok(()),
    }
}

/// Waits until one of the descriptors has something, for `timeout` milliseconds at most; a negative
/// number is no end. How many have something. EINTR: a signal came.
#[no_mangle]
unsafe extern "C" fn rpoll(fds: *mut pollfd, count: nfds_t, timeout: c_int) -> c_int {
    or_minus(|| {
        let count = usize::try_from(count).ok().filter(|&count| count <= 1 << 20).ok_or(Errno::INVALID)?;
        let fds: &mut [pollfd] = match (fds.is_null(), count) {
            (_, 0) => &mut [],
            (true, _) => return Err(Errno(libc::EFAULT)),
            // SAFETY: the program gives as many entries as it says.
            (false, _) => unsafe { std::slice::from_raw_parts_mut(fds, count) },
        };
        let end = u64::try_from(timeout).ok().map(|most| Instant::now() + Duration::from_millis(most));
        let sockets: Vec<_> = fds.iter().map(|fd| find(fd.fd).ok()).collect();
        loop {
            let ready = look(fds, &sockets)?;
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if ready > 0 || left == Some(Duration::ZERO) {
                return Ok(ready);
            }
            for socket in sockets.iter().flatten() {
                // one that was closed meanwhile is told by the next look
                let _ = socket.with(|inner| {
                    inner.arm();
                    Ok(())
                });
            }
            let asked = |(fd, socket): (&pollfd, &Option<Arc<Socket>>)| pollfd {
                events: if socket.is_some() { POLLIN } else { fd.events },
                ..*fd
            };
            let mut sleeping: Vec<_> = fds.iter().zip(&sockets).map(asked).collect();
            // a part of a millisecond is a whole one: the sleep must not end before the time
            let most = left.map_or(SLICE, |left| SLICE.min(left + Duration::from_micros(999)));
            poll(&mut sleeping, most)?;
        }
    })
}
