// SPDX-License-Identifier: MIT OR Apache-2.0
//! Headers and payloads to frames.
use super::tx_own::TxOwn;
use super::tx_row::{HeadItem, HeadWord};
use crate::prelude::*;
use crate::stream::{ItemSink, OffsetSource, StreamSink, StreamSource};

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

/// Sends each header, then its payload if it has one; the next header follows without a bubble. A
/// frame begins only when its payload is there whole, so it does not pause inside. Holds the words
/// of the headers, which are written while it sends none. `H` = `C + 4`, address of a header's
/// beat.
#[block]
pub struct TxWeave<const C: usize, const H: usize> {
    /// Connection whose header is written.
    pub set_qp: Signal<In, Bits<C>>,
    /// Word of it.
    pub set_word: Signal<In, HeadWord>,
    /// Its place, from the pad's.
    pub set_place: Signal<In, Bits<5>>,
    /// Write it in this cycle.
    pub set_write: Signal<In, Bit>,
    /// No beat of a header is offered.
    pub still: Signal<Out, Bit>,
    /// What the headers have of their own.
    pub header: ItemSink<HeadItem>,
    /// Payloads, each offered only when all of it is there.
    pub rx: StreamSink<64, 4>,
    /// Frames with the pad in front.
    pub tx: StreamSource<64, 4>,
    /// The pad of each.
    pub cut: OffsetSource,
    st: Reg<St>,
    own: TxOwn<C, H>,
    of: Flop<Bits<C>>,
    beat: Flop<Bits<4>>,
    body: Flop<Bit>,
    fire: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

impl<const C: usize, const H: usize> TxWeave<C, H> {
    /// Nothing under way; panics at elaboration if `H` is not `C + 4`.
    pub fn new() -> Self {
        Self { own: TxOwn::new(), ..Default::default() }
    }
}

#[kernel]
impl<const C: usize, const H: usize> Logic for TxWeave<C, H> {
    fn update(&mut self) {
        regs!(st);
        flops!(of, beat, body);
        clocked!(own);
        self.own.set_qp.next = self.set_qp.val();
        self.own.set_word.next = self.set_word.val();
        self.own.set_place.next = self.set_place.val();
        self.own.set_write.next = self.set_write.val();
        self.still.next = self.st.q.val() != St::Head;
        self.own.item.next = self.header.item.val();
        self.own.load.next = false;
        self.own.qp.next = self.of.q.val();
        self.own.beat.next = self.beat.q.val();
        self.own.step.next = false;
        self.tx.data.next = self.own.octets.val();
        self.tx.bytes.next = 8.into();
        self.tx.last.next = self.own.last.val() && !self.body.q.val();
        self.tx.err.next = false;
        self.tx.valid.next = false;
        self.rx.ready.next = false;
        self.fire.next = false;
        self.ends.next = self.st.q.val() == St::Idle;

        if self.st.q.val() == St::Head {
            self.tx.valid.next = self.rx.valid.val() || !self.body.q.val();
            self.fire.next = self.tx.ready.val() && (self.rx.valid.val() || !self.body.q.val());
            if self.fire.val() {
                self.own.step.next = true;
                self.beat.d.next = self.beat.q.val() + 1;
                if self.own.last.val() {
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
        let may: Bit = self.ends.val() && self.cut.ready.val();
        self.header.ready.next = may;
        self.cut.octets.next = self.header.item.val().skip;
        self.cut.valid.next = may && self.header.valid.val() && !self.header.item.val().gone;
        if self.ends.val() {
            self.st.d.next = St::Idle;
            if may && self.header.valid.val() {
                self.st.d.next = St::Head;
                if self.header.item.val().gone {
                    self.st.d.next = St::Drain;
                }
                self.own.load.next = true;
                self.own.step.next = true;
                self.own.qp.next = bit_cast::<C, 8>(self.header.item.val().qp);
                self.own.beat.next = 0.into();
                self.of.d.next = bit_cast::<C, 8>(self.header.item.val().qp);
                self.beat.d.next = 1.into();
                self.body.d.next = self.header.item.val().has_payload;
            }
        }
    }
}
