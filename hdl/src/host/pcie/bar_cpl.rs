// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completions of the host's requests.
use super::bar_ports::{Ask, Fault, Owed};
use super::ports::PcieConfig;
use super::reg_map::{RegMap, PARTS};
use super::swap::DwSwap;
use crate::gen::consts::edge_error;
use crate::prelude::*;
use crate::stream::{ItemSink, ItemSource, StreamSource};

/// Step of the completion under way.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// None.
    Idle,
    /// Asks for a register.
    Ask,
    /// Waits for its part.
    Wait,
    /// Tells what was wrong.
    Tell,
    /// Waits for a message that was begun before.
    Flush,
    /// Dwords 0 and 1.
    Head,
    /// Dword 2 and the first of data.
    Body,
    /// The second of data.
    Tail,
}

const LOCKED_READ: usize = 1;

/// Reads the registers that requests ask for, one request at a time, and makes CplD and Cpl TLPs.
///
/// **Order.** A completion is not begun while a message of MSI-X is on its way to the posted FIFO,
/// so it does not pass one that was begun before the host masked its vector. It waits for one
/// message: between two of them it goes.
///
/// **Contract.** `ask` stands in the one cycle in which `ask_to` names its part; the part answers
/// later, within 255 cycles, by `say` in a cycle of `say_valid`. One that does not, because it is
/// in reset, is taken to say 0: every request is answered. A register that is not there or may not
/// be read is not asked for and reads 0. Doorbell pages read 0.
///
/// **Timing.** Seven cycles for a dword when its part answers at once.
#[block]
pub struct BarCpl {
    /// Completer ID.
    pub cfg: Signal<In, PcieConfig>,
    /// A completion that is owed.
    pub owed: ItemSink<Owed>,
    /// A register that is asked for.
    pub ask: Signal<Out, Ask>,
    /// It is, of this part.
    pub ask_to: Signal<Out, Bits<PARTS>>,
    /// What the parts say.
    pub say: [Signal<In, Bits<32>>; PARTS],
    /// One does.
    pub say_valid: [Signal<In, Bit>; PARTS],
    /// A message of MSI-X was begun and is not written; low for a cycle at least between two.
    pub message: Signal<In, Bit>,
    /// Completions.
    pub cpl: StreamSource<64, 4>,
    /// What was wrong.
    pub fault: ItemSource<Fault>,

    map: RegMap,
    swap: DwSwap<32>,
    st: Reg<St>,
    now: Flop<Owed>,
    at: Flop<Ask>,
    /// The second dword is being read.
    second: Reg<Bit>,
    waited: Reg<Bits<8>>,
    first_data: Flop<Bits<32>>,
    last_data: Flop<Bits<32>>,
    word: Signal<Local, Bits<32>>,
    heard: Signal<Local, Bit>,
    kind: Signal<Local, Bits<32>>,
    length: Signal<Local, Bits<32>>,
    low: Signal<Local, Bits<32>>,
    done: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    kept: Const<Bits<32>>,
    with_data: Const<Bits<32>>,
    without: Const<Bits<32>>,
    locked: Const<Bits<32>>,
}

impl BarCpl {
    /// Nothing under way; the device has `2^qps_log2` queue pairs and `2^cqs_log2` completion
    /// queues.
    pub fn new(qps_log2: usize, cqs_log2: usize) -> Self {
        Self {
            map: RegMap::new(qps_log2, cqs_log2),
            swap: DwSwap::new(),
            // Traffic class and attributes come back as they came (base specification 2.2.9)
            kept: Const::of(0x0074_3000),
            with_data: Const::of(0x4A00_0000),
            without: Const::of(0x0A00_0000),
            locked: Const::of(0x0B00_0000),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for BarCpl {
    fn update(&mut self) {
        regs!(st, second, waited);
        flops!(now, at, first_data, last_data);

        // What the parts say; one of them at a time.
        self.word.next = 0.into();
        self.heard.next = false;
        for i in 0..PARTS {
            if self.say_valid[i].val() {
                self.word.next = self.say[i].val();
                self.heard.next = true;
            }
        }
        self.map.at.next = self.at.q.val();
        let known: Bit = self.map.readable.val() || self.map.writable.val();
        self.ask.next = self.at.q.val();
        self.ask_to.next = 0.into();
        self.owed.ready.next = self.st.q.val() == St::Idle;
        self.fault.valid.next = self.st.q.val() == St::Tell;
        self.fault.item.next.kind = edge_error::address().val();
        self.fault.item.next.bar = self.now.q.val().bar;
        self.fault.item.next.be = self.now.q.val().be;
        let head: Bits<32> = self.now.q.val().head;
        self.fault.item.next.dwords = head.get_bits::<10>(0);
        self.fault.item.next.head = head;
        self.fault.item.next.addr = bit_cast::<32, 12>(self.at.q.val().addr);

        // The completion.
        let fails: Bit = self.now.q.val().status.any();
        let read: Bit = self.now.q.val().reads && !fails;
        self.kind.next = self.without.val();
        self.length.next = 0.into();
        if head.get_bits::<5>(24) == lit::<5>(LOCKED_READ) {
            self.kind.next = self.locked.val();
        }
        if read {
            self.kind.next = self.with_data.val();
            self.length.next = 1.into();
            if self.now.q.val().two {
                self.length.next = 2.into();
            }
        }
        let dw0: Bits<32> = self.kind.val() | (head & self.kept.val()) | self.length.val();
        let dw1: Bits<32> = (bit_cast::<32, 16>(self.cfg.val().id) << 16)
            | (bit_cast::<32, 3>(self.now.q.val().status) << 13)
            | bit_cast::<32, 12>(self.now.q.val().octets);
        self.low.next = 0.into();
        if self.now.q.val().reads {
            self.low.next =
                (bit_cast::<32, 12>(self.now.q.val().addr) & 0x7c) | bit_cast::<32, 2>(self.now.q.val().lead);
        }
        let dw2: Bits<32> = (bit_cast::<32, 24>(self.now.q.val().from) << 8) | self.low.val();
        self.cpl.data.next = bit_cast::<64, 32>(dw0) | (bit_cast::<64, 32>(dw1) << 32);
        self.cpl.bytes.next = 8.into();
        self.cpl.last.next = false;
        self.cpl.err.next = false;
        self.cpl.valid.next = false;
        self.swap.x.next = self.first_data.q.val();
        self.done.next = false;
        self.begins.next = false;

        match self.st.q.val() {
            St::Idle => {
                self.now.d.next = self.owed.item.val();
                self.at.d.next.bar4 = self.owed.item.val().bar == 4;
                self.at.d.next.addr = self.owed.item.val().addr;
                self.second.d.next = false;
                self.first_data.d.next = 0.into();
                self.last_data.d.next = 0.into();
                if self.owed.valid.val() {
                    self.begins.next = true;
                    if self.owed.item.val().reads
                        && !self.owed.item.val().status.any()
                        && (self.owed.item.val().bar != 2)
                    {
                        self.begins.next = false;
                        self.st.d.next = St::Ask;
                    }
                }
            }
            St::Ask => {
                self.waited.d.next = 0.into();
                self.st.d.next = St::Wait;
                if !known {
                    self.st.d.next = St::Tell;
                } else if self.map.readable.val() {
                    self.ask_to.next = self.map.whose.val();
                } else {
                    self.done.next = true;
                }
            }
            St::Wait => {
                self.waited.d.next = self.waited.q.val() + 1;
                self.done.next = self.waited.q.val().all();
                if self.heard.val() {
                    self.done.next = true;
                    if self.second.q.val() {
                        self.last_data.d.next = self.word.val();
                    } else {
                        self.first_data.d.next = self.word.val();
                    }
                }
            }
            St::Tell => {
                self.done.next = self.fault.ready.val();
            }
            St::Flush => {
                self.begins.next = true;
            }
            St::Head => {
                self.cpl.valid.next = true;
                if self.cpl.ready.val() {
                    self.st.d.next = St::Body;
                }
            }
            St::Body => {
                self.cpl.valid.next = true;
                self.cpl.data.next = bit_cast::<64, 32>(dw2);
                self.cpl.bytes.next = 4.into();
                self.cpl.last.next = true;
                if read {
                    self.cpl.data.next =
                        bit_cast::<64, 32>(dw2) | (bit_cast::<64, 32>(self.swap.y.val()) << 32);
                    self.cpl.bytes.next = 8.into();
                    self.cpl.last.next = !self.now.q.val().two;
                }
                if self.cpl.ready.val() {
                    self.st.d.next = St::Idle;
                    if read && self.now.q.val().two {
                        self.st.d.next = St::Tail;
                    }
                }
            }
            St::Tail => {
                self.swap.x.next = self.last_data.q.val();
                self.cpl.valid.next = true;
                self.cpl.data.next = bit_cast::<64, 32>(self.swap.y.val());
                self.cpl.bytes.next = 4.into();
                self.cpl.last.next = true;
                if self.cpl.ready.val() {
                    self.st.d.next = St::Idle;
                }
            }
            _ => {}
        }
        if self.done.val() {
            self.second.d.next = true;
            self.at.d.next.addr = self.at.q.val().addr + lit::<12>(4);
            self.begins.next = true;
            if self.now.q.val().two && !self.second.q.val() {
                self.begins.next = false;
                self.st.d.next = St::Ask;
            }
        }
        if self.begins.val() {
            self.st.d.next = St::Head;
            if self.message.val() {
                self.st.d.next = St::Flush;
            }
        }
    }
}
