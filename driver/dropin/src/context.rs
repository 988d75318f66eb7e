// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device as a program has it open, and its asynchronous events.
use crate::bell::owned;
use crate::devices::{Entry, Opened};
use crate::errno::Errno;
use crate::gen::*;
use crate::live::{Object, Shown, Users};
use crate::mailbox::{Mailbox, Told};
use std::mem::{offset_of, size_of};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// What a program has open.
#[repr(C)]
#[derive(Debug)]
pub struct Context {
    shown: Shown<verbs_context>,
    users: Users,
    /// What was opened.
    pub entry: &'static Entry,
    /// The open device, which other contexts may share.
    pub opened: Arc<Opened>,
    /// Asynchronous events.
    pub mailbox: Arc<Mailbox>,
    /// Readable while an event waits in the mailbox or on the device: `async_fd`.
    set: OwnedFd,
    is_over: AtomicBool,
}

// SAFETY: `repr(C)`, and `context` is inside of `shown`, the first field.
unsafe impl Object for Context {
    type C = ibv_context;
    const AT: usize = offset_of!(verbs_context, context);

    fn users(&self) -> &Users {
        &self.users
    }
}

impl Context {
    /// Opens a device. `shown` has the functions that programs call without a symbol.
    pub fn new(entry: &'static Entry, mut shown: verbs_context) -> Result<Self, Errno> {
        let (opened, mailbox) = (entry.open()?, Arc::new(Mailbox::new()?));
        // SAFETY: a call without pointers.
        let set = owned(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
        for fd in [mailbox.bell(), opened.events.as_fd()] {
            let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: 0 };
            // SAFETY: both descriptors are open, and the event is this frame's.
            let added =
                unsafe { libc::epoll_ctl(set.as_raw_fd(), libc::EPOLL_CTL_ADD, fd.as_raw_fd(), &mut event) };
            if added == -1 {
                return Err(Errno::last());
            }
        }
        opened.subscribe(&mailbox);
        shown.sz = size_of::<verbs_context>();
        let context = &mut shown.context;
        context.device = entry.pointer();
        context.cmd_fd = -1;
        context.async_fd = set.as_raw_fd();
        context.num_comp_vectors = 1;
        // all ones: the functions in front of the context are there
        context.abi_compat = std::ptr::without_provenance_mut(usize::MAX);
        let (users, is_over) = Default::default();
        Ok(Self { shown: Shown::new(shown), users, entry, opened, mailbox, set, is_over })
    }

    /// The next asynchronous event, if there is one.
    pub fn next_event(&self) -> Option<Told> {
        if !self.is_over.load(Ordering::Relaxed) && !self.opened.collect() {
            self.leave_device();
        }
        self.mailbox.take()
    }

    /// The descriptor that is readable while an event waits.
    pub fn events(&self) -> BorrowedFd<'_> {
        self.set.as_fd()
    }

    /// The descriptor of a device that has stopped stays readable: it goes out of the set.
    fn leave_device(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        let fd = self.opened.events.as_fd().as_raw_fd();
        // SAFETY: both descriptors are open; a deletion takes no event.
        unsafe { libc::epoll_ctl(self.set.as_raw_fd(), libc::EPOLL_CTL_DEL, fd, std::ptr::null_mut()) };
    }
}
