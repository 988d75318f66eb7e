// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events, as they wait and as programs hold them until the acknowledgement. An event knows its
//! identifiers by the trait [`Party`] alone.
use crate::acks::Acks;
use crate::errno::Errno;
use crate::gen::*;
use crate::live::{keep, take, Object, Shown, Users};
use std::ffi::c_int;
use std::fmt::Debug;
use std::sync::Arc;

/// An identifier, as events know it.
pub trait Party: Debug + Send + Sync {
    /// The program's pointer.
    fn pointer(&self) -> *mut rdma_cm_id;

    /// Events that were given to the program.
    fn acks(&self) -> &Acks;

    /// The program has the identifier from now on.
    fn appear(self: Arc<Self>);
}

/// Reads under way at once, as `rdma_conn_param` has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Depths {
    /// Inbound.
    pub responder_resources: u8,
    /// Outbound.
    pub initiator_depth: u8,
}

/// An event that waits.
#[derive(Debug)]
pub struct Happened {
    /// `RDMA_CM_EVENT_...`.
    pub kind: rdma_cm_event_type,
    /// 0, or the negative number of errno.
    pub status: c_int,
    /// What the peer sent along.
    pub data: Vec<u8>,
    /// Of a connection.
    pub depths: Depths,
    /// Whose it is.
    pub id: Arc<dyn Party>,
    /// The listener of a request.
    pub listener: Option<Arc<dyn Party>>,
}

/// An event that the program holds.
#[repr(C)]
#[derive(Debug)]
struct Given {
    shown: Shown<rdma_cm_event>,
    users: Users,
    happened: Happened,
}

// SAFETY: `repr(C)`, and `shown` is the first field.
unsafe impl Object for Given {
    type C = rdma_cm_event;
    const AT: usize = 0;

    fn users(&self) -> &Users {
        &self.users
    }
}

impl Happened {
    /// An event without data.
    pub fn new(kind: rdma_cm_event_type, status: c_int, id: Arc<dyn Party>) -> Self {
        Self { kind, status, data: vec![], depths: Depths::default(), id, listener: None }
    }

    /// Whose acknowledgements count it: the listener's for a request.
    pub fn payer(&self) -> &Arc<dyn Party> {
        self.listener.as_ref().unwrap_or(&self.id)
    }

    /// Gives it to the program, which acknowledges it later.
    pub fn give(self) -> *mut rdma_cm_event {
        let (listen_id, id) = (self.listener.as_ref().map(|id| id.pointer()), self.id.pointer());
        let octets = self.data.len().min(u8::MAX.into());
        let private_data = if octets == 0 { std::ptr::null() } else { self.data.as_ptr().cast() };
        let conn = rdma_conn_param {
            private_data,
            private_data_len: octets as u8,
            responder_resources: self.depths.responder_resources,
            initiator_depth: self.depths.initiator_depth,
            ..Default::default()
        };
        let shown = rdma_cm_event {
            id,
            listen_id: listen_id.unwrap_or_default(),
            event: self.kind,
            status: self.status,
            param: rdma_cm_event__bindgen_ty_1 { conn },
        };
        self.payer().acks().give();
        if self.listener.is_some() {
            self.id.clone().appear();
        }
        keep(Arc::new(Given { shown: Shown::new(shown), users: Users::default(), happened: self }))
    }
}

/// The program gives an event back. EINVAL: it was given back before.
pub fn acknowledge(event: *mut rdma_cm_event) -> Result<(), Errno> {
    let given = take::<Given>(event)?;
    given.happened.payer().acks().ack(1);
    Ok(())
}
