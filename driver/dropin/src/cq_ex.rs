// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ibv_create_cq_ex`, and the functions of extended completion queues, which programs call through
//! the queue. One thread takes completions of such a queue at a time, as rdma-core has it.
use crate::cq::{create, Cq};
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_errno, or_null};
use crate::live::trust;
use crate::poll::{flags, opcode, shown, status};
use ferrowarp::Completion;
use std::ffi::{c_int, c_uint};

/// What there is beside number and status.
const KNOWN: u64 = IBV_WC_STANDARD_FLAGS as u64;

/// A completion queue by extended attributes: called through the context.
pub unsafe extern "C" fn create_cq_ex(
    context: *mut ibv_context,
    attr: *mut ibv_cq_init_attr_ex,
) -> *mut ibv_cq_ex {
    or_null(|| {
        // SAFETY: null, or attributes of the program.
        let attr = unsafe { attr.as_ref() }.ok_or(Errno::INVALID)?;
        let flags = if attr.comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS == 0 { 0 } else { attr.flags };
        let hints = IBV_CREATE_CQ_ATTR_SINGLE_THREADED | IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
        if attr.wc_flags & !KNOWN != 0
            || attr.comp_mask & !IBV_CQ_INIT_ATTR_MASK_FLAGS != 0
            || flags & !hints != 0
        {
            return Err(Errno::NOT_SUPPORTED);
        }
        if attr.comp_vector != 0 {
            return Err(Errno::INVALID);
        }
        let extended = ibv_cq_ex {
            start_poll: Some(start_poll),
            next_poll: Some(next_poll),
            end_poll: Some(end_poll),
            read_opcode: Some(read_opcode),
            read_vendor_err: Some(read_vendor_err),
            read_byte_len: Some(read_byte_len),
            read_imm_data: Some(read_imm_data),
            read_qp_num: Some(read_qp_num),
            read_src_qp: Some(read_nothing),
            read_wc_flags: Some(read_wc_flags),
            read_slid: Some(read_nothing),
            read_sl: Some(read_no_octet),
            read_dlid_path_bits: Some(read_no_octet),
            ..Default::default()
        };
        create(context, attr.cqe, attr.cq_context, attr.channel, extended).map(<*mut ibv_cq>::cast)
    })
}

/// Takes the next completion. ENOENT: there is none.
unsafe fn next(cq: *mut ibv_cq_ex) -> c_int {
    let mut is_none = false;
    let failed = or_errno(|| {
        // SAFETY: the program has the queue, which begins with the plain one.
        let object = unsafe { trust::<Cq>(cq.cast()) };
        let mut taken = object.taken.lock();
        is_none = object.queue.poll_with(1, |completion| *taken = Some(completion))? == 0;
        if let Some(completion) = taken.as_ref().filter(|_| !is_none) {
            // SAFETY: the program reads the fields between two of its calls.
            unsafe { ((*cq).wr_id, (*cq).status) = (completion.wr_id, status(completion.status)) };
        }
        Ok(())
    });
    if is_none {
        libc::ENOENT
    } else {
        failed
    }
}

unsafe extern "C" fn start_poll(cq: *mut ibv_cq_ex, attr: *mut ibv_poll_cq_attr) -> c_int {
    // SAFETY: null, or attributes of the program.
    match unsafe { attr.as_ref() } {
        Some(attr) if attr.comp_mask != 0 => libc::EINVAL,
        // SAFETY: the program has the queue.
        _ => unsafe { next(cq) },
    }
}

unsafe extern "C" fn next_poll(cq: *mut ibv_cq_ex) -> c_int {
    // SAFETY: the program has the queue.
    unsafe { next(cq) }
}

/// Slots went back with each completion.
unsafe extern "C" fn end_poll(_: *mut ibv_cq_ex) {}

/// Something of the completion that was taken last; 0 if there is none.
unsafe fn read<T: Default>(cq: *mut ibv_cq_ex, of: impl FnOnce(&Completion) -> T) -> T {
    // SAFETY: the program has the queue.
    unsafe { trust::<Cq>(cq.cast()) }.taken.lock().as_ref().map(of).unwrap_or_default()
}

unsafe extern "C" fn read_opcode(cq: *mut ibv_cq_ex) -> ibv_wc_opcode {
    // SAFETY: the program's promise.
    unsafe { read(cq, |completion| opcode(completion.opcode)) }
}

unsafe extern "C" fn read_vendor_err(cq: *mut ibv_cq_ex) -> u32 {
    // SAFETY: the program's promise.
    unsafe { read(cq, |completion| completion.error.into()) }
}

unsafe extern "C" fn read_byte_len(cq: *mut ibv_cq_ex) -> u32 {
    // SAFETY: the program's promise.
    unsafe { read(cq, |completion| completion.octets) }
}

/// There is no immediate data; the same place has the STag that the peer invalidated.
unsafe extern "C" fn read_imm_data(cq: *mut ibv_cq_ex) -> u32 {
    // SAFETY: the program's promise; both fields of the union are numbers of one size.
    unsafe { read(cq, |completion| shown(completion).__bindgen_anon_1.invalidated_rkey) }
}

unsafe extern "C" fn read_qp_num(cq: *mut ibv_cq_ex) -> u32 {
    // SAFETY: the program's promise.
    unsafe { read(cq, |completion| completion.qp.into()) }
}

unsafe extern "C" fn read_wc_flags(cq: *mut ibv_cq_ex) -> c_uint {
    // SAFETY: the program's promise.
    unsafe { read(cq, flags) }
}

/// iWARP has no such number.
unsafe extern "C" fn read_nothing(_: *mut ibv_cq_ex) -> u32 {
    0
}

/// iWARP has no such number.
unsafe extern "C" fn read_no_octet(_: *mut ibv_cq_ex) -> u8 {
    0
}
