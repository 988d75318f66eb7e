// SPDX-License-Identifier: MIT OR Apache-2.0
//! Asynchronous events of one context: those of the device, and those of its own objects.
use crate::acks::Acks;
use crate::bell::Bell;
use crate::errno::Errno;
use crate::gen::*;
use ferrowarp::PlatformEvent;
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

/// Most events that wait; later ones are dropped.
const MOST: usize = 256;

/// An object of the context, by its number on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Member {
    /// A completion queue.
    Cq(u16),
    /// A queue pair.
    Qp(u16),
}

/// An event that waits for the program.
#[derive(Debug)]
pub struct Told {
    /// `IBV_EVENT_...`.
    pub kind: ibv_event_type,
    /// The program's pointer to the object, and its acknowledgements. `None`: the port or the
    /// device.
    pub object: Option<(usize, Arc<Acks>)>,
}

/// The events of a context.
#[derive(Debug)]
pub struct Mailbox {
    members: Mutex<BTreeMap<Member, (usize, Arc<Acks>)>>,
    events: Mutex<VecDeque<Told>>,
    /// Readable while an event waits.
    bell: Bell,
}

impl Mailbox {
    /// Without events.
    pub fn new() -> Result<Self, Errno> {
        let (members, events) = Default::default();
        Ok(Self { members, events, bell: Bell::new()? })
    }

    /// The descriptor that is readable while an event waits.
    pub fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// An object of the context is there, at the program's pointer `at`.
    pub fn enter(&self, member: Member, at: usize, acks: &Arc<Acks>) {
        self.members.lock().insert(member, (at, acks.clone()));
    }

    /// The program's pointer to an object of the context.
    pub fn pointer(&self, member: Member) -> Option<usize> {
        self.members.lock().get(&member).map(|(at, _)| *at)
    }

    /// An object is gone, and its events with it.
    pub fn leave(&self, member: Member) {
        let Some((at, _)) = self.members.lock().remove(&member) else { return };
        let is_other = |told: &Told| told.object.as_ref().is_none_or(|(object, _)| *object != at);
        let mut events = self.events.lock();
        events.retain(is_other);
        if events.is_empty() {
            self.bell.lower();
        }
    }

    /// The device has told of this.
    pub fn tell(&self, event: &PlatformEvent) {
        let (kind, member) = match event {
            PlatformEvent::LinkUp => (IBV_EVENT_PORT_ACTIVE, None),
            PlatformEvent::LinkDown => (IBV_EVENT_PORT_ERR, None),
            PlatformEvent::CqOverrun(cq) => (IBV_EVENT_CQ_ERR, Some(Member::Cq(*cq))),
            PlatformEvent::QpFatal(qp) => (IBV_EVENT_QP_FATAL, Some(Member::Qp(*qp))),
            PlatformEvent::QpRequest(qp) => (IBV_EVENT_QP_REQ_ERR, Some(Member::Qp(*qp))),
            PlatformEvent::QpAccess(qp) => (IBV_EVENT_QP_ACCESS_ERR, Some(Member::Qp(*qp))),
            // rdma-core has no such events
            _ => return,
        };
        let object = match member.map(|member| self.members.lock().get(&member).cloned()) {
            // of another context
            Some(None) => return,
            Some(object) => object,
            None => None,
        };
        self.put(Told { kind, object });
    }

    /// The device does nothing any more.
    pub fn ended(&self) {
        self.put(Told { kind: IBV_EVENT_DEVICE_FATAL, object: None });
    }

    fn put(&self, told: Told) {
        let mut events = self.events.lock();
        if events.len() < MOST {
            events.push_back(told);
        }
        self.bell.raise();
    }

    /// The oldest event. It is to be acknowledged.
    pub fn take(&self) -> Option<Told> {
        let mut events = self.events.lock();
        let told = events.pop_front();
        if let Some((_, acks)) = told.as_ref().and_then(|told| told.object.as_ref()) {
            acks.give();
        }
        if events.is_empty() {
            self.bell.lower();
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    fn is_raised(mailbox: &Mailbox) -> bool {
        let mut poll = libc::pollfd { fd: mailbox.bell().as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one entry, which this function owns.
        unsafe { libc::poll(&mut poll, 1, 0) == 1 }
    }

    #[test]
    fn events_of_the_port_and_of_own_objects_wait_and_those_of_others_do_not() {
        let mailbox = Mailbox::new().unwrap();
        let acks = Arc::new(Acks::default());
        mailbox.enter(Member::Qp(3), 0x1000, &acks);
        mailbox.tell(&PlatformEvent::QpFatal(4));
        assert!(mailbox.take().is_none() && !is_raised(&mailbox));
        mailbox.tell(&PlatformEvent::LinkUp);
        mailbox.tell(&PlatformEvent::QpFatal(3));
        assert!(is_raised(&mailbox));
        let (port, qp) = (mailbox.take().unwrap(), mailbox.take().unwrap());
        assert_eq!((port.kind, port.object.is_none()), (IBV_EVENT_PORT_ACTIVE, true));
        assert_eq!((qp.kind, qp.object.unwrap().0), (IBV_EVENT_QP_FATAL, 0x1000));
        assert!(mailbox.take().is_none() && !is_raised(&mailbox));
    }

    #[test]
    fn the_events_of_an_object_go_with_it() {
        let mailbox = Mailbox::new().unwrap();
        mailbox.enter(Member::Cq(0), 0x1000, &Arc::default());
        mailbox.tell(&PlatformEvent::CqOverrun(0));
        mailbox.leave(Member::Cq(0));
        assert!(mailbox.take().is_none() && !is_raised(&mailbox));
    }
}
