// SPDX-License-Identifier: MIT OR Apache-2.0
//! Calls of event channels.
use super::channel::EventChannel;
use super::event::acknowledge;
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_minus, or_nothing, or_null};
use crate::live::{find, keep, take};
use crate::wait::{self, Look};
use std::ffi::c_int;
use std::os::fd::AsRawFd;
use std::sync::Arc;

/// An event channel.
#[no_mangle]
extern "C" fn rdma_create_event_channel() -> *mut rdma_event_channel {
    or_null(|| Ok(keep(Arc::new(EventChannel::new()?))))
}

/// The end of a channel. A channel that has identifiers stays.
#[no_mangle]
unsafe extern "C" fn rdma_destroy_event_channel(channel: *mut rdma_event_channel) {
    or_nothing(|| take::<EventChannel>(channel).map(drop));
}

/// The next event of a channel. A thread that waits here may be cancelled.
#[no_mangle]
unsafe extern "C-unwind" fn rdma_get_cm_event(
    channel: *mut rdma_event_channel,
    to: *mut *mut rdma_cm_event,
) -> c_int {
    wait::call(|| {
        if to.is_null() {
            return Err(Errno::INVALID);
        }
        let object = find::<EventChannel>(channel)?;
        let Some(event) = object.give() else { return Ok(Look::Wait(object.fd().as_raw_fd())) };
        // SAFETY: the program gives room for a pointer.
        unsafe { to.write(event) };
        Ok(Look::Done)
    })
}

/// The end of an event and of its data.
#[no_mangle]
unsafe extern "C" fn rdma_ack_cm_event(event: *mut rdma_cm_event) -> c_int {
    or_minus(|| acknowledge(event).map(|()| 0))
}
