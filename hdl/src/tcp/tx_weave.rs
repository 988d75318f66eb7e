//! Headers and payloads to frames.
use super::tx_stack::HEAD;
use crate::cell::{Flop, Reg};
use crate::stream::{OffsetSource, StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// What leaves.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Nothing.
    Idle,
    /// Beats of the header.
    Head,
    /// Beats of the payload.
    Body,
    /// Beats of a payload that is dropped.
    Drain,
}

/// Sends each header, then its payload if it has one; the next header follows without a bubble. A frame begins only
/// when its payload is there whole, so it does not pause inside.
#[derive(LogicBlock, Default)]
pub struct TxWeave {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Header, octet 0 in bits 7:0.
    pub octets: Signal<In, Bits<HEAD>>,
    /// Beats of it.
    pub beats: Signal<In, Bits<4>>,
    /// Octets of pad in front.
    pub skip: Signal<In, Bits<16>>,
    /// Payload follows.
    pub has_payload: Signal<In, Bit>,
    /// No header leaves; the next payload is dropped.
    pub gone: Signal<In, Bit>,
    /// The five above are offered.
    pub valid: Signal<In, Bit>,
    /// They are taken.
    pub take: Signal<Out, Bit>,
    /// Payloads, each offered only when all of it is there.
    pub rx: StreamSink<64, 4>,
    /// Frames with the pad in front.
    pub tx: StreamSource<64, 4>,
    /// The pad of each.
    pub cut: OffsetSource,
    st: Reg<St>,
    rest: Flop<Bits<HEAD>>,
    left: Flop<Bits<4>>,
    body: Flop<Bit>,
    fire: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
}

impl Logic for TxWeave {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, st, rest, left, body);
        self.st.reset.next = self.reset.val();
        self.tx.data.next = self.rest.q.val().get_bits::<64>(0);
        self.tx.bytes.next = 8.into();
        self.tx.last.next = (self.left.q.val() == 1) && !self.body.q.val();
        self.tx.err.next = false;
        self.tx.valid.next = false;
        self.rx.ready.next = false;
        self.fire.next = false;
        self.ends.next = self.st.q.val() == St::Idle;

        if self.st.q.val() == St::Head {
            self.tx.valid.next = self.rx.valid.val() || !self.body.q.val();
            self.fire.next = self.tx.ready.val() && (self.rx.valid.val() || !self.body.q.val());
            if self.fire.val() {
                self.rest.d.next = self.rest.q.val() >> 64;
                self.left.d.next = self.left.q.val() - 1;
                if self.left.q.val() == 1 {
                    self.st.d.next = St::Body;
                    self.ends.next = !self.body.q.val();
                }
            }
        }
        if self.st.q.val() == St::Body {
            self.tx.data.next = self.rx.data.val();
            self.tx.bytes.next = self.rx.bytes.val();
            self.tx.last.next = self.rx.last.val();
            self.tx.valid.next = self.rx.valid.val();
            self.rx.ready.next = self.tx.ready.val();
            self.ends.next = self.rx.valid.val() && self.tx.ready.val() && self.rx.last.val();
        }
        if self.st.q.val() == St::Drain {
            self.rx.ready.next = true;
            self.ends.next = self.rx.valid.val() && self.rx.last.val();
        }

        // The next header moves in while the last beat of the frame before moves out.
        self.may.next = self.ends.val() && self.cut.ready.val();
        self.take.next = self.may.val();
        self.cut.octets.next = self.skip.val();
        self.cut.valid.next = self.may.val() && self.valid.val() && !self.gone.val();
        if self.ends.val() {
            self.st.d.next = St::Idle;
            if self.may.val() && self.valid.val() {
                self.st.d.next = St::Head;
                if self.gone.val() {
                    self.st.d.next = St::Drain;
                }
                self.rest.d.next = self.octets.val();
                self.left.d.next = self.beats.val();
                self.body.d.next = self.has_payload.val();
            }
        }
    }
}
