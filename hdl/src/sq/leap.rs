// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which FPDU of a message is the first that is not acknowledged.
use crate::cell::{Const, Flop, Reg};
use crate::record::TxStart;
use rust_hdl::prelude::*;

/// Finds where a message goes on in its replay without a look at each FPDU before: all of its
/// ULPDUs but the last have one size. A long division, 24 cycles, one bit of the quotient each.
/// With markers 23 more cycles come before.
///
/// An FPDU without markers has 2 octets of length, MULPDU octets, a pad to a multiple of 4, and 4
/// octets of CRC (RFC 5044 section 4.1). MULPDU counts the header of DDP: 14 octets of a tagged
/// message, else 18 (RFC 5041 section 4).
///
/// A marker stands in front of each 127 words (RFC 5044 section 4.3). Let an FPDU have `s` words
/// without them, and let `z + 1` words stand between the last marker and the message. In front of
/// FPDU `n`, counted from 0, are then `n s + (z + n s) / 127` words. The division has `n = 2^i` at
/// a time: `hop` is `n s + n s / 127`, and `rest` is the remainder.
#[derive(LogicBlock, Default)]
pub struct SqLeap {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// The message is there: `offset` is `from` in the next cycle, `sent` 0.
    pub load: Signal<In, Bit>,
    /// With that: looks for the FPDU.
    pub go: Signal<In, Bit>,
    /// Stream offset of its first octet.
    pub from: Signal<In, Bits<40>>,
    /// Its MULPDU; stable until `busy` falls.
    pub mulpdu: Signal<In, Bits<16>>,
    /// The message is tagged; stable until `busy` falls.
    pub is_tagged: Signal<In, Bit>,
    /// Markers of its connection.
    pub start: Signal<In, TxStart>,
    /// Stream offset up to which octets are acknowledged; behind `from`, and within the message.
    pub una: Signal<In, Bits<40>>,
    /// The FPDU is being looked for.
    pub busy: Signal<Out, Bit>,
    /// Stream offset of the FPDU.
    pub offset: Signal<Out, Bits<40>>,
    /// Octets of payload before it.
    pub sent: Signal<Out, Bits<32>>,
    at: Flop<Bits<40>>,
    made: Flop<Bits<32>>,
    /// Words of so many FPDUs as the present bit of the quotient stands for.
    hop: Flop<Bits<38>>,
    rest: Flop<Bits<7>>,
    z: Flop<Bits<7>>,
    runs: Reg<Bit>,
    /// `hop` grows to the highest bit.
    climbs: Flop<Bit>,
    place: Flop<Bits<5>>,
    top: Const<Bits<8>>,
    summit: Const<Bits<5>>,
    last: Const<Bits<5>>,
    block: Const<Bits<8>>,
    none: Const<Bits<7>>,
    head_tagged: Const<Bits<16>>,
    head_untagged: Const<Bits<16>>,
    /// Words of an FPDU without markers.
    nine: Signal<Local, Bits<16>>,
    words: Signal<Local, Bits<14>>,
    first_hop: Signal<Local, Bits<38>>,
    sum: Signal<Local, Bits<8>>,
    sum_less: Signal<Local, Bits<8>>,
    twice: Signal<Local, Bits<8>>,
    twice_less: Signal<Local, Bits<8>>,
    carries: Signal<Local, Bit>,
    hop_next: Signal<Local, Bits<38>>,
    rest_next: Signal<Local, Bits<7>>,
    /// It is one of those before.
    moves: Signal<Local, Bit>,
    halves: Signal<Local, Bits<8>>,
    gone: Signal<Local, Bits<8>>,
    gone_less: Signal<Local, Bits<8>>,
    over: Signal<Local, Bit>,
    begins_at: Signal<Local, Bits<7>>,
    here: Signal<Local, Bits<39>>,
    ahead: Signal<Local, Bits<39>>,
    landed: Signal<Local, Bits<39>>,
    there: Signal<Local, Bits<40>>,
    left: Signal<Local, Bits<40>>,
    taken: Signal<Local, Bits<16>>,
}

impl SqLeap {
    /// Bits of the quotient. A message of 4 GiB may have up to 2^26 FPDUs, of the least MULPDU.
    /// Those beyond 2^24 are skipped one by one.
    const BITS: usize = 24;

    /// Nothing to look for.
    pub fn new() -> Self {
        Self {
            top: Const::of(Self::BITS - 1),
            summit: Const::of(Self::BITS - 2),
            last: Const::of(Self::BITS - 1),
            block: Const::of(127),
            none: Const::of(127),
            head_tagged: Const::of(14),
            head_untagged: Const::of(18),
            ..Default::default()
        }
    }
}

impl Logic for SqLeap {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, at, made, hop, rest, z, runs, climbs, place);
        self.runs.reset.next = self.reset.val();
        self.busy.next = self.runs.q.val();
        self.offset.next = self.at.q.val();
        self.sent.next = self.made.q.val();

        // One step: so many FPDUs more, with their markers. Of the sum that follows, the lowest bit
        // is a carry.
        self.gone.next = bit_cast::<8, 7>(self.z.q.val()) + bit_cast::<8, 7>(self.rest.q.val());
        self.over.next = self.gone.val() >= self.block.val();
        self.here.next = (bit_cast::<39, 38>(self.at.q.val().get_bits::<38>(2)) << 1) + 1;
        self.ahead.next =
            (bit_cast::<39, 38>(self.hop.q.val()) << 1) + bit_cast::<39, 1>(self.over.val().into());
        self.landed.next = self.here.val() + self.ahead.val();
        self.there.next = (bit_cast::<40, 38>(self.landed.val().get_bits::<38>(1)) << 2)
            | bit_cast::<40, 2>(self.at.q.val().get_bits::<2>(0));
        self.left.next = self.una.val() - self.there.val();
        self.taken.next = 0.into();
        self.gone_less.next = self.gone.val() - self.block.val();
        self.twice.next = bit_cast::<8, 7>(self.rest.q.val()) << 1;
        self.twice_less.next = self.twice.val() - self.block.val();
        self.carries.next = self.twice.val() >= self.block.val();
        self.halves.next = bit_cast::<8, 7>(self.rest.q.val());
        if self.hop.q.val().get_bit(0) {
            self.halves.next = bit_cast::<8, 7>(self.rest.q.val()) + self.block.val();
        }
        self.hop_next.next = self.hop.q.val() >> 1;
        self.rest_next.next = self.halves.val().get_bits::<7>(1);
        if self.climbs.q.val() {
            self.hop_next.next = (self.hop.q.val() << 1) | bit_cast::<38, 1>(self.carries.val().into());
            self.rest_next.next = self.twice.val().get_bits::<7>(0);
            if self.carries.val() {
                self.rest_next.next = self.twice_less.val().get_bits::<7>(0);
            }
        }
        self.moves.next = self.runs.q.val() && !self.climbs.q.val() && !self.left.val().get_bit(39);
        if self.moves.val() {
            self.taken.next = self.mulpdu.val() - self.head_untagged.val();
            if self.is_tagged.val() {
                self.taken.next = self.mulpdu.val() - self.head_tagged.val();
            }
            self.at.d.next = self.there.val();
            self.z.d.next = self.gone.val().get_bits::<7>(0);
            if self.over.val() {
                self.z.d.next = self.gone_less.val().get_bits::<7>(0);
            }
        }
        if self.runs.q.val() {
            self.hop.d.next = self.hop_next.val();
            self.rest.d.next = self.rest_next.val();
            self.place.d.next = self.place.q.val() + 1;
            if self.climbs.q.val() && (self.place.q.val() == self.summit.val()) {
                self.climbs.d.next = false;
                self.place.d.next = 0.into();
            }
            if !self.climbs.q.val() {
                self.made.d.next = (self.made.q.val() << 1) + bit_cast::<32, 16>(self.taken.val());
                self.runs.d.next = self.place.q.val() != self.last.val();
            }
        }

        // The message is there. 128 a + b is 127 a + (a + b).
        self.nine.next = self.mulpdu.val() + 9;
        self.words.next = self.nine.val().get_bits::<14>(2);
        self.first_hop.next =
            bit_cast::<38, 14>(self.words.val()) + bit_cast::<38, 7>(self.words.val().get_bits::<7>(7));
        self.sum.next = bit_cast::<8, 7>(self.words.val().get_bits::<7>(0))
            + bit_cast::<8, 7>(self.words.val().get_bits::<7>(7));
        self.sum_less.next = self.sum.val() - self.block.val();
        self.begins_at.next = (self.from.val().get_bits::<7>(2) + self.start.val().phase) - 2;
        if self.load.val() {
            self.at.d.next = self.from.val();
            self.made.d.next = 0.into();
            self.climbs.d.next = self.start.val().markers;
            self.place.d.next = 0.into();
            self.runs.d.next = self.go.val();
            self.hop.d.next = bit_cast::<38, 14>(self.words.val()) << self.top.val();
            self.rest.d.next = 0.into();
            self.z.d.next = 0.into();
            if self.start.val().markers {
                self.hop.d.next = self.first_hop.val();
                self.rest.d.next = self.sum.val().get_bits::<7>(0);
                if self.sum.val() >= self.block.val() {
                    self.hop.d.next = self.first_hop.val() + 1;
                    self.rest.d.next = self.sum_less.val().get_bits::<7>(0);
                }
                self.z.d.next = self.begins_at.val();
                // no message begins right behind a marker
                self.runs.d.next = self.go.val() && (self.begins_at.val() != self.none.val());
            }
        }
    }
}
