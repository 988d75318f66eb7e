// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the handles of a queue pair share: its rings, what is outstanding, and where it is.
mod completing;
mod half;
mod managed;
mod posting;
mod untold;

use super::cq::{forked, CqShared, FaultSlot};
use super::options::{QpOptions, OWN_REQUESTS};
use super::outstanding::Outstanding;
use super::phase::Phase;
use super::region::{ProtectionDomain, Registered, Segment};
use super::types::QpState;
use crate::admin;
use crate::backend::{left, Closing};
use crate::error::Error;
use crate::number::Number;
use crate::objects::Managed;
use crate::process::Process;
use crate::rings::{ReceiveRing, SendRing};
use ferrowarp_abi::codec::QpRow;
use ferrowarp_abi::consts::{admin_opcode, qp_state};
use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// A completion queue of queue pairs.
pub(crate) type Cq = CqShared<QpShared>;

#[derive(Debug)]
pub(crate) struct QpShared {
    pub(crate) number: Number,
    pub(super) pd: ProtectionDomain,
    pub(super) cqs: [Arc<Cq>; 2],
    /// For its fault.
    faults: [Option<FaultSlot<Self>>; 2],
    /// Regions that serve this queue pair alone.
    bound: Mutex<Vec<Weak<Registered>>>,
    phase: Phase,
    process: Process,
    /// As the connection manager wrote it last.
    row: Mutex<QpRow>,
    /// Reads of ours that may be under way at once.
    ord: AtomicU8,
    sends: Mutex<SendRing>,
    receives: Mutex<ReceiveRing>,
    /// The peer has finished sending: receives are flushed.
    is_deaf: AtomicBool,
    /// In error, and all that the device has finished before is told: the rest is flushed.
    is_ceased: AtomicBool,
    /// The device forgot the receives' index, and who holds the queue has to tell it again.
    is_forgotten: AtomicBool,
    /// An error of `untold` waits for a receive.
    holds_receives: AtomicBool,
    /// Why the device was not told of batches that were dropped, of either queue. In a place of its
    /// own: a poll has two instructions more if these octets lie among those of the data path.
    untold: Box<[Mutex<Option<Error>>; 2]>,
    /// Requests of the send queue, and of the receive queue.
    out: [Outstanding; 2],
    /// The device's cycle counter at the event that stopped the queue pair, if there was one.
    stopped_at: OnceLock<u64>,
    /// Slots of requests that were flushed: the hardware may have finished them nevertheless.
    owed: [AtomicU32; 2],
    end: Closing,
}

impl QpShared {
    pub(super) fn new(
        pd: &ProtectionDomain,
        cqs: [&Arc<Cq>; 2],
        logs: [u8; 2],
        options: QpOptions,
    ) -> Result<Arc<Self>, Error> {
        let shared = &pd.0.shared;
        if cqs.iter().any(|cq| !Arc::ptr_eq(&cq.number.shared, shared)) {
            return Err(Error::Domain("a completion queue"));
        }
        let number = Number::new(shared, |shared| &shared.qps)?;
        shared.events.forget_qp(number.index);
        let index = number.index;
        let mut sends = SendRing::new(&shared.backend, index, logs[0])?;
        let mut receives = ReceiveRing::new(&shared.backend, index, logs[1])?;
        let ((sq_base, sq_log2), (rq_base, rq_log2)) = (sends.place(), receives.place());
        let [send_cq, recv_cq] = cqs.map(|cq| cq.number.index);
        let (state, pd_index) = (qp_state::READY, pd.0.index);
        let row = QpRow { state, pd: pd_index, send_cq, recv_cq, sq_base, rq_base, ..Default::default() };
        let row = QpRow { sq_log2, rq_log2, ..row };
        // the fault goes to one of its completion queues, once
        let is_one = Arc::ptr_eq(cqs[0], cqs[1]);
        let second = (!is_one).then(|| FaultSlot::new(cqs[1])).transpose()?;
        let faults = [Some(FaultSlot::new(cqs[0])?), second];
        if let Err(why) = admin::command(&*shared.backend, admin_opcode::QP_WRITE, index, row.octets()) {
            if !why.is_refusal() {
                sends.keep();
                receives.keep();
                number.keep();
                pd.0.keep();
            }
            return Err(why.into());
        }
        let sends_most = options.sends + OWN_REQUESTS;
        let out = [sends_most, options.receives].map(Outstanding::new);
        let cqs = cqs.map(Arc::clone);
        let qp = Arc::new(Self {
            number,
            pd: pd.clone(),
            cqs,
            faults,
            bound: Mutex::default(),
            phase: Phase::default(),
            process: Process::this(),
            row: Mutex::new(row),
            ord: AtomicU8::new(0),
            sends: Mutex::new(sends),
            receives: Mutex::new(receives),
            is_deaf: AtomicBool::new(false),
            is_ceased: AtomicBool::new(false),
            is_forgotten: AtomicBool::new(false),
            holds_receives: AtomicBool::new(false),
            untold: Default::default(),
            out,
            stopped_at: OnceLock::new(),
            owed: Default::default(),
            end: Closing::default(),
        });
        qp.cqs.iter().for_each(|cq| cq.attach(&qp));
        let kept: Arc<dyn Managed> = qp.clone();
        shared.qps_by_number.keep(index, Arc::downgrade(&kept));
        Ok(qp)
    }

    /// It is of this domain, and so of its device.
    pub(super) fn is_in(&self, pd: &ProtectionDomain) -> bool {
        self.pd.1 == pd.1
    }

    /// A region is bound to it, until it ends.
    pub(super) fn bind_region(&self, region: &Arc<Registered>) {
        let mut bound = self.bound.lock();
        bound.retain(|region| region.strong_count() > 0);
        bound.push(Arc::downgrade(region));
    }

    /// The send queue. Each change of a ring is whole before the lock is given back, also by a
    /// panic.
    #[inline(always)]
    pub(super) fn sends(&self) -> MutexGuard<'_, SendRing> {
        self.sends.lock()
    }

    /// The receive queue.
    #[inline(always)]
    pub(super) fn receives(&self) -> MutexGuard<'_, ReceiveRing> {
        self.receives.lock()
    }

    #[inline(always)]
    pub(super) fn phase(&self) -> QpState {
        self.phase.get()
    }

    /// Whether this is the process that made it: a child has no rings.
    #[inline(always)]
    fn is_ours(&self) -> Result<(), Error> {
        match self.process.is_here() {
            true => Ok(()),
            false => Err(forked()),
        }
    }

    /// Requests that the queues hold at once, those of the driver's own among them.
    pub(super) fn most(&self) -> [u32; 2] {
        self.out.each_ref().map(Outstanding::most)
    }

    /// Refuses segments of another domain or device.
    #[inline(always)]
    pub(super) fn check(&self, segments: &[Segment]) -> Result<(), Error> {
        match segments.iter().all(|segment| segment.domain == self.pd.1) {
            true => Ok(()),
            false => Err(Self::strange()),
        }
    }

    /// Kept out of the data path, which would make it for each post.
    #[cold]
    #[inline(never)]
    fn strange() -> Error {
        Error::Domain("a segment")
    }
}

impl Drop for QpShared {
    fn drop(&mut self) {
        let (index, shared) = (self.number.index, &self.pd.0.shared);
        let row = QpRow { state: qp_state::RESET, ..Default::default() }.octets();
        let until = self.end.begin(shared.backend.ends_within());
        let ended = admin::take_out(&*shared.backend, admin_opcode::QP_WRITE, index, row, left(until));
        // before the number comes again; a device that does not answer is not asked for each region
        let mut regions = self.bound.get_mut().iter().filter_map(Weak::upgrade);
        if let Some(Err(why)) = ended.is_ok().then(|| regions.try_for_each(|region| region.unbind(until))) {
            tracing::error!(index, %why, "a region is still bound to a queue pair that is gone");
            self.number.keep();
        }
        let forgotten = self.cqs.each_ref().map(|cq| cq.forget(index, ended.is_ok(), until));
        self.sends.get_mut().ends_by(until);
        self.receives.get_mut().ends_by(until);
        if ended.is_ok() {
            if forgotten.contains(&false) {
                self.faults.iter_mut().flatten().for_each(|slot| slot.is_kept = true);
                self.number.keep();
                return;
            }
            for (cq, n) in self.cqs.iter().zip(0..) {
                cq.release(self.out[n].slots() + self.owed[n].load(Ordering::Relaxed));
            }
            return;
        }
        // nothing of it is asked for again
        self.sends.get_mut().keep();
        self.receives.get_mut().keep();
        self.faults.iter_mut().flatten().for_each(|slot| slot.is_kept = true);
        self.cqs.iter().for_each(|cq| cq.number.keep());
        self.number.keep();
        self.pd.0.keep();
    }
}
