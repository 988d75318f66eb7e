// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads and judges a frame of the carrier, apart from who sent the frame.
use crate::gen::consts::{carrier_frame, carrier_kind, carrier_record};
use crate::gen::{CarrierHdr, CarrierRecord, UnpackCarrierHdr, UnpackCarrierRecord};
use crate::prelude::*;
use crate::stream::Beat;
use ferrowarp_abi::host::carrier::{TLP_DWORDS_MAX, TLP_DWORDS_MIN};

/// Beats of a header.
const HEADER: usize = 3;
/// Beat that holds the last four octets of the shortest frame.
const SHORTEST: usize = 7;
/// Beats that a frame has at most, but for two octets.
const LONGEST: usize = 189;

/// Gives the rows of records of a frame as they come, and the verdict behind the last beat.
///
/// **Contract.** A row is offered for one cycle and is worth nothing before the verdict. `came`
/// pulses in the cycle behind the last beat of a frame; `hdr`, `bad_fcs` and `malformed` are valid
/// with `came`. The rules are those of `ferrowarp_abi::carrier::Frame` for frames of the host. A
/// source address of a group is malformed, too.
#[block]
pub struct Judge {
    /// Beat of a frame, with `rx_valid`.
    pub rx: Signal<In, Beat<64, 4>>,
    /// A beat came.
    pub rx_valid: Signal<In, Bit>,
    /// Row of a record, with `row_valid`.
    pub row: Signal<Out, Bits<64>>,
    /// A row is to be stored.
    pub row_valid: Signal<Out, Bit>,
    /// Pulse: a frame has ended.
    pub came: Signal<Out, Bit>,
    /// The frame had a wrong FCS or another fault of the wire.
    pub bad_fcs: Signal<Out, Bit>,
    /// Header or records are not possible.
    pub malformed: Signal<Out, Bit>,
    /// Header of the frame.
    pub hdr: Signal<Out, CarrierHdr>,
    head: Flop<Bits<192>>,
    /// Beats of the frame so far.
    at: Reg<Bits<8>>,
    /// Rows of the TLP that are still to come.
    left: Flop<Bits<9>>,
    /// Records begun.
    seen: Flop<Bits<16>>,
    is_bad: Flop<Bit>,
    ended: Reg<Bit>,
    fcs_out: Flop<Bit>,
    bad_out: Flop<Bit>,
    unpack: UnpackCarrierHdr,
    unpack_record: UnpackCarrierRecord,
    h: Signal<Local, CarrierHdr>,
    r: Signal<Local, CarrierRecord>,
    left_now: Signal<Local, Bits<9>>,
    seen_now: Signal<Local, Bits<16>>,
}

#[kernel]
impl Logic for Judge {
    fn update(&mut self) {
        regs!(at, ended);
        flops!(head, left, seen, is_bad, fcs_out, bad_out);
        self.unpack.octets.next = self.head.q.val();
        self.h.next = self.unpack.record.val();
        self.unpack_record.octets.next = self.rx.val().data;
        self.r.next = self.unpack_record.record.val();

        // the records
        let comes: Bit = self.rx_valid.val();
        let in_head: Bit = self.at.q.val() < lit::<8>(HEADER);
        let in_tlp: Bit = !in_head && self.left.q.val().any();
        let starts: Bit = !in_head && !in_tlp && (self.seen.q.val() != self.h.val().records);
        let pads: Bit = !in_head && !in_tlp && !starts;
        let is_over: Bit = self.at.q.val() >= lit::<8>(LONGEST);
        let bar_hit: Bits<8> = self.r.val().bar_hit;
        let value: Bits<32> = self.r.val().value;
        let source: Bits<48> = self.h.val().source;
        let is_tlp: Bit = self.r.val().kind == carrier_record::tlp().val();
        let no_value: Bit = !value.any();
        let no_tlp: Bit = !bar_hit.any() && !self.r.val().dwords.any();
        let is_possible: Bit = !bar_hit.get_bits::<5>(3).any()
            && (self.r.val().dwords >= lit::<16>(TLP_DWORDS_MIN))
            && (self.r.val().dwords <= lit::<16>(TLP_DWORDS_MAX));
        // no size beyond 1,024 octets fits a frame
        let is_config: Bit = !value.get_bits::<6>(26).any() && !value.get_bit(18);
        let fits: Bit = (is_tlp && is_possible && no_value)
            || ((self.r.val().kind == carrier_record::config().val()) && no_tlp && is_config)
            || ((self.r.val().kind == carrier_record::reset().val()) && no_tlp && no_value);
        let dwords_up: Bits<16> = self.r.val().dwords + 1;
        let rows: Bits<16> = dwords_up >> 1;
        let left_down: Bits<9> = self.left.q.val() - 1;
        let seen_up: Bits<16> = self.seen.q.val() + 1;
        self.left_now.next = 0.into();
        self.seen_now.next = self.seen.q.val();
        if in_tlp {
            self.left_now.next = left_down;
        }
        if starts {
            self.seen_now.next = seen_up;
            if is_tlp {
                self.left_now.next = rows.get_bits::<9>(0);
            }
        }
        let octets: Bits<4> = self.rx.val().bytes;
        let is_whole: Bit = octets == lit::<4>(8);
        let is_end: Bit = self.at.q.val() == lit::<8>(SHORTEST);
        let is_short: Bit = (self.at.q.val() < lit::<8>(SHORTEST)) || (is_end && (octets < lit::<4>(4)));
        let is_behind: Bit = (self.at.q.val() > lit::<8>(SHORTEST)) || (is_end && (octets > lit::<4>(4)));
        let wrong: Bit =
            (starts && !fits) || ((starts || in_tlp) && (!is_whole || is_over)) || (pads && is_behind);
        let at_end: Bit =
            is_short || self.left_now.val().any() || (self.seen_now.val() != self.h.val().records);
        self.row.next = self.rx.val().data;
        self.row_valid.next = comes && (starts || in_tlp) && !is_over;
        self.ended.d.next = comes && self.rx.val().last;
        if comes {
            if in_head {
                self.head.d.next =
                    (self.head.q.val() >> 64) | (bit_cast::<192, 64>(self.rx.val().data) << 128);
                self.left.d.next = 0.into();
                self.seen.d.next = 0.into();
                self.is_bad.d.next = false;
            } else {
                self.left.d.next = self.left_now.val();
                self.seen.d.next = self.seen_now.val();
                self.is_bad.d.next = self.is_bad.q.val() || wrong;
            }
            if !self.at.q.val().all() {
                self.at.d.next = self.at.q.val() + 1;
            }
            if self.rx.val().last {
                self.at.d.next = 0.into();
                self.fcs_out.d.next = self.rx.val().err;
                self.bad_out.d.next = in_head || self.is_bad.q.val() || wrong || at_end;
            }
        }

        // the header
        let hello: Bit = self.h.val().kind == carrier_kind::hello().val();
        let data: Bit = self.h.val().kind == carrier_kind::data().val();
        let ack: Bit = self.h.val().kind == carrier_kind::ack().val();
        let is_flagged: Bit = self.h.val().ready
            || self.h.val().np_ok
            || (self.h.val().ask && !ack)
            || (self.h.val().nak && hello);
        let is_numbered: Bit =
            (!data && self.h.val().sequence_number.any()) || (hello && self.h.val().acknowledged.any());
        let some: Bit = self.h.val().records.any();
        let is_counted: Bit = (data && some) || (!data && !some);
        let is_head: Bit = (self.h.val().version == carrier_frame::version().val())
            && (hello || data || ack)
            && !is_flagged
            && !is_numbered
            && is_counted
            && !source.get_bit(40);
        self.came.next = self.ended.q.val();
        self.bad_fcs.next = self.fcs_out.q.val();
        self.malformed.next = self.bad_out.q.val() || !is_head;
        self.hdr.next = self.h.val();
    }
}
