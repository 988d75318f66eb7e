// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completion channels: a descriptor that is readable while an armed completion queue has
//! something.
use crate::acks::Acks;
use crate::context::Context;
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_errno, or_null};
use crate::live::{find, keep, take, Object, Shown, Use, Users};
use crate::wait::{self, Look};
use ferrowarp::CompletionChannel;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;

/// A completion channel.
#[repr(C)]
#[derive(Debug)]
pub struct Channel {
    shown: Shown<ibv_comp_channel>,
    users: Users,
    /// The driver's.
    pub channel: CompletionChannel,
    /// Queues by their numbers: the program's pointers, and their acknowledgements.
    cqs: Mutex<BTreeMap<u16, (usize, Arc<Acks>)>>,
    _context: Use<Context>,
}

// SAFETY: `repr(C)`, and `shown` is the first field.
unsafe impl Object for Channel {
    type C = ibv_comp_channel;
    const AT: usize = 0;

    fn users(&self) -> &Users {
        &self.users
    }
}

impl Channel {
    /// A queue tells of itself here.
    pub fn enter(&self, number: u16, at: usize, acks: &Arc<Acks>) {
        self.cqs.lock().insert(number, (at, acks.clone()));
    }

    /// A queue is gone, and its events with it.
    pub fn leave(&self, number: u16) {
        self.cqs.lock().remove(&number);
    }

    /// The next event: queue and context value, as the program gave it.
    fn event(&self) -> Result<Option<(*mut ibv_cq, *mut c_void)>, Errno> {
        while let Some(queue) = self.channel.try_next()? {
            let cqs = self.cqs.lock();
            let Some((at, acks)) = cqs.get(&queue.number()) else { continue };
            acks.give();
            let cq: *mut ibv_cq = std::ptr::with_exposed_provenance_mut(*at);
            // SAFETY: the queue is not destroyed before it has left, for which the lock is needed.
            return Ok(Some((cq, unsafe { (*cq).cq_context })));
        }
        Ok(None)
    }
}

/// A completion channel for a program.
pub fn create(context: *mut ibv_context) -> Result<*mut ibv_comp_channel, Errno> {
    let owner = find::<Context>(context)?;
    let channel = owner.opened.device.completion_channel()?;
    let fd = channel.as_fd().as_raw_fd();
    let shown = Shown::new(ibv_comp_channel { context, fd, refcnt: 0 });
    let (users, cqs) = Default::default();
    Ok(keep(Arc::new(Channel { shown, users, channel, cqs, _context: Use::of(&owner) })))
}

/// The end of a channel. EBUSY: completion queues are left.
pub fn destroy(channel: *mut ibv_comp_channel) -> Result<(), Errno> {
    take::<Channel>(channel).map(drop)
}

/// A completion channel.
#[no_mangle]
unsafe extern "C" fn ibv_create_comp_channel(context: *mut ibv_context) -> *mut ibv_comp_channel {
    or_null(|| create(context))
}

/// The end of a channel. EBUSY: completion queues are left.
#[no_mangle]
unsafe extern "C" fn ibv_destroy_comp_channel(channel: *mut ibv_comp_channel) -> c_int {
    or_errno(|| destroy(channel))
}

/// The next event of a channel. It is to be acknowledged. A thread that waits here may be
/// cancelled.
#[no_mangle]
unsafe extern "C-unwind" fn ibv_get_cq_event(
    channel: *mut ibv_comp_channel,
    cq: *mut *mut ibv_cq,
    context: *mut *mut c_void,
) -> c_int {
    wait::call(|| {
        if cq.is_null() || context.is_null() {
            return Err(Errno::INVALID);
        }
        let object = find::<Channel>(channel)?;
        let Some((queue, value)) = object.event()? else {
            return Ok(Look::Wait(object.channel.as_fd().as_raw_fd()));
        };
        // SAFETY: the program gives room for both.
        unsafe {
            cq.write(queue);
            context.write(value);
        }
        Ok(Look::Done)
    })
}
