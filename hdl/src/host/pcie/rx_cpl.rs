// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completions: header to the check, data to the store.
use super::ports::Cpl;
use super::swap::DwSwap;
use crate::prelude::*;
use crate::stream::{Beat, StreamSink};

/// Takes a beat of completions in every cycle and stores the dwords that a verdict lets through,
/// each in the lane and row that its address has: 32 slots of 512 octets, one a tag. `N` = `W / 32`
/// lanes; `A` = address bits of a row of `W` bits.
///
/// **Contract.** A TLP has the three dwords of a completion's header at least; the block in front
/// drops others.
///
/// **Timing.** `cpl` stands one cycle after the beat that completes the header; the verdict must
/// stand in the cycle behind that, until the TLP's last beat is stored, which is what `ended` says.
/// A dword is stored two cycles after it came.
#[derive(LogicBlock)]
pub struct RxCpl<const W: usize, const K: usize, const N: usize, const A: usize> {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Completions; always ready.
    pub rx: StreamSink<W, K>,
    /// Header of the completion.
    pub cpl: Signal<Out, Cpl>,
    /// Pulse of `cpl`.
    pub cpl_valid: Signal<Out, Bit>,
    /// Verdict: the data is stored.
    pub take: Signal<In, Bit>,
    /// From which dword of the store on.
    pub place: Signal<In, Bits<12>>,
    /// The TLP's last beat is being stored.
    pub ended: Signal<Out, Bit>,
    /// With `ended`: it had fewer dwords than its header says, or `err`.
    pub short: Signal<Out, Bit>,
    /// Reads a row of the store.
    pub read_enable: Signal<In, Bit>,
    /// Which one.
    pub read_address: Signal<In, Bits<A>>,
    /// The row, a cycle later.
    pub read_data: Signal<Out, Bits<W>>,
    lane: [Sdp<Bits<32>, A>; N],
    swap: DwSwap<W>,
    /// Beats of the TLP so far, up to those of the header.
    beat: Reg<Bits<2>>,
    /// Header dwords of the beats before.
    early: Flop<Bits<96>>,
    two: Flop<Beat<W, K>>,
    two_valid: Reg<Bit>,
    two_head: Flop<Bit>,
    header: Flop<Bits<96>>,
    three: Flop<Beat<W, K>>,
    three_valid: Reg<Bit>,
    three_head: Flop<Bit>,
    /// Dwords that the header says, then those that have not come.
    claimed: Flop<Bits<11>>,
    left: Flop<Bits<11>>,
    row: Flop<Bits<A>>,
    head_now: Signal<Local, Bits<96>>,
    completes: Signal<Local, Bit>,
    in_head: Signal<Local, Bit>,
    h: Signal<Local, Cpl>,
    length: Signal<Local, Bits<10>>,
    count: Signal<Local, Bits<11>>,
    todo: Signal<Local, Bits<11>>,
    came: Signal<Local, Bits<11>>,
    took: Signal<Local, Bits<11>>,
    mine: Signal<Local, Bits<8>>,
    spun: Signal<Local, Bits<8>>,
    lane_of: Signal<Local, Bits<4>>,
    turn: Signal<Local, Bits<4>>,
    turned: Signal<Local, Bits<W>>,
    fed: Signal<Local, Beat<W, K>>,
    here: Signal<Local, Bits<A>>,
    prior: Signal<Local, Bits<A>>,
    row_up: Signal<Local, Bits<A>>,
    first_row: Signal<Local, Bits<12>>,
    piece: Signal<Local, Bits<32>>,
    whole: Signal<Local, Bits<W>>,
    last_head: Const<Bits<2>>,
    head_beats: Const<Bits<2>>,
    second: Const<Bits<16>>,
    up: Vec<Const<Bits<16>>>,
    down: Vec<Const<Bits<16>>>,
    spin: Vec<Const<Bits<4>>>,
    unspin: Vec<Const<Bits<4>>>,
    low: Vec<Const<Bits<8>>>,
    top: Const<Bits<8>>,
    full: Const<Bits<K>>,
    lane_mask: Const<Bits<4>>,
    lane_bits: Const<Bits<4>>,
    thousand: Const<Bits<11>>,
    one: Const<Bits<4>>,
}

impl<const W: usize, const K: usize, const N: usize, const A: usize> Default for RxCpl<W, K, N, A> {
    /// Panics at elaboration if the parameters do not belong together, or `W` is neither 64
    /// nor 128.
    fn default() -> Self {
        assert!((W == 64 || W == 128) && N == W / 32, "W = {W}, N = {N}: W is 64 or 128, N = W / 32");
        let lane_bits = N.ilog2() as usize;
        assert!(A == 12 - lane_bits, "A = {A}, must be {} for {N} lanes", 12 - lane_bits);
        let head_beats = 4 / N;
        Self {
            clock: Default::default(),
            reset: Default::default(),
            rx: Default::default(),
            cpl: Default::default(),
            cpl_valid: Default::default(),
            take: Default::default(),
            place: Default::default(),
            ended: Default::default(),
            short: Default::default(),
            read_enable: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            lane: std::array::from_fn(|_| Default::default()),
            swap: DwSwap::new(),
            beat: Default::default(),
            early: Default::default(),
            two: Default::default(),
            two_valid: Default::default(),
            two_head: Default::default(),
            header: Default::default(),
            three: Default::default(),
            three_valid: Default::default(),
            three_head: Default::default(),
            claimed: Default::default(),
            left: Default::default(),
            row: Default::default(),
            head_now: Default::default(),
            completes: Default::default(),
            in_head: Default::default(),
            h: Default::default(),
            length: Default::default(),
            count: Default::default(),
            todo: Default::default(),
            came: Default::default(),
            took: Default::default(),
            mine: Default::default(),
            spun: Default::default(),
            lane_of: Default::default(),
            turn: Default::default(),
            turned: Default::default(),
            fed: Default::default(),
            here: Default::default(),
            prior: Default::default(),
            row_up: Default::default(),
            first_row: Default::default(),
            piece: Default::default(),
            whole: Default::default(),
            last_head: Const::of(head_beats - 1),
            head_beats: Const::of(head_beats),
            second: Const::of(W),
            up: (0..N).map(|i| Const::of(32 * i)).collect(),
            down: (0..N).map(|i| Const::of(W - 32 * i)).collect(),
            spin: (0..N).map(Const::of).collect(),
            unspin: (0..N).map(|i| Const::of(N - i)).collect(),
            low: (0..=N).map(|i| Const::of((1 << i) - 1)).collect(),
            top: Const::of(1 << (N - 1)),
            full: Const::of(W / 8),
            lane_mask: Const::of(N - 1),
            lane_bits: Const::of(lane_bits),
            thousand: Const::of(1024),
            one: Const::of(1),
        }
    }
}

#[kernel]
impl<const W: usize, const K: usize, const N: usize, const A: usize> Logic for RxCpl<W, K, N, A> {
    fn update(&mut self) {
        regs!(beat, two_valid, three_valid);
        flops!(early, two, two_head, header, three, three_head, claimed, left, row);

        // One: the header, over as many beats as it takes; the beat that completes it has a dword
        // of payload in its top lane.
        self.rx.ready.next = true;
        self.in_head.next = self.beat.q.val() != self.head_beats.val();
        self.completes.next = self.beat.q.val() == self.last_head.val();
        self.head_now.next = bit_cast::<96, W>(self.rx.data.val());
        if self.beat.q.val() == 1 {
            self.head_now.next =
                self.early.q.val() | (bit_cast::<96, W>(self.rx.data.val()) << self.second.val());
        }
        self.fed.next.data = self.rx.data.val();
        self.fed.next.bytes = self.rx.bytes.val();
        self.fed.next.last = self.rx.last.val();
        self.fed.next.err = self.rx.err.val();
        self.two.d.next = self.fed.val();
        self.two_valid.d.next = self.rx.valid.val() && (!self.in_head.val() || self.completes.val());
        self.two_head.d.next = self.completes.val();
        if self.rx.valid.val() {
            self.early.d.next = self.head_now.val();
            if self.completes.val() {
                self.header.d.next = self.head_now.val();
            }
            if self.in_head.val() {
                self.beat.d.next = self.beat.q.val() + 1;
            }
            if self.rx.last.val() {
                self.beat.d.next = 0.into();
            }
        }

        // Two: its fields, to be judged (base specification 2.2.9).
        self.length.next = self.header.q.val().get_bits::<10>(0);
        self.count.next = 0.into();
        if self.header.q.val().get_bit(30) {
            self.count.next = bit_cast::<11, 10>(self.length.val());
            if !self.length.val().any() {
                self.count.next = self.thousand.val();
            }
        }
        self.h.next.kind = self.header.q.val().get_bits::<8>(24);
        self.h.next.poisoned = self.header.q.val().get_bit(14);
        self.h.next.count = self.count.val();
        self.h.next.status = self.header.q.val().get_bits::<3>(45);
        self.h.next.octets = self.header.q.val().get_bits::<12>(32);
        self.h.next.id = self.header.q.val().get_bits::<16>(80);
        self.h.next.tag = self.header.q.val().get_bits::<8>(72);
        self.h.next.low = self.header.q.val().get_bits::<7>(64);
        self.cpl.next = self.h.val();
        self.cpl_valid.next = self.two_valid.q.val() && self.two_head.q.val();
        self.claimed.d.next = self.count.val();
        self.swap.x.next = self.two.q.val().data;
        self.three.d.next = self.two.q.val();
        self.three.d.next.data = self.swap.y.val();
        self.three_valid.d.next = self.two_valid.q.val();
        self.three_head.d.next = self.two_head.q.val();

        // Three: how many dwords of the beat are payload, in the low lanes or the top one.
        self.todo.next = self.left.q.val();
        self.came.next = bit_cast::<11, K>(self.three.q.val().bytes >> 2);
        if self.three_head.q.val() {
            self.todo.next = self.claimed.q.val();
            self.came.next = 0.into();
            if self.three.q.val().bytes == self.full.val() {
                self.came.next = 1.into();
            }
        }
        self.took.next = self.came.val();
        if self.todo.val() < self.came.val() {
            self.took.next = self.todo.val();
        }
        self.mine.next = self.low[0].val();
        for i in 0..N {
            if self.took.val() == (i + 1).to_bits() {
                self.mine.next = self.low[i + 1].val();
            }
        }
        if self.three_head.q.val() && self.took.val().any() {
            self.mine.next = self.top.val();
        }
        if self.three_valid.q.val() {
            self.left.d.next = self.todo.val() - self.took.val();
        }
        self.ended.next = self.three_valid.q.val() && self.three.q.val().last;
        self.short.next = (self.todo.val() > self.came.val()) || self.three.q.val().err;

        // Their lanes and rows: the first dword's lane, which the top lane turns to, is the same
        // for all beats.
        self.lane_of.next = bit_cast::<4, 12>(self.place.val()) + self.one.val();
        self.turn.next = self.lane_of.val() & self.lane_mask.val();
        self.spun.next = self.mine.val();
        self.turned.next = self.three.q.val().data;
        for i in 1..N {
            if self.turn.val() == i.to_bits() {
                self.spun.next =
                    (self.mine.val() << self.spin[i].val()) | (self.mine.val() >> self.unspin[i].val());
                self.turned.next = (self.three.q.val().data << self.up[i].val())
                    | (self.three.q.val().data >> self.down[i].val());
            }
        }
        self.first_row.next = self.place.val() >> self.lane_bits.val();
        self.row_up.next = self.row.q.val() + 1;
        self.here.next = self.row_up.val();
        if self.three_head.q.val() {
            self.here.next = bit_cast::<A, 12>(self.first_row.val());
        }
        self.prior.next = self.here.val() - 1;
        if self.three_valid.q.val() {
            self.row.d.next = self.here.val();
        }
        self.whole.next = 0.into();
        for i in 0..N {
            self.lane[i].clock.next = self.clock.val();
            self.lane[i].write_enable.next =
                self.three_valid.q.val() && self.take.val() && self.spun.val().get_bit(i);
            self.lane[i].write_address.next = self.here.val();
            if self.turn.val().any() && (self.spin[i].val() >= self.turn.val()) {
                self.lane[i].write_address.next = self.prior.val();
            }
            self.lane[i].write_data.next = self.turned.val().get_bits::<32>(32 * i);
            self.lane[i].read_enable.next = self.read_enable.val();
            self.lane[i].read_address.next = self.read_address.val();
            self.piece.next = self.lane[i].read_data.val();
            self.whole.next = self.whole.val() | (bit_cast::<W, 32>(self.piece.val()) << self.up[i].val());
        }
        self.read_data.next = self.whole.val();
    }
}
