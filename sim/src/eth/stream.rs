// SPDX-License-Identifier: MIT OR Apache-2.0
//! Server for QEMU's `-netdev stream,server=off,reconnect-ms=...` on a unix socket: each frame
//! behind its length in four octets, the highest first. A peer that goes may come again.
use super::error::EthError;
use super::path::SocketFile;
use super::port::{check_length, Delivery, EthPort};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

/// Octets of a frame's length.
const HEAD: usize = 4;
/// Octets read at once.
const CHUNK: usize = 65_536;

/// A listening socket and at most one peer.
#[derive(Debug)]
pub struct StreamPort {
    listener: UnixListener,
    file: SocketFile,
    peer: Option<Peer>,
}

/// A connection.
#[derive(Debug)]
struct Peer {
    socket: UnixStream,
    /// Octets received; those before `taken` were given as frames.
    input: Vec<u8>,
    taken: usize,
    /// The rest of a frame that the socket did not take whole.
    output: Vec<u8>,
}

/// The connection is of no use any more: it ended, or what came is no frame.
struct Gone;

impl StreamPort {
    /// Listens on `path`.
    pub fn listen(path: &Path) -> Result<Self, EthError> {
        let (listener, file) = SocketFile::bind(path, |path| {
            let listener = UnixListener::bind(path)?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        })?;
        Ok(Self { listener, file, peer: None })
    }

    /// The peer, or one that has asked for a connection.
    fn peer(&mut self) -> Result<Option<&mut Peer>, EthError> {
        if self.peer.is_none() {
            self.peer = match self.listener.accept().and_then(|(s, _)| s.set_nonblocking(true).map(|()| s)) {
                Ok(socket) => Some(Peer { socket, input: vec![], taken: 0, output: vec![] }),
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => None,
                Err(source) => {
                    let port = format!("{:?}", self.file);
                    return Err(EthError::Io { port, step: "no peer can be accepted", source });
                }
            };
        }
        Ok(self.peer.as_mut())
    }
}

impl Peer {
    /// Sends what is left of the last frame; true when nothing is.
    fn flush(&mut self) -> Result<bool, Gone> {
        while !self.output.is_empty() {
            match self.socket.write(&self.output) {
                Ok(0) => return Err(Gone),
                Ok(octets) => drop(self.output.drain(..octets)),
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Gone),
            }
        }
        Ok(true)
    }

    fn send(&mut self, frame: &[u8]) -> Result<Delivery, Gone> {
        if !self.flush()? {
            return Ok(Delivery::Busy);
        }
        self.output.extend((frame.len() as u32).to_be_bytes());
        self.output.extend(frame);
        self.flush()?;
        Ok(Delivery::Sent)
    }

    /// The next whole frame of what was received.
    fn next(&mut self) -> Result<Option<Vec<u8>>, Gone> {
        let waiting = &self.input[self.taken..];
        let Some((head, rest)) = waiting.split_first_chunk::<HEAD>() else { return Ok(None) };
        let octets = u32::from_be_bytes(*head) as usize;
        // a length that no frame has: the stream cannot be read any further
        if octets > super::MAX_FRAME {
            return Err(Gone);
        }
        let Some(frame) = rest.get(..octets) else { return Ok(None) };
        let frame = frame.to_vec();
        self.taken += HEAD + octets;
        Ok(Some(frame))
    }

    fn receive(&mut self) -> Result<Option<Vec<u8>>, Gone> {
        loop {
            match self.next()? {
                Some(frame) if check_length(&frame).is_err() => continue,
                Some(frame) => return Ok(Some(frame)),
                None => {}
            }
            self.input.drain(..self.taken);
            self.taken = 0;
            let was = self.input.len();
            self.input.resize(was + CHUNK, 0);
            let read = self.socket.read(&mut self.input[was..]);
            self.input.truncate(was + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => return Err(Gone),
                Ok(_) => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Gone),
            }
        }
    }
}

impl EthPort for StreamPort {
    fn send(&mut self, frame: &[u8]) -> Result<Delivery, EthError> {
        check_length(frame)?;
        let Some(peer) = self.peer()? else { return Ok(Delivery::Unplugged) };
        let sent = peer.send(frame);
        if sent.is_err() {
            self.peer = None;
        }
        Ok(sent.unwrap_or(Delivery::Unplugged))
    }

    fn receive(&mut self) -> Result<Option<Vec<u8>>, EthError> {
        let Some(peer) = self.peer()? else { return Ok(None) };
        // a frame that did not fit goes on its way even if no other follows
        let received = peer.flush().and_then(|_| peer.receive());
        if received.is_err() {
            self.peer = None;
        }
        Ok(received.unwrap_or(None))
    }

    fn poll_fd(&self) -> BorrowedFd<'_> {
        self.peer.as_ref().map_or_else(|| self.listener.as_fd(), |p| p.socket.as_fd())
    }
}
