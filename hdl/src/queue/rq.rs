// SPDX-License-Identifier: MIT OR Apache-2.0
//! Receive queues: doorbells, prefetch, takes.
mod steps;

use super::rq_store::RqStore;
use crate::cell::{BlankRam, Highest};
use crate::gen::{Doorbell, QpRow, UnpackRecvWqe, UnpackSge};
use crate::host::ReadSource;
use crate::prelude::*;
use crate::record::{Fault, QpWrite, Rqe};
use crate::stream::{ItemSink, ItemSource, Pump, Queue, StreamSink};

/// What a queue pair row fixes for its receive queue.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RqSetup {
    /// First octet of block 0, a multiple of 32.
    pub base: Bits<64>,
    /// log2 of its blocks.
    pub log2: Bits<4>,
    /// The queue pair works.
    pub is_ready: Bit,
}

/// Where a receive queue stands.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RqHead {
    /// Absolute index of the block that the next work request begins with.
    pub index: Bits<32>,
    /// It is, or will be, in place 1 of the store.
    pub odd: Bit,
}

/// Step of the one operation under way.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Chooses an operation and asks the columns for its row.
    Idle,
    /// Writes a row.
    Setup,
    /// Judges a doorbell.
    Bell,
    /// Judges a take.
    Take,
    /// Moves the work request from the store to the answer, a word a cycle.
    Move,
    /// Asks for the read of a block.
    Fetch,
    /// Ends a work request whose second block was not rung.
    Short,
}

/// The receive queues of `NC` = `2^C` queue pairs; `CP` = `C + 1`, `CA` = `C + 4`.
///
/// One operation at a time writes all columns: a row, a doorbell, a take, a read. The next two work
/// requests of a queue pair are read from host memory as soon as they are rung, block after block.
/// A take is answered at once, from the store: who needs a work request that is not there yet waits
/// before the take, by `there`, `two` and `to_come`.
#[block(clock)]
pub struct Rq<const C: usize, const NC: usize, const CP: usize, const CA: usize> {
    /// Synchronous reset; columns are then scrubbed, `2^C` cycles, in which nothing is taken.
    pub reset: Signal<In, Bit>,
    /// Bit per queue pair: in error.
    pub dead: Signal<In, Bits<NC>>,
    /// A row empties its receive queue, and waits until a read of its queue pair is answered. The
    /// low five bits of `rq_base` count as zero.
    pub qpw: ItemSink<QpWrite>,
    /// Doorbell of kind `rq`: absolute producer index.
    pub db: ItemSink<Doorbell>,
    /// Reads of 32 octets, one at a time of a queue pair. A tag is the queue pair, its place in the
    /// store in bit `C`, and in the next bit whether the block is the second of its work request.
    pub rd_req: ReadSource<8>,
    /// Answers, always taken.
    pub rd_ans: StreamSink<64, 4>,
    /// Tag of the frame on `rd_ans`.
    pub rd_ans_tag: Signal<In, Bits<8>>,
    /// It is the last frame of its answer.
    pub rd_ans_final: Signal<In, Bit>,
    /// Queue pairs from which a work request is taken.
    pub take: ItemSink<Bits<C>>,
    /// One answer a take, in their order.
    pub rqe: ItemSource<Rqe>,
    /// Bit per queue pair: a work request is in the store.
    pub there: Signal<Out, Bits<NC>>,
    /// Two are.
    pub two: Signal<Out, Bits<NC>>,
    /// One was rung that is not, and it will be: the queue pair is not in error.
    pub to_come: Signal<Out, Bits<NC>>,
    /// An impossible producer index stops its queue pair.
    pub bad: ItemSource<Fault>,
    /// Pulse: a doorbell was refused and changed nothing.
    pub bad_db: Signal<Out, Bit>,

    store: RqStore<C, CP, CA>,
    setups: BlankRam<RqSetup, C>,
    // what these three say counts behind the row of a queue pair alone, which writes them
    producers: Sdp<Bits<16>, C>,
    consumers: Sdp<RqHead, C>,
    /// The block to be read next.
    nexts: Sdp<Bits<16>, C>,
    pump: Pump<St, 5, C>,
    /// A doorbell goes before a take.
    turn: Reg<Bit>,
    /// A work request is being read.
    busy: Reg<Bits<NC>>,
    /// Of that, the first block came, and there is a second.
    seconds: Queue<Bits<C>, C>,
    /// With a fetch: of the second block.
    second: Flop<Bit>,
    /// The next work request is in the store.
    here: Reg<Bits<NC>>,
    /// So is the one behind it.
    both: Reg<Bits<NC>>,
    /// One was rung that was not asked for.
    wants: Reg<Bits<NC>>,
    count: Flop<Bits<4>>,
    /// Absolute index of the work request.
    nth: Flop<Bits<32>>,
    /// The work request, word 0 in the low bits.
    line: Flop<Bits<512>>,
    found: Flop<Bit>,
    failed: Flop<Bit>,
    two_blocks: Flop<Bit>,
    told: Reg<Bit>,
    req_addr: Flop<Bits<64>>,
    req_tag: Flop<Bits<8>>,
    req_full: Reg<Bit>,
    bad_rung: Flop<Fault>,
    bad_full: Reg<Bit>,
    refused: Reg<Bit>,
    head: UnpackRecvWqe,
    sge0: UnpackSge,
    sge1: UnpackSge,
    sge2: UnpackSge,
    /// Of those that a block may be asked for.
    asker: Highest<NC, C>,
    k_align: Const<Bits<64>>,
    k_first: Const<Bits<32>>,
    row: Signal<Local, QpRow>,
    setup: Signal<Local, RqSetup>,
    made: Signal<Local, RqSetup>,
    bell: Signal<Local, Doorbell>,
    fault: Signal<Local, Fault>,
    first: Signal<Local, Bits<16>>,
    front: Signal<Local, RqHead>,
    taken: Signal<Local, RqHead>,
    fresh: Signal<Local, RqHead>,
    /// A work request is whole, or has no more blocks than it has.
    closes: Signal<Local, Bit>,
    closes_qp: Signal<Local, Bits<C>>,
    place: Signal<Local, Bit>,
    busy_now: Signal<Local, Bits<NC>>,
    here_now: Signal<Local, Bits<NC>>,
    both_now: Signal<Local, Bits<NC>>,
    wants_now: Signal<Local, Bits<NC>>,
    answer: Signal<Local, Rqe>,
}

impl<const C: usize, const NC: usize, const CP: usize, const CA: usize> Rq<C, NC, CP, CA> {
    /// Queues without a row; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        Self::starting_at(0)
    }

    /// As [`Rq::new`], but a row's indices begin at `first` and not at 0: a test meets their wrap
    /// at 2^32.
    pub fn starting_at(first: usize) -> Self {
        assert!(NC == 1 << C && CP == C + 1 && CA == C + 4 && C <= 6, "Rq<{C}, {NC}, {CP}, {CA}>");
        Self {
            pump: Pump::new([St::Setup, St::Take, St::Fetch, St::Fetch, St::Bell]),
            consumers: Sdp::block(),
            k_align: Const::of(!0x1F),
            asker: Highest::new(),
            k_first: Const::of(first),
            ..Default::default()
        }
    }
}
