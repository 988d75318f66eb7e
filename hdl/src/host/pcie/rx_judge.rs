// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a request is, and what is wrong with it.
use super::bar_ports::{Bell, Fault, Owed, Request};
use super::rx_fields::RxFields;
use super::swap::DwSwap;
use crate::cell::Const;
use crate::gen::consts::{doorbell_kind, edge_error};
use crate::gen::UnpackDoorbell;
use rust_hdl::prelude::*;

/// Types of requests that want a completion and are not served: locked reads, I/O, configuration
/// (of both kinds), atomic operations, deferrable writes (base specification table 2-3).
const REFUSED: usize = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 27;

/// Combinational judge of a request. `G` = 1 + log2 of the doorbell pages of queues; page `2^(G-1)`
/// is that of the device's own rings.
///
/// At most one of `is_bell`, `puts` and `owed_valid` says something, and beside `fault_valid` only
/// `owed_valid`.
#[derive(LogicBlock, Default)]
pub struct RxJudge<const G: usize> {
    /// The request.
    pub d: Signal<In, Request>,
    /// Registers that it writes: 0, 1 or 2.
    pub puts: Signal<Out, Bits<2>>,
    /// They lie in BAR4.
    pub bar4: Signal<Out, Bit>,
    /// Place of the first one.
    pub addr: Signal<Out, Bits<12>>,
    /// What is written, as the host's processor has it.
    pub data: Signal<Out, Bits<64>>,
    /// A doorbell.
    pub bell: Signal<Out, Bell>,
    /// There is one.
    pub is_bell: Signal<Out, Bit>,
    /// The completion that it wants.
    pub owed: Signal<Out, Owed>,
    /// There is one.
    pub owed_valid: Signal<Out, Bit>,
    /// What is wrong.
    pub fault: Signal<Out, Fault>,
    /// Something is.
    pub fault_valid: Signal<Out, Bit>,
    fields: RxFields,
    swap: DwSwap<64>,
    unpack: UnpackDoorbell,
    words: Signal<Local, Bits<256>>,
    head: Signal<Local, Bits<32>>,
    second: Signal<Local, Bits<32>>,
    be: Signal<Local, Bits<8>>,
    first_be: Signal<Local, Bits<4>>,
    last_be: Signal<Local, Bits<4>>,
    end_be: Signal<Local, Bits<4>>,
    family: Signal<Local, Bits<5>>,
    four: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    prefix: Signal<Local, Bit>,
    length: Signal<Local, Bits<10>>,
    payload: Signal<Local, Bits<11>>,
    expected: Signal<Local, Bits<11>>,
    place: Signal<Local, Bits<32>>,
    is_memory: Signal<Local, Bit>,
    is_message: Signal<Local, Bit>,
    is_refused: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    one: Signal<Local, Bit>,
    two: Signal<Local, Bit>,
    hits: Signal<Local, Bit>,
    bar: Signal<Local, Bits<3>>,
    lead: Signal<Local, Bits<12>>,
    tail: Signal<Local, Bits<12>>,
    all_octets: Signal<Local, Bits<12>>,
    long: Signal<Local, Bits<12>>,
    status: Signal<Local, Bits<3>>,
    page: Signal<Local, Bits<16>>,
    number: Signal<Local, Bits<16>>,
    queue: Signal<Local, Bit>,
    ring: Signal<Local, Bit>,
    of_page: Signal<Local, Bit>,
    kind: Signal<Local, Bits<8>>,
    error: Signal<Local, Bits<8>>,
    pages: Const<Bits<32>>,
    own_page: Const<Bits<16>>,
    refused: Const<Bits<32>>,
    aligned: Const<Bits<12>>,
    three: Const<Bits<11>>,
    most: Const<Bits<11>>,
    message: Const<Bits<2>>,
    last_queue: Const<Bits<8>>,
    last_ring: Const<Bits<8>>,
    k_none: Const<Bits<8>>,
    k_malformed: Const<Bits<8>>,
    k_unsupported: Const<Bits<8>>,
    k_poisoned: Const<Bits<8>>,
    k_length: Const<Bits<8>>,
    k_partial: Const<Bits<8>>,
    k_address: Const<Bits<8>>,
    k_page: Const<Bits<8>>,
    unsupported: Const<Bits<3>>,
    aborted: Const<Bits<3>>,
}

impl<const G: usize> RxJudge<G> {
    /// Panics at elaboration if a page cannot be numbered.
    pub fn new() -> Self {
        assert!((1..=16).contains(&G), "G = {G}: 1 to 16");
        Self {
            swap: DwSwap::new(),
            pages: Const::of((1 << G) - 1),
            own_page: Const::of(1 << (G - 1)),
            refused: Const::of(REFUSED),
            aligned: Const::of(0xffc),
            three: Const::of(3),
            most: Const::of(1024),
            message: Const::of(0b10),
            last_queue: doorbell_kind::cq_arm(),
            last_ring: doorbell_kind::raw_rx_arm(),
            k_none: edge_error::none(),
            k_malformed: edge_error::malformed(),
            k_unsupported: edge_error::unsupported(),
            k_poisoned: edge_error::poisoned(),
            k_length: edge_error::length(),
            k_partial: edge_error::partial(),
            k_address: edge_error::address(),
            k_page: edge_error::page(),
            // Completion Status (base specification table 2-34)
            unsupported: Const::of(0b001),
            aborted: Const::of(0b100),
            ..Default::default()
        }
    }
}

impl<const G: usize> Logic for RxJudge<G> {
    #[hdl_gen]
    fn update(&mut self) {
        // The header.
        self.words.next = self.d.val().words;
        self.bar.next = self.d.val().bar;
        self.head.next = self.words.val().get_bits::<32>(0);
        self.second.next = self.words.val().get_bits::<32>(32);
        self.be.next = self.second.val().get_bits::<8>(0);
        self.first_be.next = self.be.val().get_bits::<4>(0);
        self.last_be.next = self.be.val().get_bits::<4>(4);
        self.family.next = self.head.val().get_bits::<5>(24);
        self.four.next = self.head.val().get_bit(29);
        self.writes.next = self.head.val().get_bit(30);
        self.prefix.next = self.head.val().get_bit(31);
        self.length.next = self.head.val().get_bits::<10>(0);
        self.fields.words.next = self.d.val().words;
        self.place.next = self.fields.place.val();
        self.swap.x.next = self.fields.payload.val();
        self.data.next = self.swap.y.val();
        self.unpack.octets.next = self.swap.y.val();

        // Is it what it says?
        self.payload.next = 0.into();
        if self.writes.val() {
            self.payload.next = bit_cast::<11, 10>(self.length.val());
            if !self.length.val().any() {
                self.payload.next = self.most.val();
            }
        }
        self.expected.next = self.three.val()
            + self.payload.val()
            + bit_cast::<11, 1>(self.four.val().into())
            + bit_cast::<11, 1>(self.head.val().get_bit(15).into());
        self.is_memory.next = !self.family.val().any() && !self.prefix.val();
        self.is_message.next = (self.family.val().get_bits::<2>(3) == self.message.val())
            && self.four.val()
            && !self.prefix.val();
        self.is_refused.next = self.refused.val().get_bit(self.family.val().index()) && !self.prefix.val();
        self.one.next = self.length.val() == 1;
        self.two.next = (self.length.val() == 2) && !self.place.val().get_bit(2);
        self.whole.next = self.d.val().dwords == self.expected.val();
        if self.is_memory.val() {
            // byte enables: the last one only beside a first one that is another dword's
            if self.one.val() {
                self.whole.next = (self.d.val().dwords == self.expected.val()) && !self.last_be.val().any();
            } else {
                self.whole.next = (self.d.val().dwords == self.expected.val())
                    && self.last_be.val().any()
                    && self.first_be.val().any();
            }
        }
        self.hits.next = (self.bar.val() == 1) || (self.bar.val() == 2) || (self.bar.val() == 4);

        // Its octets, for the completion.
        self.end_be.next = self.last_be.val();
        if self.one.val() {
            self.end_be.next = self.first_be.val();
        }
        self.lead.next = 0.into();
        self.tail.next = 3.into();
        if self.first_be.val().get_bit(3) {
            self.lead.next = 3.into();
        }
        if self.first_be.val().get_bit(2) {
            self.lead.next = 2.into();
        }
        if self.first_be.val().get_bit(1) {
            self.lead.next = 1.into();
        }
        if self.first_be.val().get_bit(0) {
            self.lead.next = 0.into();
        }
        if self.end_be.val().get_bit(1) {
            self.tail.next = 2.into();
        }
        if self.end_be.val().get_bit(2) {
            self.tail.next = 1.into();
        }
        if self.end_be.val().get_bit(3) {
            self.tail.next = 0.into();
        }
        self.long.next = bit_cast::<12, 10>(self.length.val()) << 2;
        self.all_octets.next = self.long.val() - self.lead.val() - self.tail.val();

        // A doorbell and its page.
        self.kind.next = self.unpack.record.val().kind;
        self.number.next = self.unpack.record.val().number;
        self.page.next = bit_cast::<16, 32>((self.place.val() >> 12) & self.pages.val());
        self.queue.next = self.kind.val() <= self.last_queue.val();
        self.ring.next = !self.queue.val() && (self.kind.val() <= self.last_ring.val());
        self.of_page.next = (self.queue.val()
            && (self.page.val() == self.number.val())
            && (self.page.val() < self.own_page.val()))
            || (self.ring.val() && (self.page.val() == self.own_page.val()) && !self.number.val().any());

        // The first thing that is wrong.
        self.error.next = self.k_none.val();
        self.status.next = 0.into();
        self.puts.next = 0.into();
        self.is_bell.next = false;
        self.owed_valid.next = false;
        if !self.whole.val() || !(self.is_memory.val() || self.is_message.val() || self.is_refused.val()) {
            self.error.next = self.k_malformed.val();
        } else if !self.is_memory.val() {
            self.error.next = self.k_unsupported.val();
            self.status.next = self.unsupported.val();
            self.owed_valid.next = self.is_refused.val();
        } else if self.writes.val() {
            if self.head.val().get_bit(14) {
                self.error.next = self.k_poisoned.val();
            } else if !self.hits.val() {
                self.error.next = self.k_unsupported.val();
            } else if !(self.one.val() || self.two.val()) {
                self.error.next = self.k_length.val();
            } else if !self.first_be.val().all() || (self.two.val() && !self.last_be.val().all()) {
                self.error.next = self.k_partial.val();
            } else if self.bar.val() == 2 {
                if !self.two.val() {
                    self.error.next = self.k_length.val();
                } else if self.place.val().get_bits::<9>(3).any() {
                    self.error.next = self.k_address.val();
                } else if !self.of_page.val() {
                    self.error.next = self.k_page.val();
                } else {
                    self.is_bell.next = true;
                }
            } else {
                self.puts.next = 1.into();
                if self.two.val() {
                    self.puts.next = 2.into();
                }
            }
        } else {
            self.owed_valid.next = true;
            if !self.hits.val() {
                self.error.next = self.k_unsupported.val();
                self.status.next = self.unsupported.val();
            } else if !(self.one.val() || self.two.val()) {
                self.error.next = self.k_length.val();
                self.status.next = self.aborted.val();
            }
        }

        self.bar4.next = self.bar.val().get_bit(2);
        self.addr.next = self.place.val().get_bits::<12>(0) & self.aligned.val();
        self.bell.next.kind = self.kind.val();
        self.bell.next.solicited_only = self.unpack.record.val().solicited_only;
        self.bell.next.number = self.page.val();
        self.bell.next.value = self.unpack.record.val().value;
        self.owed.next.head = self.head.val();
        self.owed.next.from = self.second.val().get_bits::<24>(8);
        self.owed.next.status = self.status.val();
        self.owed.next.octets = 4.into();
        self.owed.next.lead = 0.into();
        if self.is_memory.val() {
            self.owed.next.octets = self.all_octets.val();
            self.owed.next.lead = bit_cast::<2, 12>(self.lead.val());
        }
        self.owed.next.addr = self.place.val().get_bits::<12>(0) & self.aligned.val();
        self.owed.next.bar = self.bar.val();
        self.owed.next.be = self.be.val();
        self.owed.next.reads = self.is_memory.val();
        self.owed.next.two = self.two.val();
        self.fault_valid.next = self.error.val() != self.k_none.val();
        self.fault.next.kind = self.error.val();
        self.fault.next.bar = self.bar.val();
        self.fault.next.be = self.be.val();
        self.fault.next.dwords = self.length.val();
        self.fault.next.head = self.head.val();
        self.fault.next.addr = self.place.val();
    }
}
