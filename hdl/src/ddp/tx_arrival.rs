// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is written to a place in a cycle: a beat of an answer, or octets out of a WQE. No state.
use crate::prelude::*;
use crate::record::TxOctets;
use crate::stream::{ItemSink, StreamSink};

/// Answers go first. They end, since the places for them do; so octets out of a WQE have their
/// cycle.
#[block(comb)]
pub struct TxArrival {
    /// Answers, always taken.
    pub ans: StreamSink<64, 4>,
    /// Tag of the frame.
    pub ans_tag: Signal<In, Bits<8>>,
    /// The frame is the last of its read.
    pub ans_final: Signal<In, Bit>,
    /// Octets out of a WQE.
    pub copy: ItemSink<TxOctets>,
    /// Their place.
    pub copy_tag: Signal<In, Bits<5>>,
    /// Octets come.
    pub valid: Signal<Out, Bit>,
    /// Their place.
    pub tag: Signal<Out, Bits<5>>,
    /// The octets; what is beyond `bytes` may be anything.
    pub data: Signal<Out, Bits<64>>,
    /// How many.
    pub bytes: Signal<Out, Bits<4>>,
    /// They are the last of their piece.
    pub finish: Signal<Out, Bit>,
    /// Their read failed.
    pub wrong: Signal<Out, Bit>,
}

#[kernel]
impl Logic for TxArrival {
    fn update(&mut self) {
        self.ans.ready.next = true;
        self.copy.ready.next = !self.ans.valid.val();
        self.valid.next = self.ans.valid.val() || self.copy.valid.val();
        self.tag.next = self.copy_tag.val();
        self.data.next = self.copy.item.val().data;
        self.bytes.next = self.copy.item.val().bytes;
        self.finish.next = self.copy.valid.val() && self.copy.item.val().ends;
        self.wrong.next = false;
        if self.ans.valid.val() {
            self.tag.next = bit_cast::<5, 8>(self.ans_tag.val());
            self.data.next = self.ans.data.val();
            self.bytes.next = self.ans.bytes.val();
            self.finish.next = self.ans.last.val() && self.ans_final.val();
            self.wrong.next = self.ans.last.val() && self.ans.err.val();
        }
    }
}
