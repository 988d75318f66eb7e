// SPDX-License-Identifier: MIT OR Apache-2.0
//! Header and payload become a TLP.
use super::ports::Head;
use crate::prelude::*;
use crate::stream::{Beat, ItemSink, Skid, StreamSink, StreamSource};

/// Dwords of a header at most.
const HEAD: usize = 4;

/// Puts headers in front of their dwords of payload. `D` = `2 * W`, what the window holds.
///
/// **Contract.** `rx` is a stream of dwords in the TLP's order of octets: full beats up to the end
/// of a DMA request, which a header with `ends` finishes. A header takes the next `payload` dwords
/// of it, wherever in a beat they begin; what stands behind the last one in its beat belongs to
/// nobody. TLPs begin in lane 0. `tx_ends` stands beside each beat of a TLP.
///
/// **Timing.** One cycle; a beat a cycle on `tx`, none lost between TLPs.
#[block]
pub struct TlpPack<const W: usize, const K: usize, const D: usize> {
    /// Header.
    pub head: ItemSink<Head>,
    /// Dwords of payload.
    pub rx: StreamSink<W, K>,
    /// TLPs.
    pub tx: StreamSource<W, K>,
    /// The TLP is the last one of its DMA request.
    pub tx_ends: Signal<Out, Bit>,
    front: Skid<W, K>,
    /// Beats of the header sent, then how many there are.
    beat: Reg<Bits<2>>,
    /// Dwords of payload sent.
    sent: Reg<Bits<11>>,
    /// Dwords that the beat before left over, lane 0 first, zeros above.
    rest: Reg<Bits<W>>,
    have: Reg<Bits<4>>,
    o: Flop<Beat<W, K>>,
    o_ends: Flop<Bit>,
    o_valid: Reg<Bit>,
    h: Signal<Local, Head>,
    want: Signal<Local, Bits<4>>,
    is_last: Signal<Local, Bit>,
    window: Signal<Local, Bits<D>>,
    after: Signal<Local, Bits<D>>,
    word: Signal<Local, Bits<128>>,
    filled: Signal<Local, Bits<4>>,
    used: Signal<Local, Bits<4>>,
    out: Signal<Local, Beat<W, K>>,
    lanes: Const<Bits<4>>,
    lanes11: Const<Bits<11>>,
    lanes_less: Const<Bits<4>>,
    head_beats: Const<Bits<2>>,
    head_last: Const<Bits<2>>,
    offset: Vec<Const<Bits<16>>>,
    shift: Vec<Const<Bits<16>>>,
}

impl<const W: usize, const K: usize, const D: usize> TlpPack<W, K, D> {
    /// Panics at elaboration if the parameters do not belong together, or `W` is neither 64
    /// nor 128.
    pub fn new() -> Self {
        assert!((W == 64 || W == 128) && D == 2 * W, "W = {W}, D = {D}: W is 64 or 128, D = 2 * W");
        assert!(K == crate::stream::bytes_width(W), "K = {K} does not fit W = {W}");
        let lanes = W / 32;
        Self {
            lanes: Const::of(lanes),
            lanes11: Const::of(lanes),
            lanes_less: Const::of(lanes - 1),
            head_beats: Const::of(HEAD / lanes),
            head_last: Const::of(HEAD / lanes - 1),
            offset: (0..2).map(|i| Const::of(i * W)).collect(),
            shift: (0..=4).map(|i| Const::of(32 * i)).collect(),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const K: usize, const D: usize> Logic for TlpPack<W, K, D> {
    fn update(&mut self) {
        regs!(beat, sent, rest, have, o_valid);
        flops!(o, o_ends);
        parts!(front);
        StreamSink::<W, K>::link(&mut self.rx, &mut self.front.rx);
        self.h.next = self.head.item.val();
        let in_head: Bit = self.beat.q.val() != self.head_beats.val();
        let ends_head: Bit = self.beat.q.val() == self.head_last.val();

        // How many dwords of payload this beat takes: the one lane that a header of three leaves,
        // or all.
        let todo: Bits<11> = self.h.val().payload - self.sent.q.val();
        self.want.next = 0.into();
        self.is_last.next = false;
        if !in_head {
            self.want.next = self.lanes.val();
            if todo <= self.lanes11.val() {
                self.want.next = bit_cast::<4, 11>(todo);
                self.is_last.next = true;
            }
        } else if ends_head {
            self.is_last.next = !todo.any();
            if !self.h.val().four && todo.any() {
                self.want.next = 1.into();
                self.is_last.next = todo == 1;
            }
        }
        let needs: Bit = self.have.q.val() < self.want.val();
        let advance: Bit = self.tx.ready.val() || !self.o_valid.q.val();
        self.front.tx.ready.next = advance && self.head.valid.val() && needs;
        let fire: Bit = advance && self.head.valid.val() && (!needs || self.front.tx.valid.val());
        self.head.ready.next = fire && self.is_last.val();

        // What was left over, and the next beat above it.
        self.window.next = bit_cast::<D, W>(self.rest.q.val());
        self.filled.next = self.have.q.val();
        if needs {
            self.filled.next = self.have.q.val() + self.lanes.val();
            for i in 0..4 {
                if self.have.q.val() == i.to_bits() {
                    self.window.next = bit_cast::<D, W>(self.rest.q.val())
                        | (bit_cast::<D, W>(self.front.tx.data.val()) << self.shift[i].val());
                }
            }
        }
        self.after.next = self.window.val();
        for i in 1..5 {
            if self.want.val() == i.to_bits() {
                self.after.next = self.window.val() >> self.shift[i].val();
            }
        }

        self.word.next = self.h.val().words;
        if self.beat.q.val() == 1 {
            self.word.next = self.h.val().words >> self.offset[1].val();
        }
        let header: Bits<W> = bit_cast::<W, 128>(self.word.val());
        self.used.next = self.want.val();
        self.out.next.data = bit_cast::<W, D>(self.window.val());
        if in_head {
            self.used.next = self.lanes.val();
            self.out.next.data = header;
            if ends_head && !self.h.val().four {
                self.used.next = self.lanes_less.val() + self.want.val();
                self.out.next.data = header | (bit_cast::<W, D>(self.window.val()) << lit::<16>(W - 32));
            }
        }
        self.out.next.bytes = bit_cast::<K, 4>(self.used.val()) << 2;
        self.out.next.last = self.is_last.val();
        self.out.next.err = false;

        let sent_up: Bits<11> = self.sent.q.val() + bit_cast::<11, 4>(self.want.val());
        if advance {
            self.o.d.next = self.out.val();
            self.o_ends.d.next = self.h.val().ends;
            self.o_valid.d.next = fire;
        }
        if fire {
            self.sent.d.next = sent_up;
            self.rest.d.next = bit_cast::<W, D>(self.after.val());
            self.have.d.next = self.filled.val() - self.want.val();
            if in_head {
                self.beat.d.next = self.beat.q.val() + 1;
            }
            if self.is_last.val() {
                self.sent.d.next = 0.into();
                self.beat.d.next = 0.into();
                if self.h.val().ends {
                    self.rest.d.next = 0.into();
                    self.have.d.next = 0.into();
                }
            }
        }
        self.tx.data.next = self.o.q.val().data;
        self.tx.bytes.next = self.o.q.val().bytes;
        self.tx.last.next = self.o.q.val().last;
        self.tx.err.next = self.o.q.val().err;
        self.tx.valid.next = self.o_valid.q.val();
        self.tx_ends.next = self.o_ends.q.val();
    }
}
