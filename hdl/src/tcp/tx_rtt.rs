// SPDX-License-Identifier: MIT OR Apache-2.0
//! The estimator of the round trip: what each connection's timer waits.
use super::tx_row::{RttMark, RttNews, RttRow};
use crate::prelude::*;
use crate::stream::ItemSource;

/// Units of 10 us that a timer waits while no round trip is known: one second (RFC 6298 section 2
/// rule 2.1).
pub const FIRST_WAIT: usize = 100_000;

/// Longest round trip, 2.6 s: more counts as this.
const MOST: usize = (1 << 18) - 1;

/// What is told, as numbers in the emitted Verilog.
pub mod rtt_news {
    /// A set-up, with the round trip that the handshake has shown.
    pub const SET: usize = 0;
    /// A segment leaves for the first time, and its round trip is measured.
    pub const START: usize = 1;
    /// SND.UNA has moved.
    pub const CHECK: usize = 2;
    /// The wait is asked for.
    pub const RENEW: usize = 3;
}

/// Step of what was told.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Waits for news and reads the row.
    Idle,
    /// The row is there.
    Work,
    /// A round trip was measured: its difference from the smoothed one.
    Differ,
    /// The row moves towards it.
    Fold,
    /// The row is written.
    Sum,
    /// The wait of a probe.
    Soon,
    /// The wait is offered.
    Give,
}

/// Keeps SRTT and RTTVAR of each connection (RFC 6298 section 2), and measures one round trip at a
/// time of it: from the first departure of a segment to the fact that acknowledges its last octet.
/// The caller starts none while octets leave again, and starts anew once they do (Karn: section 3).
///
/// SRTT is kept eightfold and RTTVAR fourfold, so that alpha is 1/8 and beta 1/4. The wait is
/// `SRTT + max(floor, 4 RTTVAR)`: the floor stands for the delays that a peer adds now and then,
/// such as that of its ACKs.
///
/// **Whole units.** Of equal round trips, some measure one unit more: that unit is the clock's. If
/// a round trip is longer than SRTT, RTTVAR takes the difference without its lowest bit. So RTTVAR
/// of equal round trips comes to 0.
///
/// **Handshake.** A round trip that the set-up names counts as the first measurement. Without one
/// the wait is [`FIRST_WAIT`].
///
/// A probe waits `SRTT + max(SRTT, 4 RTTVAR)`, up to two units more, but no longer than the timer.
///
/// **Look.** While nothing is worked off, the row of `look_qp` is shown.
///
/// A mark counts modulo 2^24: octets in flight are fewer, unless no congestion window bounds them
/// and the peer's window is larger. A round trip may then be measured too short.
///
/// **Timing.** News takes three cycles, a measurement eight. While `ready` is low, nothing else
/// must be told: the next segment, or the next fact, says as much. A renewal may be left out: the
/// next measurement does the same. A set-up is kept. Two set-ups are further apart than a
/// measurement takes.
#[block]
pub struct TxRtt<const C: usize> {
    /// What is told.
    pub told: Signal<In, RttNews>,
    /// Pulse: a start, a check or a renewal; not without `ready`.
    pub told_valid: Signal<In, Bit>,
    /// Pulse: a set-up.
    pub must_valid: Signal<In, Bit>,
    /// All but a set-up may be told.
    pub ready: Signal<Out, Bit>,
    /// Units of 10 us, modulo 2^24.
    pub now: Signal<In, Bits<24>>,
    /// Least wait beyond SRTT.
    pub floor: Signal<In, Bits<16>>,
    /// Connections whose timers have a new wait.
    pub new_wait: ItemSource<Bits<C>>,
    /// With `new_wait`: units of 10 us that the timer waits.
    pub interval: Signal<Out, Bits<23>>,
    /// With `new_wait`: units of 10 us that a probe waits.
    pub soon: Signal<Out, Bits<21>>,
    /// Connection that is looked at.
    pub look_qp: Signal<In, Bits<C>>,
    /// Its SRTT; of meaning with `seen_known`.
    pub seen_srtt: Signal<Out, Bits<18>>,
    /// Its round trip is known.
    pub seen_known: Signal<Out, Bit>,
    /// Both belong to `look_qp` of the cycle before.
    pub seen_valid: Signal<Out, Bit>,
    // never read before the set-up of the connection has written it
    rows: Sdp<RttRow, C>,
    marks: Sdp<RttMark, C>,
    /// What is worked off.
    has: Reg<Bit>,
    item: Flop<RttNews>,
    /// A set-up that waits.
    kept: Reg<Bit>,
    kept_qp: Flop<Bits<8>>,
    kept_rtt: Flop<Bits<16>>,
    st: Reg<St>,
    /// The row that was read is that of the look.
    shows: Reg<Bit>,
    /// No round trip was known.
    first: Flop<Bit>,
    /// The row is only asked.
    asks: Flop<Bit>,
    round: Flop<Bits<18>>,
    error: Flop<Bits<19>>,
    srtt: Flop<Bits<21>>,
    spread: Flop<Bits<20>>,
    answer: Flop<Bits<23>>,
    answer_soon: Flop<Bits<21>>,
    news: Signal<Local, RttNews>,
    row: Signal<Local, RttRow>,
    mark: Signal<Local, RttMark>,
    began: Signal<Local, RttMark>,
    size: Signal<Local, Bits<18>>,
    smooth: Signal<Local, Bits<18>>,
    even: Const<Bits<18>>,
    least: Signal<Local, Bits<16>>,
    extra: Signal<Local, Bits<20>>,
    done: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    stepped: Signal<Local, Bits<21>>,
    signs: Const<Bits<21>>,
    writes: Signal<Local, Bit>,
    back: Signal<Local, RttRow>,
}

impl<const C: usize> TxRtt<C> {
    /// Nothing is known.
    pub fn new() -> Self {
        Self { even: Const::of(0x3_FFFE), signs: Const::of(0b110 << 18), ..Default::default() }
    }
}

#[kernel]
impl<const C: usize> Logic for TxRtt<C> {
    fn update(&mut self) {
        regs!(has, kept, shows, st);
        flops!(item, kept_qp, kept_rtt, first, asks, round, error, srtt, spread, answer, answer_soon);
        clocked!(rows, marks);

        // In.
        self.ready.next = !self.has.q.val() && !self.kept.q.val();
        self.news.next = self.told.val();
        if self.kept.q.val() {
            self.news.next.kind = lit::<2>(rtt_news::SET);
            self.news.next.qp = self.kept_qp.q.val();
            self.news.next.number = bit_cast::<32, 16>(self.kept_rtt.q.val());
        }
        if !self.has.q.val() {
            self.item.d.next = self.news.val();
            self.has.d.next = self.kept.q.val() || self.told_valid.val();
            self.kept.d.next = false;
        }
        if self.must_valid.val() {
            self.kept.d.next = true;
            self.kept_qp.d.next = self.told.val().qp;
            self.kept_rtt.d.next = bit_cast::<16, 32>(self.told.val().number);
        }

        // The row, and what is measured.
        self.rows.read_enable.next = self.st.q.val() == St::Idle;
        self.rows.read_address.next = self.look_qp.val();
        if self.has.q.val() {
            self.rows.read_address.next = bit_cast::<C, 8>(self.item.q.val().qp);
        }
        self.shows.d.next = (self.st.q.val() == St::Idle) && !self.has.q.val();
        self.seen_valid.next = self.shows.q.val();
        self.marks.read_enable.next = self.st.q.val() == St::Idle;
        self.marks.read_address.next = bit_cast::<C, 8>(self.item.q.val().qp);
        self.row.next = self.rows.read_data.val();
        self.mark.next = self.marks.read_data.val();
        let apart: Bits<24> = bit_cast::<24, 32>(self.item.q.val().number) - self.mark.val().timed;
        let lasted: Bits<24> = self.now.val() - self.mark.val().since;
        self.began.next.timed = bit_cast::<24, 32>(self.item.q.val().number);
        self.began.next.since = self.now.val();

        // SRTT and RTTVAR behind it.
        self.size.next = bit_cast::<18, 19>(self.error.q.val()) & self.even.val();
        if self.error.q.val().get_bit(18) {
            self.size.next = !bit_cast::<18, 19>(self.error.q.val());
        }
        self.stepped.next = bit_cast::<21, 19>(self.error.q.val());
        if self.error.q.val().get_bit(18) {
            self.stepped.next = bit_cast::<21, 19>(self.error.q.val()) | self.signs.val();
        }
        let srtt_was: Bits<21> = self.row.val().srtt;
        let var_was: Bits<20> = self.row.val().var;
        self.seen_srtt.next = srtt_was.get_bits::<18>(3);
        self.seen_known.next = self.row.val().known;
        let triple: Bits<22> = bit_cast::<22, 20>(var_was) + (bit_cast::<22, 20>(var_was) << 1);
        self.least.next = self.floor.val();
        // never less than two units, nor than SRTT
        self.smooth.next = self.srtt.q.val().get_bits::<18>(3);
        if !self.srtt.q.val().get_bit(4) {
            self.smooth.next = (self.srtt.q.val().get_bits::<18>(3) & self.even.val()) | lit::<18>(2);
        }
        if (self.st.q.val() == St::Soon) && (self.smooth.val() < bit_cast::<18, 16>(self.floor.val())) {
            self.least.next = bit_cast::<16, 18>(self.smooth.val());
        }
        self.extra.next = self.spread.q.val();
        if self.spread.q.val() < bit_cast::<20, 16>(self.least.val()) {
            self.extra.next = bit_cast::<20, 16>(self.least.val());
        }
        let sum: Bits<21> =
            bit_cast::<21, 18>(self.srtt.q.val().get_bits::<18>(3)) + bit_cast::<21, 20>(self.extra.val());

        self.done.next = false;
        self.writes.next = false;
        self.begins.next = false;
        self.first.d.next = self.first.q.val();
        match self.st.q.val() {
            St::Idle => {
                self.asks.d.next = self.item.q.val().kind == lit::<2>(rtt_news::RENEW);
                if self.has.q.val() {
                    self.st.d.next = St::Work;
                }
            }
            St::Work => {
                self.st.d.next = St::Idle;
                self.done.next = true;
                self.first.d.next =
                    !self.row.val().known || (self.item.q.val().kind == lit::<2>(rtt_news::SET));
                self.answer.d.next = lit::<23>(FIRST_WAIT);
                self.answer_soon.d.next = bit_cast::<21, 23>(lit::<23>(FIRST_WAIT));
                self.srtt.d.next = self.row.val().srtt;
                self.spread.d.next = self.row.val().var;
                self.round.d.next = bit_cast::<18, 24>(lasted);
                if lasted.get_bits::<6>(18).any() {
                    self.round.d.next = lit::<18>(MOST);
                }
                if self.item.q.val().kind == lit::<2>(rtt_news::SET) {
                    self.round.d.next = bit_cast::<18, 32>(self.item.q.val().number);
                    self.writes.next = true;
                    if self.item.q.val().number.any() {
                        self.done.next = false;
                        self.st.d.next = St::Differ;
                    }
                } else if self.item.q.val().kind == lit::<2>(rtt_news::START) {
                    self.begins.next = true;
                } else if self.item.q.val().kind == lit::<2>(rtt_news::CHECK) {
                    if !apart.get_bit(23) {
                        self.done.next = false;
                        self.st.d.next = St::Differ;
                    }
                } else {
                    self.done.next = false;
                    self.st.d.next = St::Give;
                    if self.row.val().known {
                        self.st.d.next = St::Sum;
                    }
                }
            }
            St::Differ => {
                self.error.d.next =
                    bit_cast::<19, 18>(self.round.q.val()) - bit_cast::<19, 18>(srtt_was.get_bits::<18>(3));
                self.spread.d.next = triple.get_bits::<20>(2);
                self.st.d.next = St::Fold;
            }
            St::Fold => {
                self.srtt.d.next = self.srtt.q.val() + self.stepped.val();
                self.spread.d.next = self.spread.q.val() + bit_cast::<20, 18>(self.size.val());
                if self.first.q.val() {
                    self.srtt.d.next = bit_cast::<21, 18>(self.round.q.val()) << 3;
                    self.spread.d.next = bit_cast::<20, 18>(self.round.q.val()) << 1;
                }
                self.st.d.next = St::Sum;
            }
            St::Sum => {
                self.writes.next = !self.asks.q.val();
                self.answer.d.next = bit_cast::<23, 21>(sum);
                self.st.d.next = St::Soon;
            }
            St::Soon => {
                self.answer_soon.d.next = sum;
                self.st.d.next = St::Give;
            }
            St::Give => {
                if self.new_wait.ready.val() {
                    self.done.next = true;
                    self.st.d.next = St::Idle;
                }
            }
            _ => {}
        }
        if self.done.val() {
            self.has.d.next = false;
        }
        self.back.next.known = self.st.q.val() == St::Sum;
        self.back.next.srtt = self.srtt.q.val();
        self.back.next.var = self.spread.q.val();
        self.rows.write_enable.next = self.writes.val();
        self.rows.write_address.next = bit_cast::<C, 8>(self.item.q.val().qp);
        self.rows.write_data.next = self.back.val();
        self.marks.write_enable.next = self.begins.val();
        self.marks.write_address.next = bit_cast::<C, 8>(self.item.q.val().qp);
        self.marks.write_data.next = self.began.val();
        self.new_wait.item.next = bit_cast::<C, 8>(self.item.q.val().qp);
        self.interval.next = self.answer.q.val();
        self.soon.next = self.answer_soon.q.val();
        self.new_wait.valid.next = self.st.q.val() == St::Give;
    }
}
