// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completion queues: entries, arming, overrun.
use super::cq_row::{CqBell, CqSetup, CqState};
use crate::cell::BlankRam;
use crate::gen::consts::{event_kind, wc_status};
use crate::gen::{CqRow, Cqe, Doorbell, Event, PackCqe};
use crate::host::WriteSource;
use crate::prelude::*;
use crate::record::{CqWrite, CqeItem};
use crate::stream::{ItemSink, ItemSource, Pick, Pump, StreamSource};

/// Step of the one operation under way.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Chooses an operation and asks the columns for its row.
    Idle,
    /// Writes a row.
    Setup,
    /// Judges a doorbell.
    Look,
    /// Does what it says.
    Bell,
    /// Judges a completion.
    Judge,
    /// Hands the entry over.
    Hand,
    /// Offers an event.
    Tell,
}

const LENGTH: usize = 32;
const ONE: usize = 1;

/// The `NQ` = `2^Q` completion queues.
///
/// One operation at a time writes all columns: a row, a doorbell, a completion. An operation ends
/// when what it made was taken, so that an event never overtakes the entry that it is about.
#[block(clock)]
pub struct Cq<const Q: usize, const NQ: usize> {
    /// Synchronous reset; columns are then scrubbed, `2^Q` cycles, in which nothing is taken.
    pub reset: Signal<In, Bit>,
    /// A row empties its queue. The low five bits of `base` count as zero.
    pub cqw: ItemSink<CqWrite>,
    /// Doorbell of kind `cq_consumer` or `cq_arm`.
    pub db: ItemSink<Doorbell>,
    /// Completions: of receives, of sends, and of queue pairs that stopped.
    pub from: [ItemSink<CqeItem>; 3],
    /// Write of an entry, 32 octets.
    pub cqe_cmd: WriteSource,
    /// Entries, a frame each, without pauses.
    pub cqe: StreamSource<64, 4>,
    /// `cq_notify` or `cq_overrun`, with the producer index; its entry was handed over before.
    pub event: ItemSource<Event>,
    /// Completion queue without room or without a row.
    pub over_cq: Signal<Out, Bits<Q>>,
    /// Pulse: a completion of `over_cq` was lost.
    pub over_valid: Signal<Out, Bit>,
    /// Completion queues that exist and have not overrun.
    pub usable: Signal<Out, Bits<NQ>>,
    /// Between two operations: what was taken was handed over.
    pub rests: Signal<Out, Bit>,
    /// Pulse: a completion was lost, also one whose queue has no number here.
    pub lost: Signal<Out, Bit>,
    /// Pulse: a doorbell was refused and changed nothing.
    pub bad_db: Signal<Out, Bit>,

    setups: BlankRam<CqSetup, Q>,
    states: BlankRam<CqState, Q>,
    judge: CqBell,
    pick: Pick<CqeItem, 3>,
    pack: PackCqe,
    pump: Pump<St, 3, Q>,
    /// A doorbell goes before a completion.
    bell_first: Reg<Bit>,
    item: Flop<CqeItem>,
    /// The number is one of ours.
    known: Flop<Bit>,
    working: Reg<Bits<NQ>>,
    addr: Flop<Bits<64>>,
    line: Flop<Bits<256>>,
    beats: Reg<Bits<3>>,
    cmd: Reg<Bit>,
    /// An event follows the entry.
    follows: Reg<Bit>,
    told: Flop<Event>,
    lost_one: Reg<Bit>,
    gone: Reg<Bit>,
    refused: Reg<Bit>,
    k_align: Const<Bits<64>>,
    k_first: Const<Bits<32>>,
    bell: Signal<Local, Doorbell>,
    row: Signal<Local, CqRow>,
    made: Signal<Local, CqSetup>,
    setup: Signal<Local, CqSetup>,
    state: Signal<Local, CqState>,
    after: Signal<Local, CqState>,
    blank: Signal<Local, CqState>,
    entry: Signal<Local, Cqe>,
    event_now: Signal<Local, Event>,
}

impl<const Q: usize, const NQ: usize> Cq<Q, NQ> {
    /// Queues without a row.
    pub fn new() -> Self {
        Self::starting_at(0)
    }

    /// As [`Cq::new`], but a row's indices begin at `first` and not at 0: a test meets their wrap
    /// at 2^32.
    pub fn starting_at(first: usize) -> Self {
        assert!(Q <= 16 && NQ == 1 << Q, "Cq<{Q}, {NQ}>: a row names its completion queue with 16 bits");
        Self {
            setups: BlankRam::block(),
            pick: Pick::new(),
            pump: Pump::new([St::Setup, St::Judge, St::Look]),
            k_align: Const::of(!0x1F),
            k_first: Const::of(first),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const Q: usize, const NQ: usize> Logic for Cq<Q, NQ> {
    fn update(&mut self) {
        regs!(bell_first, beats, cmd, follows, lost_one, gone, refused, working);
        flops!(item, known, addr, line, told);
        parts!(setups, states, pick, pump);
        clocked!(judge);

        // The completion that is next.
        for i in 0..3 {
            ItemSink::<CqeItem>::link(&mut self.from[i], &mut self.pick.rx[i]);
        }
        self.pick.stays.next = self.pump.kind.val() == St::Judge;
        self.pick.tx.ready.next = self.pump.kind.val() == St::Judge;
        self.pick.serves.next = self.pump.rx[1].ready.val();
        self.cqw.ready.next = self.pump.kind.val() == St::Setup;
        self.rests.next = self.pump.kind.val() == St::Idle;
        self.db.ready.next = self.pump.kind.val() == St::Bell;
        self.bell.next = self.db.item.val();
        let bell_number: Bits<17> = bit_cast::<17, 16>(self.bell.val().number);
        let number: Bits<17> = bit_cast::<17, 16>(self.pick.tx.item.val().cq);
        self.pump.rx[0].item.next = bit_cast::<Q, 16>(self.cqw.item.val().cq);
        self.pump.rx[0].valid.next = self.cqw.valid.val();
        self.pump.rx[1].item.next = bit_cast::<Q, 16>(self.pick.tx.item.val().cq);
        self.pump.rx[1].valid.next =
            self.pick.tx.valid.val() && !(self.db.valid.val() && self.bell_first.q.val());
        self.pump.rx[2].item.next = bit_cast::<Q, 16>(self.bell.val().number);
        self.pump.rx[2].valid.next = self.db.valid.val();
        self.pump.free.next =
            (self.pump.kind.val() == St::Idle) && self.setups.ready.val() && self.states.ready.val();
        self.pump.then.next = self.pump.kind.val();

        // The columns; their answers stand from the step after `Idle` to the end of the operation.
        self.setups.read_enable.next = self.pump.read_enable.val();
        self.setups.read_address.next = self.pump.read_address.val();
        self.states.read_enable.next = self.pump.read_enable.val();
        self.states.read_address.next = self.pump.read_address.val();
        self.row.next = self.cqw.item.val().row;
        let base: Bits<64> = self.row.val().base;
        let log2: Bits<8> = self.row.val().log2;
        self.made.next.base = base & self.k_align.val();
        self.made.next.log2 = log2.get_bits::<5>(0);
        self.made.next.is_valid = self.row.val().is_valid && (log2 < 17);
        self.setups.write_enable.next = self.pump.kind.val() == St::Setup;
        self.setups.write_address.next = self.pump.row.val();
        self.setups.write_data.next = self.made.val();
        self.setup.next = self.setups.word.val();
        self.setup.next.is_valid = self.setups.live.val() && self.setups.word.val().is_valid;
        self.state.next = self.states.word.val();
        self.state.next.is_over = self.states.live.val() && self.states.word.val().is_over;
        self.states.write_enable.next = false;
        self.states.write_address.next = self.pump.row.val();
        self.blank.next.producer = self.k_first.val();
        self.blank.next.consumer = self.k_first.val();
        self.blank.next.woken = self.k_first.val();
        self.blank.next.told = 0.into();
        self.blank.next.any = false;
        self.blank.next.solicited = false;
        self.blank.next.is_over = false;
        self.states.write_data.next = self.blank.val();

        // A completion on its row.
        let slots: Bits<32> = lit::<32>(ONE) << self.setup.val().log2;
        let mask: Bits<32> = slots - 1;
        let slot: Bits<32> = self.state.val().producer & mask;
        let round: Bits<32> = self.state.val().producer & slots;
        let used: Bits<32> = self.state.val().producer - self.state.val().consumer;
        let producer_up: Bits<32> = self.state.val().producer + 1;
        let room: Bit = self.setup.val().is_valid && (used != slots);
        let wakes: Bit =
            self.item.q.val().is_solicited || (self.item.q.val().status != wc_status::success().val());
        let due: Bit = self.state.val().any || (self.state.val().solicited && wakes);
        self.entry.next.index = self.item.q.val().index;
        self.entry.next.byte_len = self.item.q.val().byte_len;
        self.entry.next.qp = self.item.q.val().qp;
        self.entry.next.status = self.item.q.val().status;
        self.entry.next.opcode = self.item.q.val().opcode;
        self.entry.next.invalidated_stag = self.item.q.val().invalidated_stag;
        self.entry.next.error = self.item.q.val().error;
        self.entry.next.is_recv = self.item.q.val().is_recv;
        self.entry.next.is_solicited = self.item.q.val().is_solicited;
        self.entry.next.has_invalidate = self.item.q.val().has_invalidate;
        self.entry.next.has_wr = self.item.q.val().has_wr;
        self.entry.next.phase = !round.any();
        self.pack.record.next = self.entry.val();
        self.judge.bell.next = self.bell.val();
        self.judge.is_valid.next = self.setup.val().is_valid && (bell_number < lit::<17>(1 << Q));
        self.judge.state.next = self.state.val();
        self.event_now.next.kind = event_kind::cq_notify().val();
        self.event_now.next.number = bit_cast::<16, Q>(self.pump.row.val());
        self.event_now.next.error = 0.into();
        self.event_now.next.info = self.state.val().producer;
        self.event_now.next.phase = false;
        self.after.next = self.state.val();

        self.cqe_cmd.addr.next = self.addr.q.val();
        self.cqe_cmd.length.next = lit::<13>(LENGTH);
        self.cqe_cmd.valid.next = self.cmd.q.val();
        self.cqe.data.next = self.line.q.val().get_bits::<64>(0);
        self.cqe.bytes.next = 8.into();
        self.cqe.last.next = self.beats.q.val() == 1;
        self.cqe.err.next = false;
        self.cqe.valid.next = self.beats.q.val().any();
        self.event.item.next = self.told.q.val();
        self.event.valid.next = self.pump.kind.val() == St::Tell;
        self.over_cq.next = self.pump.row.val();
        self.over_valid.next = self.lost_one.q.val();
        self.usable.next = self.working.q.val();
        self.lost.next = self.gone.q.val();
        self.bad_db.next = self.refused.q.val();
        self.lost_one.d.next = false;
        self.gone.d.next = false;
        self.refused.d.next = false;
        let cmd_done: Bit = !self.cmd.q.val() || self.cqe_cmd.ready.val();
        let beats_done: Bit =
            !self.beats.q.val().any() || (self.cqe.ready.val() && (self.beats.q.val() == 1));
        if self.cqe_cmd.ready.val() {
            self.cmd.d.next = false;
        }
        if self.cqe.ready.val() && self.beats.q.val().any() {
            self.beats.d.next = self.beats.q.val() - 1;
            self.line.d.next = self.line.q.val() >> 64;
        }

        match self.pump.kind.val() {
            St::Idle => {
                self.item.d.next = self.pick.tx.item.val();
                self.known.d.next = number < lit::<17>(1 << Q);
                self.follows.d.next = false;
            }
            St::Setup => {
                self.states.write_enable.next = true;
                self.working.d.next =
                    self.working.q.val().replace_bit(self.pump.row.val().index(), self.made.val().is_valid);
                self.pump.then.next = St::Idle;
            }
            St::Look => {
                self.pump.then.next = St::Bell;
            }
            St::Bell => {
                self.bell_first.d.next = false;
                self.states.write_enable.next = !self.judge.refused.val();
                self.states.write_data.next = self.judge.after.val();
                self.refused.d.next = self.judge.refused.val();
                self.told.d.next = self.event_now.val();
                self.pump.then.next = St::Idle;
                if self.judge.tell.val() {
                    self.pump.then.next = St::Tell;
                }
            }
            St::Judge => {
                self.bell_first.d.next = true;
                self.addr.d.next = self.setup.val().base + (bit_cast::<64, 32>(slot) << 5);
                self.line.d.next = self.pack.octets.val();
                if !self.known.q.val() || self.state.val().is_over {
                    self.gone.d.next = true;
                    self.lost_one.d.next = self.known.q.val();
                    self.pump.then.next = St::Idle;
                } else if !room {
                    self.after.next.is_over = true;
                    self.working.d.next =
                        self.working.q.val().replace_bit(self.pump.row.val().index(), false);
                    self.states.write_enable.next = true;
                    self.lost_one.d.next = true;
                    self.gone.d.next = true;
                    self.event_now.next.kind = event_kind::cq_overrun().val();
                    self.pump.then.next = St::Tell;
                } else {
                    self.after.next.producer = producer_up;
                    self.event_now.next.info = producer_up;
                    if wakes && !due {
                        self.after.next.woken = producer_up;
                    }
                    if due {
                        self.after.next.any = false;
                        self.after.next.solicited = false;
                        self.after.next.told = self.state.val().told + 1;
                    }
                    self.states.write_enable.next = true;
                    self.follows.d.next = due;
                    self.cmd.d.next = true;
                    self.beats.d.next = 4.into();
                    self.pump.then.next = St::Hand;
                }
                self.states.write_data.next = self.after.val();
                self.told.d.next = self.event_now.val();
            }
            St::Hand => {
                if cmd_done && beats_done {
                    self.pump.then.next = St::Idle;
                    if self.follows.q.val() {
                        self.pump.then.next = St::Tell;
                    }
                }
            }
            St::Tell => {
                if self.event.ready.val() {
                    self.pump.then.next = St::Idle;
                }
            }
            _ => {}
        }
    }
}
