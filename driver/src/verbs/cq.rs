// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completion queues: what the hardware wrote, then what queue pairs in error leave.
mod fault_slot;
mod late;
mod state;
#[cfg(test)]
mod tests;

use super::channel::{Arm, ChannelShared, CompletionChannel};
use super::phase::Disturbed;
use super::qp_shared::QpShared;
use super::types::Completion;
use crate::admin;
use crate::backend::{left, BackendError, Closing};
use crate::deadline::end_of;
use crate::error::Error;
use crate::notice::{Notice, Tells};
use crate::numbers::Number;
use crate::process::Process;
use crate::rings::CompletionRing;
use crate::shared::Shared;
pub(super) use fault_slot::FaultSlot;
use ferrowarp_abi::codec::CqRow;
use ferrowarp_abi::consts::admin_opcode;
use late::Late;
use parking_lot::{Mutex, MutexGuard};
use state::CqState;
use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::atomic::{fence, AtomicBool, AtomicI32, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

/// Naps between looks for a completion, until the hardware is asked to interrupt: an event costs
/// the device more than a look, and most completions come soon.
const LONGEST_NAP: Duration = Duration::from_micros(320);
const SHORTEST_NAP: Duration = Duration::from_micros(20);
/// What is waited for.
const WAITED: &str = "a completion";

/// For nothing, for a solicited completion or an error, for any completion: a later one contains
/// those before it.
const NOT_ARMED: u8 = 0;
const ARMED_SOLICITED: u8 = 1;
const ARMED_NEXT: u8 = 2;

/// Slots of a queue that does not count them: no number of posts reaches its end.
const UNCOUNTED: i32 = 1 << 30;

/// A completion queue.
#[derive(Debug, Clone)]
pub struct CompletionQueue(pub(crate) Arc<CqShared>);

#[derive(Debug)]
pub(crate) struct CqShared {
    pub(crate) number: Number,
    channel: Option<Arc<ChannelShared>>,
    /// Interrupt of its events, if it has one.
    interrupt: Option<Arc<OwnedFd>>,
    /// Of those who wait for a completion, from the first one on.
    notice: OnceLock<Notice>,
    /// A queue pair in error may have left something since it was last flushed.
    disturbed: Disturbed,
    /// The channel is told of the next completion.
    is_armed: AtomicBool,
    /// For what the device is armed, until its event was taken: [`NOT_ARMED`], [`ARMED_SOLICITED`]
    /// or [`ARMED_NEXT`].
    armed: AtomicU8,
    /// Slots for which no completion is outstanding, far more than there are if they are not
    /// counted.
    room: AtomicI32,
    process: Process,
    slots: u32,
    state: Mutex<CqState>,
    end: Closing,
}

/// How a completion queue is made, with [`crate::Device::completion_queue_of`]. By default it has
/// room for the two queues of a queue pair of default size.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct CqOptions<'a> {
    /// Completions for which there is room at least.
    pub entries: u32,
    /// Where it is told of, if it is armed.
    pub channel: Option<&'a CompletionChannel>,
    /// A post whose completion might find no slot is refused. Without this it is up to the
    /// application: a queue that overruns stops its queue pairs, and the device tells
    /// [`PlatformEvent::CqOverrun`](crate::PlatformEvent::CqOverrun).
    pub is_counted: bool,
}

impl Default for CqOptions<'_> {
    fn default() -> Self {
        Self { entries: 256, channel: None, is_counted: true }
    }
}

impl<'a> CqOptions<'a> {
    /// Completions for which there is room at least.
    pub fn entries(self, entries: u32) -> Self {
        Self { entries, ..self }
    }

    /// Where the queue is told of, if it is armed.
    pub fn channel(self, channel: &'a CompletionChannel) -> Self {
        Self { channel: Some(channel), ..self }
    }

    /// Whether a post whose completion might find no slot is refused.
    pub fn is_counted(self, is_counted: bool) -> Self {
        Self { is_counted, ..self }
    }
}

impl CompletionQueue {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        log2: u8,
        channel: Option<&CompletionChannel>,
        is_counted: bool,
    ) -> Result<Self, Error> {
        let number = Number::new(shared, |shared| &shared.cqs)?;
        shared.events.forget_cq(number.index);
        // before the device has the queue: nothing behind that may fail
        let interrupt = shared.steer(number.index)?.cloned();
        if let (Some(interrupt), Some(channel)) = (&interrupt, channel) {
            channel.0.notice.watch(interrupt, device_of(shared))?;
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
        let channel = channel.map(|channel| channel.0.clone());
        let (disturbed, is_armed, armed) = Default::default();
        let cq = Arc::new(CqShared {
            number,
            channel,
            interrupt,
            notice: OnceLock::new(),
            disturbed,
            is_armed,
            armed,
            room,
            process: Process::this(),
            slots,
            state: Mutex::new(state),
            end: Closing::default(),
        });
        shared.keep_cq(&cq);
        Ok(Self(cq))
    }

    /// The next completion, if there is one. An entry that cannot be is an error, and the queue
    /// goes on behind it.
    pub fn poll(&self) -> Result<Option<Completion>, Error> {
        let mut next = None;
        self.0.poll(1, |completion| next = Some(completion))?;
        Ok(next)
    }

    /// Up to `most` completions, which are put behind those in `into`: how many there were. Slots
    /// are given back to the device once for all of them, and nothing is allocated if `into` has
    /// room. An entry that cannot be ends a batch, and is the error of the next poll if there were
    /// completions before it.
    pub fn poll_into(&self, into: &mut Vec<Completion>, most: usize) -> Result<usize, Error> {
        self.0.poll(most, |completion| {
            if into.len() == into.capacity() {
                grow(into);
            }
            into.push(completion);
        })
    }

    /// The next completion, which is waited for: by looks at first, then until the hardware's event
    /// comes. The queue needs no channel.
    pub fn wait(&self, most: Duration) -> Result<Completion, Error> {
        let (end, mut nap) = (end_of(most), SHORTEST_NAP);
        loop {
            if let Some(completion) = self.poll()? {
                return Ok(completion);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::TimedOut { what: WAITED, waited: most });
            }
            if nap <= LONGEST_NAP {
                std::thread::sleep(nap.min(left));
                nap *= 2;
                continue;
            }
            let notice = self.0.notice()?;
            if let Some(completion) = self.0.look(notice)? {
                return Ok(completion);
            }
            notice.sleep(left)?;
        }
    }

    /// The channel is told once when there is a completion of this kind that was not polled, also
    /// if it is there already.
    pub fn arm(&self, kind: Arm) -> Result<(), Error> {
        match self.0.channel {
            Some(_) => self.0.arm(kind),
            None => Err(Error::NoChannel(self.0.number.index)),
        }
    }

    /// The next completion, which a task waits for; the queue needs no channel. The hardware's
    /// event wakes it.
    #[cfg(feature = "tokio")]
    pub async fn wait_async(&self, most: Duration) -> Result<Completion, Error> {
        let notice = self.0.notice()?;
        notice.until(most, WAITED, || self.0.look(notice)).await
    }

    /// Its number on the device, which
    /// [`PlatformEvent::CqOverrun`](crate::PlatformEvent::CqOverrun) names.
    pub fn number(&self) -> u16 {
        self.0.number.index
    }

    /// Entries that fit: one for each signaled request and each receive that is posted and whose
    /// completion was not polled, and one for the fault of each queue pair. A post beyond that is
    /// [`Error::NoSlot`].
    pub fn slots(&self) -> u32 {
        self.0.slots
    }
}

impl CqShared {
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
    fn state(&self) -> MutexGuard<'_, CqState> {
        self.state.lock()
    }

    /// Somebody polls.
    #[cfg(test)]
    pub(super) fn is_locked(&self) -> bool {
        self.state.is_locked()
    }

    pub(crate) fn attach(&self, qp: &Arc<QpShared>) {
        let mut state = self.state();
        let place = usize::from(qp.number.index);
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

    fn arm(self: &Arc<Self>, kind: Arm) -> Result<(), Error> {
        if !self.process.is_here() {
            return Err(forked());
        }
        let mut late = Late::default();
        let state = self.state();
        self.is_armed.store(true, Ordering::SeqCst);
        // who flushes something behind this look sees that it is armed
        fence(Ordering::SeqCst);
        // the hardware knows nothing of what is flushed, which is an error and counts for both
        // kinds
        if state.is_flushing(self, &mut late) {
            drop(state);
            self.notify();
            return Ok(());
        }
        // the event of an earlier arm is still to come, or is in the ring: one more would need a
        // slot there
        let wanted = if kind == Arm::Solicited { ARMED_SOLICITED } else { ARMED_NEXT };
        let before = self.armed.fetch_max(wanted, Ordering::SeqCst);
        if before >= wanted {
            return Ok(());
        }
        // a device that was not told makes no event: the next arm tells it
        state.ring.arm(kind == Arm::Solicited).inspect_err(|_| {
            // an event that was taken meanwhile has said more
            let _ = self.armed.compare_exchange(wanted, before, Ordering::SeqCst, Ordering::SeqCst);
        })
    }

    /// What tells those who wait for a completion.
    fn notice(&self) -> Result<&Notice, Error> {
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
    fn look(self: &Arc<Self>, notice: &Notice) -> Result<Option<Completion>, Error> {
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

    /// The device's event was taken: an arm makes another one.
    pub(crate) fn told(self: &Arc<Self>) {
        self.armed.store(NOT_ARMED, Ordering::SeqCst);
        self.notify();
    }

    /// The hardware, or a queue pair in error, has something. No lock of the queue is taken: who
    /// takes a completion may post.
    pub(crate) fn notify(self: &Arc<Self>) {
        let was_armed = self.is_armed.swap(false, Ordering::SeqCst);
        if let Some(notice) = self.notice.get() {
            notice.raise();
        }
        if let Some(channel) = self.channel.as_ref().filter(|_| was_armed) {
            channel.tell(self);
        }
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
        let (mut taken, mut count, mut slots) = state.polled(self, most, &mut sink, &mut late);
        let may_flush = |state: &CqState| self.disturbed.is_told() || !state.flushed.is_empty();
        if count < most && may_flush(&state) && state.bad.is_none() {
            let (again, more, freed) = state.flushed(self, most - count, &mut sink, &mut late);
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

/// A device, as those see it who take its events.
fn device_of(shared: &Arc<Shared>) -> Weak<dyn Tells> {
    // the type is what the allocation has
    let device: Arc<dyn Tells> = shared.clone();
    Arc::downgrade(&device)
}

/// Room for a completion more. `push` would ask for it too, but not as a rare case: the completion
/// would go by the stack.
#[cold]
#[inline(never)]
fn grow(into: &mut Vec<Completion>) {
    into.reserve(1);
}

/// This process has no rings: it is a child of the one whose they are.
#[cold]
#[inline(never)]
pub(super) fn forked() -> Error {
    Error::Backend(BackendError::Forked)
}

/// The same queue.
impl PartialEq for CompletionQueue {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Drop for CqShared {
    fn drop(&mut self) {
        let (backend, index) = (&*self.number.shared.backend, self.number.index);
        let row = CqRow::default().octets();
        let until = self.end.begin();
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
