// SPDX-License-Identifier: MIT OR Apache-2.0
//! Endpoints: identifiers that are made, resolved and given a queue pair in one call.
use super::event::acknowledge;
use super::id::{Id, Template};
use super::{id_calls, qp_calls};
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_minus, or_nothing};
use crate::live::find;
use crate::qp_ex;
use crate::wait::{self, Look};
use std::ffi::c_int;
use std::os::fd::AsRawFd;
use std::ptr::null_mut;

/// Milliseconds that a program would give for addresses and routes.
const PATIENCE: c_int = 2_000;

extern "C" {
    fn rdma_bind_addr(id: *mut rdma_cm_id, address: *mut sockaddr) -> c_int;
    fn rdma_resolve_addr(id: *mut rdma_cm_id, from: *mut sockaddr, to: *mut sockaddr, most: c_int) -> c_int;
    fn rdma_resolve_route(id: *mut rdma_cm_id, most: c_int) -> c_int;
}

/// What a call of C left.
fn done(result: c_int) -> Result<(), Errno> {
    match result {
        0 => Ok(()),
        _ => Err(Errno::last()),
    }
}

/// Brings a new identifier to where the program wants it.
fn fill(
    id: *mut rdma_cm_id,
    info: &rdma_addrinfo,
    pd: *mut ibv_pd,
    attr: Option<&mut ibv_qp_init_attr>,
) -> Result<(), Errno> {
    if info.ai_flags as u32 & RAI_PASSIVE != 0 {
        // SAFETY: the identifier is there, and the program's address.
        done(unsafe { rdma_bind_addr(id, info.ai_src_addr) })?;
        let typed = |attr: &mut ibv_qp_init_attr| ibv_qp_init_attr { qp_type: IBV_QPT_RC, ..*attr };
        *find::<Id>(id)?.template.lock() = attr.map(|attr| Template(pd, typed(attr)));
        return Ok(());
    }
    // SAFETY: the identifier is there, and the program's addresses.
    unsafe {
        done(rdma_resolve_addr(id, info.ai_src_addr, info.ai_dst_addr, PATIENCE))?;
        done(rdma_resolve_route(id, PATIENCE))?;
    }
    attr.map_or(Ok(()), |attr| {
        attr.qp_type = IBV_QPT_RC;
        qp_calls::create(id, pd, attr, qp_ex::functions(0))
    })
}

/// A synchronous identifier for an answer of `rdma_getaddrinfo`. A passive one keeps domain and
/// attributes for those that come to it.
#[no_mangle]
unsafe extern "C" fn rdma_create_ep(
    to: *mut *mut rdma_cm_id,
    info: *mut rdma_addrinfo,
    pd: *mut ibv_pd,
    attr: *mut ibv_qp_init_attr,
) -> c_int {
    or_minus(|| {
        // SAFETY: null, or the program's structs.
        let (info, attr) = unsafe { (info.as_ref().ok_or(Errno::INVALID)?, attr.as_mut()) };
        if to.is_null() {
            return Err(Errno::INVALID);
        }
        let id = id_calls::create(null_mut(), null_mut(), RDMA_PS_TCP)?;
        fill(id, info, pd, attr).inspect_err(|_| {
            let _ = id_calls::destroy(id);
        })?;
        // SAFETY: the program gives room for a pointer.
        unsafe { to.write(id) };
        Ok(0)
    })
}

/// The end of an endpoint and of its queue pair.
#[no_mangle]
unsafe extern "C" fn rdma_destroy_ep(id: *mut rdma_cm_id) {
    or_nothing(|| {
        find::<Id>(id)?;
        // SAFETY: the identifier is there.
        if unsafe { !(*id).qp.is_null() } {
            qp_calls::destroy(id)?;
        }
        id_calls::destroy(id)
    });
}

/// Gives a request to the program: the new identifier is synchronous, and has the event.
fn take_request(listener: &Id, event: *mut rdma_cm_event) -> Result<*mut rdma_cm_id, Errno> {
    // SAFETY: the event was given just now.
    let (id, kind) = unsafe { ((*event).id, (*event).event) };
    if kind != RDMA_CM_EVENT_CONNECT_REQUEST {
        return Err(Errno::INVALID);
    }
    let template = listener.template.lock();
    if let Some(Template(pd, attr)) = &*template {
        qp_calls::create(id, *pd, &mut attr.clone(), qp_ex::functions(0)).inspect_err(|_| {
            let _ = id_calls::destroy(id);
        })?;
    }
    // SAFETY: the identifier is there, and nobody else has it yet.
    unsafe { (*id).event = event };
    Ok(id)
}

/// The next request of a synchronous listener. A thread that waits here may be cancelled.
#[no_mangle]
unsafe extern "C-unwind" fn rdma_get_request(listener: *mut rdma_cm_id, to: *mut *mut rdma_cm_id) -> c_int {
    wait::call(|| {
        let object = find::<Id>(listener)?;
        if to.is_null() || !object.is_sync() {
            return Err(Errno::INVALID);
        }
        let channel = object.channel();
        let Some(event) = channel.give() else { return Ok(Look::Wait(channel.fd().as_raw_fd())) };
        let id = take_request(&object, event).inspect_err(|_| {
            let _ = acknowledge(event);
        })?;
        // SAFETY: the program gives room for a pointer.
        unsafe { to.write(id) };
        Ok(Look::Done)
    })
}
