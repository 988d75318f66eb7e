//! Octets of earlier segments in the first word of the framer's window: what stays if the segment is cut there.
use rust_hdl::prelude::*;

/// Combinational part of [`super::rx_frame::RxFrame`].
#[derive(LogicBlock, Default)]
pub struct RxEarly {
    /// Low bits of the sequence number of the next octet, and of SeqStart.
    pub seq: Signal<In, Bits<2>>,
    /// Where words begin.
    pub start: Signal<In, Bits<2>>,
    /// First octets of the window.
    pub octets: Signal<In, Bits<24>>,
    /// How many of them are of earlier segments.
    pub count: Signal<Out, Bits<2>>,
    /// Those, the others zero.
    pub kept: Signal<Out, Bits<24>>,
    early: Signal<Local, Bits<2>>,
}

impl Logic for RxEarly {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.seq.val() - self.start.val();
        self.count.next = self.early.val();
        self.kept.next = 0.into();
        if self.early.val() == 1 {
            self.kept.next = bit_cast::<24, 8>(self.octets.val().get_bits::<8>(0));
        }
        if self.early.val() == 2 {
            self.kept.next = bit_cast::<24, 16>(self.octets.val().get_bits::<16>(0));
        }
        if self.early.val() == 3 {
            self.kept.next = self.octets.val();
        }
    }
}
