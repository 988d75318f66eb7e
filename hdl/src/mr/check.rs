// SPDX-License-Identifier: MIT OR Apache-2.0
//! The checks of a region against what is asked of it, in steps of half an address.
use crate::cell::{Const, Flop, Reg};
use crate::gen::MrRow;
use crate::record::{mr_error, MrAsk, MrSay};
use rust_hdl::prelude::*;

/// What travels beside the sums of a check.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Carried {
    /// Client that asked.
    pub client: Bit,
    /// First error found so far.
    pub error: Bits<3>,
    /// Octets asked for.
    pub length: Bits<32>,
}

/// A pipeline: a check a cycle, an answer six cycles later, nothing waits.
///
/// No step holds a sum of more than 33 bits: offset into the region (address - first address), room
/// behind it (length - offset) and IOVA (base + offset) are made of two halves each, the low one a
/// step ahead. Address + length passes 2^64 exactly if the low halves carry and the high half of
/// the address is all ones.
#[derive(LogicBlock, Default)]
pub struct MrCheck {
    /// Clock of all state.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// What is asked.
    pub ask: Signal<In, MrAsk>,
    /// By this client.
    pub client: Signal<In, Bit>,
    /// The region that the STag's index names.
    pub row: Signal<In, MrRow>,
    /// It exists.
    pub exists: Signal<In, Bit>,
    /// There is a check.
    pub valid: Signal<In, Bit>,
    /// The answer.
    pub say: Signal<Out, MrSay>,
    /// The answer is for client 0.
    pub say0_valid: Signal<Out, Bit>,
    /// The answer is for client 1.
    pub say1_valid: Signal<Out, Bit>,

    // as it came
    a_valid: Reg<Bit>,
    a_ask: Flop<MrAsk>,
    a_client: Flop<Bit>,
    a_row: Flop<MrRow>,
    a_exists: Flop<Bit>,
    // rights judged, low half of the offset known
    b_valid: Reg<Bit>,
    b_item: Flop<Carried>,
    b_off: Flop<Bits<33>>,
    b_carry: Flop<Bit>,
    b_addr: Flop<Bits<32>>,
    b_first: Flop<Bits<32>>,
    b_base: Flop<Bits<64>>,
    b_span: Flop<Bits<64>>,
    // offset known
    c_valid: Reg<Bit>,
    c_item: Flop<Carried>,
    c_off_low: Flop<Bits<32>>,
    c_off_high: Flop<Bits<33>>,
    c_base: Flop<Bits<64>>,
    c_span: Flop<Bits<64>>,
    // low halves of room and IOVA known
    d_valid: Reg<Bit>,
    d_item: Flop<Carried>,
    d_room: Flop<Bits<33>>,
    d_iova: Flop<Bits<33>>,
    d_off: Flop<Bits<33>>,
    d_base: Flop<Bits<32>>,
    d_span: Flop<Bits<32>>,
    // room and IOVA known
    e_valid: Reg<Bit>,
    e_item: Flop<Carried>,
    e_room_low: Flop<Bits<32>>,
    e_room_high: Flop<Bits<33>>,
    e_before: Flop<Bit>,
    e_iova: Flop<Bits<64>>,
    // judged
    o_valid: Reg<Bit>,
    o_client: Flop<Bit>,
    o_say: Flop<MrSay>,

    none: Const<Bits<3>>,
    bad_stag: Const<Bits<3>>,
    bad_stream: Const<Bits<3>>,
    bad_access: Const<Bits<3>>,
    wraps: Const<Bits<3>>,
    outside: Const<Bits<3>>,
    stag: Signal<Local, Bits<32>>,
    key: Signal<Local, Bits<8>>,
    addr: Signal<Local, Bits<64>>,
    first: Signal<Local, Bits<64>>,
    same_key: Signal<Local, Bit>,
    same_stream: Signal<Local, Bit>,
    granted: Signal<Local, Bit>,
    judged: Signal<Local, Carried>,
    addr_low: Signal<Local, Bits<33>>,
    first_low: Signal<Local, Bits<33>>,
    octets: Signal<Local, Bits<33>>,
    end_low: Signal<Local, Bits<33>>,
    off_low: Signal<Local, Bits<33>>,
    less: Signal<Local, Bits<33>>,
    off_high: Signal<Local, Bits<33>>,
    after: Signal<Local, Carried>,
    base: Signal<Local, Bits<64>>,
    span: Signal<Local, Bits<64>>,
    c_off: Signal<Local, Bits<33>>,
    span_low: Signal<Local, Bits<33>>,
    base_low: Signal<Local, Bits<33>>,
    room: Signal<Local, Bits<33>>,
    iova: Signal<Local, Bits<33>>,
    off_top: Signal<Local, Bits<33>>,
    room_less: Signal<Local, Bits<33>>,
    room_high: Signal<Local, Bits<33>>,
    iova_more: Signal<Local, Bits<32>>,
    iova_high: Signal<Local, Bits<32>>,
    room_low: Signal<Local, Bits<33>>,
    e_length: Signal<Local, Bits<33>>,
    fits: Signal<Local, Bit>,
    found: Signal<Local, Bits<3>>,
}

impl MrCheck {
    /// The pipeline.
    pub fn new() -> Self {
        Self {
            none: Const::of(mr_error::NONE),
            bad_stag: Const::of(mr_error::STAG),
            bad_stream: Const::of(mr_error::STREAM),
            bad_access: Const::of(mr_error::ACCESS),
            wraps: Const::of(mr_error::WRAP),
            outside: Const::of(mr_error::BOUNDS),
            ..Default::default()
        }
    }
}

impl Logic for MrCheck {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, a_valid, a_ask, a_client, a_row, a_exists);
        dff_setup!(self, clock, b_valid, b_item, b_off, b_carry, b_addr, b_first, b_base, b_span);
        dff_setup!(self, clock, c_valid, c_item, c_off_low, c_off_high, c_base, c_span);
        dff_setup!(self, clock, d_valid, d_item, d_room, d_iova, d_off, d_base, d_span);
        dff_setup!(self, clock, e_valid, e_item, e_room_low, e_room_high, e_before, e_iova);
        dff_setup!(self, clock, o_valid, o_client, o_say);
        self.a_valid.reset.next = self.reset.val();
        self.b_valid.reset.next = self.reset.val();
        self.c_valid.reset.next = self.reset.val();
        self.d_valid.reset.next = self.reset.val();
        self.e_valid.reset.next = self.reset.val();
        self.o_valid.reset.next = self.reset.val();
        self.a_valid.d.next = self.valid.val();
        self.a_ask.d.next = self.ask.val();
        self.a_client.d.next = self.client.val();
        self.a_row.d.next = self.row.val();
        self.a_exists.d.next = self.exists.val();

        // Rights, in the order of DDP's checks: STag, stream, access.
        self.stag.next = self.a_ask.q.val().stag;
        self.key.next = self.stag.val().get_bits::<8>(0);
        self.same_key.next = self.key.val() == self.a_row.q.val().key;
        self.same_stream.next = (self.a_row.q.val().pd == self.a_ask.q.val().pd)
            && (!self.a_row.q.val().bound_to_qp
                || (self.a_row.q.val().qp == bit_cast::<16, 8>(self.a_ask.q.val().qp)));
        self.granted.next = (!self.a_ask.q.val().remote_write || self.a_row.q.val().remote_write)
            && (!self.a_ask.q.val().remote_read || self.a_row.q.val().remote_read)
            && (!self.a_ask.q.val().local_write || self.a_row.q.val().local_write);
        self.judged.next.client = self.a_client.q.val();
        self.judged.next.length = self.a_ask.q.val().length;
        self.judged.next.error = self.none.val();
        if !self.granted.val() {
            self.judged.next.error = self.bad_access.val();
        }
        if !self.same_stream.val() {
            self.judged.next.error = self.bad_stream.val();
        }
        if !self.a_exists.q.val() || !self.same_key.val() {
            self.judged.next.error = self.bad_stag.val();
        }
        // A tagged offset counts from the region's first one.
        self.addr.next = self.a_ask.q.val().addr;
        self.first.next = self.a_row.q.val().to_base;
        self.addr_low.next = bit_cast::<33, 32>(self.addr.val().get_bits::<32>(0));
        self.first_low.next = bit_cast::<33, 32>(self.first.val().get_bits::<32>(0));
        self.octets.next = bit_cast::<33, 32>(self.a_ask.q.val().length);
        self.off_low.next = self.addr_low.val() - self.first_low.val();
        self.end_low.next = self.addr_low.val() + self.octets.val();
        self.b_valid.d.next = self.a_valid.q.val();
        self.b_item.d.next = self.judged.val();
        self.b_off.d.next = self.off_low.val();
        self.b_carry.d.next = self.end_low.val().get_bit(32);
        self.b_addr.d.next = self.addr.val().get_bits::<32>(32);
        self.b_first.d.next = self.first.val().get_bits::<32>(32);
        self.b_base.d.next = self.a_row.q.val().base;
        self.b_span.d.next = self.a_row.q.val().length;

        // High half of the offset, and the wrap. Bit 32 of each is a borrow: the address lies
        // before the region.
        self.less.next = bit_cast::<33, 32>(self.b_addr.q.val()) - bit_cast::<33, 32>(self.b_first.q.val());
        self.off_high.next = self.less.val() - bit_cast::<33, 1>(self.b_off.q.val().get_bit(32).into());
        self.after.next = self.b_item.q.val();
        if (self.b_item.q.val().error == self.none.val())
            && self.b_item.q.val().length.any()
            && self.b_carry.q.val()
            && self.b_addr.q.val().all()
        {
            self.after.next.error = self.wraps.val();
        }
        self.c_valid.d.next = self.b_valid.q.val();
        self.c_item.d.next = self.after.val();
        self.c_off_low.d.next = self.b_off.q.val().get_bits::<32>(0);
        self.c_off_high.d.next = self.off_high.val();
        self.c_base.d.next = self.b_base.q.val();
        self.c_span.d.next = self.b_span.q.val();

        // Low halves of what is left of the region and of the IOVA.
        self.base.next = self.c_base.q.val();
        self.span.next = self.c_span.q.val();
        self.c_off.next = bit_cast::<33, 32>(self.c_off_low.q.val());
        self.span_low.next = bit_cast::<33, 32>(self.span.val().get_bits::<32>(0));
        self.base_low.next = bit_cast::<33, 32>(self.base.val().get_bits::<32>(0));
        self.room.next = self.span_low.val() - self.c_off.val();
        self.iova.next = self.base_low.val() + self.c_off.val();
        self.d_valid.d.next = self.c_valid.q.val();
        self.d_item.d.next = self.c_item.q.val();
        self.d_room.d.next = self.room.val();
        self.d_iova.d.next = self.iova.val();
        self.d_off.d.next = self.c_off_high.q.val();
        self.d_base.d.next = self.base.val().get_bits::<32>(32);
        self.d_span.d.next = self.span.val().get_bits::<32>(32);

        // High halves. A borrow here: the offset lies behind the region's end.
        self.off_top.next = bit_cast::<33, 32>(self.d_off.q.val().get_bits::<32>(0));
        self.room_less.next = bit_cast::<33, 32>(self.d_span.q.val()) - self.off_top.val();
        self.room_high.next =
            self.room_less.val() - bit_cast::<33, 1>(self.d_room.q.val().get_bit(32).into());
        self.iova_more.next = self.d_base.q.val() + self.d_off.q.val().get_bits::<32>(0);
        self.iova_high.next =
            self.iova_more.val() + bit_cast::<32, 1>(self.d_iova.q.val().get_bit(32).into());
        self.e_valid.d.next = self.d_valid.q.val();
        self.e_item.d.next = self.d_item.q.val();
        self.e_room_low.d.next = self.d_room.q.val().get_bits::<32>(0);
        self.e_room_high.d.next = self.room_high.val();
        self.e_before.d.next = self.d_off.q.val().get_bit(32);
        self.e_iova.d.next = (bit_cast::<64, 32>(self.iova_high.val()) << 32)
            | bit_cast::<64, 32>(self.d_iova.q.val().get_bits::<32>(0));

        // The answer. Room of 2^32 octets or more takes any length.
        self.room_low.next = bit_cast::<33, 32>(self.e_room_low.q.val());
        self.e_length.next = bit_cast::<33, 32>(self.e_item.q.val().length);
        self.fits.next =
            (self.room_low.val() >= self.e_length.val()) || self.e_room_high.q.val().get_bits::<32>(0).any();
        self.found.next = self.e_item.q.val().error;
        if (self.e_item.q.val().error == self.none.val())
            && self.e_item.q.val().length.any()
            && (self.e_before.q.val() || self.e_room_high.q.val().get_bit(32) || !self.fits.val())
        {
            self.found.next = self.outside.val();
        }
        self.o_valid.d.next = self.e_valid.q.val();
        self.o_client.d.next = self.e_item.q.val().client;
        self.o_say.d.next.ok = self.found.val() == self.none.val();
        self.o_say.d.next.error = self.found.val();
        self.o_say.d.next.iova = self.e_iova.q.val();
        self.say.next = self.o_say.q.val();
        self.say0_valid.next = self.o_valid.q.val() && !self.o_client.q.val();
        self.say1_valid.next = self.o_valid.q.val() && self.o_client.q.val();
    }
}
