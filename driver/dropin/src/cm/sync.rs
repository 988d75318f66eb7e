// SPDX-License-Identifier: MIT OR Apache-2.0
//! Synchronous identifiers: a call waits for its event, which stays at `id->event` until the next
//! call.
use super::event::acknowledge;
use super::id::Id;
use crate::errno::Errno;
use crate::gen::*;
use crate::wait;
use std::time::Duration;

/// Longest wait of a call for its event.
const MOST: Duration = Duration::from_secs(120);

/// Gives up the event that an identifier has.
pub fn forget(id: &Id) {
    // SAFETY: the identifier is there, and the program calls this.
    let event = unsafe { std::mem::replace(&mut (*id.at()).event, std::ptr::null_mut()) };
    if !event.is_null() {
        // the program may have given it back itself
        let _ = acknowledge(event);
    }
}

/// Waits for the event of a call, if the identifier is synchronous. The error is the event's
/// status. ETIMEDOUT: no event comes in two minutes.
pub fn complete(id: &Id) -> Result<(), Errno> {
    if !id.is_sync() {
        return Ok(());
    }
    forget(id);
    let channel = id.channel();
    let event = wait::within(channel.fd(), MOST, || Ok(channel.give()))?;
    // SAFETY: the identifier and the event are there, and the program calls this.
    let status = unsafe {
        (*id.at()).event = event;
        (*event).status
    };
    match status {
        0 => Ok(()),
        status => Err(Errno(status.saturating_neg())),
    }
}

/// The same, and whether the event is of this kind.
pub fn complete_as(id: &Id, kind: rdma_cm_event_type) -> Result<(), Errno> {
    complete(id)?;
    // SAFETY: as above.
    match unsafe { (*id.at()).event.as_ref() } {
        Some(event) if event.event != kind => Err(Errno::INVALID),
        _ => Ok(()),
    }
}
