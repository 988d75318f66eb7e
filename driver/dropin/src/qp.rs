// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue pairs: made, and ended.
use crate::acks::Acks;
use crate::cq::Cq;
use crate::errno::Errno;
use crate::gen::*;
use crate::live::{find, keep, Object, Shown, Use, Users};
use crate::mailbox::Member;
use crate::pd::Pd;
use crate::pending::Pending;
use crate::request::INLINE;
use ferrowarp::{Connected, QpLimits, QpOptions, QpState, QueuePair};
use parking_lot::{RwLock, RwLockReadGuard};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

/// The driver's handles of one queue pair.
#[derive(Debug)]
pub struct Handles {
    /// As connections take it.
    pub pair: QueuePair,
    /// As the data path takes it.
    pub posts: QueuePair<Connected>,
}

/// A queue pair. Each has room for the functions of `ibv_wr_start`.
#[repr(C)]
#[derive(Debug)]
pub struct Qp {
    shown: Shown<ibv_qp_ex>,
    users: Users,
    /// `None` behind a reset that failed.
    handles: RwLock<Option<Handles>>,
    /// The state that the program, or a connection, has brought it to.
    state: AtomicU32,
    /// Each request of the send queue makes a completion.
    pub signals_all: bool,
    /// Its domain.
    pub pd: Use<Pd>,
    /// Asynchronous events that were given to the program.
    pub acks: Arc<Acks>,
    /// Requests between `ibv_wr_start` and `ibv_wr_complete`.
    pub pending: Pending,
    _cqs: [Use<Cq>; 2],
}

// SAFETY: `repr(C)`, and `shown` begins with the fields of `ibv_qp`.
unsafe impl Object for Qp {
    type C = ibv_qp;
    const AT: usize = 0;

    fn users(&self) -> &Users {
        &self.users
    }
}

/// What a program asks for, of a device with these limits. EINVAL: the device has less.
fn options(cap: &ibv_qp_cap, most: &QpLimits) -> Result<QpOptions, Errno> {
    let fits = cap.max_send_wr <= most.sends
        && cap.max_recv_wr <= most.receives
        && cap.max_send_sge as usize <= most.send_segments
        && cap.max_recv_sge as usize <= most.receive_segments
        && cap.max_inline_data as usize <= most.inline.min(INLINE);
    match fits {
        true => Ok(QpOptions::default().sends(cap.max_send_wr.max(1)).receives(cap.max_recv_wr.max(1))),
        false => Err(Errno::INVALID),
    }
}

/// What a queue pair was granted.
pub fn granted(limits: &QpLimits) -> ibv_qp_cap {
    ibv_qp_cap {
        max_send_wr: limits.sends,
        max_recv_wr: limits.receives,
        max_send_sge: limits.send_segments as u32,
        max_recv_sge: limits.receive_segments as u32,
        max_inline_data: limits.inline.min(INLINE) as u32,
    }
}

/// A queue pair for a program. What was granted is written back. `extended` has the functions that
/// programs call through the queue pair.
pub fn create(
    pd: *mut ibv_pd,
    attr: &mut ibv_qp_init_attr,
    extended: ibv_qp_ex,
) -> Result<*mut ibv_qp, Errno> {
    let owner = find::<Pd>(pd)?;
    if attr.qp_type != IBV_QPT_RC || !attr.srq.is_null() {
        return Err(Errno::NOT_SUPPORTED);
    }
    let cqs = [find::<Cq>(attr.send_cq)?, find::<Cq>(attr.recv_cq)?];
    let opened = &owner.context.opened;
    let options = options(&attr.cap, &opened.info.limits.queue_pair)?;
    let pair = opened.device.queue_pair(&owner.domain, [&cqs[0].queue, &cqs[1].queue], options)?;
    attr.cap = granted(&pair.limits());
    let number = pair.number();
    let qp_base = ibv_qp {
        context: owner.context.object().pointer(),
        qp_context: attr.qp_context,
        pd,
        send_cq: attr.send_cq,
        recv_cq: attr.recv_cq,
        qp_num: number.into(),
        state: IBV_QPS_RESET,
        qp_type: IBV_QPT_RC,
        ..Default::default()
    };
    let handles = Handles { posts: pair.assume_connected(), pair };
    let (users, acks, pending) = Default::default();
    let qp = Arc::new(Qp {
        shown: Shown::new(ibv_qp_ex { qp_base, ..extended }),
        users,
        handles: RwLock::new(Some(handles)),
        state: AtomicU32::new(IBV_QPS_RESET),
        signals_all: attr.sq_sig_all != 0,
        pd: Use::of(&owner),
        acks,
        pending,
        _cqs: cqs.each_ref().map(Use::of),
    });
    let at = qp.pointer().expose_provenance();
    owner.context.mailbox.enter(Member::Qp(number), at, &qp.acks);
    Ok(keep(qp))
}

impl Qp {
    /// The driver's handles. EINVAL: a reset has failed.
    #[inline(always)]
    pub fn handles(&self) -> RwLockReadGuard<'_, Option<Handles>> {
        self.handles.read()
    }

    /// The driver's queue pair, as a connection takes it.
    pub fn pair(&self) -> Result<QueuePair, Errno> {
        self.handles().as_ref().map(|handles| handles.pair.clone()).ok_or(Errno::INVALID)
    }

    /// Its number on the device.
    pub fn number(&self) -> Result<u16, Errno> {
        self.handles().as_ref().map(|handles| handles.pair.number()).ok_or(Errno::INVALID)
    }

    /// Its state: an error of the device goes before what the program has said.
    pub fn state(&self) -> ibv_qp_state {
        match self.handles().as_ref().map(|handles| handles.pair.state()) {
            None | Some(QpState::Error) => IBV_QPS_ERR,
            Some(QpState::Connected | QpState::Finished) => IBV_QPS_RTS,
            Some(_) => self.state.load(Ordering::Relaxed),
        }
    }

    /// The program, or a connection, brings it to a state.
    pub fn enter(&self, state: ibv_qp_state) {
        self.state.store(state, Ordering::Relaxed);
        // SAFETY: the queue pair is there, and the program reads the field at most.
        unsafe { (*self.shown.at()).qp_base.state = state };
    }

    /// Makes it ready for another connection. Connections of it were dropped before.
    pub fn reset(self: &Arc<Self>) -> Result<(), Errno> {
        let mut held = self.handles.write();
        let Handles { pair, posts } = held.take().ok_or(Errno::INVALID)?;
        drop(posts);
        let mailbox = &self.pd.context.mailbox;
        mailbox.leave(Member::Qp(pair.number()));
        let pair = pair.reset()?;
        mailbox.enter(Member::Qp(pair.number()), self.pointer().addr(), &self.acks);
        // SAFETY: as in `enter`.
        unsafe { (*self.shown.at()).qp_base.qp_num = pair.number().into() };
        *held = Some(Handles { posts: pair.assume_connected(), pair });
        Ok(())
    }
}
