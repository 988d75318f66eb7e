// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ibv_create_qp_ex`, and the functions from `ibv_wr_start` to `ibv_wr_complete`, which programs
//! call through the queue pair.
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_errno, or_nothing, or_null};
use crate::live::trust;
use crate::qp::{create, Qp};
use crate::request::post;
use ferrowarp::{Remote, STag, TaggedOffset};
use std::ffi::{c_int, c_uint, c_void};

/// What a queue pair may be asked for.
const KNOWN: c_uint = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
/// Kinds of requests that there are.
const OPS: c_uint =
    IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_SEND_WITH_INV;
/// Kinds that programs ask for by default, without using them: `wr_complete` refuses these.
const LATER: c_uint = IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND_WITH_IMM;

/// A queue pair by extended attributes: called through the context.
pub unsafe extern "C" fn create_qp_ex(_: *mut ibv_context, attr: *mut ibv_qp_init_attr_ex) -> *mut ibv_qp {
    or_null(|| {
        // SAFETY: null, or attributes of the program.
        let attr = unsafe { attr.as_mut() }.ok_or(Errno::INVALID)?;
        if attr.comp_mask & IBV_QP_INIT_ATTR_PD == 0 {
            return Err(Errno::INVALID);
        }
        let (mut plain, extended) = asked(attr)?;
        let qp = create(attr.pd, &mut plain, extended)?;
        attr.cap = plain.cap;
        Ok(qp)
    })
}

/// What extended attributes ask for, and the functions of the queue pair. EOPNOTSUPP: they ask for
/// what the device does not have.
pub fn asked(attr: &ibv_qp_init_attr_ex) -> Result<(ibv_qp_init_attr, ibv_qp_ex), Errno> {
    let has = |mask| attr.comp_mask & mask != 0;
    let asks = if has(IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) { attr.send_ops_flags } else { 0 };
    let flags = if has(IBV_QP_INIT_ATTR_CREATE_FLAGS) { attr.create_flags } else { 0 };
    if attr.comp_mask & !KNOWN != 0 || flags != 0 || asks & !u64::from(OPS | LATER) != 0 {
        return Err(Errno::NOT_SUPPORTED);
    }
    let plain = ibv_qp_init_attr {
        qp_context: attr.qp_context,
        send_cq: attr.send_cq,
        recv_cq: attr.recv_cq,
        srq: attr.srq,
        cap: attr.cap,
        qp_type: attr.qp_type,
        sq_sig_all: attr.sq_sig_all,
    };
    Ok((plain, functions(asks)))
}

/// The functions of a queue pair that asks for these kinds of requests. None: it has no functions.
pub fn functions(asks: u64) -> ibv_qp_ex {
    if asks == 0 {
        return ibv_qp_ex::default();
    }
    ibv_qp_ex {
        wr_rdma_read: Some(wr_rdma_read),
        wr_rdma_write: Some(wr_rdma_write),
        wr_rdma_write_imm: Some(wr_rdma_write_imm),
        wr_send: Some(wr_send),
        wr_send_imm: Some(wr_send_imm),
        wr_send_inv: Some(wr_send_inv),
        wr_local_inv: Some(wr_local_inv),
        wr_set_inline_data: Some(wr_set_inline_data),
        wr_set_inline_data_list: Some(wr_set_inline_data_list),
        wr_set_sge: Some(wr_set_sge),
        wr_set_sge_list: Some(wr_set_sge_list),
        wr_start: Some(wr_start),
        wr_complete: Some(wr_complete),
        wr_abort: Some(wr_abort),
        ..Default::default()
    }
}

/// The queue pair of a program's pointer.
///
/// # Safety
/// The program has the queue pair.
#[inline(always)]
unsafe fn of<'a>(qp: *mut ibv_qp_ex) -> &'a Qp {
    // SAFETY: the caller's promise; an extended queue pair begins with the plain one.
    unsafe { trust::<Qp>(qp.cast()) }
}

/// A request of this kind, with the number and flags that the program has set.
unsafe fn add(qp: *mut ibv_qp_ex, opcode: ibv_wr_opcode, (rkey, to): (u32, u64), invalidates: u32) {
    or_nothing(|| {
        let remote = Remote { stag: STag(rkey), to: TaggedOffset(to) };
        // SAFETY: the program has the queue pair, and sets the fields in the same thread.
        unsafe { of(qp).pending.add(((*qp).wr_id, (*qp).wr_flags), opcode, remote, invalidates) };
        Ok(())
    })
}

unsafe extern "C" fn wr_rdma_read(qp: *mut ibv_qp_ex, rkey: u32, to: u64) {
    // SAFETY: the program's promise.
    unsafe { add(qp, IBV_WR_RDMA_READ, (rkey, to), 0) }
}

unsafe extern "C" fn wr_rdma_write(qp: *mut ibv_qp_ex, rkey: u32, to: u64) {
    // SAFETY: the program's promise.
    unsafe { add(qp, IBV_WR_RDMA_WRITE, (rkey, to), 0) }
}

unsafe extern "C" fn wr_send(qp: *mut ibv_qp_ex) {
    // SAFETY: the program's promise.
    unsafe { add(qp, IBV_WR_SEND, (0, 0), 0) }
}

unsafe extern "C" fn wr_send_inv(qp: *mut ibv_qp_ex, rkey: u32) {
    // SAFETY: the program's promise.
    unsafe { add(qp, IBV_WR_SEND_WITH_INV, (0, 0), rkey) }
}

/// Immediate data and local invalidation: `wr_complete` tells that they are not supported.
unsafe fn refuse(qp: *mut ibv_qp_ex) {
    // SAFETY: the program has the queue pair.
    or_nothing(|| unsafe {
        of(qp).pending.refuse();
        Ok(())
    })
}

unsafe extern "C" fn wr_rdma_write_imm(qp: *mut ibv_qp_ex, _: u32, _: u64, _: u32) {
    // SAFETY: the program's promise.
    unsafe { refuse(qp) }
}

unsafe extern "C" fn wr_send_imm(qp: *mut ibv_qp_ex, _: u32) {
    // SAFETY: the program's promise.
    unsafe { refuse(qp) }
}

unsafe extern "C" fn wr_local_inv(qp: *mut ibv_qp_ex, _: u32) {
    // SAFETY: the program's promise.
    unsafe { refuse(qp) }
}

unsafe extern "C" fn wr_set_sge(qp: *mut ibv_qp_ex, lkey: u32, addr: u64, length: u32) {
    or_nothing(|| {
        // SAFETY: the program has the queue pair.
        unsafe { of(qp) }.pending.segments([ibv_sge { addr, length, lkey }].into_iter());
        Ok(())
    })
}

unsafe extern "C" fn wr_set_sge_list(qp: *mut ibv_qp_ex, count: usize, list: *const ibv_sge) {
    or_nothing(|| {
        // SAFETY: the program has the queue pair, and a list of so many entries.
        let (object, list) = unsafe { (of(qp), slice(list, count)) };
        object.pending.segments(list.iter().copied());
        Ok(())
    })
}

unsafe extern "C" fn wr_set_inline_data(qp: *mut ibv_qp_ex, from: *mut c_void, length: usize) {
    or_nothing(|| {
        // SAFETY: the program has the queue pair and the octets.
        let (object, octets) = unsafe { (of(qp), slice(from.cast::<u8>(), length)) };
        object.pending.octets(octets);
        Ok(())
    })
}

unsafe extern "C" fn wr_set_inline_data_list(qp: *mut ibv_qp_ex, count: usize, list: *const ibv_data_buf) {
    or_nothing(|| {
        // SAFETY: the program has the queue pair, and a list of so many entries.
        let (object, list) = unsafe { (of(qp), slice(list, count)) };
        for buffer in list {
            // SAFETY: the program has the octets of each entry.
            object.pending.octets(unsafe { slice(buffer.addr.cast::<u8>(), buffer.length) });
        }
        Ok(())
    })
}

/// A slice of C, which may have no place if it is empty.
///
/// # Safety
/// `count` entries are at `at`.
unsafe fn slice<'a, T>(at: *const T, count: usize) -> &'a [T] {
    match count {
        0 => &[],
        // SAFETY: the caller's promise.
        _ => unsafe { std::slice::from_raw_parts(at, count) },
    }
}

unsafe extern "C" fn wr_start(qp: *mut ibv_qp_ex) {
    or_nothing(|| {
        // SAFETY: the program has the queue pair.
        unsafe { of(qp) }.pending.begin();
        Ok(())
    })
}

unsafe extern "C" fn wr_complete(qp: *mut ibv_qp_ex) -> c_int {
    or_errno(|| {
        // SAFETY: the program has the queue pair.
        let object = unsafe { of(qp) };
        let handles = object.handles();
        let mut sends = handles.as_ref().ok_or(Errno::INVALID)?.posts.sends();
        let done = object.pending.end(|request| {
            // SAFETY: the octets of inline requests were taken already.
            unsafe { post(&mut sends, &object.pd.domain, object.signals_all, request) }
        });
        sends.ring()?;
        done
    })
}

unsafe extern "C" fn wr_abort(qp: *mut ibv_qp_ex) {
    or_nothing(|| {
        // SAFETY: the program has the queue pair.
        let pending = &unsafe { of(qp) }.pending;
        pending.refuse();
        // it is what was asked for that nothing is posted
        let _ = pending.end(|_| Ok(()));
        Ok(())
    })
}
