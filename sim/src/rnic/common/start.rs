// SPDX-License-Identifier: MIT OR Apache-2.0
//! Starts the threads of devices.
use super::conductor::Conductor;
use super::fabric::Fabric;
use super::meeting::Meeting;
use super::member::Member;
use crate::rnic::clock::Shared;
use crate::rnic::handle::Rnic;
use crate::rnic::order::RnicError;
use crate::rnic::part;
use crate::rnic::threads::text_of;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::channel;
use std::sync::Arc;
use std::time::Duration;

/// Starts a thread for each device; their clock is `shared`. `waits` is wall time for which time
/// stands still: when nothing moves, and behind each word of software or to software.
pub(in super::super) fn start(
    members: Vec<Member>,
    fabric: Fabric,
    waits: [Duration; 2],
    shared: &Arc<Shared>,
) -> Result<Vec<Rnic>, RnicError> {
    let tick = members.first().map_or(0, Member::tick);
    let conductor = Conductor::new(fabric, waits, tick, shared.clone());
    let meeting = Arc::new(Meeting::new(members.len(), conductor));
    let (ready, begun) = channel();
    let mut rnics = vec![];
    for (number, member) in members.into_iter().enumerate() {
        let (rnic, part) = part::end(shared);
        let (theirs, wake, ready) = (meeting.clone(), shared.wake.clone(), ready.clone());
        let body = move || {
            let run = AssertUnwindSafe(|| member.run(&theirs, (number, &part, &wake), ready));
            // a bench ends by unwinding; what it was is only dropped afterwards
            let why = match catch_unwind(run) {
                Ok(Ok(())) => return,
                Ok(Err(why)) => why,
                Err(panic) => text_of(&*panic),
            };
            theirs.fail(&why);
        };
        let thread = std::thread::Builder::new().name("ferrowarp-sim".into()).spawn(body);
        if let Err(why) = thread {
            let why = format!("no thread for the simulation: {why}");
            meeting.fail(&why);
            return Err(RnicError::Stopped(why));
        }
        rnics.push(rnic);
    }
    drop(ready);
    for rnic in &rnics {
        begun.recv().map_err(|_| rnic.stopped())?;
    }
    Ok(rnics)
}
