// SPDX-License-Identifier: MIT OR Apache-2.0
//! Identifiers: `rdma_cm_id`.
use super::channel::EventChannel;
use super::default;
use super::event::{Depths, Happened, Party};
use super::net::stored;
use super::phase::Phase;
use super::port::Port;
use crate::acks::Acks;
use crate::devices::Entry;
use crate::errno::Errno;
use crate::gen::*;
use crate::live::{keep, Object, Shown, Use, Users};
use parking_lot::{Condvar, Mutex};
use std::ffi::{c_int, c_void};
use std::net::SocketAddr;
use std::sync::{Arc, Weak};

/// What the calls and the thread of the watcher change.
#[derive(Debug, Default)]
pub struct Inner {
    /// Where it is.
    pub phase: Phase,
    /// Its device, if one was chosen.
    pub entry: Option<&'static Entry>,
    /// Our end.
    pub local: Option<SocketAddr>,
    /// The port of our end, if the program named none.
    pub port: Option<Port>,
    /// The peer.
    pub remote: Option<SocketAddr>,
    /// What the peer of a request offers and asks for.
    pub offered: Depths,
}

/// What an endpoint of `rdma_create_ep` gives to those that come to it: the domain, and the
/// attributes of their queue pairs.
pub struct Template(pub *mut ibv_pd, pub ibv_qp_init_attr);

// SAFETY: the pointers are the program's, and are looked up when they are used.
unsafe impl Send for Template {}

/// An identifier.
#[repr(C)]
pub struct Id {
    shown: Shown<rdma_cm_id>,
    users: Users,
    me: Weak<Self>,
    acks: Acks,
    /// The channel, and whether it is the identifier's own, as synchronous calls have it.
    channel: Mutex<(Use<EventChannel>, bool)>,
    /// What changes.
    pub inner: Mutex<Inner>,
    /// The phase has changed.
    pub changed: Condvar,
    /// Held by a call that makes the queue pair or ends it.
    pub makes_qp: Mutex<()>,
    /// Of an endpoint.
    pub template: Mutex<Option<Template>>,
}

impl std::fmt::Debug for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Id").field("at", &self.shown.at()).finish_non_exhaustive()
    }
}

// SAFETY: `repr(C)`, and `shown` is the first field.
unsafe impl Object for Id {
    type C = rdma_cm_id;
    const AT: usize = 0;

    fn users(&self) -> &Users {
        &self.users
    }
}

impl Party for Id {
    fn pointer(&self) -> *mut rdma_cm_id {
        self.shown.at()
    }

    fn acks(&self) -> &Acks {
        &self.acks
    }

    fn appear(self: Arc<Self>) {
        keep(self);
    }
}

impl Id {
    /// On a channel; without one, on a channel of its own for synchronous calls.
    pub fn new(channel: Option<&Arc<EventChannel>>, value: *mut c_void) -> Result<Arc<Self>, Errno> {
        let (channel, is_own) = held(channel)?;
        let at = channel.object().pointer();
        let shown = rdma_cm_id {
            channel: at,
            context: value,
            ps: RDMA_PS_TCP,
            qp_type: IBV_QPT_RC,
            ..Default::default()
        };
        let (users, acks, inner, changed, makes_qp, template) = Default::default();
        Ok(Arc::new_cyclic(|me| Self {
            shown: Shown::new(shown),
            users,
            me: me.clone(),
            acks,
            channel: Mutex::new((channel, is_own)),
            inner,
            changed,
            makes_qp,
            template,
        }))
    }

    /// What the program sees. The fields change in calls of the program alone.
    pub fn at(&self) -> *mut rdma_cm_id {
        self.shown.at()
    }

    /// Itself, for the watcher.
    pub fn me(&self) -> &Weak<Self> {
        &self.me
    }

    /// Its channel.
    pub fn channel(&self) -> Arc<EventChannel> {
        self.channel.lock().0.object().clone()
    }

    /// Whether calls wait for their events.
    pub fn is_sync(&self) -> bool {
        self.channel.lock().1
    }

    /// Goes to another channel with the events that wait.
    pub fn migrate(&self, to: Option<&Arc<EventChannel>>) -> Result<(), Errno> {
        let new = held(to)?;
        let mut channel = self.channel.lock();
        let waiting = channel.0.withdraw(self.at());
        waiting.into_iter().for_each(|happened| new.0.put(happened));
        // SAFETY: the identifier is there, and the program calls this.
        unsafe { (*self.at()).channel = new.0.object().pointer() };
        *channel = new;
        Ok(())
    }

    /// Takes back the events that wait.
    pub fn withdraw(&self) -> Vec<Happened> {
        self.channel.lock().0.withdraw(self.at())
    }

    /// An event for the program.
    pub fn tell(&self, kind: rdma_cm_event_type, status: c_int, data: Vec<u8>, depths: Depths) {
        let Some(id) = self.me.upgrade() else { return };
        tracing::debug!(id = ?self.at(), kind, status, "an event");
        self.put(Happened { data, depths, ..Happened::new(kind, status, id) });
    }

    /// An event of any kind.
    pub fn put(&self, happened: Happened) {
        self.channel.lock().0.put(happened);
    }

    /// Takes a device: the program sees its context, and the domain that identifiers share.
    pub fn take_device(&self, inner: &mut Inner, entry: &'static Entry) -> Result<(), Errno> {
        let (verbs, pd) = (default::context(entry)?, default::domain(entry)?);
        inner.entry = Some(entry);
        // SAFETY: the identifier is there. Nobody else has it yet, or the program calls this.
        unsafe { ((*self.at()).verbs, (*self.at()).pd, (*self.at()).port_num) = (verbs, pd, 1) };
        Ok(())
    }

    /// Shows our end to the program.
    pub fn set_local(&self, inner: &mut Inner, local: SocketAddr) {
        inner.local = Some(local);
        // SAFETY: as above.
        unsafe { (*self.at()).route.addr.__bindgen_anon_1.src_storage = stored(local) };
    }

    /// Shows the peer to the program.
    pub fn set_remote(&self, inner: &mut Inner, remote: SocketAddr) {
        inner.remote = Some(remote);
        // SAFETY: as above.
        unsafe { (*self.at()).route.addr.__bindgen_anon_2.dst_storage = stored(remote) };
    }
}

fn held(channel: Option<&Arc<EventChannel>>) -> Result<(Use<EventChannel>, bool), Errno> {
    match channel {
        Some(channel) => Ok((Use::of(channel), false)),
        None => {
            let own = Arc::new(EventChannel::new()?);
            keep(own.clone());
            Ok((Use::of(&own), true))
        }
    }
}
