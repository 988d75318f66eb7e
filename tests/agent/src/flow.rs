// SPDX-License-Identifier: MIT OR Apache-2.0
//! One connection: its cm_id, its queue pair, what is known of its peer.
use crate::queue::Queue;
use ferrowarp_dropin::gen::*;
use ferrowarp_tests::script::device::{Depth, Offered, Wanted};
use std::ptr::null_mut;

/// Reads at once, if a script does not say.
const READS: u8 = 4;

/// A connection.
pub struct Flow {
    pub queue: Option<Queue>,
    /// None before there is one, and when it was given back.
    pub id: *mut rdma_cm_id,
    /// What a request asked for, until it is told as that of the connection.
    pub offered: Option<Offered>,
    /// What is connected with when addresses are known.
    pub wanted: Option<Parameters>,
    /// Fault that an asynchronous event told.
    pub fault: Option<&'static str>,
}

impl Default for Flow {
    fn default() -> Self {
        Self { queue: None, id: null_mut(), offered: None, wanted: None, fault: None }
    }
}

/// What both ends may do, for rdma_cm.
#[derive(Clone)]
pub struct Parameters {
    ird: u8,
    ord: u8,
    data: Vec<u8>,
}

impl Parameters {
    /// The error names what rdma_cm and siw have no way to ask for.
    pub fn new(wanted: &Wanted) -> Result<Self, String> {
        let Wanted { ird, ord, data, markers, peer_to_peer, strict, early: _, rtr } = wanted;
        let absent = [
            (*markers, "markers"),
            (*peer_to_peer, "peer-to-peer mode of a connection"),
            (*strict, "a limit of depths"),
            (rtr.is_some(), "a choice of ready-to-receive messages"),
        ];
        if let Some((_, what)) = absent.iter().find(|(is_wanted, _)| *is_wanted) {
            return Err(format!("EOPNOTSUPP: rdma_cm has no {what}"));
        }
        if data.len() > u8::MAX.into() {
            return Err(format!("EOPNOTSUPP: rdma_cm has no private data of {} octets", data.len()));
        }
        let reads = |depth: &Option<Depth>| match depth {
            None => Ok(READS),
            Some(Depth::Told(reads)) => {
                u8::try_from(*reads).map_err(|_| format!("EOPNOTSUPP: rdma_cm has no {reads} Reads"))
            }
            Some(Depth::Untold(_)) => Err("EOPNOTSUPP: rdma_cm tells the peer all depths".into()),
        };
        Ok(Self { ird: reads(ird)?, ord: reads(ord)?, data: data.clone() })
    }

    /// As the library takes it; what it points to lives as long as `self`.
    pub fn raw(&self) -> rdma_conn_param {
        rdma_conn_param {
            private_data: self.data.as_ptr().cast(),
            private_data_len: self.data.len() as u8,
            responder_resources: self.ird,
            initiator_depth: self.ord,
            ..Default::default()
        }
    }
}

/// What an event says of the peer's startup frame.
///
/// # Safety
/// The event was not acknowledged, and is one of a connection.
pub unsafe fn offered(event: *const rdma_cm_event) -> Offered {
    // SAFETY: by the caller; such an event has `conn`.
    let conn = unsafe { (*event).param.conn };
    let data = match conn.private_data.is_null() {
        true => vec![],
        // SAFETY: the event has so many octets there until it is acknowledged.
        false => unsafe {
            std::slice::from_raw_parts(conn.private_data.cast::<u8>(), conn.private_data_len.into())
        }
        .to_vec(),
    };
    // the event has them as this end would use them: our responder serves the peer's initiator
    Offered { data, ird: conn.initiator_depth.into(), ord: conn.responder_resources.into() }
}
