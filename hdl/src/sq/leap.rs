// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which FPDU of a message is the first that is not acknowledged.
use crate::prelude::*;
use crate::record::TxStart;

const BLOCK: usize = 127;
const NONE: usize = 127;
const HEAD_TAGGED: usize = 14;
const HEAD_UNTAGGED: usize = 18;

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
#[block]
pub struct SqLeap {
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
    carries: Signal<Local, Bit>,
    hop_next: Signal<Local, Bits<38>>,
    rest_next: Signal<Local, Bits<7>>,
    halves: Signal<Local, Bits<8>>,
    over: Signal<Local, Bit>,
    taken: Signal<Local, Bits<16>>,
}

impl SqLeap {
    /// Bits of the quotient. A message of 4 GiB may have up to 2^26 FPDUs, of the least MULPDU.
    /// Those beyond 2^24 are skipped one by one.
    const BITS: usize = 24;

    /// Nothing to look for.
    pub fn new() -> Self {
        Self { ..Default::default() }
    }
}

#[kernel]
impl Logic for SqLeap {
    fn update(&mut self) {
        regs!(runs);
        flops!(at, made, hop, rest, z, climbs, place);
        self.busy.next = self.runs.q.val();
        self.offset.next = self.at.q.val();
        self.sent.next = self.made.q.val();

        // One step: so many FPDUs more, with their markers. Of the sum that follows, the lowest bit
        // is a carry.
        let gone: Bits<8> = bit_cast::<8, 7>(self.z.q.val()) + bit_cast::<8, 7>(self.rest.q.val());
        self.over.next = gone >= lit::<8>(BLOCK);
        let here: Bits<39> = (bit_cast::<39, 38>(self.at.q.val().get_bits::<38>(2)) << 1) + 1;
        let ahead: Bits<39> =
            (bit_cast::<39, 38>(self.hop.q.val()) << 1) + bit_cast::<39, 1>(self.over.val().into());
        let landed: Bits<39> = here + ahead;
        let there: Bits<40> = (bit_cast::<40, 38>(landed.get_bits::<38>(1)) << 2)
            | bit_cast::<40, 2>(self.at.q.val().get_bits::<2>(0));
        let left: Bits<40> = self.una.val() - there;
        self.taken.next = 0.into();
        let gone_less: Bits<8> = gone - lit::<8>(BLOCK);
        let twice: Bits<8> = bit_cast::<8, 7>(self.rest.q.val()) << 1;
        let twice_less: Bits<8> = twice - lit::<8>(BLOCK);
        self.carries.next = twice >= lit::<8>(BLOCK);
        self.halves.next = bit_cast::<8, 7>(self.rest.q.val());
        if self.hop.q.val().get_bit(0) {
            self.halves.next = bit_cast::<8, 7>(self.rest.q.val()) + lit::<8>(BLOCK);
        }
        self.hop_next.next = self.hop.q.val() >> 1;
        self.rest_next.next = self.halves.val().get_bits::<7>(1);
        if self.climbs.q.val() {
            self.hop_next.next = (self.hop.q.val() << 1) | bit_cast::<38, 1>(self.carries.val().into());
            self.rest_next.next = twice.get_bits::<7>(0);
            if self.carries.val() {
                self.rest_next.next = twice_less.get_bits::<7>(0);
            }
        }
        // It is one of those before.
        let moves: Bit = self.runs.q.val() && !self.climbs.q.val() && !left.get_bit(39);
        if moves {
            self.taken.next = self.mulpdu.val() - lit::<16>(HEAD_UNTAGGED);
            if self.is_tagged.val() {
                self.taken.next = self.mulpdu.val() - lit::<16>(HEAD_TAGGED);
            }
            self.at.d.next = there;
            self.z.d.next = gone.get_bits::<7>(0);
            if self.over.val() {
                self.z.d.next = gone_less.get_bits::<7>(0);
            }
        }
        if self.runs.q.val() {
            self.hop.d.next = self.hop_next.val();
            self.rest.d.next = self.rest_next.val();
            self.place.d.next = self.place.q.val() + 1;
            if self.climbs.q.val() && (self.place.q.val() == lit::<5>(Self::BITS - 2)) {
                self.climbs.d.next = false;
                self.place.d.next = 0.into();
            }
            if !self.climbs.q.val() {
                self.made.d.next = (self.made.q.val() << 1) + bit_cast::<32, 16>(self.taken.val());
                self.runs.d.next = self.place.q.val() != lit::<5>(Self::BITS - 1);
            }
        }

        // The message is there. 128 a + b is 127 a + (a + b).
        // Words of an FPDU without markers.
        let nine: Bits<16> = self.mulpdu.val() + 9;
        let words: Bits<14> = nine.get_bits::<14>(2);
        let first_hop: Bits<38> = bit_cast::<38, 14>(words) + bit_cast::<38, 7>(words.get_bits::<7>(7));
        let sum: Bits<8> =
            bit_cast::<8, 7>(words.get_bits::<7>(0)) + bit_cast::<8, 7>(words.get_bits::<7>(7));
        let sum_less: Bits<8> = sum - lit::<8>(BLOCK);
        let behind_marker: Bits<7> = self.from.val().get_bits::<7>(2) + self.start.val().phase;
        let begins_at: Bits<7> = behind_marker - 2;
        if self.load.val() {
            self.at.d.next = self.from.val();
            self.made.d.next = 0.into();
            self.climbs.d.next = self.start.val().markers;
            self.place.d.next = 0.into();
            self.runs.d.next = self.go.val();
            self.hop.d.next = bit_cast::<38, 14>(words) << lit::<8>(Self::BITS - 1);
            self.rest.d.next = 0.into();
            self.z.d.next = 0.into();
            if self.start.val().markers {
                self.hop.d.next = first_hop;
                self.rest.d.next = sum.get_bits::<7>(0);
                if sum >= lit::<8>(BLOCK) {
                    self.hop.d.next = first_hop + 1;
                    self.rest.d.next = sum_less.get_bits::<7>(0);
                }
                self.z.d.next = begins_at;
                // no message begins right behind a marker
                self.runs.d.next = self.go.val() && (behind_marker != lit::<7>((NONE + 2) % 128));
            }
        }
    }
}
