// SPDX-License-Identifier: MIT OR Apache-2.0
//! The data path of a program of C alone, through the functions of its context: how many
//! instructions it has, under callgrind (`cargo xtask bench --only dropin`). The queue pair is
//! connected to a simulated device. From then on doorbells of queues are a word of memory, as a
//! mapped page is, and completions are the test's.
use super::pair::*;
use crate::gen::*;
use ferrowarp::backend::{Backend, BackendError, Capabilities, PciBackend, Pending};
use ferrowarp::dma::{Arena, DmaMemory};
use ferrowarp::Device;
use ferrowarp_abi::codec::{AdminCommand, CqRow, Cqe, Doorbell};
use ferrowarp_abi::consts::{admin_opcode, doorbell_kind};
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::hint::black_box;
use std::ptr::null_mut;
use std::sync::atomic::{fence, AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Requests in each measurement; `tests/src/bench/dropin.rs` divides by it.
const MEASURED: u32 = 1024;
/// Requests of a post, and completions of a poll.
const BATCH: u32 = 16;

/// A device whose queues are told nothing once it is quiet.
#[derive(Debug)]
struct Quiet {
    inner: PciBackend,
    is_quiet: AtomicBool,
    bell: AtomicU64,
    memories: Mutex<BTreeMap<u64, Arc<DmaMemory>>>,
    /// The completion queue that was made last.
    queue: Mutex<Option<CqRow>>,
}

// SAFETY: the device behind keeps the promises; a doorbell that it does not get promises nothing.
unsafe impl Backend for Quiet {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn arena(&self) -> &Arc<Arena> {
        self.inner.arena()
    }

    fn map(&self, memory: Arc<DmaMemory>, writable: bool) -> Result<u64, BackendError> {
        let iova = self.inner.map(memory.clone(), writable)?;
        self.memories.lock().unwrap().insert(iova, memory);
        Ok(iova)
    }

    unsafe fn unmap(&self, iova: u64, most: Duration) -> Result<(), BackendError> {
        self.memories.lock().unwrap().remove(&iova);
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { self.inner.unmap(iova, most) }
    }

    unsafe fn doorbell(&self, doorbell: Doorbell) -> Result<(), BackendError> {
        let is_of_queue = [doorbell_kind::SQ, doorbell_kind::CQ_CONSUMER].contains(&doorbell.kind);
        if !self.is_quiet.load(Ordering::Relaxed) || !is_of_queue {
            // SAFETY: as above.
            return unsafe { self.inner.doorbell(doorbell) };
        }
        let octets = doorbell.octets().map_err(|e| BackendError::Doorbell(e.to_string()))?;
        fence(Ordering::SeqCst);
        self.bell.store(u64::from_ne_bytes(octets), Ordering::Relaxed);
        Ok(())
    }

    unsafe fn admin(&self, command: Vec<u8>) -> Result<Pending, BackendError> {
        if AdminCommand::parse(&command).is_ok_and(|head| head.opcode == admin_opcode::CQ_WRITE) {
            *self.queue.lock().unwrap() = CqRow::parse(&command[AdminCommand::LEN..]).ok();
        }
        // SAFETY: as above.
        unsafe { self.inner.admin(command) }
    }

    fn reset(&self) -> Result<(), BackendError> {
        self.inner.reset()
    }

    fn ticks(&self) -> u64 {
        self.inner.ticks()
    }
}

impl Quiet {
    /// The device completes a request of a queue pair, the `nth` one.
    fn complete(&self, qp: u32, nth: u32) {
        let row = self.queue.lock().unwrap().unwrap();
        let slots = 1 << row.log2;
        let phase = (nth / slots).is_multiple_of(2);
        let cqe = Cqe { index: nth, opcode: 3, has_wr: true, phase, qp: qp as u16, ..Default::default() };
        let memories = self.memories.lock().unwrap();
        let place = (nth % slots) as usize * Cqe::LEN;
        let (iova, ring) = memories.range(..=row.base).next_back().unwrap();
        ring.write((row.base - iova) as usize + place, &cqe.octets().unwrap()).unwrap();
    }
}

/// Posts a list of requests; callgrind counts what is inside.
#[inline(never)]
unsafe fn measured_ibv_post_send(qp: *mut ibv_qp, wr: *mut ibv_send_wr, bad: *mut *mut ibv_send_wr) -> c_int {
    // SAFETY: the caller has the queue pair and the request.
    unsafe { (*(*qp).context).ops.post_send.unwrap_unchecked()(qp, wr, bad) }
}

/// Polls a batch of completions; callgrind counts what is inside.
#[inline(never)]
unsafe fn measured_ibv_poll_cq(cq: *mut ibv_cq, room: &mut [ibv_wc; BATCH as usize]) -> c_int {
    // SAFETY: the caller has the queue.
    unsafe { (*(*cq).context).ops.poll_cq.unwrap_unchecked()(cq, BATCH as c_int, room.as_mut_ptr()) }
}

#[test]
fn a_program_posts_and_polls_through_its_context() {
    with_devices(|entries| {
        let path = match &entries[1].named.parsed {
            ferrowarp::url::DeviceUrl::VfioUser(url) => url.path.clone(),
            other => panic!("{other:?} is no device of a simulator"),
        };
        let (memories, queue) = Default::default();
        let (is_quiet, bell) = (AtomicBool::new(false), AtomicU64::new(0));
        let inner = PciBackend::vfio_user(&path).unwrap();
        let quiet = Arc::new(Quiet { inner, is_quiet, bell, memories, queue });
        let adopted = entries[1].adopt(Device::new(quiet.clone(), entries[1].net()).unwrap());
        let mut ends = [&entries[0], &entries[1]].map(End::new);
        connect(&mut ends, false);
        quiet.is_quiet.store(true, Ordering::Relaxed);
        let [left, right] = ends;
        let mut sge = right.sge(0, 4096);
        let mut wrs = [ibv_send_wr {
            opcode: IBV_WR_SEND,
            send_flags: IBV_SEND_SIGNALED,
            sg_list: &mut sge,
            num_sge: 1,
            ..Default::default()
        }; BATCH as usize];
        // SAFETY: the queue pair is there.
        let number = unsafe { (*right.qp).qp_num };
        let mut room = [ibv_wc::default(); BATCH as usize];
        for batch in 0..MEASURED / BATCH {
            let (first, mut next, mut bad) = (batch * BATCH, null_mut(), null_mut());
            for (nth, wr) in (first..first + BATCH).zip(&mut wrs).rev() {
                (wr.wr_id, wr.next) = (nth.into(), next);
                next = &raw mut *wr;
            }
            // SAFETY: objects of the test.
            assert_eq!(unsafe { measured_ibv_post_send(right.qp, black_box(next), &mut bad) }, 0);
            (first..first + BATCH).for_each(|nth| quiet.complete(number, nth));
            // SAFETY: as above.
            assert_eq!(unsafe { measured_ibv_poll_cq(right.cq, &mut room) }, BATCH as c_int);
            let ids = room.map(|wc| (wc.wr_id as u32, wc.status, wc.qp_num));
            let due = std::array::from_fn(|nth| (batch * BATCH + nth as u32, IBV_WC_SUCCESS, number));
            assert_eq!(ids, due);
        }
        let posted = quiet.bell.load(Ordering::Relaxed).to_be() as u32;
        assert_eq!(posted, MEASURED, "the last doorbell is the consumer's");
        [left, right].into_iter().for_each(End::end);
        drop(adopted);
    });
}
