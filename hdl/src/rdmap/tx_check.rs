// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a WQE asks for, and whether that is possible. No state.
use crate::gen::consts::{opcode, opcode_set, rdmap, wc_status, work_opcode};
use crate::gen::{PackRdmapControl, RdmapControl, SendWqe};
use crate::prelude::*;

const MOST_SGE: usize = 4;
const MOST_INLINE: usize = 96;
const NEAR_SGE: usize = 2;
const NEAR_INLINE: usize = 32;
const MOST_RAW: usize = 1024;

/// Judges the head of a slot and gives what RDMAP says of its message (RFC 5040 figure 4).
///
/// Possible for a work request are RDMA Write, RDMA Read with one SGE, the four Sends and raw
/// octets, with up to four SGEs, or with up to 96 octets inline and none, in the blocks that they
/// need; for the control plane a Terminate, inline. What hardware made is not doubted.
#[block(comb)]
pub struct TxCheck {
    /// Head of the slot.
    pub head: Signal<In, SendWqe>,
    /// It is a work request.
    pub is_wqe: Signal<In, Bit>,
    /// Two of its blocks were read.
    pub two: Signal<In, Bit>,
    /// It is of the control plane, else made by hardware.
    pub is_control: Signal<In, Bit>,
    /// It is the end of the stream, whatever the head says.
    pub is_fin: Signal<In, Bit>,
    /// RDMA Reads that may be outstanding.
    pub ord: Signal<In, Bits<8>>,
    /// Largest segment in octets.
    pub emss: Signal<In, Bits<16>>,
    /// The message is tagged: RDMA Write or Read Response.
    pub is_tagged: Signal<Out, Bit>,
    /// It is a Read Request.
    pub is_read: Signal<Out, Bit>,
    /// Its octets go into the stream as they are.
    pub is_raw: Signal<Out, Bit>,
    /// Queue of an untagged message.
    pub queue: Signal<Out, Bits<2>>,
    /// It names an STag to invalidate.
    pub invalidates: Signal<Out, Bit>,
    /// RDMAP's octet in each of its DDP headers.
    pub control: Signal<Out, Bits<8>>,
    /// The head is possible.
    pub ok: Signal<Out, Bit>,
    /// If not: one of `wc_status`.
    pub status: Signal<Out, Bits<8>>,
    pack: PackRdmapControl,
    read_request: Const<Bits<8>>,
    response: Const<Bits<8>>,
    terminate: Const<Bits<8>>,
    known_set: Const<Bits<16>>,
    tagged_set: Const<Bits<16>>,
    read_set: Const<Bits<16>>,
    terminate_set: Const<Bits<16>>,
    invalidate_set: Const<Bits<16>>,
    record: Signal<Local, RdmapControl>,
    known: Signal<Local, Bit>,
    shaped: Signal<Local, Bit>,
    long: Signal<Local, Bit>,
    /// That, and nothing is asked for that is not built.
    placed: Signal<Local, Bit>,
}

impl TxCheck {
    /// The judge.
    pub fn new() -> Self {
        let octet = |c: Const<Bits<4>>| Const::of(c.val().to_u64() as usize);
        Self {
            read_request: octet(opcode::read_request()),
            response: octet(opcode::read_response()),
            terminate: octet(opcode::terminate()),
            known_set: opcode_set::known(),
            tagged_set: opcode_set::tagged(),
            read_set: opcode_set::on_queue_read_request(),
            terminate_set: opcode_set::on_queue_terminate(),
            invalidate_set: opcode_set::invalidates(),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for TxCheck {
    fn update(&mut self) {
        let op: Bits<8> = self.head.val().opcode;
        let low: Bits<4> = op.get_bits::<4>(0);
        self.record.next.rdmap_version = rdmap::version().val();
        self.record.next.opcode = low;
        self.pack.record.next = self.record.val();
        self.control.next = self.pack.octets.val();
        let reads: Bit = op == self.read_request.val();
        let raws: Bit = op == work_opcode::raw().val();
        self.is_read.next = reads && self.is_wqe.val();
        self.is_raw.next = raws && self.is_wqe.val();
        self.is_tagged.next = self.tagged_set.val().get_bit(low.index());
        self.invalidates.next = self.invalidate_set.val().get_bit(low.index());
        self.queue.next = 0.into();
        if self.read_set.val().get_bit(low.index()) {
            self.queue.next = 1.into();
        }
        if self.terminate_set.val().get_bit(low.index()) {
            self.queue.next = 2.into();
        }

        // What the head says needs a second block.
        let needs_two: Bit = (self.head.val().num_sge > lit::<8>(NEAR_SGE))
            || (self.head.val().is_inline && (self.head.val().length > lit::<32>(NEAR_INLINE)));
        // The blocks are those that it says, and as many as it needs.
        let blocks: Bit = ((self.head.val().blocks == 1) && !needs_two)
            || ((self.head.val().blocks == 2) && self.two.val());
        self.placed.next = true;
        self.known.next = true;
        self.shaped.next = true;
        if self.is_wqe.val() {
            self.known.next = raws
                || (self.known_set.val().get_bit(low.index())
                    && !op.get_bits::<4>(4).any()
                    && (op != self.response.val())
                    && (op != self.terminate.val()));
            self.placed.next = blocks && !self.head.val().flags.any();
            self.shaped.next = (self.head.val().num_sge <= lit::<8>(MOST_SGE))
                && !(self.head.val().is_inline && self.head.val().num_sge.any());
            if reads {
                self.shaped.next =
                    !self.head.val().is_inline && (self.head.val().num_sge == 1) && self.ord.val().any();
            }
        }
        if self.is_control.val() {
            self.known.next = op == self.terminate.val();
            self.shaped.next = self.head.val().is_inline && !self.head.val().num_sge.any();
        }
        self.long.next = self.head.val().is_inline && (self.head.val().length > lit::<32>(MOST_INLINE));
        if raws && self.is_wqe.val() {
            self.long.next = (self.head.val().is_inline && (self.head.val().length > lit::<32>(MOST_INLINE)))
                || !self.head.val().length.any()
                || (self.head.val().length > lit::<32>(MOST_RAW))
                || (self.head.val().length > bit_cast::<32, 16>(self.emss.val()));
        }
        self.ok.next = true;
        self.status.next = wc_status::loc_qp_op_err().val();
        if self.long.val() {
            self.ok.next = false;
            self.status.next = wc_status::loc_len_err().val();
        }
        if !self.known.val() || !self.shaped.val() || !self.placed.val() {
            self.ok.next = false;
            self.status.next = wc_status::loc_qp_op_err().val();
        }
        if self.is_fin.val() {
            self.ok.next = true;
        }
    }
}
