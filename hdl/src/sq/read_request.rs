// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words of a Read Request in the place of those of a slot.
use crate::gen::{PackReadRequestHdr, ReadRequestHdr, SendWqe, UnpackSge};
use crate::prelude::*;
use crate::record::ReadOut;

/// Makes the 28 octets of a Read Request (RFC 5040 section 4.4) from its work request, and gives
/// them word by word as a slot gives its own: what copies inline octets need not know.
#[block(clock)]
pub struct SqReadRequest {
    /// Head of the work request: source and size.
    pub wr: Signal<In, SendWqe>,
    /// Its SGE, octet 0 in bits 7:0: the sink.
    pub sge: Signal<In, Bits<128>>,
    /// Queue pair.
    pub qp: Signal<In, Bits<8>>,
    /// What its response must be.
    pub read: Signal<Out, ReadOut>,
    /// It is a Read Request's turn; else the slot's words pass.
    pub on: Signal<In, Bit>,
    /// Loads a word at the next edge.
    pub word_enable: Signal<In, Bit>,
    /// Number of the word.
    pub word_index: Signal<In, Bits<2>>,
    /// The slot's word.
    pub slot_word: Signal<In, Bits<64>>,
    /// The word.
    pub word: Signal<Out, Bits<64>>,
    unpack: UnpackSge,
    pack: PackReadRequestHdr,
    held: Flop<Bits<64>>,
    told: Signal<Local, ReadOut>,
    hdr: Signal<Local, ReadRequestHdr>,
}

#[kernel]
impl Logic for SqReadRequest {
    fn update(&mut self) {
        flops!(held);
        self.unpack.octets.next = self.sge.val();
        self.hdr.next.sink_stag = self.unpack.record.val().key;
        self.hdr.next.sink_offset = self.unpack.record.val().to;
        self.hdr.next.size = self.wr.val().length;
        self.hdr.next.source_stag = self.wr.val().remote_stag;
        self.hdr.next.source_offset = self.wr.val().remote_to;
        self.told.next.qp = self.qp.val();
        self.told.next.stag = self.unpack.record.val().key;
        self.told.next.to = self.unpack.record.val().to;
        self.told.next.length = self.wr.val().length;
        self.read.next = self.told.val();
        self.pack.record.next = self.hdr.val();
        let octets: Bits<256> = bit_cast::<256, 224>(self.pack.octets.val());
        let offset: Bits<8> = bit_cast::<8, 2>(self.word_index.val()) << 6;
        if self.word_enable.val() {
            self.held.d.next = octets.get_bits::<64>(offset.index());
        }
        self.word.next = self.slot_word.val();
        if self.on.val() {
            self.word.next = self.held.q.val();
        }
    }
}
