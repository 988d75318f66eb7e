// SPDX-License-Identifier: MIT OR Apache-2.0
//! An rsocket, and all of the process by their descriptors. The descriptor is an epoll instance of
//! our own: it is readable when the socket may have changed, and its O_NONBLOCK is the socket's.
use super::options::Options;
use super::rig::Rig;
use super::stream::Stream;
use super::wire::{Greeting, BAD};
use crate::bell::owned;
use crate::devices::Opened;
use crate::errno::Errno;
use crate::wait::{ends_calls, is_nonblocking};
use ferrowarp::{Connecting, Listener, Request};
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_int;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// All sockets of the process.
static ALL: Mutex<BTreeMap<RawFd, Arc<Socket>>> = Mutex::new(BTreeMap::new());
/// A sleep on a socket ends after this time for one look more: another thread that uses the socket
/// may have taken the event.
pub const SLICE: Duration = Duration::from_millis(50);

/// Where a socket is.
#[derive(Debug)]
pub enum State {
    /// Nothing was asked of it.
    Fresh,
    /// It takes connections: listeners of one device each, and requests that nobody has accepted.
    Listening(Vec<(Listener, Arc<Opened>)>, VecDeque<(Request, Arc<Opened>)>),
    /// A connection is being made.
    Connecting(Box<Rig>, Box<Connecting>),
    /// A connection was made.
    Open(Box<Stream>),
    /// No connection was made, for this reason, until the program was told.
    Failed(Option<Errno>),
    /// The program has closed it.
    Closed,
}

/// What the lock of a socket guards.
#[derive(Debug)]
pub struct Inner {
    /// Where it is.
    pub state: State,
    /// Of connections that are made later.
    pub options: Options,
    /// What the program has bound it to.
    pub bound: Option<SocketAddr>,
}

/// An rsocket.
#[derive(Debug)]
pub struct Socket {
    set: OwnedFd,
    /// AF_INET or AF_INET6.
    pub domain: c_int,
    inner: Mutex<Inner>,
}

/// The socket of a descriptor. EBADF: there is none.
pub fn find(fd: RawFd) -> Result<Arc<Socket>, Errno> {
    ALL.lock().get(&fd).cloned().ok_or(Errno(libc::EBADF))
}

/// The same, which the program has no more.
pub fn take(fd: RawFd) -> Result<Arc<Socket>, Errno> {
    ALL.lock().remove(&fd).ok_or(Errno(libc::EBADF))
}

/// Whether another socket has this end. The answer may be old.
pub fn is_bound(end: SocketAddr) -> bool {
    let all: Vec<_> = ALL.lock().values().cloned().collect();
    let is_same = |other: SocketAddr| {
        let is_any = end.ip().is_unspecified() || other.ip().is_unspecified();
        end.port() == other.port() && (is_any || end.ip() == other.ip())
    };
    end.port() != 0 && all.iter().any(|socket| socket.inner.lock().bound.is_some_and(is_same))
}

impl Socket {
    /// A socket that the program has: its descriptor.
    pub fn keep(domain: c_int, is_nonblocking: bool, inner: Inner) -> Result<RawFd, Errno> {
        // SAFETY: a call without pointers.
        let set = owned(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
        let socket = Self { set, domain, inner: Mutex::new(inner) };
        if is_nonblocking {
            socket.set_flags(libc::O_NONBLOCK)?;
        }
        socket.watch(&socket.inner.lock().state)?;
        let fd = socket.set.as_raw_fd();
        ALL.lock().insert(fd, Arc::new(socket));
        Ok(fd)
    }

    /// The descriptor is readable when the state may have changed.
    pub fn watch(&self, state: &State) -> Result<(), Errno> {
        match state {
            State::Listening(listeners, _) => {
                listeners.iter().try_for_each(|(listener, _)| self.add(listener.as_fd()))
            }
            // the connection has the same descriptor when it was made
            State::Connecting(rig, connecting) => {
                self.add(connecting.as_fd()).and_then(|()| self.add(rig.channel.as_fd()))
            }
            _ => Ok(()),
        }
    }

    fn add(&self, fd: BorrowedFd<'_>) -> Result<(), Errno> {
        let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: 0 };
        let (set, fd) = (self.set.as_raw_fd(), fd.as_raw_fd());
        // SAFETY: both descriptors are open, and the event is this frame's.
        match unsafe { libc::epoll_ctl(set, libc::EPOLL_CTL_ADD, fd, &mut event) } {
            -1 => Err(Errno::last()),
            _ => Ok(()),
        }
    }

    /// Flags of F_GETFL.
    pub fn flags(&self) -> Result<c_int, Errno> {
        // SAFETY: a question about a descriptor that is open.
        match unsafe { libc::fcntl(self.set.as_raw_fd(), libc::F_GETFL) } {
            -1 => Err(Errno::last()),
            flags => Ok(flags),
        }
    }

    /// Flags of F_SETFL.
    pub fn set_flags(&self, flags: c_int) -> Result<(), Errno> {
        // SAFETY: numbers alone, and a descriptor that is open.
        match unsafe { libc::fcntl(self.set.as_raw_fd(), libc::F_SETFL, flags) } {
            -1 => Err(Errno::last()),
            _ => Ok(()),
        }
    }

    /// Whether the program has made it non-blocking.
    pub fn is_nonblocking(&self) -> Result<bool, Errno> {
        is_nonblocking(self.set.as_fd())
    }

    /// Looks at the socket, and does something with it. EBADF: the program has closed it.
    pub fn with<T>(&self, body: impl FnOnce(&mut Inner) -> Result<T, Errno>) -> Result<T, Errno> {
        let mut inner = self.inner.lock();
        inner.look();
        match inner.state {
            State::Closed => Err(Errno(libc::EBADF)),
            _ => body(&mut inner),
        }
    }

    /// What `body` gives, as soon as it gives something. EAGAIN: there is nothing yet, and
    /// `is_nonblocking`. ETIMEDOUT: there is nothing until `end`. EINTR: a signal came whose
    /// handler ends system calls.
    pub fn until<T>(
        &self,
        is_nonblocking: bool,
        end: Option<Instant>,
        mut body: impl FnMut(&mut Inner) -> Result<Option<T>, Errno>,
    ) -> Result<T, Errno> {
        loop {
            let found = self.with(|inner| {
                let found = body(inner)?;
                if found.is_none() && !is_nonblocking {
                    inner.arm();
                }
                Ok(found)
            })?;
            match found {
                Some(found) => return Ok(found),
                None if is_nonblocking => return Err(Errno::AGAIN),
                None if end.is_some_and(|end| end <= Instant::now()) => return Err(Errno(libc::ETIMEDOUT)),
                None => sleep(&[self.set.as_fd()])?,
            }
        }
    }

    /// The program closes it: what it was.
    pub fn close(&self) -> State {
        let mut inner = self.inner.lock();
        inner.bound = None;
        std::mem::replace(&mut inner.state, State::Closed)
    }
}

impl Inner {
    /// A socket of which nothing was asked.
    pub fn new(state: State, options: Options) -> Self {
        Self { state, options, bound: None }
    }

    /// Does what can be done without waiting.
    pub fn look(&mut self) {
        match &mut self.state {
            State::Open(stream) => stream.progress(),
            State::Listening(listeners, requests) => {
                let mut failed = None;
                for (listener, opened) in listeners {
                    match listener.try_next() {
                        Ok(found) => requests.extend(found.map(|request| (request, opened.clone()))),
                        Err(why) => failed = Some(why.into()),
                    }
                }
                if let Some(why) = failed.filter(|_| requests.is_empty()) {
                    self.state = State::Failed(Some(why));
                }
            }
            State::Connecting(_, connecting) => {
                let made = connecting.poll().map_err(Errno::from);
                if let Some(made) = made.transpose() {
                    self.made(made);
                }
            }
            State::Fresh | State::Failed(_) | State::Closed => {}
        }
    }

    /// There is a connection, or there will be none.
    fn made(&mut self, made: Result<ferrowarp::Connection, Errno>) {
        let State::Connecting(rig, _) = std::mem::replace(&mut self.state, State::Closed) else { return };
        let opened = made.and_then(|connection| {
            // a responder has looked at the private data before, and its connection has the same
            let greeting = Greeting::from_bytes(connection.private_data()).map_err(|_| BAD)?;
            Ok(Stream::new(*rig, connection, greeting))
        });
        self.state = match opened {
            Ok(mut stream) => {
                stream.progress();
                State::Open(Box::new(stream))
            }
            Err(why) => State::Failed(Some(why)),
        };
    }

    /// The descriptor tells of the next change.
    pub fn arm(&mut self) {
        if let State::Open(stream) = &mut self.state {
            stream.arm();
        }
    }

    /// The connection. `None`: it is being made. ENOTCONN: there is none, and why there is none is
    /// told once.
    pub fn stream(&mut self) -> Result<Option<&mut Stream>, Errno> {
        match &mut self.state {
            State::Open(stream) => Ok(Some(stream)),
            State::Connecting(..) => Ok(None),
            State::Failed(why) => Err(why.take().unwrap_or(Errno(libc::ENOTCONN))),
            _ => Err(Errno(libc::ENOTCONN)),
        }
    }
}

/// Sleeps for a [`SLICE`] at most, until one of the descriptors is readable.
pub fn sleep(fds: &[BorrowedFd<'_>]) -> Result<(), Errno> {
    let event = |fd: &BorrowedFd<'_>| libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut polls: Vec<_> = fds.iter().map(event).collect();
    // SAFETY: entries of this function's own.
    match unsafe { libc::poll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, SLICE.as_millis() as c_int) } {
        -1 => Some(Errno::last()).filter(|why| why.0 != libc::EINTR || ends_calls()).map_or(Ok(()), Err),
        _ => Ok(()),
    }
}
