// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completions as programs see them.
use crate::cq::Cq;
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::or_minus;
use crate::live::trust;
use ferrowarp::{Completion, Status, WcOpcode};
use std::ffi::{c_int, c_uint};

/// The number of a status.
#[inline(always)]
pub fn status(status: Status) -> ibv_wc_status {
    match status {
        Status::Success => IBV_WC_SUCCESS,
        Status::LocalLength => IBV_WC_LOC_LEN_ERR,
        Status::LocalOperation => IBV_WC_LOC_QP_OP_ERR,
        Status::LocalProtection => IBV_WC_LOC_PROT_ERR,
        Status::Flushed => IBV_WC_WR_FLUSH_ERR,
        Status::LocalAccess => IBV_WC_LOC_ACCESS_ERR,
        Status::RemoteAccess => IBV_WC_REM_ACCESS_ERR,
        Status::RemoteOperation => IBV_WC_REM_OP_ERR,
        Status::RetriesExceeded => IBV_WC_RETRY_EXC_ERR,
        Status::Fatal => IBV_WC_FATAL_ERR,
        _ => IBV_WC_GENERAL_ERR,
    }
}

/// The number of a kind of work.
#[inline(always)]
pub fn opcode(opcode: WcOpcode) -> ibv_wc_opcode {
    match opcode {
        WcOpcode::Write => IBV_WC_RDMA_WRITE,
        WcOpcode::Read => IBV_WC_RDMA_READ,
        WcOpcode::Receive => IBV_WC_RECV,
        _ => IBV_WC_SEND,
    }
}

/// Flags of a completion.
#[inline(always)]
pub fn flags(completion: &Completion) -> c_uint {
    if completion.invalidated.is_some() {
        IBV_WC_WITH_INV
    } else {
        0
    }
}

/// A completion as a program sees it.
#[inline(always)]
pub fn shown(completion: &Completion) -> ibv_wc {
    let invalidated_rkey = completion.invalidated.map_or(0, |stag| stag.0);
    ibv_wc {
        wr_id: completion.wr_id,
        status: status(completion.status),
        opcode: opcode(completion.opcode),
        vendor_err: completion.error.into(),
        byte_len: completion.octets,
        __bindgen_anon_1: ibv_wc__bindgen_ty_1 { invalidated_rkey },
        qp_num: completion.qp.into(),
        src_qp: 0,
        wc_flags: flags(completion),
        pkey_index: 0,
        slid: 0,
        sl: 0,
        dlid_path_bits: 0,
    }
}

/// Completions of a queue: how many, or -1. Called through the context.
pub unsafe extern "C" fn poll_cq(cq: *mut ibv_cq, most: c_int, to: *mut ibv_wc) -> c_int {
    or_minus(|| {
        // SAFETY: the program has the queue.
        let queue = &unsafe { trust::<Cq>(cq) }.queue;
        let most = usize::try_from(most).map_err(|_| Errno::INVALID)?;
        if most == 0 {
            return Ok(0);
        }
        let mut place = to;
        let count = queue.poll_with(most, |completion| {
            // SAFETY: the program has room for `most` completions, and there are no more.
            unsafe {
                place.write(shown(&completion));
                place = place.add(1);
            }
        })?;
        Ok(count as c_int)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_the_number_that_rdma_core_gives_it() {
        let due =
            [(Status::Success, 0), (Status::Flushed, 5), (Status::RemoteAccess, 10), (Status::General, 21)];
        due.iter().for_each(|&(from, number)| assert_eq!(status(from), number, "{from}"));
        assert_eq!(
            [WcOpcode::Send, WcOpcode::Write, WcOpcode::Read, WcOpcode::Receive].map(opcode),
            [0, 1, 2, 128]
        );
    }
}
