// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of a connection that the program gives up: nothing of it is left on the wire when the
//! call returns.
use super::id::{Id, Inner};
use super::phase::Phase;
use std::time::Duration;

/// Longest wait for the end: the device ends by itself what has begun to close, after five seconds
/// of its own clock.
const MOST: Duration = Duration::from_secs(10);

/// Waits for the end of a connection that closes, and resets any other. Behind this no connection
/// of the identifier is there, but for a device that does not answer.
pub fn settle(id: &Id) {
    let mut inner = id.inner.lock();
    begin(&inner);
    let waited = id.changed.wait_while_for(&mut inner, |inner| inner.phase.is_live(), MOST);
    if waited.timed_out() && inner.phase.is_live() {
        tracing::warn!(id = ?id.at(), "a connection does not end in {MOST:?}: it is left to the device");
    }
}

/// Resets what does not close.
fn begin(inner: &Inner) {
    let reset = match &inner.phase {
        Phase::Connecting(makes) => makes.pair.to_error(),
        Phase::Connected(link) if !link.is_closing => link.connection.queue_pair().to_error(),
        _ => Ok(()),
    };
    if let Err(why) = reset {
        tracing::debug!(%why, "a connection ends with the device");
    }
}
