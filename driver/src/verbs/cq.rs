// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the handles of a completion queue share: what the hardware wrote, then what queue pairs in
//! error leave. `Q` is the queue pairs, which stand above.
pub(super) mod armed;
mod fault_slot;
mod late;
mod state;
#[cfg(test)]
mod tests;

use super::completes::Completes;
use super::phase::Disturbed;
use super::ready::Ready;
use super::types::{Arm, Completion};
use crate::admin;
use crate::backend::{left, BackendError, Closing};
use crate::error::Error;
use crate::notice::{Notice, Tells};
use crate::number::Number;
use crate::objects::Notified;
use crate::process::Process;
use crate::rings::CompletionRing;
use crate::shared::Shared;
use armed::Armed;
pub(super) use fault_slot::FaultSlot;
use ferrowarp_abi::codec::CqRow;
use ferrowarp_abi::consts::admin_opcode;
use late::Late;
use parking_lot::{Mutex, MutexGuard};
use state::CqState;
use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

/// Slots of a queue that does not count them: no number of posts reaches its end.
const UNCOUNTED: i32 = 1 << 30;

#[derive(Debug)]
pub(crate) struct CqShared<Q: Completes> {
    pub(crate) number: Number,
    pub(super) channel: Option<Arc<Ready<Self>>>,
    /// Interrupt of its events, if it has one.
    interrupt: Option<Arc<OwnedFd>>,
    /// Of those who wait for a completion, from the first one on.
    notice: OnceLock<Notice>,
    /// A queue pair in error may have left something since it was last flushed.
    disturbed: Disturbed,
    armed: Armed,
    /// Slots for which no completion is outstanding, far more than there are if they are not
    /// counted.
    room: AtomicI32,
    process: Process,
    pub(super) slots: u32,
    state: Mutex<CqState<Q>>,
    end: Closing,
}

impl<Q: Completes> CqShared<Q> {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        log2: u8,
        channel: Option<&Arc<Ready<Self>>>,
        is_counted: bool,
    ) -> Result<Arc<Self>, Error> {
        let number = Number::new(shared, |shared| &shared.cqs)?;
        shared.events.forget_cq(number.index);
        // before the device has the queue: nothing behind that may fail
        let interrupt = shared.steer(number.index)?.cloned();
        if let (Some(interrupt), Some(channel)) = (&interrupt, channel) {
            channel.notice.watch(interrupt, device_of(shared))?;
        }
        let mut ring = CompletionRing::new(&shared.backend, number.index, log2)?;
        let row = ring.row().octets();
        if let Err(why) = admin::command(&*shared.backend, admin_opcode::CQ_WRITE, number.index, row) {
            if !why.is_refusal() {
                ring.keep();
                number.keep();
            }
            return Err(why.into());
        }
        let slots = ring.slots();
        let room = AtomicI32::new(if is_counted { slots as i32 } else { UNCOUNTED });
        let state = CqState { ring, flushed: VecDeque::new(), qps: vec![], bad: None };
        let channel = channel.cloned();
        let (disturbed, armed) = Default::default();
        let cq = Arc::new(Self {
            number,
            channel,
            interrupt,
            notice: OnceLock::new(),
            disturbed,
            armed,
            room,
            process: Process::this(),
            slots,
            state: Mutex::new(state),
            end: Closing::default(),
        });
        let kept: Arc<dyn Notified> = cq.clone();
        shared.cqs_by_number.keep(cq.number.index, Arc::downgrade(&kept));
        Ok(cq)
    }

    /// Keeps a slot for a completion.
    #[inline(always)]
    pub(super) fn reserve(&self) -> Result<(), Error> {
        match self.room.fetch_sub(1, Ordering::Relaxed) {
            1.. => Ok(()),
            _ => Err(self.is_full()),
        }
    }

    #[cold]
    #[inline(never)]
    fn is_full(&self) -> Error {
        self.release(1);
        Error::NoSlot { cq: self.number.index, slots: self.slots, taken: self.slots }
    }

    /// Slots that were given back to the device, or that no completion needs any more.
    #[inline(always)]
    pub(super) fn release(&self, slots: u32) {
        self.room.fetch_add(slots as i32, Ordering::Relaxed);
    }

    /// A thread that panicked while it held the lock left an index behind or ahead of nothing: each
    /// change is one step.
    fn state(&self) -> MutexGuard<'_, CqState<Q>> {
        self.state.lock()
    }

    /// Somebody polls.
    #[cfg(test)]
    pub(super) fn is_locked(&self) -> bool {
        self.state.is_locked()
    }

    pub(crate) fn attach(&self, qp: &Arc<Q>) {
        let mut state = self.state();
        let place = usize::from(qp.number());
        if state.qps.len() <= place {
            state.qps.resize(place + 1, Weak::new());
        }
        state.qps[place] = Arc::downgrade(qp);
    }

    /// There is no completion, and of a device that is gone none comes any more.
    #[cold]
    #[inline(never)]
    fn has_none(&self) -> Result<usize, Error> {
        Ok(self.number.shared.backend.lives().map(|()| 0)?)
    }

    /// A queue pair is gone: what is left of it here would be taken for the work of the next one
    /// with its number. If the device has answered that it writes nothing more for it, the slots go
    /// back to the device. This ends at `until`. The answer is whether number and slots may be used
    /// again. No lock is held by the caller.
    pub(super) fn forget(&self, number: u16, is_answered: bool, until: Instant) -> bool {
        // a child has no ring, and a lock of its may be held by nobody
        if !self.process.is_here() {
            return true;
        }
        let Some(mut state) = self.state.try_lock_for(left(until)) else {
            tracing::error!(
                number,
                "a completion queue waits for its device, and keeps a queue pair that is gone"
            );
            return false;
        };
        state.flushed.retain(|completion| completion.qp != number);
        if !is_answered {
            return false;
        }
        if let Some(qp) = state.qps.get_mut(usize::from(number)) {
            *qp = Weak::new();
        }
        let told = if state.ring.forget(number) { state.ring.ring_by(until) } else { Ok(()) };
        match told {
            Ok(()) => true,
            // no slot of such a device is used any more
            Err(Error::Backend(why)) if why.is_gone() => true,
            Err(why) => {
                tracing::error!(number, %why, "slots of a queue pair that is gone are not given back");
                false
            }
        }
    }

    /// Whether completions of a queue pair wait that was flushed.
    pub(super) fn has_flushed(&self, number: u16) -> bool {
        self.state().flushed.iter().any(|completion| completion.qp == number)
    }

    /// A queue pair in error left something, or will: the next poll asks them all.
    pub(super) fn disturb(&self) {
        self.disturbed.tell();
    }

    /// The oldest completion of a kind that was neither polled nor told of is told of.
    pub(super) fn arm(self: &Arc<Self>, kind: Arm) -> Result<(), Error> {
        if !self.process.is_here() {
            return Err(forked());
        }
        let mut late = Late::default();
        let state = self.state();
        self.armed.ask();
        // the hardware knows nothing of what is flushed, which is an error and counts for both
        // kinds
        if state.is_flushing(&self.number, &mut late) {
            drop(state);
            self.clone().notify();
            return Ok(());
        }
        let Some(telling) = self.armed.arm(kind) else { return Ok(()) };
        state.ring.arm(kind == Arm::Solicited).inspect_err(|_| self.armed.undo(&telling))
    }

    /// What tells those who wait for a completion.
    pub(super) fn notice(&self) -> Result<&Notice, Error> {
        if let Some(notice) = self.notice.get() {
            return Ok(notice);
        }
        let notice = Notice::new()?;
        if let Some(interrupt) = &self.interrupt {
            notice.watch(interrupt, device_of(&self.number.shared))?;
        }
        Ok(self.notice.get_or_init(|| notice))
    }

    /// The next completion. If there is none, the notice tells of the next one.
    pub(super) fn look(self: &Arc<Self>, notice: &Notice) -> Result<Option<Completion>, Error> {
        notice.lower();
        notice.collect()?;
        let mut next = None;
        self.poll(1, |completion| next = Some(completion))?;
        if next.is_none() {
            // what came between the look and the arm is there at the second look
            self.arm(Arm::Next)?;
            self.poll(1, |completion| next = Some(completion))?;
        }
        if next.is_some() {
            // others who wait look, too: the event may have been of several completions
            notice.raise();
        }
        Ok(next)
    }

    /// Gives up to `most` completions to `sink`: how many.
    #[inline(always)]
    pub(super) fn poll(&self, most: usize, mut sink: impl FnMut(Completion)) -> Result<usize, Error> {
        if !self.process.is_here() {
            return Err(forked());
        }
        // goes after the lock
        let mut late = Late::default();
        let mut state = self.state();
        if let Some(why) = state.bad.take() {
            return Err(why);
        }
        let (mut taken, mut count, mut slots) = state.polled(&self.number, most, &mut sink, &mut late);
        let may_flush = |state: &CqState<Q>| self.disturbed.is_told() || !state.flushed.is_empty();
        if count < most && may_flush(&state) && state.bad.is_none() {
            let (again, more, freed) =
                state.flushed((&self.number, &self.disturbed), most - count, &mut sink, &mut late);
            taken |= again;
            count += more;
            slots += freed;
        }
        if taken {
            state.ring.ring()?;
            // the device knows of the free slots before a post relies on them
            self.release(slots);
        }
        match count {
            0 => state.bad.take().map_or_else(|| self.has_none(), Err),
            // behind completions an entry that could not be waits for the next poll
            _ => Ok(count),
        }
    }
}

impl<Q: Completes> CqShared<Q> {
    /// Who waits hears that there is something; the channel does if it is to be told. No lock of
    /// the queue is taken: who takes a completion may post.
    fn tell(self: &Arc<Self>, is_for_channel: bool) {
        if let Some(notice) = self.notice.get() {
            notice.raise();
        }
        if let Some(channel) = self.channel.as_ref().filter(|_| is_for_channel) {
            channel.tell(self);
        }
    }
}

impl<Q: Completes> Notified for CqShared<Q> {
    fn told(self: Arc<Self>) {
        let is_for_channel = self.armed.event();
        self.tell(is_for_channel);
    }

    fn notify(self: Arc<Self>) {
        let is_for_channel = self.armed.flushes();
        self.tell(is_for_channel);
    }
}

/// A device, as those see it who take its events.
fn device_of(shared: &Arc<Shared>) -> Weak<dyn Tells> {
    // the type is what the allocation has
    let device: Arc<dyn Tells> = shared.clone();
    Arc::downgrade(&device)
}

/// This process has no rings: it is a child of the one whose they are.
#[cold]
#[inline(never)]
pub(super) fn forked() -> Error {
    Error::Backend(BackendError::Forked)
}

impl<Q: Completes> Drop for CqShared<Q> {
    fn drop(&mut self) {
        let (backend, index) = (&*self.number.shared.backend, self.number.index);
        let row = CqRow::default().octets();
        let until = self.end.begin(backend.ends_within());
        self.state.get_mut().ring.ends_by(until);
        // a queue pair that was not reset may still complete here: the device is not asked again
        if self.number.is_kept()
            || admin::take_out(backend, admin_opcode::CQ_WRITE, index, row, left(until)).is_err()
        {
            self.number.keep();
            self.state.get_mut().ring.keep();
        }
    }
}
