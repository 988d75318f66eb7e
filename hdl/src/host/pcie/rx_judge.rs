// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a request is, and what is wrong with it.
use super::bar_ports::{Bell, Fault, Owed, Request};
use super::rx_fields::RxFields;
use super::swap::DwSwap;
use crate::gen::consts::{doorbell_kind, edge_error};
use crate::gen::UnpackDoorbell;
use crate::prelude::*;

/// Types of requests that want a completion and are not served: locked reads, I/O, configuration
/// (of both kinds), atomic operations, deferrable writes (base specification table 2-3).
const REFUSED: usize = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 27;

const MOST: usize = 1024;

/// Combinational judge of a request. `G` = 1 + log2 of the doorbell pages of queues; page `2^(G-1)`
/// is that of the device's own rings.
///
/// At most one of `is_bell`, `puts` and `owed_valid` says something, and beside `fault_valid` only
/// `owed_valid`.
#[block(comb)]
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
    end_be: Signal<Local, Bits<4>>,
    four: Signal<Local, Bit>,
    payload: Signal<Local, Bits<11>>,
    whole: Signal<Local, Bit>,
    lead: Signal<Local, Bits<12>>,
    tail: Signal<Local, Bits<12>>,
    status: Signal<Local, Bits<3>>,
    error: Signal<Local, Bits<8>>,
    refused: Const<Bits<32>>,
    aligned: Const<Bits<12>>,
    message: Const<Bits<2>>,
    unsupported: Const<Bits<3>>,
    aborted: Const<Bits<3>>,
}

impl<const G: usize> RxJudge<G> {
    /// Panics at elaboration if a page cannot be numbered.
    pub fn new() -> Self {
        assert!((1..=16).contains(&G), "G = {G}: 1 to 16");
        Self {
            swap: DwSwap::new(),
            refused: Const::of(REFUSED),
            aligned: Const::of(0xffc),
            message: Const::of(0b10),
            // Completion Status (base specification table 2-34)
            unsupported: Const::of(0b001),
            aborted: Const::of(0b100),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const G: usize> Logic for RxJudge<G> {
    fn update(&mut self) {
        // The header.
        let words: Bits<256> = self.d.val().words;
        let bar: Bits<3> = self.d.val().bar;
        let head: Bits<32> = words.get_bits::<32>(0);
        let second: Bits<32> = words.get_bits::<32>(32);
        let be: Bits<8> = second.get_bits::<8>(0);
        let first_be: Bits<4> = be.get_bits::<4>(0);
        let last_be: Bits<4> = be.get_bits::<4>(4);
        let family: Bits<5> = head.get_bits::<5>(24);
        self.four.next = head.get_bit(29);
        let writes: Bit = head.get_bit(30);
        let prefix: Bit = head.get_bit(31);
        let length: Bits<10> = head.get_bits::<10>(0);
        self.fields.words.next = self.d.val().words;
        let place: Bits<32> = self.fields.place.val();
        self.swap.x.next = self.fields.payload.val();
        self.data.next = self.swap.y.val();
        self.unpack.octets.next = self.swap.y.val();

        // Is it what it says?
        self.payload.next = 0.into();
        if writes {
            self.payload.next = bit_cast::<11, 10>(length);
            if !length.any() {
                self.payload.next = lit::<11>(MOST);
            }
        }
        let expected: Bits<11> = lit::<11>(3)
            + self.payload.val()
            + bit_cast::<11, 1>(self.four.val().into())
            + bit_cast::<11, 1>(head.get_bit(15).into());
        let is_memory: Bit = !family.any() && !prefix;
        let is_message: Bit = (family.get_bits::<2>(3) == self.message.val()) && self.four.val() && !prefix;
        let is_refused: Bit = self.refused.val().get_bit(family.index()) && !prefix;
        let one: Bit = length == 1;
        let two: Bit = (length == 2) && !place.get_bit(2);
        self.whole.next = self.d.val().dwords == expected;
        if is_memory {
            // byte enables: the last one only beside a first one that is another dword's
            if one {
                self.whole.next = (self.d.val().dwords == expected) && !last_be.any();
            } else {
                self.whole.next = (self.d.val().dwords == expected) && last_be.any() && first_be.any();
            }
        }
        let hits: Bit = (bar == 1) || (bar == 2) || (bar == 4);

        // Its octets, for the completion.
        self.end_be.next = last_be;
        if one {
            self.end_be.next = first_be;
        }
        self.lead.next = 0.into();
        self.tail.next = 3.into();
        if first_be.get_bit(3) {
            self.lead.next = 3.into();
        }
        if first_be.get_bit(2) {
            self.lead.next = 2.into();
        }
        if first_be.get_bit(1) {
            self.lead.next = 1.into();
        }
        if first_be.get_bit(0) {
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
        let long: Bits<12> = bit_cast::<12, 10>(length) << 2;
        let all_octets: Bits<12> = long - self.lead.val() - self.tail.val();

        // A doorbell and its page.
        let kind: Bits<8> = self.unpack.record.val().kind;
        let number: Bits<16> = self.unpack.record.val().number;
        let page: Bits<16> = bit_cast::<16, 32>((place >> 12) & lit::<32>((1 << G) - 1));
        let queue: Bit = kind <= doorbell_kind::cq_arm().val();
        let ring: Bit = !queue && (kind <= doorbell_kind::raw_rx_arm().val());
        let of_page: Bit = (queue && (page == number) && (page < lit::<16>(1 << (G - 1))))
            || (ring && (page == lit::<16>(1 << (G - 1))) && !number.any());

        // The first thing that is wrong.
        self.error.next = edge_error::none().val();
        self.status.next = 0.into();
        self.puts.next = 0.into();
        self.is_bell.next = false;
        self.owed_valid.next = false;
        if !self.whole.val() || !(is_memory || is_message || is_refused) {
            self.error.next = edge_error::malformed().val();
        } else if !is_memory {
            self.error.next = edge_error::unsupported().val();
            self.status.next = self.unsupported.val();
            self.owed_valid.next = is_refused;
        } else if writes {
            if head.get_bit(14) {
                self.error.next = edge_error::poisoned().val();
            } else if !hits {
                self.error.next = edge_error::unsupported().val();
            } else if !(one || two) {
                self.error.next = edge_error::length().val();
            } else if !first_be.all() || (two && !last_be.all()) {
                self.error.next = edge_error::partial().val();
            } else if bar == 2 {
                if !two {
                    self.error.next = edge_error::length().val();
                } else if place.get_bits::<9>(3).any() {
                    self.error.next = edge_error::address().val();
                } else if !of_page {
                    self.error.next = edge_error::page().val();
                } else {
                    self.is_bell.next = true;
                }
            } else {
                self.puts.next = 1.into();
                if two {
                    self.puts.next = 2.into();
                }
            }
        } else {
            self.owed_valid.next = true;
            if !hits {
                self.error.next = edge_error::unsupported().val();
                self.status.next = self.unsupported.val();
            } else if !(one || two) {
                self.error.next = edge_error::length().val();
                self.status.next = self.aborted.val();
            }
        }

        self.bar4.next = bar.get_bit(2);
        self.addr.next = place.get_bits::<12>(0) & self.aligned.val();
        self.bell.next.kind = kind;
        self.bell.next.solicited_only = self.unpack.record.val().solicited_only;
        self.bell.next.number = page;
        self.bell.next.value = self.unpack.record.val().value;
        self.owed.next.head = head;
        self.owed.next.from = second.get_bits::<24>(8);
        self.owed.next.status = self.status.val();
        self.owed.next.octets = 4.into();
        self.owed.next.lead = 0.into();
        if is_memory {
            self.owed.next.octets = all_octets;
            self.owed.next.lead = bit_cast::<2, 12>(self.lead.val());
        }
        self.owed.next.addr = place.get_bits::<12>(0) & self.aligned.val();
        self.owed.next.bar = bar;
        self.owed.next.be = be;
        self.owed.next.reads = is_memory;
        self.owed.next.two = two;
        self.fault_valid.next = self.error.val() != edge_error::none().val();
        self.fault.next.kind = self.error.val();
        self.fault.next.bar = bar;
        self.fault.next.be = be;
        self.fault.next.dwords = length;
        self.fault.next.head = head;
        self.fault.next.addr = place;
    }
}
