// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completions against the reads that they answer.
use super::ports::{Cpl, Finish, Issue, ReadFaults};
use crate::prelude::*;

/// What of a read has not been answered.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Progress {
    /// Low bits of the address of the next octet.
    pub addr: Bits<9>,
    /// Octets.
    pub left: Bits<10>,
    /// Dwords that hold them.
    pub dwords: Bits<8>,
    /// Data that came was poisoned.
    pub bad: Bit,
}

const TO_TAG: usize = 7;

/// Judges each completion: whose it is, and whether it is the next piece of that read.
///
/// A completion counts if its requester id is ours and its tag waits; then byte count and lower
/// address must be those of the next octet, and its dwords must reach the read's end or a multiple
/// of 64 octets (base specification 2.2.9, 2.3.1.1). Data of one that does not fit is not taken,
/// and the read is over.
///
/// **Timing.** The verdict stands from the cycle after `cpl_valid` until the next verdict. `ended`
/// beside or after it, in the cycle in which the TLP's last beat is stored; `over` is told in the
/// same cycle.
#[block]
pub struct CplCheck {
    /// Our requester id.
    pub id: Signal<In, Bits<16>>,
    /// A read that is asked.
    pub issue: Signal<In, Issue>,
    /// It leaves now.
    pub issued: Signal<In, Bit>,
    /// Tags that wait.
    pub waiting: Signal<In, Bits<32>>,
    /// Tags of reads that were given up.
    pub resting: Signal<In, Bits<32>>,
    /// Header of a completion.
    pub cpl: Signal<In, Cpl>,
    /// It is there.
    pub cpl_valid: Signal<In, Bit>,
    /// Its last beat is being stored.
    pub ended: Signal<In, Bit>,
    /// With `ended`: the TLP had fewer dwords than it claimed.
    pub short: Signal<In, Bit>,
    /// Verdict: its data is stored.
    pub take: Signal<Out, Bit>,
    /// Where its first dword is stored: tag and dword of the slot.
    pub place: Signal<Out, Bits<12>>,
    /// How a read ended.
    pub over: Signal<Out, Finish>,
    /// Pulse of `over`.
    pub over_valid: Signal<Out, Bit>,
    /// What was wrong; `expired` is not told here.
    pub faults: Signal<Out, ReadFaults>,
    asked: LutRam<Progress, 5>,
    answered: LutRam<Progress, 5>,
    /// Tags that no completion has answered yet: `asked` counts.
    fresh: Reg<Bits<32>>,
    taking: Reg<Bit>,
    placed: Flop<Bits<12>>,
    done: Reg<Bit>,
    verdict: Flop<Finish>,
    told: Reg<ReadFaults>,
    with_data: Const<Bits<8>>,
    plain: Const<Bits<8>>,
    aborted: Const<Bits<3>>,
    was: Signal<Local, Progress>,
    next_one: Signal<Local, Progress>,
    begin_one: Signal<Local, Progress>,
    fresh_up: Signal<Local, Bits<32>>,
    say: Signal<Local, ReadFaults>,
    upshot: Signal<Local, Finish>,
}

impl CplCheck {
    /// Nothing asked.
    pub fn new() -> Self {
        Self {
            // Fmt and Type of CplD and Cpl (base specification table 2-3), Completion Status CA
            // (table 2-34)
            with_data: Const::of(0x4A),
            plain: Const::of(0x0A),
            aborted: Const::of(0b100),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CplCheck {
    fn update(&mut self) {
        regs!(fresh, taking, done, told);
        flops!(placed, verdict);
        clocked!(asked, answered);

        self.begin_one.next.addr = self.issue.val().addr;
        self.begin_one.next.left = self.issue.val().length;
        let begins_in: Bits<11> = bit_cast::<11, 2>(bit_cast::<2, 9>(self.issue.val().addr));
        let stop: Bits<11> = bit_cast::<11, 10>(self.issue.val().length) + begins_in + 3;
        self.begin_one.next.dwords = bit_cast::<8, 11>(stop >> 2);
        self.begin_one.next.bad = false;
        self.asked.write_enable.next = self.issued.val();
        self.asked.write_address.next = self.issue.val().tag;
        self.asked.write_data.next = self.begin_one.val();

        // Whose it is, and what that read expects.
        let tag: Bits<5> = bit_cast::<5, 8>(self.cpl.val().tag);
        let high: Bits<8> = self.cpl.val().tag >> 5;
        let ours: Bit = (self.cpl.val().id == self.id.val()) && !high.any();
        let known: Bit = ours && self.waiting.val().get_bit(tag.index());
        self.asked.read_address.next = bit_cast::<5, 8>(self.cpl.val().tag);
        self.answered.read_address.next = bit_cast::<5, 8>(self.cpl.val().tag);
        self.was.next = self.answered.read_data.val();
        if self.fresh.q.val().get_bit(tag.index()) {
            self.was.next = self.asked.read_data.val();
        }
        let offset: Bits<2> = bit_cast::<2, 9>(self.was.val().addr);
        let have: Bits<13> = (bit_cast::<13, 11>(self.cpl.val().count) << 2) - bit_cast::<13, 2>(offset);
        let step: Bits<7> = bit_cast::<7, 9>(self.was.val().addr >> 2);
        let words: Bits<7> = step + bit_cast::<7, 11>(self.cpl.val().count);
        let whole: Bit = self.cpl.val().count == bit_cast::<11, 8>(self.was.val().dwords);
        let at_boundary: Bit = (self.cpl.val().count < bit_cast::<11, 8>(self.was.val().dwords))
            && !bit_cast::<4, 7>(words).any();
        let fits: Bit = (self.cpl.val().kind == self.with_data.val())
            && (whole || at_boundary)
            && (self.cpl.val().octets == bit_cast::<12, 10>(self.was.val().left))
            && (self.cpl.val().low == bit_cast::<7, 9>(self.was.val().addr));
        let good: Bit = known && !self.cpl.val().status.any() && fits;

        // What is left when it has come. A read whose completion is not good is over.
        self.next_one.next.addr = bit_cast::<9, 7>(words) << 2;
        self.next_one.next.left = self.was.val().left - bit_cast::<10, 13>(have);
        self.next_one.next.dwords = self.was.val().dwords - bit_cast::<8, 11>(self.cpl.val().count);
        self.next_one.next.bad = self.was.val().bad || self.cpl.val().poisoned;
        let counts: Bit = self.cpl_valid.val() && known;
        self.answered.write_enable.next = counts;
        self.answered.write_address.next = tag;
        self.answered.write_data.next = self.next_one.val();
        self.fresh_up.next = self.fresh.q.val();
        if counts {
            self.fresh_up.next = self.fresh_up.val().replace_bit(tag.index(), false);
        }
        if self.issued.val() {
            self.fresh_up.next = self.fresh_up.val().replace_bit(self.issue.val().tag.index(), true);
        }
        self.fresh.d.next = self.fresh_up.val();

        // The verdict.
        self.say.next.unexpected = false;
        self.say.next.late = false;
        self.say.next.refused = false;
        self.say.next.aborted = false;
        self.say.next.poisoned = false;
        self.say.next.malformed = false;
        self.say.next.expired = false;
        self.upshot.next = self.verdict.q.val();
        if self.cpl_valid.val() {
            self.taking.d.next = good;
            self.placed.d.next = (bit_cast::<12, 5>(tag) << lit::<8>(TO_TAG)) | bit_cast::<12, 7>(step);
            self.upshot.next.tag = tag;
            self.upshot.next.bad = true;
            self.upshot.next.rests = false;
            self.done.d.next = known;
            if !known {
                self.say.next.late = ours && self.resting.val().get_bit(tag.index());
                self.say.next.unexpected = !(ours && self.resting.val().get_bit(tag.index()));
            } else if good {
                self.say.next.poisoned = self.cpl.val().poisoned;
                self.done.d.next = whole;
                self.upshot.next.bad = self.next_one.val().bad;
            } else if self.cpl.val().status.any() && (self.cpl.val().kind == self.plain.val()) {
                // the request is over: nothing more comes of it (2.3.2)
                self.say.next.aborted = self.cpl.val().status == self.aborted.val();
                self.say.next.refused = self.cpl.val().status != self.aborted.val();
            } else {
                self.say.next.malformed = true;
                self.upshot.next.rests = true;
            }
        }
        self.verdict.d.next = self.upshot.val();
        self.take.next = self.taking.q.val();
        self.place.next = self.placed.q.val();
        self.over.next = self.verdict.q.val();
        self.over_valid.next = self.ended.val() && self.done.q.val();
        if self.ended.val() && self.short.val() && self.taking.q.val() {
            self.over.next.bad = true;
            self.over.next.rests = true;
            self.over_valid.next = true;
            self.say.next.malformed = true;
        }
        self.told.d.next = self.say.val();
        self.faults.next = self.told.q.val();
    }
}
