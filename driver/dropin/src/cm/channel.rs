// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event channels: a queue of events, and a descriptor that is readable while the queue has some.
use super::event::Happened;
use crate::bell::{owned, Bell};
use crate::errno::Errno;
use crate::gen::*;
use crate::live::{Object, Shown, Users};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// An event channel.
#[repr(C)]
#[derive(Debug)]
pub struct EventChannel {
    shown: Shown<rdma_event_channel>,
    users: Users,
    waiting: Mutex<VecDeque<Happened>>,
    /// Raised while an event waits. It does not block whatever the program does to the set.
    bell: Bell,
    /// The descriptor of the program: it has the bell.
    set: OwnedFd,
}

// SAFETY: `repr(C)`, and `shown` is the first field.
unsafe impl Object for EventChannel {
    type C = rdma_event_channel;
    const AT: usize = 0;

    fn users(&self) -> &Users {
        &self.users
    }
}

impl EventChannel {
    /// Without events. The error is the system's, of a process with too many descriptors.
    pub fn new() -> Result<Self, Errno> {
        let bell = Bell::new()?;
        // SAFETY: a call without pointers.
        let set = owned(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
        let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: 0 };
        let fds = (set.as_raw_fd(), bell.as_fd().as_raw_fd());
        // SAFETY: both descriptors are open, and the event is this frame's.
        if unsafe { libc::epoll_ctl(fds.0, libc::EPOLL_CTL_ADD, fds.1, &mut event) } == -1 {
            return Err(Errno::last());
        }
        let shown = Shown::new(rdma_event_channel { fd: fds.0 });
        let (users, waiting) = Default::default();
        Ok(Self { shown, users, waiting, bell, set })
    }

    /// The descriptor that is readable while an event waits.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.set.as_fd()
    }

    /// An event comes.
    pub fn put(&self, happened: Happened) {
        let mut waiting = self.waiting.lock();
        waiting.push_back(happened);
        self.bell.raise();
    }

    /// Gives the oldest event to the program.
    pub fn give(&self) -> Option<*mut rdma_cm_event> {
        let mut waiting = self.waiting.lock();
        let oldest = waiting.pop_front();
        if waiting.is_empty() {
            self.bell.lower();
        }
        // under the lock: who withdraws events later finds them counted
        oldest.map(Happened::give)
    }

    /// Takes the events back that wait for one identifier.
    pub fn withdraw(&self, id: *const rdma_cm_id) -> Vec<Happened> {
        let mut waiting = self.waiting.lock();
        let is_of = |happened: &Happened| happened.payer().pointer().cast_const() == id;
        let (mine, others) = std::mem::take(&mut *waiting).into_iter().partition(is_of);
        *waiting = others;
        if waiting.is_empty() {
            self.bell.lower();
        }
        VecDeque::into(mine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acks::Acks;
    use crate::cm::event::{acknowledge, Party};
    use std::sync::Arc;

    #[derive(Debug, Default)]
    struct Thing(Acks, u64);

    impl Party for Thing {
        fn pointer(&self) -> *mut rdma_cm_id {
            (&raw const self.1).cast_mut().cast()
        }

        fn acks(&self) -> &Acks {
            &self.0
        }

        fn appear(self: Arc<Self>) {}
    }

    fn is_raised(channel: &EventChannel) -> bool {
        let mut poll = libc::pollfd { fd: channel.fd().as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one entry, which this function owns.
        unsafe { libc::poll(&mut poll, 1, 0) == 1 }
    }

    #[test]
    fn a_channel_is_readable_while_an_event_waits_and_events_of_an_id_are_withdrawn() {
        let channel = EventChannel::new().unwrap();
        let things = [Arc::new(Thing::default()), Arc::new(Thing::default())];
        assert!(!is_raised(&channel) && channel.give().is_none());
        for (nth, thing) in things.iter().enumerate() {
            channel.put(Happened::new(nth as u32, 0, thing.clone()));
        }
        assert!(is_raised(&channel));
        assert_eq!(channel.withdraw(things[0].pointer()).len(), 1);
        let event = channel.give().unwrap();
        assert!(!is_raised(&channel));
        // SAFETY: the event is held here.
        assert_eq!(unsafe { ((*event).id, (*event).event) }, (things[1].pointer(), 1));
        acknowledge(event).unwrap();
        assert!(acknowledge(event).is_err(), "acknowledged twice");
    }
}
