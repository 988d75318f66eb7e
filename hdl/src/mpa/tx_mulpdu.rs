//! MULPDU: the largest ULPDU that one segment is sure to hold.
use crate::cell::{Const, Flop};
use rust_hdl::prelude::*;

/// MULPDU of RFC 5044 section 4.5 from EMSS and the marker setting of the direction, within 128 to 64768.
///
/// Without markers EMSS less 6 and less EMSS modulo 4, with markers also less 4 for each begun 512 octets, which
/// holds at every marker phase. The FPDUs that a segment already holds do not enter: MULPDU is never that of the
/// room left. Two cycles from a change to `mulpdu`.
#[derive(LogicBlock, Default)]
pub struct TxMulpdu {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Octets that a TCP segment may hold at present.
    pub emss: Signal<In, Bits<16>>,
    /// The peer asked for markers.
    pub markers: Signal<In, Bit>,
    /// Octets.
    pub mulpdu: Signal<Out, Bits<16>>,
    emss_q: Flop<Bits<16>>,
    overhead: Flop<Bits<16>>,
    result: Flop<Bits<16>>,
    least: Const<Bits<16>>,
    most: Const<Bits<16>>,
    blocks: Signal<Local, Bits<17>>,
    lost: Signal<Local, Bits<16>>,
    room: Signal<Local, Bits<16>>,
}

impl TxMulpdu {
    /// A calculator.
    pub fn new() -> Self {
        Self { least: Const::of(128), most: Const::of(64_768), ..Default::default() }
    }
}

impl Logic for TxMulpdu {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, emss_q, overhead, result);
        self.mulpdu.next = self.result.q.val();
        self.emss_q.d.next = self.emss.val();
        self.blocks.next = bit_cast::<17, 16>(self.emss.val()) + 511;
        self.lost.next = bit_cast::<16, 2>(self.emss.val().get_bits::<2>(0)) + 6;
        self.overhead.d.next = self.lost.val();
        if self.markers.val() {
            self.overhead.d.next =
                self.lost.val() + (bit_cast::<16, 8>(self.blocks.val().get_bits::<8>(9)) << 2);
        }
        self.room.next = self.emss_q.q.val() - self.overhead.q.val();
        self.result.d.next = self.room.val();
        // an EMSS below 14 would make the difference negative
        if (self.room.val() < self.least.val()) || (self.emss_q.q.val() < self.least.val()) {
            self.result.d.next = self.least.val();
        }
        if (self.room.val() > self.most.val()) && (self.emss_q.q.val() > self.most.val()) {
            self.result.d.next = self.most.val();
        }
    }
}
