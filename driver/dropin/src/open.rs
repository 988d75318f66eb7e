// SPDX-License-Identifier: MIT OR Apache-2.0
//! Opening and closing devices. A context has the functions that programs call without a symbol.
use crate::context::Context;
use crate::cq::{req_notify_cq, Cq};
use crate::cq_ex::create_cq_ex;
use crate::devices::{entry, Entry};
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_errno, or_minus, or_nothing, or_null};
use crate::live::{find, keep, take, trust};
use crate::mailbox::Told;
use crate::poll::poll_cq;
use crate::post::{post_recv, post_send};
use crate::qp::Qp;
use crate::qp_ex::create_qp_ex;
use crate::query::{query_device_ex, query_port};
use crate::wait::{self, Look};
use std::ffi::c_int;
use std::os::fd::AsRawFd;
use std::sync::Arc;

/// Opens a device for a program, or for the connection manager.
pub fn open(entry: &'static Entry) -> Result<*mut ibv_context, Errno> {
    let mut shown = verbs_context {
        query_port: Some(query_port),
        query_device_ex: Some(query_device_ex),
        create_cq_ex: Some(create_cq_ex),
        create_qp_ex: Some(create_qp_ex),
        ..Default::default()
    };
    let ops = &mut shown.context.ops;
    ops.poll_cq = Some(poll_cq);
    ops.req_notify_cq = Some(req_notify_cq);
    ops.post_send = Some(post_send);
    ops.post_recv = Some(post_recv);
    Ok(keep(Arc::new(Context::new(entry, shown)?)))
}

/// Opens a device.
#[no_mangle]
unsafe extern "C" fn ibv_open_device(device: *mut ibv_device) -> *mut ibv_context {
    or_null(|| open(entry(device)?))
}

/// Acknowledges an asynchronous event.
#[no_mangle]
unsafe extern "C" fn ibv_ack_async_event(event: *mut ibv_async_event) {
    or_nothing(|| {
        // SAFETY: null, or an event of the program.
        let event = unsafe { event.as_ref() }.ok_or(Errno::INVALID)?;
        match event.event_type {
            // SAFETY: such an event names a completion queue that is not destroyed before this.
            IBV_EVENT_CQ_ERR => unsafe { trust::<Cq>(event.element.cq) }.async_acks.ack(1),
            IBV_EVENT_QP_FATAL | IBV_EVENT_QP_REQ_ERR | IBV_EVENT_QP_ACCESS_ERR => {
                // SAFETY: the same of a queue pair.
                unsafe { trust::<Qp>(event.element.qp) }.acks.ack(1)
            }
            _ => {}
        }
        Ok(())
    })
}

/// Closes a device. EBUSY: objects of the context are left.
#[no_mangle]
unsafe extern "C" fn ibv_close_device(context: *mut ibv_context) -> c_int {
    or_minus(|| take::<Context>(context).map(|_| 0))
}

/// The next asynchronous event. A thread that waits here may be cancelled.
#[no_mangle]
unsafe extern "C-unwind" fn ibv_get_async_event(
    context: *mut ibv_context,
    to: *mut ibv_async_event,
) -> c_int {
    wait::call(|| {
        if to.is_null() {
            return Err(Errno::INVALID);
        }
        let of = find::<Context>(context)?;
        let Some(Told { kind, object }) = of.next_event() else {
            return Ok(Look::Wait(of.events().as_raw_fd()));
        };
        let element = match object {
            // the union's fields are pointers of one size
            Some((at, _)) => ibv_async_event__bindgen_ty_1 { qp: std::ptr::with_exposed_provenance_mut(at) },
            None => ibv_async_event__bindgen_ty_1 { port_num: 1 },
        };
        // SAFETY: the program gives room for an event.
        unsafe { to.write(ibv_async_event { element, event_type: kind }) };
        Ok(Look::Done)
    })
}

/// Forks are safe without preparation: a child has the parent's memory, and the device stays with
/// the parent.
#[no_mangle]
extern "C" fn ibv_fork_init() -> c_int {
    or_errno(|| Ok(()))
}

/// Whether forks are safe: they are, without a call.
#[no_mangle]
extern "C" fn ibv_is_fork_initialized() -> ibv_fork_status {
    IBV_FORK_UNNEEDED
}
