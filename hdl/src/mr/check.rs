// SPDX-License-Identifier: MIT OR Apache-2.0
//! The checks of a region against what is asked of it, in steps of half an address.
use crate::gen::MrRow;
use crate::prelude::*;
use crate::record::{mr_error, MrAsk, MrSay};

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
#[block]
pub struct MrCheck {
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

    judged: Signal<Local, Carried>,
    after: Signal<Local, Carried>,
    found: Signal<Local, Bits<3>>,
}

#[kernel]
impl Logic for MrCheck {
    fn update(&mut self) {
        regs!(a_valid, b_valid, c_valid, d_valid, e_valid, o_valid);
        flops!(a_ask, a_client, a_row, a_exists, b_item, b_off, b_carry, b_addr, b_first, b_base, b_span);
        flops!(c_item, c_off_low, c_off_high, c_base, c_span, d_item, d_room, d_iova, d_off, d_base);
        flops!(d_span, e_item, e_room_low, e_room_high, e_before, e_iova, o_client, o_say);
        self.a_valid.d.next = self.valid.val();
        self.a_ask.d.next = self.ask.val();
        self.a_client.d.next = self.client.val();
        self.a_row.d.next = self.row.val();
        self.a_exists.d.next = self.exists.val();

        // Rights, in the order of DDP's checks: STag, stream, access.
        let stag: Bits<32> = self.a_ask.q.val().stag;
        let key: Bits<8> = stag.get_bits::<8>(0);
        let same_key: Bit = key == self.a_row.q.val().key;
        let same_stream: Bit = (self.a_row.q.val().pd == self.a_ask.q.val().pd)
            && (!self.a_row.q.val().bound_to_qp
                || (self.a_row.q.val().qp == bit_cast::<16, 8>(self.a_ask.q.val().qp)));
        let granted: Bit = (!self.a_ask.q.val().remote_write || self.a_row.q.val().remote_write)
            && (!self.a_ask.q.val().remote_read || self.a_row.q.val().remote_read)
            && (!self.a_ask.q.val().local_write || self.a_row.q.val().local_write);
        self.judged.next.client = self.a_client.q.val();
        self.judged.next.length = self.a_ask.q.val().length;
        self.judged.next.error = lit::<3>(mr_error::NONE);
        if !granted {
            self.judged.next.error = lit::<3>(mr_error::ACCESS);
        }
        if !same_stream {
            self.judged.next.error = lit::<3>(mr_error::STREAM);
        }
        if !self.a_exists.q.val() || !same_key {
            self.judged.next.error = lit::<3>(mr_error::STAG);
        }
        // A tagged offset counts from the region's first one.
        let addr: Bits<64> = self.a_ask.q.val().addr;
        let first: Bits<64> = self.a_row.q.val().to_base;
        let addr_low: Bits<33> = bit_cast::<33, 32>(addr.get_bits::<32>(0));
        let first_low: Bits<33> = bit_cast::<33, 32>(first.get_bits::<32>(0));
        let octets: Bits<33> = bit_cast::<33, 32>(self.a_ask.q.val().length);
        let off_low: Bits<33> = addr_low - first_low;
        let end_low: Bits<33> = addr_low + octets;
        self.b_valid.d.next = self.a_valid.q.val();
        self.b_item.d.next = self.judged.val();
        self.b_off.d.next = off_low;
        self.b_carry.d.next = end_low.get_bit(32);
        self.b_addr.d.next = addr.get_bits::<32>(32);
        self.b_first.d.next = first.get_bits::<32>(32);
        self.b_base.d.next = self.a_row.q.val().base;
        self.b_span.d.next = self.a_row.q.val().length;

        // High half of the offset, and the wrap. Bit 32 of each is a borrow: the address lies
        // before the region.
        let less: Bits<33> =
            bit_cast::<33, 32>(self.b_addr.q.val()) - bit_cast::<33, 32>(self.b_first.q.val());
        let off_high: Bits<33> = less - bit_cast::<33, 1>(self.b_off.q.val().get_bit(32).into());
        self.after.next = self.b_item.q.val();
        if (self.b_item.q.val().error == lit::<3>(mr_error::NONE))
            && self.b_item.q.val().length.any()
            && self.b_carry.q.val()
            && self.b_addr.q.val().all()
        {
            self.after.next.error = lit::<3>(mr_error::WRAP);
        }
        self.c_valid.d.next = self.b_valid.q.val();
        self.c_item.d.next = self.after.val();
        self.c_off_low.d.next = self.b_off.q.val().get_bits::<32>(0);
        self.c_off_high.d.next = off_high;
        self.c_base.d.next = self.b_base.q.val();
        self.c_span.d.next = self.b_span.q.val();

        // Low halves of what is left of the region and of the IOVA.
        let base: Bits<64> = self.c_base.q.val();
        let span: Bits<64> = self.c_span.q.val();
        let c_off: Bits<33> = bit_cast::<33, 32>(self.c_off_low.q.val());
        let span_low: Bits<33> = bit_cast::<33, 32>(span.get_bits::<32>(0));
        let base_low: Bits<33> = bit_cast::<33, 32>(base.get_bits::<32>(0));
        let room: Bits<33> = span_low - c_off;
        let iova: Bits<33> = base_low + c_off;
        self.d_valid.d.next = self.c_valid.q.val();
        self.d_item.d.next = self.c_item.q.val();
        self.d_room.d.next = room;
        self.d_iova.d.next = iova;
        self.d_off.d.next = self.c_off_high.q.val();
        self.d_base.d.next = base.get_bits::<32>(32);
        self.d_span.d.next = span.get_bits::<32>(32);

        // High halves. A borrow here: the offset lies behind the region's end.
        let off_top: Bits<33> = bit_cast::<33, 32>(self.d_off.q.val().get_bits::<32>(0));
        let room_less: Bits<33> = bit_cast::<33, 32>(self.d_span.q.val()) - off_top;
        let room_high: Bits<33> = room_less - bit_cast::<33, 1>(self.d_room.q.val().get_bit(32).into());
        let iova_more: Bits<32> = self.d_base.q.val() + self.d_off.q.val().get_bits::<32>(0);
        let iova_high: Bits<32> = iova_more + bit_cast::<32, 1>(self.d_iova.q.val().get_bit(32).into());
        self.e_valid.d.next = self.d_valid.q.val();
        self.e_item.d.next = self.d_item.q.val();
        self.e_room_low.d.next = self.d_room.q.val().get_bits::<32>(0);
        self.e_room_high.d.next = room_high;
        self.e_before.d.next = self.d_off.q.val().get_bit(32);
        self.e_iova.d.next =
            (bit_cast::<64, 32>(iova_high) << 32) | bit_cast::<64, 32>(self.d_iova.q.val().get_bits::<32>(0));

        // The answer. Room of 2^32 octets or more takes any length.
        let room_low: Bits<33> = bit_cast::<33, 32>(self.e_room_low.q.val());
        let e_length: Bits<33> = bit_cast::<33, 32>(self.e_item.q.val().length);
        let fits: Bit = (room_low >= e_length) || self.e_room_high.q.val().get_bits::<32>(0).any();
        self.found.next = self.e_item.q.val().error;
        if (self.e_item.q.val().error == lit::<3>(mr_error::NONE))
            && self.e_item.q.val().length.any()
            && (self.e_before.q.val() || self.e_room_high.q.val().get_bit(32) || !fits)
        {
            self.found.next = lit::<3>(mr_error::BOUNDS);
        }
        self.o_valid.d.next = self.e_valid.q.val();
        self.o_client.d.next = self.e_item.q.val().client;
        self.o_say.d.next.ok = self.found.val() == lit::<3>(mr_error::NONE);
        self.o_say.d.next.error = self.found.val();
        self.o_say.d.next.iova = self.e_iova.q.val();
        self.say.next = self.o_say.q.val();
        self.say0_valid.next = self.o_valid.q.val() && !self.o_client.q.val();
        self.say1_valid.next = self.o_valid.q.val() && self.o_client.q.val();
    }
}
