//! A command of the admin port from its frame.
use crate::cell::{Flop, Reg};
use crate::gen::{AdminCommand, UnpackAdminCommand};
use crate::stream::StreamSink;
use rust_hdl::prelude::*;

/// Takes one command frame at a time: 8 octets of head, then its row, in whole words of 8 octets.
///
/// The row is shifted in from the top: of a row of `n` words, word 0 stands `n` words below the end of `row`.
#[derive(LogicBlock, Default)]
pub struct AdminTake {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Command frames.
    pub rx: StreamSink<64, 4>,
    /// The command's head.
    pub head: Signal<Out, AdminCommand>,
    /// The last 18 words of its row.
    pub row: Signal<Out, Bits<1152>>,
    /// Words of its row, 31 for more.
    pub words: Signal<Out, Bits<5>>,
    /// The frame was bad or did not end with a whole word.
    pub bad: Signal<Out, Bit>,
    /// A command stands here.
    pub valid: Signal<Out, Bit>,
    /// Turns the row by a word: word 0 of `row` leaves, `word` comes in at the top.
    pub turn: Signal<In, Bit>,
    /// With `turn`: word 0 of `row`, or what takes its place.
    pub word: Signal<In, Bits<64>>,
    /// The command is done with.
    pub take: Signal<In, Bit>,
    unpack: UnpackAdminCommand,
    first: Flop<Bits<64>>,
    rest: Flop<Bits<1152>>,
    count: Reg<Bits<5>>,
    begun: Reg<Bit>,
    whole: Reg<Bit>,
    spoilt: Flop<Bit>,
    low: Signal<Local, Bits<1152>>,
    high: Signal<Local, Bits<1152>>,
    beat: Signal<Local, Bit>,
}

impl Logic for AdminTake {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, rest, count, begun, whole, spoilt);
        self.count.reset.next = self.reset.val();
        self.begun.reset.next = self.reset.val();
        self.whole.reset.next = self.reset.val();
        self.rx.ready.next = !self.whole.q.val();
        self.beat.next = self.rx.valid.val() && !self.whole.q.val();
        self.low.next = self.rest.q.val() >> 64;
        self.high.next = bit_cast::<1152, 64>(self.rx.data.val()) << 1088;
        if self.beat.val() {
            self.begun.d.next = !self.rx.last.val();
            if self.begun.q.val() {
                self.rest.d.next = self.low.val() | self.high.val();
                if !self.count.q.val().all() {
                    self.count.d.next = self.count.q.val() + 1;
                }
            } else {
                self.first.d.next = self.rx.data.val();
                self.count.d.next = 0.into();
            }
            if self.rx.last.val() {
                self.whole.d.next = true;
                self.spoilt.d.next = self.rx.err.val() || (self.rx.bytes.val() != 8);
            }
        }
        if self.turn.val() {
            self.rest.d.next = self.low.val() | (bit_cast::<1152, 64>(self.word.val()) << 1088);
        }
        if self.take.val() {
            self.whole.d.next = false;
        }
        self.unpack.octets.next = self.first.q.val();
        self.head.next = self.unpack.record.val();
        self.row.next = self.rest.q.val();
        self.words.next = self.count.q.val();
        self.bad.next = self.spoilt.q.val();
        self.valid.next = self.whole.q.val();
    }
}
