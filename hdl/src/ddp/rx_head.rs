//! Looks at the first octets of each ULPDU while its beats go by into a FIFO.
use crate::cell::{Flop, Reg};
use crate::stream::{Beat, Queue, StreamSink};
use rust_hdl::prelude::*;

/// Gives the first 18 octets of each ULPDU (beyond its end they mean nothing) with or before the beat that holds
/// the last of them.
///
/// The FIFO holds 64 beats: the headers of what follows are judged while a payload is placed.
#[derive(LogicBlock, Default)]
pub struct RxHead {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// ULPDUs.
    pub rx: StreamSink<64, 4>,
    /// First octets of the oldest ULPDU whose head was not taken.
    pub head: Signal<Out, Bits<144>>,
    /// There is one.
    pub head_valid: Signal<Out, Bit>,
    /// It is taken.
    pub head_ready: Signal<In, Bit>,
    /// Oldest beat.
    pub beat: Signal<Out, Beat<64, 4>>,
    /// There is one.
    pub beat_valid: Signal<Out, Bit>,
    /// It is taken.
    pub beat_ready: Signal<In, Bit>,

    beats: Queue<Beat<64, 4>, 6>,
    heads: Queue<Bits<144>, 2>,
    /// Beats of this ULPDU so far, 3 or more of them count as 3.
    seen: Reg<Bits<2>>,
    first: Flop<Bits<64>>,
    second: Flop<Bits<64>>,
    may: Signal<Local, Bit>,
    fire: Signal<Local, Bit>,
    came: Signal<Local, Beat<64, 4>>,
    now_first: Signal<Local, Bits<64>>,
    now_second: Signal<Local, Bits<64>>,
    third: Signal<Local, Bits<16>>,
}

impl Logic for RxHead {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, beats, heads);
        dff_setup!(self, clock, seen, first, second);
        self.beats.reset.next = self.reset.val();
        self.heads.reset.next = self.reset.val();
        self.seen.reset.next = self.reset.val();
        self.may.next = self.beats.d_ready.val() && self.heads.d_ready.val();
        self.rx.ready.next = self.may.val();
        self.fire.next = self.may.val() && self.rx.valid.val();
        self.came.next.data = self.rx.data.val();
        self.came.next.bytes = self.rx.bytes.val();
        self.came.next.last = self.rx.last.val();
        self.came.next.err = self.rx.err.val();
        self.beats.d.next = self.came.val();
        self.beats.d_valid.next = self.fire.val();
        self.beat.next = self.beats.q.val();
        self.beat_valid.next = self.beats.q_valid.val();
        self.beats.q_ready.next = self.beat_ready.val();

        self.now_first.next = self.first.q.val();
        self.now_second.next = self.second.q.val();
        if self.seen.q.val() == 0 {
            self.now_first.next = self.rx.data.val();
        }
        if self.seen.q.val() == 1 {
            self.now_second.next = self.rx.data.val();
        }
        self.third.next = self.rx.data.val().get_bits::<16>(0);
        self.heads.d.next = bit_cast::<144, 64>(self.now_first.val())
            | (bit_cast::<144, 64>(self.now_second.val()) << 64)
            | (bit_cast::<144, 16>(self.third.val()) << 128);
        self.heads.d_valid.next =
            self.fire.val() && ((self.seen.q.val() == 2) || (self.rx.last.val() && (self.seen.q.val() != 3)));
        self.head.next = self.heads.q.val();
        self.head_valid.next = self.heads.q_valid.val();
        self.heads.q_ready.next = self.head_ready.val();
        if self.fire.val() {
            self.first.d.next = self.now_first.val();
            self.second.d.next = self.now_second.val();
            if self.seen.q.val() != 3 {
                self.seen.d.next = self.seen.q.val() + 1;
            }
            if self.rx.last.val() {
                self.seen.d.next = 0.into();
            }
        }
    }
}
