// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completion queues.
use crate::acks::Acks;
use crate::channel::Channel;
use crate::context::Context;
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_errno, or_nothing, or_null};
use crate::live::{find, keep, take, trust, Object, Shown, Use, Users};
use crate::mailbox::Member;
use ferrowarp::{Arm, Completion, CompletionQueue, CqOptions, Error};
use parking_lot::Mutex;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// A completion queue. Each has room for the extended functions, as the program may ask for them.
#[repr(C)]
#[derive(Debug)]
pub struct Cq {
    shown: Shown<ibv_cq_ex>,
    users: Users,
    /// The driver's.
    pub queue: CompletionQueue,
    /// Events of its channel that were given to the program.
    pub acks: Arc<Acks>,
    /// The same of its asynchronous events.
    pub async_acks: Arc<Acks>,
    /// What the functions of an extended queue read.
    pub taken: Mutex<Option<Completion>>,
    channel: Option<Use<Channel>>,
    context: Use<Context>,
}

// SAFETY: `repr(C)`, and `shown` begins with the fields of `ibv_cq`.
unsafe impl Object for Cq {
    type C = ibv_cq;
    const AT: usize = 0;

    fn users(&self) -> &Users {
        &self.users
    }
}

/// A completion queue for a program: `cqe` completions at least, which `channel` tells of.
/// `extended` has the functions that programs call through the queue.
pub fn create(
    context: *mut ibv_context,
    cqe: u32,
    value: *mut c_void,
    channel: *mut ibv_comp_channel,
    extended: ibv_cq_ex,
) -> Result<*mut ibv_cq, Errno> {
    let owner = find::<Context>(context)?;
    let told = (!channel.is_null()).then(|| find::<Channel>(channel)).transpose()?;
    let most = owner.opened.info.limits.completions;
    if cqe == 0 || cqe > most {
        return Err(Errno::INVALID);
    }
    // as rdma-core has it, a program may post more than a queue has room for, if it polls in time
    let options = CqOptions::default().entries(cqe).is_counted(false);
    let options = told.iter().fold(options, |options, told| options.channel(&told.channel));
    let queue = owner.opened.device.completion_queue_of(options)?;
    let slots = queue.slots().min(c_int::MAX as u32) as c_int;
    let shown = ibv_cq_ex { context, channel, cq_context: value, cqe: slots, ..extended };
    let (users, acks, async_acks, taken) = Default::default();
    let channel = told.as_ref().map(Use::of);
    let cq = Cq {
        shown: Shown::new(shown),
        users,
        queue,
        acks,
        async_acks,
        taken,
        channel,
        context: Use::of(&owner),
    };
    let cq = Arc::new(cq);
    let (number, at) = (cq.queue.number(), cq.pointer().expose_provenance());
    owner.mailbox.enter(Member::Cq(number), at, &cq.async_acks);
    if let Some(channel) = &cq.channel {
        channel.enter(number, at, &cq.acks);
    }
    Ok(keep(cq))
}

/// A completion queue. The device has one vector for a program.
#[no_mangle]
unsafe extern "C" fn ibv_create_cq(
    context: *mut ibv_context,
    cqe: c_int,
    value: *mut c_void,
    channel: *mut ibv_comp_channel,
    vector: c_int,
) -> *mut ibv_cq {
    or_null(|| {
        let cqe = u32::try_from(cqe).map_err(|_| Errno::INVALID)?;
        if vector != 0 {
            return Err(Errno::INVALID);
        }
        create(context, cqe, value, channel, ibv_cq_ex::default())
    })
}

/// Another size. A queue that has the room already stays as it is.
#[no_mangle]
unsafe extern "C" fn ibv_resize_cq(cq: *mut ibv_cq, cqe: c_int) -> c_int {
    or_errno(|| {
        let object = find::<Cq>(cq)?;
        match u32::try_from(cqe) {
            Ok(1..) if cqe as u32 <= object.queue.slots() => Ok(()),
            Ok(1..) => Err(Errno::NOT_SUPPORTED),
            _ => Err(Errno::INVALID),
        }
    })
}

/// The end of a completion queue, which waits for acknowledgements. EBUSY: queue pairs are left.
pub fn destroy(cq: *mut ibv_cq) -> Result<(), Errno> {
    let object = take::<Cq>(cq)?;
    let number = object.queue.number();
    object.context.mailbox.leave(Member::Cq(number));
    if let Some(channel) = &object.channel {
        channel.leave(number);
    }
    let settled = object.acks.settle().and_then(|()| object.async_acks.settle());
    if settled.is_err() {
        // the program may still use what it was given
        keep(object);
    }
    settled
}

/// The end of a completion queue.
#[no_mangle]
unsafe extern "C" fn ibv_destroy_cq(cq: *mut ibv_cq) -> c_int {
    or_errno(|| destroy(cq))
}

/// Acknowledges events.
#[no_mangle]
unsafe extern "C" fn ibv_ack_cq_events(cq: *mut ibv_cq, count: u32) {
    or_nothing(|| {
        // a destroy that waits for this has taken the object: the pointer is as good as the
        // program's word
        // SAFETY: a program acknowledges events of a queue that it has not seen destroyed.
        unsafe { trust::<Cq>(cq) }.acks.ack(count);
        Ok(())
    })
}

/// Asks for an event of the next completion: called through the context.
pub unsafe extern "C" fn req_notify_cq(cq: *mut ibv_cq, solicited_only: c_int) -> c_int {
    or_errno(|| {
        // SAFETY: the program has the queue.
        let queue = &unsafe { trust::<Cq>(cq) }.queue;
        match queue.arm(if solicited_only == 0 { Arm::Next } else { Arm::Solicited }) {
            // nobody would be told
            Err(Error::NoChannel(_)) => Ok(()),
            armed => Ok(armed?),
        }
    })
}
