// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue pairs of identifiers.
use super::cqs;
use super::default;
use super::ends;
use super::id::Id;
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_minus, or_nothing};
use crate::live::find;
use crate::pd::Pd;
use crate::qp::{self, Qp};
use crate::{qp_calls, qp_ex};
use std::ffi::c_int;

/// Makes the queue pair of an identifier; `pd` of null is the device's own domain.
pub fn create(
    id: *mut rdma_cm_id,
    pd: *mut ibv_pd,
    attr: &mut ibv_qp_init_attr,
    extended: ibv_qp_ex,
) -> Result<(), Errno> {
    let object = find::<Id>(id)?;
    let _turn = object.makes_qp.lock();
    let entry = object.inner.lock().entry.ok_or(Errno::INVALID)?;
    // SAFETY: the identifier is there, and the program calls this.
    if unsafe { !(*id).qp.is_null() } {
        return Err(Errno::INVALID);
    }
    let pd = if pd.is_null() { default::domain(entry)? } else { pd };
    if !std::ptr::eq(find::<Pd>(pd)?.context.entry, entry) {
        return Err(Errno::INVALID);
    }
    let made = cqs::fill(id, attr).and_then(|()| qp::create(pd, attr, extended));
    let qp = made.inspect_err(|_| cqs::end(id))?;
    find::<Qp>(qp)?.enter(IBV_QPS_INIT);
    // SAFETY: as above.
    unsafe { ((*id).qp, (*id).pd) = (qp, pd) };
    Ok(())
}

/// A queue pair. What was granted is written back.
#[no_mangle]
unsafe extern "C" fn rdma_create_qp(
    id: *mut rdma_cm_id,
    pd: *mut ibv_pd,
    attr: *mut ibv_qp_init_attr,
) -> c_int {
    or_minus(|| {
        // SAFETY: null, or attributes of the program.
        let attr = unsafe { attr.as_mut() }.ok_or(Errno::INVALID)?;
        create(id, pd, attr, qp_ex::functions(0)).map(|()| 0)
    })
}

/// The same with the functions of `ibv_wr_start`.
#[no_mangle]
unsafe extern "C" fn rdma_create_qp_ex(id: *mut rdma_cm_id, attr: *mut ibv_qp_init_attr_ex) -> c_int {
    or_minus(|| {
        // SAFETY: null, or attributes of the program.
        let attr = unsafe { attr.as_mut() }.ok_or(Errno::INVALID)?;
        let pd = if attr.comp_mask & IBV_QP_INIT_ATTR_PD == 0 { std::ptr::null_mut() } else { attr.pd };
        let (mut plain, extended) = qp_ex::asked(attr)?;
        create(id, pd, &mut plain, extended)?;
        attr.cap = plain.cap;
        Ok(0)
    })
}

/// The end of a queue pair, of its connection, and of the completion queues that were made with it.
pub fn destroy(id: *mut rdma_cm_id) -> Result<(), Errno> {
    let object = find::<Id>(id)?;
    let _turn = object.makes_qp.lock();
    ends::settle(&object);
    // SAFETY: the identifier is there, and the program calls this.
    let qp = unsafe { std::mem::replace(&mut (*id).qp, std::ptr::null_mut()) };
    let ended = qp_calls::destroy(qp);
    cqs::end(id);
    ended
}

/// The end of a queue pair.
#[no_mangle]
unsafe extern "C" fn rdma_destroy_qp(id: *mut rdma_cm_id) {
    or_nothing(|| destroy(id));
}

/// Attributes for `ibv_modify_qp` of a program with a queue pair of its own. The connection does
/// what is left.
#[no_mangle]
unsafe extern "C" fn rdma_init_qp_attr(
    id: *mut rdma_cm_id,
    attr: *mut ibv_qp_attr,
    mask: *mut c_int,
) -> c_int {
    or_minus(|| {
        find::<Id>(id)?;
        // SAFETY: null, or attributes of the program.
        let (attr, mask) = unsafe { (attr.as_mut(), mask.as_mut()) };
        let (attr, mask) = attr.zip(mask).ok_or(Errno::INVALID)?;
        *mask = IBV_QP_STATE as c_int;
        if [IBV_QPS_INIT, IBV_QPS_RTR].contains(&attr.qp_state) {
            *mask |= IBV_QP_ACCESS_FLAGS as c_int;
            attr.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
        }
        Ok(0)
    })
}
