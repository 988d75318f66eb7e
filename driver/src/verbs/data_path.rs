// SPDX-License-Identifier: MIT OR Apache-2.0
//! The data path alone, on a device that is memory and a doorbell page: that it allocates nothing,
//! and, under callgrind (`cargo xtask bench --only driver`), how many instructions it has.
use super::*;
use crate::backend::{Backend, BackendError, Capabilities, Pending};
use crate::device::Device;
use crate::dma::{Arena, DmaMemory};
use crate::shared::Shared;
use ferrowarp_abi::codec::{AdminAnswer, AdminCommand, CqRow, Cqe, Doorbell};
use ferrowarp_abi::consts::{admin_opcode, admin_status};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{fence, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Requests in each measurement; `tests/src/bench/driver.rs` divides by it.
const MEASURED: u32 = 1024;
/// Requests of a batch.
const BATCH: u32 = 16;
/// Slots of the queues.
const DEPTH: u32 = 64;

/// Counts what a thread allocates.
struct Counting;

thread_local! {
    static ALLOCATED: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is the system's allocator's; a counter of the thread has no part in it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.set(ALLOCATED.get() + 1);
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A device whose doorbells are a word of memory each, as a mapped page is.
#[derive(Debug, Default)]
struct Page {
    bells: [AtomicU64; 4],
    queue: Mutex<Option<CqRow>>,
    arena: Arc<Arena>,
    memories: Mutex<Vec<Arc<DmaMemory>>>,
}

// SAFETY: it reaches the memories that it keeps, and gives commands to nobody.
unsafe impl Backend for Page {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            queue_pairs: 1,
            completion_queues: 1,
            regions: 8,
            work_log2: 10,
            cq_log2: 10,
            ird: 1,
            ord: 1,
            mtu: 1500,
            window: 16_384,
            vectors: 0,
        }
    }

    fn arena(&self) -> &Arc<Arena> {
        &self.arena
    }

    fn map(&self, memory: Arc<DmaMemory>, _writable: bool) -> Result<u64, BackendError> {
        let iova = memory.address();
        self.memories.lock().unwrap().push(memory);
        Ok(iova)
    }

    unsafe fn unmap(&self, iova: u64, _most: Duration) -> Result<(), BackendError> {
        self.memories.lock().unwrap().retain(|memory| memory.address() != iova);
        Ok(())
    }

    unsafe fn doorbell(&self, doorbell: Doorbell) -> Result<(), BackendError> {
        let octets = doorbell.octets().map_err(|e| BackendError::Doorbell(e.to_string()))?;
        fence(Ordering::SeqCst);
        self.bells[usize::from(doorbell.kind) % 4].store(u64::from_ne_bytes(octets), Ordering::Relaxed);
        Ok(())
    }

    unsafe fn admin(&self, command: Vec<u8>) -> Result<Pending, BackendError> {
        let AdminCommand { opcode, index, .. } = AdminCommand::parse(&command).unwrap();
        if opcode == admin_opcode::CQ_WRITE {
            *self.queue.lock().unwrap() = CqRow::parse(&command[AdminCommand::LEN..]).ok();
        }
        let (send, answered) = channel();
        let answer = AdminAnswer { status: admin_status::DONE, opcode, index, value: 0 };
        send.send(answer.octets().unwrap().to_vec()).unwrap();
        Ok(Pending::new(answered))
    }

    fn reset(&self) -> Result<(), BackendError> {
        Ok(())
    }

    fn ticks(&self) -> u64 {
        0
    }
}

/// A queue pair that is connected, and what it needs.
struct Scene {
    page: Arc<Page>,
    cq: CompletionQueue,
    qp: QueuePair<Connected>,
    region: MemoryRegion,
    completed: u32,
}

impl Scene {
    fn new() -> Self {
        let page = Arc::new(Page::default());
        let shared = Arc::new(Shared::new(page.clone()));
        let pd = Device::domain_of(&shared).unwrap();
        let cq = CompletionQueue::new(&shared, DEPTH.trailing_zeros() as u8, None, true).unwrap();
        let options = QpOptions { sends: DEPTH - 2, receives: DEPTH };
        let logs = QueuePair::logs(options, page.capabilities().work_requests()).unwrap();
        let qp = QueuePair::new(&pd, [&cq, &cq], logs, options).unwrap();
        qp.0.bind().unwrap();
        qp.0.connected();
        let region = pd.allocate(4096, Access::ALL).unwrap();
        Self { page, cq, qp: QueuePair::connected(&qp.0), region, completed: 0 }
    }

    /// The device completes the next request.
    fn complete(&mut self) {
        let row = self.page.queue.lock().unwrap().unwrap();
        let phase = (self.completed / DEPTH).is_multiple_of(2);
        let cqe = Cqe { index: self.completed, opcode: 3, has_wr: true, phase, ..Default::default() };
        let memories = self.page.memories.lock().unwrap();
        let ring = memories.iter().find(|memory| memory.address() == row.base).unwrap();
        ring.write((self.completed % DEPTH) as usize * Cqe::LEN, &cqe.octets().unwrap()).unwrap();
        self.completed += 1;
    }
}

/// Posts a Send of one segment; callgrind counts what is inside.
#[inline(never)]
fn measured_post_send(qp: &QueuePair<Connected>, segment: &Segment, wr_id: u64) {
    qp.send(wr_id, std::slice::from_ref(segment)).post().unwrap();
}

/// Polls the completion of one request; callgrind counts what is inside.
#[inline(never)]
fn measured_poll_one(cq: &CompletionQueue) -> Completion {
    cq.poll().unwrap().unwrap()
}

/// Polls a batch of completions; callgrind counts what is inside.
#[inline(never)]
fn measured_poll_cq(cq: &CompletionQueue, into: &mut Vec<Completion>) -> usize {
    cq.poll_into(into, DEPTH as usize).unwrap()
}

/// Posts a batch of Sends of one segment; callgrind counts what is inside.
#[inline(never)]
fn measured_post_batch(qp: &QueuePair<Connected>, segments: &[Segment; BATCH as usize]) {
    let mut sends = qp.sends();
    for segment in segments {
        sends.send(7, std::slice::from_ref(segment)).post().unwrap();
    }
    sends.ring().unwrap();
}

#[test]
fn the_data_path_allocates_nothing() {
    let mut scene = Scene::new();
    let segment = scene.region.segment(0, 4096).unwrap();
    let mut allocated = 0;
    for wr_id in 0..u64::from(MEASURED) {
        let before = ALLOCATED.get();
        measured_post_send(&scene.qp, black_box(&segment), wr_id);
        allocated += ALLOCATED.get() - before;
        scene.complete();
        let before = ALLOCATED.get();
        let done = measured_poll_one(&scene.cq);
        allocated += ALLOCATED.get() - before;
        assert_eq!((done.wr_id, done.status), (wr_id, Status::Success));
    }
    assert_eq!(allocated, 0);
    let bells = scene.page.bells.each_ref().map(|bell| bell.load(Ordering::Relaxed).to_be() as u32);
    assert_eq!((bells[0], bells[2]), (MEASURED, MEASURED));
    // the counter counts
    let before = ALLOCATED.get();
    drop(black_box(vec![1_u8; 100]));
    assert_eq!(ALLOCATED.get() - before, 1);
}

#[test]
fn batches_on_the_data_path_allocate_nothing() {
    let mut scene = Scene::new();
    let segment = scene.region.segment(0, 64).unwrap();
    let mut all = Vec::with_capacity(DEPTH as usize);
    for _ in 0..MEASURED / BATCH {
        let before = ALLOCATED.get();
        measured_post_batch(&scene.qp, black_box(&[segment; BATCH as usize]));
        assert_eq!(ALLOCATED.get(), before);
        (0..BATCH).for_each(|_| scene.complete());
        all.clear();
        let before = ALLOCATED.get();
        assert_eq!(measured_poll_cq(&scene.cq, &mut all), BATCH as usize);
        assert_eq!(ALLOCATED.get(), before);
    }
    assert_eq!(scene.completed, MEASURED);
}
