//! Which FPDU of a message is the first that is not acknowledged.
use crate::cell::{Const, Flop, Reg};
use rust_hdl::prelude::*;

/// Finds where a message goes on in its replay without a look at each FPDU before: all of its FPDUs but the last have one size.
/// A long division, 24 cycles, one bit of the quotient each.
///
/// An FPDU without markers has 2 octets of length, MULPDU octets, a pad to a multiple of 4, and 4 octets of CRC (RFC 5044 section
/// 4.1). MULPDU counts the header of DDP: 14 octets of a tagged message, else 18 (RFC 5041 section 4).
#[derive(LogicBlock, Default)]
pub struct SqLeap {
    /// Clock.
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
    /// Octets of so many FPDUs as the present bit of the quotient stands for.
    step: Flop<Bits<40>>,
    runs: Reg<Bit>,
    place: Flop<Bits<5>>,
    top: Const<Bits<8>>,
    last: Const<Bits<5>>,
    head_tagged: Const<Bits<16>>,
    head_untagged: Const<Bits<16>>,
    words: Const<Bits<40>>,
    there: Signal<Local, Bits<40>>,
    left: Signal<Local, Bits<40>>,
    taken: Signal<Local, Bits<16>>,
}

impl SqLeap {
    /// Bits of the quotient. A message of 4 GiB may have up to 2^26 FPDUs, of the least MULPDU. Those beyond 2^24 are skipped one
    /// by one.
    const BITS: usize = 24;

    /// Nothing to look for.
    pub fn new() -> Self {
        Self {
            top: Const::of(Self::BITS - 1),
            last: Const::of(Self::BITS - 1),
            head_tagged: Const::of(14),
            head_untagged: Const::of(18),
            words: Const::of(!3 & 0xFF_FFFF_FFFF),
            ..Default::default()
        }
    }
}

impl Logic for SqLeap {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, at, made, step, runs, place);
        self.runs.reset.next = self.reset.val();
        self.busy.next = self.runs.q.val();
        self.offset.next = self.at.q.val();
        self.sent.next = self.made.q.val();
        self.there.next = 0.into();
        self.left.next = 0.into();
        self.taken.next = 0.into();
        if self.runs.q.val() {
            self.there.next = self.at.q.val() + self.step.q.val();
            self.left.next = self.una.val() - self.there.val();
            if !self.left.val().get_bit(39) {
                self.taken.next = self.mulpdu.val() - self.head_untagged.val();
                if self.is_tagged.val() {
                    self.taken.next = self.mulpdu.val() - self.head_tagged.val();
                }
                self.at.d.next = self.there.val();
            }
            self.made.d.next = (self.made.q.val() << 1) + bit_cast::<32, 16>(self.taken.val());
            self.step.d.next = self.step.q.val() >> 1;
            self.place.d.next = self.place.q.val() + 1;
            if self.place.q.val() == self.last.val() {
                self.runs.d.next = false;
            }
        }
        if self.load.val() {
            self.at.d.next = self.from.val();
            self.made.d.next = 0.into();
            self.step.d.next =
                ((bit_cast::<40, 16>(self.mulpdu.val()) + 9) & self.words.val()) << self.top.val();
            self.place.d.next = 0.into();
            self.runs.d.next = self.go.val();
        }
    }
}
