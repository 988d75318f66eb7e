// SPDX-License-Identifier: MIT OR Apache-2.0
//! One step from SGE to SGE. No state.
use super::rows::SqTurn;
use crate::ddp::TxSpan;
use crate::gen::{Sge, UnpackSge};
use crate::prelude::*;
use crate::record::{MrAsk, TxRange};

/// Where a walk over the SGEs of a WQE stands.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct SqPlace {
    /// SGE that is looked at.
    pub sge: Bits<3>,
    /// Octets that are used up, counted from its first one; more than it has if the walk goes on
    /// behind it.
    pub used: Bits<32>,
    /// Octets of payload still to be found.
    pub want: Bits<16>,
    /// Octets of all SGEs before it.
    pub sum: Bits<35>,
}

/// The check and the range that an SGE gives, and where the walk stands after it: the whole SGE
/// while its WQE is judged, else as much of it as is wanted.
#[block(comb)]
pub struct SqWalk {
    /// The SGE, octet 0 in bits 7:0.
    pub octets: Signal<In, Bits<128>>,
    /// Who has the turn.
    pub turn: Signal<In, SqTurn>,
    /// The peer named the SGE, by tagged offset, and reads.
    pub is_remote: Signal<In, Bit>,
    /// The peer will write to it.
    pub is_sink: Signal<In, Bit>,
    /// SGEs are taken whole.
    pub judging: Signal<In, Bit>,
    /// Where the walk stands.
    pub place: Signal<In, SqPlace>,
    /// IOVA that the check gave.
    pub iova: Signal<In, Bits<64>>,
    /// The check.
    pub check: Signal<Out, MrAsk>,
    /// Nothing of the SGE is left.
    pub empty: Signal<Out, Bit>,
    /// Of an SGE that is not taken whole: no octets are wanted behind it.
    pub serves: Signal<Out, Bit>,
    /// Its octets for the gather.
    pub range: Signal<Out, TxRange>,
    /// Where the walk stands after it.
    pub after: Signal<Out, SqPlace>,
    unpack: UnpackSge,
    span: TxSpan,
    sge: Signal<Local, Sge>,
    asked: Signal<Local, MrAsk>,
    found: Signal<Local, TxRange>,
    here: Signal<Local, SqPlace>,
    there: Signal<Local, SqPlace>,
}

#[kernel]
impl Logic for SqWalk {
    fn update(&mut self) {
        self.unpack.octets.next = self.octets.val();
        self.span.sge.next = self.unpack.record.val();
        self.span.used.next = self.place.val().used;
        self.span.want.next = self.place.val().want;
        self.span.all.next = self.judging.val();
        self.sge.next = self.unpack.record.val();
        self.here.next = self.place.val();
        let left: Bits<16> = self.here.val().want - bit_cast::<16, 32>(self.span.octets.val());
        self.asked.next.stag = self.sge.val().key;
        self.asked.next.addr = self.span.addr.val();
        self.asked.next.length = self.span.octets.val();
        self.asked.next.qp = self.turn.val().qp;
        self.asked.next.pd = self.turn.val().pd;
        self.asked.next.remote_write = false;
        self.asked.next.remote_read = self.is_remote.val();
        self.asked.next.local_write = self.is_sink.val();
        self.check.next = self.asked.val();
        self.empty.next = !self.span.octets.val().any();
        self.serves.next = self.span.serves.val();
        self.found.next.addr = self.iova.val();
        self.found.next.octets = bit_cast::<16, 32>(self.span.octets.val());
        self.found.next.in_slot = false;
        self.found.next.ends = !left.any();
        self.range.next = self.found.val();
        self.there.next.sge = self.here.val().sge;
        self.there.next.used = self.span.after.val();
        if self.span.ends.val() {
            self.there.next.sge = self.here.val().sge + 1;
        }
        self.there.next.want = left;
        self.there.next.sum = self.here.val().sum + bit_cast::<35, 32>(self.sge.val().length);
        self.after.next = self.there.val();
    }
}
