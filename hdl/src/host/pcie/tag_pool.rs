// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tags of PCI Express: who holds them, for how long, and when they may be used again.
use super::ports::{Finish, Issue};
use crate::prelude::*;
use crate::stream::Queue;

const ALL: usize = 32;

/// 32 tags, each in one or more of four states: *unsent* until its request has left, *waiting* for
/// completions, *held* until its answer has left the store, *resting* because completions of a read
/// that was given up may still come.
///
/// **Contract.** A tag on `free` is taken with `issued`; each one that is taken is told by `sent`
/// later. It comes back when it is neither unsent nor waiting nor held nor resting. A read that
/// waits for more than `timeout` ticks is given up: it finishes bad and rests until `2 * timeout`
/// ticks and the present one are over since it was sent. A tag that rests for another reason rests
/// as long. With `endless` no read is given up but one that was `lost`; those that rest go on to do
/// so. A tick that comes before the look at all tags after the one before is over begins no new
/// one.
///
/// **Timing.** The first tag is free two cycles after reset, all of them after 33. After each tick
/// one tag is looked at in each cycle in which no read finishes and no answer leaves.
#[block]
pub struct TagPool {
    /// One pulse a tick.
    pub tick: Signal<In, Bit>,
    /// Ticks since power-up, modulo 2^16: steps in the cycle behind `tick`.
    pub now: Signal<In, Bits<16>>,
    /// Ticks that a read may take, 1 to 100.
    pub timeout: Signal<In, Bits<7>>,
    /// A read may take any number of ticks, unless it was lost.
    pub endless: Signal<In, Bit>,
    /// The next free tag.
    pub free: Signal<Out, Bits<5>>,
    /// There is one.
    pub free_valid: Signal<Out, Bit>,
    /// The read that takes it.
    pub issue: Signal<In, Issue>,
    /// It is taken.
    pub issued: Signal<In, Bit>,
    /// Tag of a request that has left.
    pub sent: Signal<In, Bits<5>>,
    /// Pulse of `sent`.
    pub sent_valid: Signal<In, Bit>,
    /// With `sent`: it was dropped, so nobody will answer it.
    pub sent_lost: Signal<In, Bit>,
    /// A read whose completions have all come, or that failed; ignored if the tag does not wait.
    pub over: Signal<In, Finish>,
    /// Pulse of `over`.
    pub over_valid: Signal<In, Bit>,
    /// Tag of an answer that has left the store.
    pub left: Signal<In, Bits<5>>,
    /// Pulse of `left`.
    pub left_valid: Signal<In, Bit>,
    /// A read that finished, by `over` or by time.
    pub finish: Signal<Out, Finish>,
    /// Pulse of `finish`.
    pub finish_valid: Signal<Out, Bit>,
    /// Tags whose requests have left and wait.
    pub waiting: Signal<Out, Bits<32>>,
    /// Tags that rest.
    pub resting: Signal<Out, Bits<32>>,
    /// A tag is unsent, waits or rests.
    pub outstanding: Signal<Out, Bit>,
    /// A read was given up.
    pub expired: Signal<Out, Bit>,
    pool: Queue<Bits<5>, 5>,
    stamps: LutRam<Bits<16>, 5>,
    /// Tags put into `pool` since reset.
    filled: Reg<Bits<6>>,
    /// Tag to look at; 32 when all have been.
    look: Reg<Bits<6>>,
    unsent: Reg<Bits<32>>,
    lost: Reg<Bits<32>>,
    waits: Reg<Bits<32>>,
    holds: Reg<Bits<32>>,
    rests: Reg<Bits<32>>,
    expired_now: Reg<Bit>,
    ended: Flop<Finish>,
    ended_valid: Reg<Bit>,
    unsent_up: Signal<Local, Bits<32>>,
    lost_up: Signal<Local, Bits<32>>,
    waits_up: Signal<Local, Bits<32>>,
    holds_up: Signal<Local, Bits<32>>,
    rests_up: Signal<Local, Bits<32>>,
    back: Signal<Local, Bits<5>>,
    back_valid: Signal<Local, Bit>,
    upshot: Signal<Local, Finish>,
}

impl TagPool {
    /// No tag is free yet.
    pub fn new() -> Self {
        Self { look: Reg::new(32_u64.into()), ..Default::default() }
    }
}

#[kernel]
impl Logic for TagPool {
    fn update(&mut self) {
        regs!(filled, look, unsent, lost, waits, holds, rests, expired_now, ended_valid);
        flops!(ended);
        parts!(pool);
        clocked!(stamps);

        // The tag under the sweep: how many ticks ago its request left.
        let at: Bits<5> = bit_cast::<5, 6>(self.look.q.val());
        self.stamps.read_address.next = bit_cast::<5, 6>(self.look.q.val());
        let age: Bits<16> = self.now.val() - self.stamps.read_data.val();
        let limit: Bits<16> = bit_cast::<16, 7>(self.timeout.val());
        let twice: Bits<16> = limit << 1;
        let looks: Bit =
            (self.look.q.val() != lit::<6>(ALL)) && !self.over_valid.val() && !self.left_valid.val();
        let ages: Bit = !self.endless.val() || self.lost.q.val().get_bit(at.index());
        let expires: Bit = looks && ages && self.waits.q.val().get_bit(at.index()) && (age > limit);
        let rested: Bit = looks
            && self.rests.q.val().get_bit(at.index())
            && !self.holds.q.val().get_bit(at.index())
            && (age > twice);
        if looks {
            self.look.d.next = self.look.q.val() + 1;
        }
        if self.tick.val() && (self.look.q.val() == lit::<6>(ALL)) {
            self.look.d.next = 0.into();
        }
        self.stamps.write_enable.next = self.sent_valid.val();
        self.stamps.write_address.next = self.sent.val();
        self.stamps.write_data.next = self.now.val();

        // What ends: a read that waits.
        let counts: Bit = self.over_valid.val() && self.waits.q.val().get_bit(self.over.val().tag.index());
        self.upshot.next = self.over.val();
        if expires {
            self.upshot.next.tag = at;
            self.upshot.next.bad = true;
            self.upshot.next.rests = true;
        }
        self.unsent_up.next = self.unsent.q.val();
        self.lost_up.next = self.lost.q.val();
        self.waits_up.next = self.waits.q.val();
        self.holds_up.next = self.holds.q.val();
        self.rests_up.next = self.rests.q.val();
        self.ended.d.next = self.upshot.val();
        self.ended_valid.d.next = counts || expires;
        self.expired_now.d.next = expires;
        if counts || expires {
            self.waits_up.next = self.waits_up.val().replace_bit(self.upshot.val().tag.index(), false);
            self.rests_up.next =
                self.rests_up.val().replace_bit(self.upshot.val().tag.index(), self.upshot.val().rests);
        }
        if rested {
            self.rests_up.next = self.rests_up.val().replace_bit(at.index(), false);
        }
        if self.left_valid.val() {
            self.holds_up.next = self.holds_up.val().replace_bit(self.left.val().index(), false);
        }
        if self.sent_valid.val() {
            self.unsent_up.next = self.unsent_up.val().replace_bit(self.sent.val().index(), false);
            self.waits_up.next = self.waits_up.val().replace_bit(self.sent.val().index(), true);
            self.lost_up.next = self.lost_up.val().replace_bit(self.sent.val().index(), self.sent_lost.val());
        }
        if self.issued.val() {
            self.unsent_up.next = self.unsent_up.val().replace_bit(self.issue.val().tag.index(), true);
            self.holds_up.next = self.holds_up.val().replace_bit(self.issue.val().tag.index(), true);
        }
        self.unsent.d.next = self.unsent_up.val();
        self.lost.d.next = self.lost_up.val();
        self.waits.d.next = self.waits_up.val();
        self.holds.d.next = self.holds_up.val();
        self.rests.d.next = self.rests_up.val();

        // What is free again: the answer is out and nothing rests, or the rest is over.
        let filling: Bit = self.filled.q.val() != lit::<6>(ALL);
        self.back.next = self.left.val();
        self.back_valid.next = self.left_valid.val() && !self.rests.q.val().get_bit(self.left.val().index());
        if rested {
            self.back.next = at;
            self.back_valid.next = true;
        }
        if filling {
            self.back.next = bit_cast::<5, 6>(self.filled.q.val());
            self.back_valid.next = true;
            self.filled.d.next = self.filled.q.val() + 1;
        }
        self.pool.rx.item.next = self.back.val();
        self.pool.rx.valid.next = self.back_valid.val();
        self.free.next = self.pool.tx.item.val();
        self.free_valid.next = self.pool.tx.valid.val();
        self.pool.tx.ready.next = self.issued.val();
        self.finish.next = self.ended.q.val();
        self.finish_valid.next = self.ended_valid.q.val();
        self.waiting.next = self.waits.q.val();
        self.resting.next = self.rests.q.val();
        self.outstanding.next =
            self.unsent.q.val().any() || self.waits.q.val().any() || self.rests.q.val().any();
        self.expired.next = self.expired_now.q.val();
    }
}
