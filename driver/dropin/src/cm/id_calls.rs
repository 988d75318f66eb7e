// SPDX-License-Identifier: MIT OR Apache-2.0
//! Identifiers: made, moved to another channel, and ended.
use super::channel::EventChannel;
use super::ends;
use super::event::Party;
use super::id::Id;
use super::phase::Phase;
use super::sync;
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::or_minus;
use crate::live::{find, keep, take, Object};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

fn channel(channel: *mut rdma_event_channel) -> Result<Option<Arc<EventChannel>>, Errno> {
    (!channel.is_null()).then(|| find(channel)).transpose()
}

/// An identifier for reliable connections. Without a channel the calls are synchronous.
pub fn create(
    on: *mut rdma_event_channel,
    value: *mut c_void,
    space: rdma_port_space,
) -> Result<*mut rdma_cm_id, Errno> {
    if space != RDMA_PS_TCP {
        return Err(Errno::NOT_SUPPORTED);
    }
    Ok(keep(Id::new(channel(on)?.as_ref(), value)?))
}

/// An identifier.
#[no_mangle]
unsafe extern "C" fn rdma_create_id(
    channel: *mut rdma_event_channel,
    to: *mut *mut rdma_cm_id,
    value: *mut c_void,
    space: rdma_port_space,
) -> c_int {
    or_minus(|| {
        if to.is_null() {
            return Err(Errno::INVALID);
        }
        // SAFETY: the program gives room for a pointer.
        unsafe { to.write(create(channel, value, space)?) };
        Ok(0)
    })
}

/// The end of an identifier, which waits for acknowledgements and for the end of the connection.
/// EBUSY: events are not acknowledged.
pub fn destroy(id: *mut rdma_cm_id) -> Result<(), Errno> {
    let object = take::<Id>(id)?;
    sync::forget(&object);
    ends::settle(&object);
    let phase = std::mem::replace(&mut object.inner.lock().phase, Phase::Over);
    // what goes takes its descriptors from the watcher, and resets requests without an answer
    drop(phase);
    drop(object.withdraw());
    let settled = object.acks().settle();
    match (&settled, object.is_sync()) {
        // the program may still use what it was given
        (Err(_), _) => drop(keep(object)),
        (Ok(()), true) => {
            let own = object.channel().pointer();
            drop(object);
            // behind the identifier nobody has the channel
            drop(take::<EventChannel>(own));
        }
        (Ok(()), false) => {}
    }
    settled
}

/// The end of an identifier.
#[no_mangle]
unsafe extern "C" fn rdma_destroy_id(id: *mut rdma_cm_id) -> c_int {
    or_minus(|| destroy(id).map(|()| 0))
}

/// Moves an identifier, and the events that wait, to another channel; without one the calls are
/// synchronous from now on. Events that were given are acknowledged before.
pub fn migrate(id: *mut rdma_cm_id, to: *mut rdma_event_channel) -> Result<(), Errno> {
    let object = find::<Id>(id)?;
    sync::forget(&object);
    object.acks().settle()?;
    let own = object.is_sync().then(|| object.channel());
    object.migrate(channel(to)?.as_ref())?;
    if let Some(own) = own {
        drop(take::<EventChannel>(own.pointer()));
    }
    Ok(())
}

/// Moves an identifier to another channel.
#[no_mangle]
unsafe extern "C" fn rdma_migrate_id(id: *mut rdma_cm_id, channel: *mut rdma_event_channel) -> c_int {
    or_minus(|| migrate(id, channel).map(|()| 0))
}

/// An option. Ports of listeners are free at once, so that their reuse changes nothing.
#[no_mangle]
unsafe extern "C" fn rdma_set_option(
    id: *mut rdma_cm_id,
    level: c_int,
    name: c_int,
    value: *mut c_void,
    length: usize,
) -> c_int {
    or_minus(|| {
        find::<Id>(id)?;
        match (level as u32, name as u32) {
            (RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR) if !value.is_null() && length == 4 => Ok(0),
            (RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR) => Err(Errno::INVALID),
            _ => Err(Errno::NOT_SUPPORTED),
        }
    })
}
