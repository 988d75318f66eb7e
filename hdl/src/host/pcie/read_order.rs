// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole parts of answers, in the order of their read.
use super::ports::{Finish, Issue, Job};
use crate::prelude::*;
use crate::stream::{ItemSource, Queue};

/// Chains the parts of each read of the device and gives them out in order as they are whole; parts
/// of different reads in the order in which they became so.
///
/// A part that failed is a job with `none`, unless it is the last one of its read: the last part of
/// a read of which any part failed is a bad job.
///
/// **Contract.** Parts of one read are issued one after the other, none of another read between
/// them.
///
/// **Timing.** Three cycles from `finish` to `job`; a job a cycle.
#[block]
pub struct ReadOrder {
    /// A part that is asked.
    pub issue: Signal<In, Issue>,
    /// It leaves now.
    pub issued: Signal<In, Bit>,
    /// A part that is whole or failed.
    pub finish: Signal<In, Finish>,
    /// Pulse of `finish`.
    pub finish_valid: Signal<In, Bit>,
    /// What to give out.
    pub job: ItemSource<Job>,
    parts: LutRam<Issue, 5>,
    after: LutRam<Bits<5>, 5>,
    /// Parts that may be given out.
    ready: Queue<Bits<5>, 5>,
    /// Parts that finished.
    done: Reg<Bits<32>>,
    /// Parts that failed, or followed one that did.
    bad: Reg<Bits<32>>,
    /// Parts whose forerunners have left.
    first: Reg<Bits<32>>,
    /// Parts of which `after` names the next one.
    linked: Reg<Bits<32>>,
    /// The part that was issued last, and whether it has left already.
    newest: Reg<Bits<5>>,
    newest_left: Reg<Bit>,
    newest_bad: Reg<Bit>,
    here: Reg<Bits<5>>,
    busy: Reg<Bit>,
    part: Signal<Local, Issue>,
    follows: Signal<Local, Bit>,
    follower: Signal<Local, Bits<5>>,
    done_up: Signal<Local, Bits<32>>,
    bad_up: Signal<Local, Bits<32>>,
    first_up: Signal<Local, Bits<32>>,
    linked_up: Signal<Local, Bits<32>>,
    idle: Signal<Local, Bit>,
    out: Signal<Local, Job>,
}

#[kernel]
impl Logic for ReadOrder {
    fn update(&mut self) {
        regs!(done, bad, first, linked, newest, newest_left, newest_bad, here, busy);
        parts!(ready);
        clocked!(parts, after);
        self.parts.write_enable.next = self.issued.val();
        self.parts.write_address.next = self.issue.val().tag;
        self.parts.write_data.next = self.issue.val();
        self.done_up.next = self.done.q.val();
        self.bad_up.next = self.bad.q.val();
        self.first_up.next = self.first.q.val();
        self.linked_up.next = self.linked.q.val();

        // The part under way.
        self.parts.read_address.next = self.here.q.val();
        self.after.read_address.next = self.here.q.val();
        self.part.next = self.parts.read_data.val();
        let is_bad: Bit = self.bad.q.val().get_bit(self.here.q.val().index());
        self.out.next.tag = self.here.q.val();
        self.out.next.addr = self.part.val().addr;
        self.out.next.length = self.part.val().length;
        self.out.next.whose = self.part.val().whose;
        self.out.next.last = self.part.val().last;
        self.out.next.bad = is_bad;
        self.out.next.none = is_bad && !self.part.val().last;
        self.job.item.next = self.out.val();
        self.job.valid.next = self.busy.q.val();
        let steps: Bit = self.busy.q.val() && self.job.ready.val();

        // A part that is issued: first of its read, or behind the newest one, which may be gone or
        // go now.
        let joins: Bit = self.issued.val() && !self.issue.val().first;
        self.after.write_enable.next = false;
        self.after.write_address.next = self.newest.q.val();
        self.after.write_data.next = self.issue.val().tag;
        if self.issued.val() {
            self.newest.d.next = self.issue.val().tag;
            self.newest_left.d.next = false;
            self.done_up.next = self.done_up.val().replace_bit(self.issue.val().tag.index(), false);
            self.linked_up.next = self.linked_up.val().replace_bit(self.issue.val().tag.index(), false);
            self.bad_up.next = self.bad_up.val().replace_bit(
                self.issue.val().tag.index(),
                !self.issue.val().first && self.newest_left.q.val() && self.newest_bad.q.val(),
            );
            self.first_up.next = self.first_up.val().replace_bit(
                self.issue.val().tag.index(),
                self.issue.val().first || self.newest_left.q.val(),
            );
            if joins && !self.newest_left.q.val() {
                self.after.write_enable.next = true;
                self.linked_up.next = self.linked_up.val().replace_bit(self.newest.q.val().index(), true);
            }
        }

        // A part that finishes may go if it is the first of what is left of its read.
        self.ready.rx.item.next = self.finish.val().tag;
        self.ready.rx.valid.next = false;
        if self.finish_valid.val() {
            self.done_up.next = self.done_up.val().replace_bit(self.finish.val().tag.index(), true);
            if self.finish.val().bad {
                self.bad_up.next = self.bad_up.val().replace_bit(self.finish.val().tag.index(), true);
            }
            self.ready.rx.valid.next = self.first.q.val().get_bit(self.finish.val().tag.index());
        }

        // The part under way has left: its follower, if it is known, is the first now and may be
        // whole already.
        self.follower.next = self.after.read_data.val();
        self.follows.next = self.linked.q.val().get_bit(self.here.q.val().index());
        if !self.follows.val() && joins {
            self.follower.next = self.issue.val().tag;
            self.follows.next = self.here.q.val() == self.newest.q.val();
        }
        let goes_on: Bit = self.follows.val()
            && !self.part.val().last
            && (self.linked.q.val().get_bit(self.here.q.val().index()))
            && (self.done.q.val().get_bit(self.follower.val().index())
                || (self.finish_valid.val() && (self.finish.val().tag == self.follower.val())));
        self.idle.next = !self.busy.q.val();
        if steps {
            self.idle.next = !goes_on;
            if !self.part.val().last {
                if self.follows.val() {
                    self.first_up.next = self.first_up.val().replace_bit(self.follower.val().index(), true);
                    if is_bad {
                        self.bad_up.next = self.bad_up.val().replace_bit(self.follower.val().index(), true);
                    }
                } else {
                    self.newest_left.d.next = true;
                    self.newest_bad.d.next = is_bad;
                }
            }
            self.here.d.next = self.follower.val();
            self.busy.d.next = goes_on;
        }
        self.ready.tx.ready.next = self.idle.val();
        if self.idle.val() {
            self.here.d.next = self.ready.tx.item.val();
            self.busy.d.next = self.ready.tx.valid.val();
        }
        self.done.d.next = self.done_up.val();
        self.bad.d.next = self.bad_up.val();
        self.first.d.next = self.first_up.val();
        self.linked.d.next = self.linked_up.val();
    }
}
