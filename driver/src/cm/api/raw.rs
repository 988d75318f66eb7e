// SPDX-License-Identifier: MIT OR Apache-2.0
//! TCP connections in raw mode: plain octets first, MPA later (RFC 5044 section 7.1.3).
use super::{Connecting, Connection, Request};
use crate::backend::Closing;
use crate::cm::pump::Pump;
use crate::cm::raw_state::{Opened, RawState, END, OCTETS, OPEN, REQUEST, ROOM};
use crate::cm::streams::Streams;
use crate::cm::watch::Watch;
use crate::cm::{Cm, ConnectOptions};
use crate::deadline::end_of;
use crate::device::Device;
use crate::error::Error;
use crate::verbs::QueuePair;
use ferrowarp_firmware::cm::api::{ConnId, Connect, Then};
use ferrowarp_firmware::error::CallError;
use ferrowarp_firmware::port::QpId;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Octets that one call gives to the connection manager's thread.
const PART: usize = 16 << 10;

/// What a connection in raw mode is opened with.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RawOptions {
    /// As [`ConnectOptions::local`].
    pub local: Option<SocketAddr>,
    /// How long to wait until TCP is open.
    pub patience: Duration,
}

impl Default for RawOptions {
    fn default() -> Self {
        Self { local: None, patience: Duration::from_secs(60) }
    }
}

impl RawOptions {
    /// As [`ConnectOptions::local`].
    pub fn local(self, local: impl Into<Option<SocketAddr>>) -> Self {
        Self { local: local.into(), ..self }
    }

    /// How long to wait until TCP is open.
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }
}

/// A TCP connection in raw mode: applications greet each other before MPA starts, and agree on who
/// starts it. MPA starts behind the last octet that this end has written, and before the first one
/// that this end has not read (RFC 5044 section 7.1).
///
/// Octets that nobody reads stay in the receive window of the device, which the peer fills at most.
/// Up to 14,600 octets wait to be acknowledged. Both directions may be used by two threads.
///
/// The peer's FIN is the end of what can be read; the peer's reset is
/// [`ConnError::Reset`](crate::ConnError::Reset) in each call. Dropping a stream closes it: what
/// was written still leaves, for 5 s at most. If there are octets that were not read, the
/// connection is reset instead (RFC 9293 section 3.6.1).
///
/// ```no_run
/// use ferrowarp::{AcceptOptions, ConnectOptions, Device, Error, QueuePair, RawOptions};
/// use std::time::Duration;
///
/// const MOST: Duration = Duration::from_secs(10);
///
/// fn client(device: &Device, qp: &QueuePair) -> Result<(), Error> {
///     let stream = device.connect_raw("10.0.0.1:7174".parse().unwrap(), RawOptions::default())?;
///     stream.write_all(b"hello", MOST)?;
///     let mut greeting = [0; 9];
///     stream.read_exact(&mut greeting, MOST)?;
///     // the Request is right behind "hello"
///     let connection = stream.initiate(qp, ConnectOptions::default())?;
///     connection.disconnect(MOST)
/// }
///
/// fn server(device: &Device, qp: &QueuePair) -> Result<(), Error> {
///     let stream = device.listen_raw(7174, 8)?.next(MOST)?;
///     let mut greeting = [0; 5];
///     stream.read_exact(&mut greeting, MOST)?;
///     stream.write_all(b"hello too", MOST)?;
///     // what was not read is the Request
///     let connection = stream.respond(MOST)?.accept(qp, AcceptOptions::default())?;
///     connection.disconnect(MOST)
/// }
/// ```
#[derive(Debug)]
pub struct RawStream {
    cm: Arc<Cm>,
    id: ConnId,
    pub(super) watch: Arc<Watch<RawState>>,
    local: SocketAddr,
    remote: SocketAddr,
    /// The connection is not this object's any more: MPA has started.
    is_over: bool,
    end: Closing,
}

impl Device {
    /// Opens a TCP connection in raw mode; returns when it is open.
    pub fn connect_raw(&self, remote: SocketAddr, options: RawOptions) -> Result<RawStream, Error> {
        let patience = options.patience;
        let stream = RawStream::connect(self.cm(), remote, options)?;
        stream.watch.until(patience, OPEN, RawState::opened)??;
        Ok(stream)
    }
}

impl RawStream {
    /// Begins an active open.
    pub(super) fn connect(cm: &Arc<Cm>, remote: SocketAddr, options: RawOptions) -> Result<Self, Error> {
        let (address, local_port) = cm.defaults.local_end(options.local, remote);
        let connect = Connect { remote, address, local_port, then: Then::Stream };
        let watch: Arc<Watch<RawState>> = Arc::default();
        let heard = watch.clone();
        let (id, local) = cm.call(move |pump| {
            let (id, local) = pump.connect(connect)?;
            pump.streams.insert(id, heard);
            Ok::<_, Error>((id, local))
        })??;
        Ok(Self { cm: cm.clone(), id, watch, local, remote, is_over: false, end: Closing::default() })
    }

    /// One that a listener has heard of.
    pub(super) fn taken(cm: &Arc<Cm>, opened: Opened) -> Self {
        let Opened { id, local, remote, watch } = opened;
        Self { cm: cm.clone(), id, watch, local, remote, is_over: false, end: Closing::default() }
    }

    /// Our end.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// The peer.
    pub fn remote(&self) -> SocketAddr {
        self.remote
    }

    /// Reads at least one octet and up to `into.len()`, and says how many; 0 if the peer has closed
    /// and all was read. What is not read stays in the stream.
    pub fn read(&self, into: &mut [u8], most: Duration) -> Result<usize, Error> {
        self.read_until(into, end_of(most), most)
    }

    /// Fills `into`, and leaves what comes behind. [`Error::Closed`]: the peer has closed before
    /// that. After an error the octets read so far are not in the stream any more.
    pub fn read_exact(&self, into: &mut [u8], most: Duration) -> Result<(), Error> {
        let end = end_of(most);
        let mut at = 0;
        while at < into.len() {
            match self.read_until(&mut into[at..], end, most)? {
                0 => return Err(Error::Closed),
                octets => at += octets,
            }
        }
        Ok(())
    }

    fn read_until(&self, into: &mut [u8], end: Instant, most: Duration) -> Result<usize, Error> {
        while !into.is_empty() {
            self.watch.until_end(end, most, OCTETS, RawState::may_read)?;
            if let Some(octets) = self.read_now(into)? {
                return Ok(octets);
            }
        }
        Ok(0)
    }

    /// Reads what there is; `None` if another thread has read it, `Some(0)` if no more can come.
    pub(super) fn read_now(&self, into: &mut [u8]) -> Result<Option<usize>, Error> {
        let (id, most) = (self.id, into.len());
        let read = self.ask(move |pump| pump.streams.read(&mut pump.manager, id, most))?;
        Ok(match read {
            Some(octets) if octets.is_empty() => None,
            Some(octets) => {
                into[..octets.len()].copy_from_slice(&octets);
                Some(octets.len())
            }
            None => Some(0),
        })
    }

    /// Writes all octets; returns when the last of them are on their way, which is before the peer
    /// has them. After an error some of them may have left.
    pub fn write_all(&self, octets: &[u8], most: Duration) -> Result<(), Error> {
        let end = end_of(most);
        let mut rest = octets;
        while !rest.is_empty() {
            self.watch.until_end(end, most, ROOM, RawState::may_write)?;
            rest = &rest[self.write_now(rest)?..];
        }
        Ok(())
    }

    /// Writes as many octets as there is room for, from the first on; how many.
    pub(super) fn write_now(&self, octets: &[u8]) -> Result<usize, Error> {
        let (id, part) = (self.id, octets[..octets.len().min(PART)].to_vec());
        self.ask(move |pump| pump.streams.write(&mut pump.manager, id, &part))
    }

    /// Starts MPA as initiator: the Request leaves right behind the last octet written. Returns
    /// when work may be posted. Octets of the peer that were not read are taken for the Reply, and
    /// refused. Of `options`, `local` and `startup` have no meaning here. After an error the stream
    /// is closed.
    pub fn initiate(self, qp: &QueuePair, options: ConnectOptions) -> Result<Connection, Error> {
        let patience = options.patience;
        self.begin(qp, options)?.wait(patience)
    }

    pub(super) fn begin(mut self, qp: &QueuePair, options: ConnectOptions) -> Result<Connecting, Error> {
        let (id, local) = (self.id, self.local);
        let has = self.cm.shared.backend.capabilities();
        let how = options.initiate(&self.cm.defaults, &has, QpId(qp.number()))?;
        let begun = Connection::begin(&self.cm, qp, self.remote, vec![], move |pump| {
            pump.manager.initiate(id, how)?;
            pump.streams.remove(id);
            Ok((id, local))
        });
        self.is_over = begun.is_ok();
        begun.map_err(|why| self.ended_or(why))
    }

    /// Starts MPA as responder and waits for the peer's Request, which begins with the first octet
    /// that was not read. After an error the stream is closed.
    pub fn respond(self, most: Duration) -> Result<Request, Error> {
        self.begin_respond()?;
        self.watch.until(most, REQUEST, RawState::requested)?;
        self.request()
    }

    pub(super) fn begin_respond(&self) -> Result<(), Error> {
        let id = self.id;
        self.ask(move |pump| Ok(pump.manager.respond(id, &[])?))
    }

    /// The Request that has come, or why none has.
    pub(super) fn request(mut self) -> Result<Request, Error> {
        let requested = self.watch.state().request.take();
        let arrival = requested.ok_or_else(|| self.watch.state().why())?;
        self.is_over = true;
        Ok(Request::new(&self.cm, arrival))
    }

    /// Closes and waits until both sides have. What the peer still sends is dropped. The error says
    /// how else it ended: octets that were not read end it with a reset.
    pub fn close(self, patience: Duration) -> Result<(), Error> {
        self.begin_close()?;
        self.watch.until(patience, END, |state| state.ended.clone())?
    }

    pub(super) fn begin_close(&self) -> Result<(), Error> {
        let id = self.id;
        self.ask(move |pump| Ok(Streams::close(&mut pump.manager, id)?))
    }

    /// Asks the connection manager's thread; the error of a connection that has ended is why.
    fn ask<R: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Pump) -> Result<R, Error> + Send + 'static,
    ) -> Result<R, Error> {
        self.cm.call(what).and_then(|asked| asked).map_err(|why| self.ended_or(why))
    }

    fn ended_or(&self, why: Error) -> Error {
        match why {
            Error::Call(CallError::Unknown(_)) => self.watch.state().why(),
            why => why,
        }
    }
}

impl Drop for RawStream {
    fn drop(&mut self) {
        self.end.begin(self.cm.ends_within());
        let is_over = self.is_over || self.watch.state().ended.is_some();
        let id = self.id;
        if !is_over && self.cm.call_at_end(move |pump| Streams::close(&mut pump.manager, id)).is_err() {
            tracing::debug!(id = id.0, "a raw stream ends with the device");
        }
    }
}
