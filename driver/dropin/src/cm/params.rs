// SPDX-License-Identifier: MIT OR Apache-2.0
//! `rdma_conn_param`: what connecting and accepting ask for.
use super::event::Depths;
use crate::errno::Errno;
use crate::gen::*;
use ferrowarp::{DeviceLimits, OfferedDepths, ReadDepths};

/// What a program asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Params {
    /// For the peer.
    pub data: Vec<u8>,
    /// Inbound Reads at once.
    pub ird: u16,
    /// Outbound Reads at once.
    pub ord: u16,
    /// Number of a queue pair that is not the identifier's.
    pub qp: u32,
}

/// Octets of the program.
///
/// # Safety
/// `from` has `octets` octets, or is null.
pub unsafe fn octets(from: *const std::ffi::c_void, octets: u8) -> Result<Vec<u8>, Errno> {
    match (from.is_null(), octets) {
        (_, 0) => Ok(vec![]),
        (true, _) => Err(Errno::INVALID),
        // SAFETY: the caller's promise.
        _ => Ok(unsafe { std::slice::from_raw_parts(from.cast::<u8>(), octets.into()) }.to_vec()),
    }
}

/// Parameters of a program. Without parameters, and for 255, a depth is what `offered` says, as far
/// as the device has it. EINVAL: the device has fewer than the program asks for.
///
/// # Safety
/// `param` is null, or has its private data.
pub unsafe fn read(
    param: *const rdma_conn_param,
    has: &DeviceLimits,
    offered: Depths,
) -> Result<Params, Errno> {
    let depth = |asked: Option<u8>, offered: u8, most: u16| match asked {
        None | Some(u8::MAX) => Ok(u16::from(offered).min(most)),
        Some(asked) if u16::from(asked) <= most => Ok(asked.into()),
        Some(_) => Err(Errno::INVALID),
    };
    // SAFETY: the caller's promise.
    let param = unsafe { param.as_ref() };
    let data = match param {
        // SAFETY: as above.
        Some(param) => unsafe { octets(param.private_data, param.private_data_len) }?,
        None => vec![],
    };
    Ok(Params {
        data,
        ird: depth(param.map(|param| param.responder_resources), offered.responder_resources, has.ird)?,
        ord: depth(param.map(|param| param.initiator_depth), offered.initiator_depth, has.ord)?,
        qp: param.map_or(0, |param| param.qp_num),
    })
}

fn short(reads: u16) -> u8 {
    reads.min(u8::MAX.into()) as u8
}

/// What the peer's Request or Reply asks of this end: its outbound Reads are inbound here. A depth
/// that the peer leaves out is `agreed`.
pub fn depths(offered: OfferedDepths, agreed: ReadDepths) -> Depths {
    Depths {
        responder_resources: short(offered.ord.unwrap_or(agreed.ird)),
        initiator_depth: short(offered.ird.unwrap_or(agreed.ord)),
    }
}

/// All that a device has.
pub fn most(has: &DeviceLimits) -> Depths {
    Depths { responder_resources: short(has.ird), initiator_depth: short(has.ord) }
}
