// SPDX-License-Identifier: MIT OR Apache-2.0
//! Listeners of connections in raw mode.
use super::raw::RawStream;
use crate::backend::Closing;
use crate::cm::raw_state::{Waiting, CONNECTION};
use crate::cm::watch::Watch;
use crate::cm::Cm;
use crate::deadline::end_of;
use crate::device::Device;
use crate::error::Error;
use ferrowarp_firmware::cm::api::{Listen, ListenerId, Then};
use ferrowarp_firmware::error::CallError;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// A TCP port that takes connections in raw mode. Connections that nobody has taken are reset when
/// it is dropped, and after 60 s; those that were taken stay.
#[derive(Debug)]
pub struct RawListener {
    cm: Arc<Cm>,
    id: ListenerId,
    local: SocketAddr,
    pub(super) waiting: Arc<Watch<Waiting>>,
    end: Closing,
}

impl Device {
    /// Listens on a TCP port for connections in raw mode, as [`Device::listen`] does for Requests.
    pub fn listen_raw(&self, port: u16, backlog: usize) -> Result<RawListener, Error> {
        let cm = self.cm();
        RawListener::new(cm, cm.defaults.listens_at(), port, backlog)
    }

    /// The same at one address of the device; an address of all zeros is all that the device has.
    pub fn listen_raw_on(&self, local: SocketAddr, backlog: usize) -> Result<RawListener, Error> {
        let address = Some(local.ip()).filter(|ip| !ip.is_unspecified());
        RawListener::new(self.cm(), address, local.port(), backlog)
    }
}

impl RawListener {
    fn new(cm: &Arc<Cm>, address: Option<IpAddr>, port: u16, backlog: usize) -> Result<Self, Error> {
        let waiting: Arc<Watch<Waiting>> = Arc::default();
        let heard = waiting.clone();
        let listen = Listen { port, address, backlog: backlog.max(1), then: Then::Stream };
        let (id, port) = cm.call(move |pump| {
            let id = pump.manager.listen(listen)?;
            pump.streams.listen(id, heard);
            Ok::<_, CallError>((id, pump.manager.listen_port(id).unwrap_or(port)))
        })??;
        let local = SocketAddr::new(address.unwrap_or(Ipv6Addr::UNSPECIFIED.into()), port);
        Ok(Self { cm: cm.clone(), id, local, waiting, end: Closing::default() })
    }

    /// The address and port that it listens on; the address is `::` if connections to all addresses
    /// of both families are taken.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// The next connection. If the device fails meanwhile, the error says why.
    pub fn next(&self, most: Duration) -> Result<RawStream, Error> {
        let end = end_of(most);
        loop {
            self.waiting.until_end(end, most, CONNECTION, Waiting::has_news)?;
            if let Some(stream) = self.next_now()? {
                return Ok(stream);
            }
        }
    }

    /// The next connection that is there; `None` if another thread has taken it.
    pub(super) fn next_now(&self) -> Result<Option<RawStream>, Error> {
        let id = self.id;
        let taken = self.cm.call(move |pump| pump.streams.take(&mut pump.manager, id))?;
        Ok(taken.map(|opened| RawStream::taken(&self.cm, opened)))
    }
}

impl Drop for RawListener {
    fn drop(&mut self) {
        self.end.begin(self.cm.ends_within());
        let id = self.id;
        let gone = self.cm.call_at_end(move |pump| pump.streams.unlisten(&mut pump.manager, id));
        gone.unwrap_or_else(|why| tracing::debug!(%why, "a listener ends with the device"));
    }
}
