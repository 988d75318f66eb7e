// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which part has a register.
use super::bar_ports::Ask;
use crate::prelude::*;
use ferrowarp_abi::consts::bar;
use ferrowarp_abi::host::csr::{Each, Reach, Register, BAR0_OCTETS, MOST_QUEUES, REGISTERS};
use std::collections::BTreeMap;

/// Parts that have registers: the bits of [`RegMap::whose`].
pub const PARTS: usize = 5;
/// Registers of the device as a whole.
pub const CSR: usize = 0;
/// Counters.
pub const COUNTERS: usize = 1;
/// The admin window.
pub const ADMIN: usize = 2;
/// MSI-X.
pub const MSIX: usize = 3;
/// Counters of the queue pairs.
pub const QP_COUNTS: usize = 4;

/// Dwords of a slice: parts have slices of their own.
const SLICE: usize = 16;
/// Slices that hold a register of the device.
const SLICES: usize = 26;
/// Kinds of registers that each queue has.
const KINDS: usize = 2;
/// Place of the first slice of BAR4.
const BAR4: usize = 64;

/// What there is in a slice.
#[derive(Default)]
struct Slice {
    reads: usize,
    writes: usize,
    whose: usize,
}

/// Combinational: what there is at a place of BAR0 or BAR4, by the register table of `abi`.
/// Registers of the device are told slice by slice; those of the queues, which have no holes, by
/// the upper bits of the address.
#[block(comb)]
pub struct RegMap {
    /// The place.
    pub at: Signal<In, Ask>,
    /// It may be read.
    pub readable: Signal<Out, Bit>,
    /// It may be written. What is neither is no register.
    pub writable: Signal<Out, Bit>,
    /// Its part, a bit each.
    pub whose: Signal<Out, Bits<PARTS>>,
    reads: Signal<Local, Bits<16>>,
    writes: Signal<Local, Bits<16>>,
    part: Signal<Local, Bits<PARTS>>,
    place: Vec<Const<Bits<7>>>,
    may_read: Vec<Const<Bits<16>>>,
    may_write: Vec<Const<Bits<16>>>,
    owner: Vec<Const<Bits<PARTS>>>,
    /// Of each kind: address bits that all of them have in common, their value, whose they are;
    /// dwords that may be written.
    kind_bits: Vec<Const<Bits<12>>>,
    kind_at: Vec<Const<Bits<12>>>,
    kind_owner: Vec<Const<Bits<PARTS>>>,
    kind_write: Vec<Const<Bits<16>>>,
    whole: Const<Bits<16>>,
}

/// The part of a register of BAR0.
fn part(name: &str) -> usize {
    match name {
        "counter" => COUNTERS,
        "qp_counter" => QP_COUNTS,
        "admin_go" | "admin_status" | "admin_command" | "admin_answer" => ADMIN,
        "cq_vector" | "moderation" => MSIX,
        _ => CSR,
    }
}

/// The slices that hold something, by place.
fn slices() -> BTreeMap<usize, Slice> {
    let mut all: BTreeMap<usize, Slice> = BTreeMap::new();
    let mut add = |dword: usize, count: usize, whose: usize, read: bool, write: bool| {
        for at in dword..dword + count {
            let slice = all.entry(at / SLICE).or_default();
            slice.reads |= usize::from(read) << (at % SLICE);
            slice.writes |= usize::from(write) << (at % SLICE);
            slice.whose |= 1 << whose;
        }
    };
    for r in REGISTERS.iter().filter(|r| r.each == Each::Device) {
        let (read, write) = (r.reach != Reach::WriteOnly, r.reach != Reach::ReadOnly);
        add(r.offset / 4, r.count, part(r.name), read, write);
    }
    let (table, pending) = (bar::MSIX_TABLE as usize / 4, bar::MSIX_PENDING as usize / 4);
    add(BAR4 * SLICE + table, 4 * bar::VECTORS as usize, MSIX, true, true);
    add(BAR4 * SLICE + pending, 2, MSIX, true, false);
    all
}

impl RegMap {
    /// The map of `abi` for `2^qps_log2` queue pairs and `2^cqs_log2` completion queues; panics at
    /// elaboration if two parts share a slice, or there are more slices, kinds or queues than this
    /// has.
    pub fn new(qps_log2: usize, cqs_log2: usize) -> Self {
        let all = slices();
        let (qps, cqs) = (1 << qps_log2, 1 << cqs_log2);
        assert!(qps.max(cqs) <= MOST_QUEUES, "{qps} and {cqs} queues: BAR0 has registers for {MOST_QUEUES}");
        let kinds: Vec<_> = REGISTERS.iter().filter(|r| r.each != Each::Device).collect();
        assert_eq!(kinds.len(), KINDS, "the register table has another number of kinds: change KINDS");
        assert!(kinds.iter().all(|r| r.reach != Reach::WriteOnly), "the kernel lets all of them be read");
        let octets = |r: &Register| 4 * r.there(qps, cqs);
        assert_eq!(all.len(), SLICES, "the register table fills another number of slices: change SLICES");
        assert!(all.values().all(|s| s.whose.is_power_of_two()), "two parts have registers in one slice");
        Self {
            place: all.keys().map(|&k| Const::of(k)).collect(),
            may_read: all.values().map(|s| Const::of(s.reads)).collect(),
            may_write: all.values().map(|s| Const::of(s.writes)).collect(),
            owner: all.values().map(|s| Const::of(s.whose)).collect(),
            kind_bits: kinds.iter().map(|r| Const::of(BAR0_OCTETS - octets(r))).collect(),
            kind_at: kinds.iter().map(|r| Const::of(r.offset)).collect(),
            kind_owner: kinds.iter().map(|r| Const::of(1 << part(r.name))).collect(),
            kind_write: kinds
                .iter()
                .map(|r| Const::of(0xffff * usize::from(r.reach != Reach::ReadOnly)))
                .collect(),
            whole: Const::of(0xffff),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for RegMap {
    fn update(&mut self) {
        let addr: Bits<12> = self.at.val().addr;
        let slice: Bits<7> =
            bit_cast::<7, 6>(addr.get_bits::<6>(6)) | (bit_cast::<7, 1>(self.at.val().bar4.into()) << 6);
        let dword: Bits<4> = addr.get_bits::<4>(2);
        self.reads.next = 0.into();
        self.writes.next = 0.into();
        self.part.next = 0.into();
        for i in 0..SLICES {
            if slice == self.place[i].val() {
                self.reads.next = self.may_read[i].val();
                self.writes.next = self.may_write[i].val();
                self.part.next = self.owner[i].val();
            }
        }
        for i in 0..KINDS {
            if !self.at.val().bar4 && ((addr & self.kind_bits[i].val()) == self.kind_at[i].val()) {
                self.reads.next = self.whole.val();
                self.writes.next = self.kind_write[i].val();
                self.part.next = self.kind_owner[i].val();
            }
        }
        self.readable.next = self.reads.val().get_bit(dword.index());
        self.writable.next = self.writes.val().get_bit(dword.index());
        self.whose.next = self.part.val();
    }
}
