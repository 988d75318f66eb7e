// SPDX-License-Identifier: MIT OR Apache-2.0
//! Table, masks and moderation of MSI-X.
use super::bar_ports::{Ask, Put};
use crate::prelude::*;

/// log2 of the entries of the RAMs.
const ENTRIES: usize = 4;

/// The registers of [`super::Msix`]. `V` vectors, `NQ` = `2^Q` completion queues.
///
/// `fetch` is answered by `addr` and `data` in the same cycle, unless `ask_valid` has the table
/// then.
#[block(clock)]
pub struct MsixTable<const V: usize, const Q: usize, const NQ: usize> {
    /// Synchronous reset: all masked, no moderation, vector 0 for all.
    pub reset: Signal<In, Bit>,
    /// A tick.
    pub tick: Signal<In, Bit>,
    /// A register that is written.
    pub put: Signal<In, Put>,
    /// It is, now.
    pub put_valid: Signal<In, Bit>,
    /// A register that is asked for.
    pub ask: Signal<In, Ask>,
    /// It is, now.
    pub ask_valid: Signal<In, Bit>,
    /// Its value.
    pub say: Signal<Out, Bits<32>>,
    /// It is there.
    pub say_valid: Signal<Out, Bit>,
    /// Pending bits, to be read.
    pub pending: Signal<In, Bits<V>>,
    /// Vectors that are not masked and whose time has passed.
    pub free: Signal<Out, Bits<V>>,
    /// A completion queue.
    pub cq: Signal<In, Bits<Q>>,
    /// Its vector.
    pub vector: Signal<Out, Bits<4>>,
    /// Vector that is fetched.
    pub fetch: Signal<In, Bits<4>>,
    /// It sends now.
    pub sends: Signal<In, Bit>,
    /// Address of its message.
    pub addr: Signal<Out, Bits<64>>,
    /// Data of its message.
    pub data: Signal<Out, Bits<32>>,
    low: LutRam<Bits<32>, ENTRIES>,
    high: LutRam<Bits<32>, ENTRIES>,
    message: LutRam<Bits<32>, ENTRIES>,
    masks: Vec<Reg<Bit>>,
    gaps: Vec<Reg<Bits<8>>>,
    left: Vec<Reg<Bits<8>>>,
    /// Vectors of completion queues, for events and for the host; 0 until one was given.
    of_cq: LutRam<Bits<4>, Q>,
    shown: LutRam<Bits<4>, Q>,
    given: Reg<Bits<NQ>>,
    word: Flop<Bits<32>>,
    answers: Reg<Bit>,
    unit: Vec<Const<Bits<V>>>,
    align: Const<Bits<32>>,
    read_at: Signal<Local, Bits<4>>,
    less: Signal<Local, Bits<8>>,
    gap: Signal<Local, Bits<8>>,
    shut: Signal<Local, Bit>,
    open: Signal<Local, Bits<V>>,
}

impl<const V: usize, const Q: usize, const NQ: usize> MsixTable<V, Q, NQ> {
    /// All masked.
    pub fn new() -> Self {
        assert!((1..=1 << ENTRIES).contains(&V), "{V} vectors: 1 to 16");
        assert!(NQ == 1 << Q && (1..=8).contains(&Q), "{NQ} completion queues under numbers of {Q} bits");
        // the kernel tells the two groups of BAR0 by address bit 10, and a register of a group by
        // those from bit 2 on
        let moderation = usize::from(ferrowarp_abi::consts::csr::MODERATION);
        let of_cq = usize::from(ferrowarp_abi::consts::csr::CQ_VECTOR);
        assert!(moderation & 0x43f == 0x400 && of_cq & 0x4ff == 0, "the register table has moved these");
        Self {
            masks: (0..V).map(|_| Reg::new(true)).collect(),
            gaps: (0..V).map(|_| Reg::default()).collect(),
            left: (0..V).map(|_| Reg::default()).collect(),
            unit: (0..V).map(|i| Const::of(1 << i)).collect(),
            align: Const::of(0xffff_fffc),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const V: usize, const Q: usize, const NQ: usize> Logic for MsixTable<V, Q, NQ> {
    fn update(&mut self) {
        regs!(answers, given);
        flops!(word);
        clocked!(low, high, message, of_cq, shown);

        // Writes: an entry of the table in BAR4, a dword of the groups in BAR0.
        let at: Bits<12> = self.put.val().addr;
        let in_data: Bits<32> = self.put.val().data;
        let entry: Bits<4> = at.get_bits::<4>(4);
        let dword: Bits<2> = at.get_bits::<2>(2);
        let row: Bits<4> = at.get_bits::<4>(2);
        let in_table: Bit = self.put_valid.val() && self.put.val().bar4;
        let in_moderation: Bit = self.put_valid.val() && !self.put.val().bar4 && at.get_bit(10);
        let in_cq: Bit = self.put_valid.val() && !self.put.val().bar4 && !at.get_bit(10);
        self.low.write_enable.next = in_table && (dword == 0);
        self.high.write_enable.next = in_table && (dword == 1);
        self.message.write_enable.next = in_table && (dword == 2);
        self.low.write_address.next = entry;
        self.high.write_address.next = entry;
        self.message.write_address.next = entry;
        self.low.write_data.next = in_data & self.align.val();
        self.high.write_data.next = in_data;
        self.message.write_data.next = in_data;

        // Reads of the table: the host's or the sender's.
        let from: Bits<12> = self.ask.val().addr;
        let asked_entry: Bits<4> = from.get_bits::<4>(4);
        let asked_row: Bits<4> = from.get_bits::<4>(2);
        let asked_dword: Bits<2> = from.get_bits::<2>(2);
        // not through `from`: what reads the RAMs' answers and what addresses them would be one
        // loop to Verilator
        let place: Bits<12> = self.ask.val().addr;
        self.read_at.next = self.fetch.val();
        if self.ask_valid.val() {
            self.read_at.next = place.get_bits::<4>(4);
        }
        self.low.read_address.next = self.read_at.val();
        self.high.read_address.next = self.read_at.val();
        self.message.read_address.next = self.read_at.val();
        self.addr.next = bit_cast::<64, 32>(self.low.read_data.val())
            | (bit_cast::<64, 32>(self.high.read_data.val()) << 32);
        self.data.next = self.message.read_data.val();

        self.word.d.next = 0.into();
        if self.ask.val().bar4 {
            if from == lit::<12>(ferrowarp_abi::consts::bar::MSIX_PENDING as usize) {
                self.word.d.next = bit_cast::<32, V>(self.pending.val());
            } else if !from.get_bit(11) {
                if asked_dword == 0 {
                    self.word.d.next = self.low.read_data.val();
                }
                if asked_dword == 1 {
                    self.word.d.next = self.high.read_data.val();
                }
                if asked_dword == 2 {
                    self.word.d.next = self.message.read_data.val();
                }
            }
        }
        self.open.next = 0.into();
        for i in 0..V {
            self.masks[i].clock.next = self.clock.val();
            self.masks[i].reset.next = self.reset.val();
            self.masks[i].d.next = self.masks[i].q.val();
            self.gaps[i].clock.next = self.clock.val();
            self.gaps[i].reset.next = self.reset.val();
            self.gaps[i].d.next = self.gaps[i].q.val();
            self.left[i].clock.next = self.clock.val();
            self.left[i].reset.next = self.reset.val();
            self.left[i].d.next = self.left[i].q.val();
            self.gap.next = self.gaps[i].q.val();
            self.shut.next = self.masks[i].q.val();
            self.less.next = self.left[i].q.val() - 1;
            if in_table && (dword == 3) && (entry == i.to_bits()) {
                self.masks[i].d.next = in_data.get_bit(0);
            }
            if in_moderation && (row == i.to_bits()) {
                self.gaps[i].d.next = in_data.get_bits::<8>(0);
            }
            if self.tick.val() && self.left[i].q.val().any() {
                self.left[i].d.next = self.less.val();
            }
            if self.sends.val() && (self.fetch.val() == i.to_bits()) {
                self.left[i].d.next = self.gap.val();
            }
            if !self.shut.val() && !self.left[i].q.val().any() {
                self.open.next = self.open.val() | self.unit[i].val();
            }
            if self.ask.val().bar4 && !from.get_bit(11) && (asked_dword == 3) && (asked_entry == i.to_bits())
            {
                self.word.d.next = bit_cast::<32, 1>(self.shut.val().into());
            }
            if !self.ask.val().bar4 && from.get_bit(10) && (asked_row == i.to_bits()) {
                self.word.d.next = bit_cast::<32, 8>(self.gap.val());
            }
        }
        self.free.next = self.open.val();

        // Vectors of completion queues.
        let put_cq: Bits<Q> = at.get_bits::<Q>(2);
        let asked_cq: Bits<Q> = from.get_bits::<Q>(2);
        self.of_cq.write_enable.next = in_cq;
        self.of_cq.write_address.next = at.get_bits::<Q>(2);
        self.of_cq.write_data.next = in_data.get_bits::<4>(0);
        self.of_cq.read_address.next = self.cq.val();
        self.shown.write_enable.next = in_cq;
        self.shown.write_address.next = at.get_bits::<Q>(2);
        self.shown.write_data.next = in_data.get_bits::<4>(0);
        self.shown.read_address.next = place.get_bits::<Q>(2);
        if in_cq {
            self.given.d.next = self.given.q.val().replace_bit(put_cq.index(), true);
        }
        self.vector.next = 0.into();
        if self.given.q.val().get_bit(self.cq.val().index()) {
            self.vector.next = self.of_cq.read_data.val();
        }
        if !self.ask.val().bar4 && !from.get_bit(10) && self.given.q.val().get_bit(asked_cq.index()) {
            self.word.d.next = bit_cast::<32, 4>(self.shown.read_data.val());
        }
        self.answers.d.next = self.ask_valid.val();
        self.say.next = self.word.q.val();
        self.say_valid.next = self.answers.q.val();
    }
}
