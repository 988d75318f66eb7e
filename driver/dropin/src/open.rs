// SPDX-License-Identifier: MIT OR Apache-2.0
//! Opening and closing devices. A context has the functions that programs call without a symbol.
use crate::context::Context;
use crate::cq::req_notify_cq;
use crate::devices::{entry, Entry};
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_errno, or_minus, or_null};
use crate::live::{find, keep, take};
use crate::mailbox::Told;
use crate::query::{query_device_ex, query_port};
use std::ffi::c_int;
use std::sync::Arc;

/// Opens a device for a program, or for the connection manager.
pub fn open(entry: &'static Entry) -> Result<*mut ibv_context, Errno> {
    let mut shown = verbs_context {
        query_port: Some(query_port),
        query_device_ex: Some(query_device_ex),
        ..Default::default()
    };
    shown.context.ops.req_notify_cq = Some(req_notify_cq);
    Ok(keep(Arc::new(Context::new(entry, shown)?)))
}

/// Opens a device.
#[no_mangle]
unsafe extern "C" fn ibv_open_device(device: *mut ibv_device) -> *mut ibv_context {
    or_null(|| open(entry(device)?))
}

/// Closes a device. EBUSY: objects of the context are left.
#[no_mangle]
unsafe extern "C" fn ibv_close_device(context: *mut ibv_context) -> c_int {
    or_minus(|| take::<Context>(context).map(|_| 0))
}

/// The next asynchronous event.
#[no_mangle]
unsafe extern "C" fn ibv_get_async_event(context: *mut ibv_context, to: *mut ibv_async_event) -> c_int {
    or_minus(|| {
        if to.is_null() {
            return Err(Errno::INVALID);
        }
        let Told { kind, object } = find::<Context>(context)?.next_event()?;
        let element = match object {
            // the union's fields are pointers of one size
            Some((at, _)) => ibv_async_event__bindgen_ty_1 { qp: std::ptr::with_exposed_provenance_mut(at) },
            None => ibv_async_event__bindgen_ty_1 { port_num: 1 },
        };
        // SAFETY: the program gives room for an event.
        unsafe { to.write(ibv_async_event { element, event_type: kind }) };
        Ok(0)
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
