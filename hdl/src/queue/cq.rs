// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completion queues: entries, arming, overrun.
use super::cq_row::{CqBell, CqSetup, CqState};
use crate::cell::{BlankRam, Const, Flop, Reg};
use crate::gen::consts::{event_kind, wc_status};
use crate::gen::{CqRow, Cqe, Doorbell, Event, PackCqe};
use crate::host::WriteSource;
use crate::record::{CqWrite, CqeItem};
use crate::stream::{ItemSink, ItemSource, Pick, Pump, StreamSource};
use rust_hdl::prelude::*;

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

/// The `NQ` = `2^Q` completion queues.
///
/// One operation at a time writes all columns: a row, a doorbell, a completion. An operation ends
/// when what it made was taken, so that an event never overtakes the entry that it is about.
#[derive(LogicBlock, Default)]
pub struct Cq<const Q: usize, const NQ: usize> {
    /// Clock of all state.
    pub clock: Signal<In, Clock>,
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
    k_success: Const<Bits<8>>,
    k_notify: Const<Bits<8>>,
    k_overrun: Const<Bits<8>>,
    k_align: Const<Bits<64>>,
    k_length: Const<Bits<13>>,
    k_cqs: Const<Bits<17>>,
    k_one: Const<Bits<32>>,
    k_first: Const<Bits<32>>,
    number: Signal<Local, Bits<17>>,
    bell: Signal<Local, Doorbell>,
    bell_number: Signal<Local, Bits<17>>,
    row: Signal<Local, CqRow>,
    base: Signal<Local, Bits<64>>,
    log2: Signal<Local, Bits<8>>,
    made: Signal<Local, CqSetup>,
    setup: Signal<Local, CqSetup>,
    state: Signal<Local, CqState>,
    after: Signal<Local, CqState>,
    blank: Signal<Local, CqState>,
    slots: Signal<Local, Bits<32>>,
    mask: Signal<Local, Bits<32>>,
    slot: Signal<Local, Bits<32>>,
    round: Signal<Local, Bits<32>>,
    used: Signal<Local, Bits<32>>,
    producer_up: Signal<Local, Bits<32>>,
    room: Signal<Local, Bit>,
    wakes: Signal<Local, Bit>,
    due: Signal<Local, Bit>,
    entry: Signal<Local, Cqe>,
    event_now: Signal<Local, Event>,
    cmd_done: Signal<Local, Bit>,
    beats_done: Signal<Local, Bit>,
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
            judge: CqBell::new(),
            pick: Pick::new(),
            pump: Pump::new([St::Setup, St::Judge, St::Look]),
            k_success: wc_status::success(),
            k_notify: event_kind::cq_notify(),
            k_overrun: event_kind::cq_overrun(),
            k_align: Const::of(!0x1F),
            k_length: Const::of(32),
            k_cqs: Const::of(1 << Q),
            k_one: Const::of(1),
            k_first: Const::of(first),
            ..Default::default()
        }
    }
}

impl<const Q: usize, const NQ: usize> Logic for Cq<Q, NQ> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, bell_first, item, known, addr, line, beats, cmd, follows);
        dff_setup!(self, clock, told, lost_one, gone, refused, working);
        clock!(self, clock, setups, states, judge, pick, pump);
        self.pump.reset.next = self.reset.val();
        self.bell_first.reset.next = self.reset.val();
        self.pick.reset.next = self.reset.val();
        self.beats.reset.next = self.reset.val();
        self.cmd.reset.next = self.reset.val();
        self.follows.reset.next = self.reset.val();
        self.lost_one.reset.next = self.reset.val();
        self.gone.reset.next = self.reset.val();
        self.refused.reset.next = self.reset.val();
        self.working.reset.next = self.reset.val();
        self.setups.reset.next = self.reset.val();
        self.states.reset.next = self.reset.val();

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
        self.bell_number.next = bit_cast::<17, 16>(self.bell.val().number);
        self.number.next = bit_cast::<17, 16>(self.pick.tx.item.val().cq);
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
        self.base.next = self.row.val().base;
        self.log2.next = self.row.val().log2;
        self.made.next.base = self.base.val() & self.k_align.val();
        self.made.next.log2 = self.log2.val().get_bits::<5>(0);
        self.made.next.is_valid = self.row.val().is_valid && (self.log2.val() < 17);
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
        self.blank.next.any = false;
        self.blank.next.solicited = false;
        self.blank.next.is_over = false;
        self.states.write_data.next = self.blank.val();

        // A completion on its row.
        self.slots.next = self.k_one.val() << self.setup.val().log2;
        self.mask.next = self.slots.val() - 1;
        self.slot.next = self.state.val().producer & self.mask.val();
        self.round.next = self.state.val().producer & self.slots.val();
        self.used.next = self.state.val().producer - self.state.val().consumer;
        self.producer_up.next = self.state.val().producer + 1;
        self.room.next = self.setup.val().is_valid && (self.used.val() != self.slots.val());
        self.wakes.next =
            self.item.q.val().is_solicited || (self.item.q.val().status != self.k_success.val());
        self.due.next = self.state.val().any || (self.state.val().solicited && self.wakes.val());
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
        self.entry.next.phase = !self.round.val().any();
        self.pack.record.next = self.entry.val();
        self.judge.bell.next = self.bell.val();
        self.judge.is_valid.next = self.setup.val().is_valid && (self.bell_number.val() < self.k_cqs.val());
        self.judge.state.next = self.state.val();
        self.event_now.next.kind = self.k_notify.val();
        self.event_now.next.number = bit_cast::<16, Q>(self.pump.row.val());
        self.event_now.next.error = 0.into();
        self.event_now.next.info = self.state.val().producer;
        self.event_now.next.phase = false;
        self.after.next = self.state.val();

        self.cqe_cmd.addr.next = self.addr.q.val();
        self.cqe_cmd.length.next = self.k_length.val();
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
        self.cmd_done.next = !self.cmd.q.val() || self.cqe_cmd.ready.val();
        self.beats_done.next =
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
                self.known.d.next = self.number.val() < self.k_cqs.val();
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
                self.addr.d.next = self.setup.val().base + (bit_cast::<64, 32>(self.slot.val()) << 5);
                self.line.d.next = self.pack.octets.val();
                if !self.known.q.val() || self.state.val().is_over {
                    self.gone.d.next = true;
                    self.lost_one.d.next = self.known.q.val();
                    self.pump.then.next = St::Idle;
                } else if !self.room.val() {
                    self.after.next.is_over = true;
                    self.working.d.next =
                        self.working.q.val().replace_bit(self.pump.row.val().index(), false);
                    self.states.write_enable.next = true;
                    self.lost_one.d.next = true;
                    self.gone.d.next = true;
                    self.event_now.next.kind = self.k_overrun.val();
                    self.pump.then.next = St::Tell;
                } else {
                    self.after.next.producer = self.producer_up.val();
                    self.event_now.next.info = self.producer_up.val();
                    if self.wakes.val() {
                        self.after.next.woken = self.producer_up.val();
                    }
                    if self.due.val() {
                        self.after.next.any = false;
                        self.after.next.solicited = false;
                    }
                    self.states.write_enable.next = true;
                    self.follows.d.next = self.due.val();
                    self.cmd.d.next = true;
                    self.beats.d.next = 4.into();
                    self.pump.then.next = St::Hand;
                }
                self.states.write_data.next = self.after.val();
                self.told.d.next = self.event_now.val();
            }
            St::Hand => {
                if self.cmd_done.val() && self.beats_done.val() {
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
