// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the driver's connections and listeners to events, in the watcher's thread.
use super::event::{Depths, Happened, Party};
use super::id::{Id, Inner};
use super::outcome::failed;
use super::params::depths;
use super::phase::{Link, Listens, Phase};
use super::watcher::Goes;
use crate::devices::Entry;
use crate::errno::Errno;
use crate::gen::*;
use ferrowarp::{ConnectionEvent, ReadDepths, Request};
use std::sync::Arc;

impl Goes for Id {
    fn go_on(self: Arc<Self>) {
        let mut inner = self.inner.lock();
        if let Phase::Listening(listeners) = &mut inner.phase {
            listeners.retain(|listens| self.arrivals(listens));
        }
        if let Phase::Connecting(_) = inner.phase {
            self.makes(&mut inner);
        }
        if let Phase::Connected(link) = &mut inner.phase {
            self.happens(link);
        }
        drop(inner);
        self.changed.notify_all();
    }
}

impl Id {
    /// Takes all requests. The answer is whether more may come.
    fn arrivals(&self, listens: &Listens) -> bool {
        loop {
            match listens.listener.try_next() {
                Ok(Some(request)) => {
                    // one that nobody can be told of is reset
                    let told = self.arrives(request, listens.entry);
                    told.unwrap_or_else(|errno| tracing::error!(?errno, "a request is reset"));
                }
                Ok(None) => return true,
                Err(why) => {
                    tracing::debug!(%why, "a listener ends");
                    return false;
                }
            }
        }
    }

    /// A request comes: the event has a new identifier.
    fn arrives(&self, request: Request, entry: &'static Entry) -> Result<(), Errno> {
        let channel = (!self.is_sync()).then(|| self.channel());
        // SAFETY: the listener is there; the program may change the value, as with rdma-core.
        let value = unsafe { (*self.at()).context };
        let id = Self::new(channel.as_ref(), value)?;
        let mut inner = id.inner.lock();
        id.take_device(&mut inner, entry)?;
        id.set_local(&mut inner, request.local_addr());
        id.set_remote(&mut inner, request.remote());
        let (data, depths) =
            (request.private_data().to_vec(), depths(request.offered(), ReadDepths::default()));
        inner.offered = depths;
        inner.phase = Phase::Requested(Box::new(request));
        drop(inner);
        let listener: Option<Arc<dyn Party>> = self.me().upgrade().map(|me| me as Arc<dyn Party>);
        self.put(Happened { data, depths, listener, ..Happened::new(RDMA_CM_EVENT_CONNECT_REQUEST, 0, id) });
        Ok(())
    }

    /// Looks whether the connection was made.
    fn makes(&self, inner: &mut Inner) {
        let Phase::Connecting(makes) = &mut inner.phase else { return };
        let is_active = makes.is_active;
        match makes.connecting.poll() {
            Ok(None) => {}
            Ok(Some(connection)) => {
                if let Some(qp) = makes.qp.upgrade() {
                    qp.enter(IBV_QPS_RTS);
                }
                let Phase::Connecting(makes) = std::mem::take(&mut inner.phase) else { return };
                let (data, depths) = (
                    connection.private_data().to_vec(),
                    depths(connection.offered(), connection.read_depths()),
                );
                let kind = match makes.is_external {
                    true if is_active => RDMA_CM_EVENT_CONNECT_RESPONSE,
                    _ => RDMA_CM_EVENT_ESTABLISHED,
                };
                // the peer's data came with its Request
                let data = if is_active { data } else { vec![] };
                // the descriptor is the same
                let link = Link { watched: Some(makes.watched), connection, is_closing: false };
                inner.phase = Phase::Connected(Box::new(link));
                self.tell(kind, 0, data, depths);
            }
            Err(why) => {
                let (kind, status, data) = failed(why, is_active);
                inner.phase = Phase::Over;
                self.tell(kind, status, data, Depths::default());
            }
        }
    }

    /// Takes what has happened to a connection. When a peer closes, so does this end.
    fn happens(&self, link: &mut Link) {
        while let Some(event) = link.connection.next_event() {
            tracing::debug!(?event, "of a connection");
            match event {
                ConnectionEvent::PeerFinished if !link.is_closing => {
                    link.is_closing = true;
                    if let Err(why) = link.connection.start_disconnect() {
                        tracing::debug!(%why, "a connection ends with the device");
                    }
                }
                ConnectionEvent::Closed(_) => {
                    link.is_closing = true;
                    link.watched = None;
                    self.tell(RDMA_CM_EVENT_DISCONNECTED, 0, vec![], Depths::default());
                }
                _ => {}
            }
        }
    }
}
