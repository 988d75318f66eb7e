// SPDX-License-Identifier: MIT OR Apache-2.0
//! Functions of C that make sockets, connect them, and end them.
use super::address;
use super::close::finish;
use super::rig::Rig;
use super::socket::{find, is_bound, take, Inner, Socket, State};
use super::stream::Stream;
use super::wire::Greeting;
use crate::errno::Errno;
use crate::guard::or_minus;
use ferrowarp::{AcceptOptions, ConnectOptions};
use libc::{sockaddr, socklen_t};
use std::collections::VecDeque;
use std::ffi::c_int;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

/// How long a blocking call waits for a connection to be made.
const MOST: Duration = Duration::from_secs(120);
/// Most connections of a listener that nobody has accepted.
const BACKLOG: c_int = 128;

/// A socket. EOPNOTSUPP: there are no datagrams here.
#[no_mangle]
extern "C" fn rsocket(domain: c_int, kind: c_int, protocol: c_int) -> c_int {
    or_minus(|| {
        if ![libc::AF_INET, libc::AF_INET6].contains(&domain) {
            return Err(Errno(libc::EAFNOSUPPORT));
        }
        let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        match kind & !flags {
            libc::SOCK_STREAM if [0, libc::IPPROTO_TCP].contains(&protocol) => {}
            libc::SOCK_STREAM => return Err(Errno(libc::EPROTONOSUPPORT)),
            libc::SOCK_DGRAM => return Err(Errno::NOT_SUPPORTED),
            _ => return Err(Errno::INVALID),
        }
        let inner = Inner::new(State::Fresh, Default::default());
        Socket::keep(domain, kind & libc::SOCK_NONBLOCK != 0, inner)
    })
}

/// Gives a socket its own end. The port is taken by `rlisten` or `rconnect`.
#[no_mangle]
unsafe extern "C" fn rbind(socket: c_int, at: *const sockaddr, len: socklen_t) -> c_int {
    or_minus(|| {
        let socket = find(socket)?;
        // SAFETY: the program's promise.
        let end = unsafe { address::read(at, len) }?;
        if address::devices_at(end.ip()).is_empty() {
            return Err(Errno(libc::EADDRNOTAVAIL));
        }
        if is_bound(end) {
            return Err(Errno(libc::EADDRINUSE));
        }
        socket.with(|inner| match inner.state {
            State::Fresh if inner.bound.is_none() => {
                inner.bound = Some(end);
                Ok(0)
            }
            _ => Err(Errno::INVALID),
        })
    })
}

/// Takes connections. A socket that is bound to no address listens on all devices.
#[no_mangle]
extern "C" fn rlisten(socket: c_int, backlog: c_int) -> c_int {
    or_minus(|| {
        let socket = find(socket)?;
        socket.with(|inner| {
            match inner.state {
                State::Fresh => {}
                State::Listening(..) => return Ok(0),
                State::Open(_) | State::Connecting(..) => return Err(Errno(libc::EISCONN)),
                State::Failed(_) | State::Closed => return Err(Errno::INVALID),
            }
            let mut at = inner.bound.unwrap_or((Ipv4Addr::UNSPECIFIED, 0).into());
            let (mut listeners, mut failed) = (vec![], Errno(libc::EADDRNOTAVAIL));
            for entry in address::devices_at(at.ip()) {
                let opened = entry.open();
                let listened = opened.and_then(|opened| {
                    let backlog = usize::try_from(backlog.clamp(1, BACKLOG)).unwrap_or(1);
                    Ok((opened.device.listen_on(at, backlog)?, opened))
                });
                match listened {
                    Ok((listener, opened)) => {
                        // the port that the first device has chosen is that of the others
                        at.set_port(listener.local_addr().port());
                        listeners.push((listener, opened));
                    }
                    Err(why) => failed = why,
                }
            }
            if listeners.is_empty() {
                return Err(failed);
            }
            let state = State::Listening(listeners, VecDeque::new());
            socket.watch(&state)?;
            (inner.state, inner.bound) = (state, Some(at));
            Ok(0)
        })
    })
}

/// A connection of a peer. It is usable at once; its first call waits until it was made.
#[no_mangle]
unsafe extern "C" fn raccept(socket: c_int, at: *mut sockaddr, len: *mut socklen_t) -> c_int {
    or_minus(|| {
        let socket = find(socket)?;
        let is_nonblocking = socket.is_nonblocking()?;
        let (fd, peer) = socket.until(is_nonblocking, None, |inner| {
            let options = inner.options.clone();
            let State::Listening(_, requests) = &mut inner.state else { return Err(Errno::INVALID) };
            while let Some((request, opened)) = requests.pop_front() {
                if Greeting::from_bytes(request.private_data()).is_err() {
                    // the peer speaks another protocol; one that has gone needs no answer
                    let _ = request.reject(vec![]);
                    continue;
                }
                let (peer, rig) = (request.remote(), Rig::new(&opened, &options)?);
                let private_data = rig.greeting().to_bytes();
                let accept = AcceptOptions::default().private_data(private_data);
                let Ok(connecting) = request.start_accept(&rig.qp, accept) else { continue };
                let inner = Inner::new(State::Connecting(Box::new(rig), Box::new(connecting)), options);
                return Ok(Some((Socket::keep(socket.domain, is_nonblocking, inner)?, peer)));
            }
            Ok(None)
        })?;
        // SAFETY: the program's promise.
        unsafe { address::write(peer, socket.domain, at, len) };
        Ok(fd)
    })
}

/// Connects. EINPROGRESS: the socket is non-blocking; `rpoll` tells when it is writable.
#[no_mangle]
unsafe extern "C" fn rconnect(socket: c_int, to: *const sockaddr, len: socklen_t) -> c_int {
    or_minus(|| {
        let socket = find(socket)?;
        // SAFETY: the program's promise.
        let peer = unsafe { address::read(to, len) }?;
        let is_nonblocking = socket.is_nonblocking()?;
        socket.with(|inner| match inner.state {
            State::Fresh => begin(&socket, inner, peer),
            State::Connecting(..) => Err(Errno(libc::EALREADY)),
            State::Open(_) => Err(Errno(libc::EISCONN)),
            State::Failed(_) | State::Listening(..) | State::Closed => Err(Errno::INVALID),
        })?;
        let made =
            socket.until(is_nonblocking, Some(Instant::now() + MOST), |inner| Ok(inner.stream()?.map(|_| 0)));
        made.map_err(|why| if why == Errno::AGAIN { Errno(libc::EINPROGRESS) } else { why })
    })
}

/// Begins to connect.
fn begin(socket: &Socket, inner: &mut Inner, peer: SocketAddr) -> Result<(), Errno> {
    let opened = address::device_to(inner.bound.map(|own| own.ip()), peer.ip())?.open()?;
    let rig = Rig::new(&opened, &inner.options)?;
    // either end may speak first: the hardware sends the first frame of the initiator
    let options = ConnectOptions::default().peer_to_peer(true).local(inner.bound);
    let options = options.private_data(rig.greeting().to_bytes());
    let connecting = opened.device.start_connect(&rig.qp, peer, options)?;
    let state = State::Connecting(Box::new(rig), Box::new(connecting));
    socket.watch(&state)?;
    inner.state = state;
    Ok(())
}

/// Ends a direction or both. The peer reads what was sent, then the end of the stream.
#[no_mangle]
extern "C" fn rshutdown(socket: c_int, how: c_int) -> c_int {
    or_minus(|| {
        let socket = find(socket)?;
        let (is_nonblocking, end) = (socket.is_nonblocking()?, Some(Instant::now() + MOST));
        socket.until(is_nonblocking, end, |inner| {
            inner.stream()?.map(|stream| stream.shutdown(how)).transpose()
        })?;
        if !is_nonblocking {
            // a peer that takes nothing does not hold the call for ever; `rclose` waits once more
            let _ = socket.until(false, end, |inner| {
                Ok(inner.stream()?.filter(|stream| Stream::is_quiet(stream)).map(drop))
            });
        }
        Ok(0)
    })
}

/// Ends a socket. What was sent arrives, unless nothing leaves for ten seconds, or for as long as
/// SO_LINGER says.
#[no_mangle]
extern "C" fn rclose(socket: c_int) -> c_int {
    or_minus(|| {
        let socket = take(socket)?;
        let linger = socket.with(|inner| Ok(inner.options.linger)).unwrap_or_default();
        finish(socket.close(), linger);
        Ok(0)
    })
}
