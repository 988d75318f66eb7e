// SPDX-License-Identifier: MIT OR Apache-2.0
//! A command of the admin port from its frame.
use crate::gen::{AdminCommand, UnpackAdminCommand};
use crate::prelude::*;
use crate::stream::StreamSink;

/// Takes one command frame at a time: 8 octets of head, then its row, in whole words of 8 octets,
/// which go into a RAM and past everyone who keeps something of them.
#[block]
pub struct AdminTake {
    /// Command frames.
    pub rx: StreamSink<64, 4>,
    /// The command's head.
    pub head: Signal<Out, AdminCommand>,
    /// Words of its row, 31 for more.
    pub count: Signal<Out, Bits<5>>,
    /// The frame was bad or did not end with a whole word.
    pub bad: Signal<Out, Bit>,
    /// A command stands here.
    pub valid: Signal<Out, Bit>,
    /// A word of the row is written: it came, or was merged.
    pub write: Signal<Out, Bit>,
    /// Its number; what comes beyond word 31 is all 31.
    pub at: Signal<Out, Bits<5>>,
    /// The word.
    pub word: Signal<Out, Bits<64>>,
    /// Word of the command that stands here to read.
    pub read_at: Signal<In, Bits<5>>,
    /// The word that was asked for a cycle ago; undefined in the cycle after a merge.
    pub read: Signal<Out, Bits<64>>,
    /// Another word takes the place of one of the row.
    pub merge: Signal<In, Bit>,
    /// That one's number.
    pub merge_at: Signal<In, Bits<5>>,
    /// What takes its place.
    pub merged: Signal<In, Bits<64>>,
    /// The command is done with.
    pub take: Signal<In, Bit>,
    unpack: UnpackAdminCommand,
    store: Sdp<Bits<64>, 5>,
    first: Flop<Bits<64>>,
    came: Reg<Bits<5>>,
    begun: Reg<Bit>,
    whole: Reg<Bit>,
    spoilt: Flop<Bit>,
    place: Signal<Local, Bits<5>>,
    value: Signal<Local, Bits<64>>,
}

#[kernel]
impl Logic for AdminTake {
    fn update(&mut self) {
        regs!(came, begun, whole);
        flops!(first, spoilt);
        clocked!(store);
        self.rx.ready.next = !self.whole.q.val();
        let beat: Bit = self.rx.valid.val() && !self.whole.q.val();
        let writes: Bit = (beat && self.begun.q.val()) || self.merge.val();
        self.place.next = self.came.q.val();
        self.value.next = self.rx.data.val();
        if self.merge.val() {
            self.place.next = self.merge_at.val();
            self.value.next = self.merged.val();
        }
        self.store.write_enable.next = writes;
        self.store.write_address.next = self.place.val();
        self.store.write_data.next = self.value.val();
        self.store.read_enable.next = self.whole.q.val() && !self.merge.val();
        self.store.read_address.next = self.read_at.val();
        self.read.next = self.store.read_data.val();
        self.write.next = writes;
        self.at.next = self.place.val();
        self.word.next = self.value.val();
        if beat {
            self.begun.d.next = !self.rx.last.val();
            if self.begun.q.val() {
                if !self.came.q.val().all() {
                    self.came.d.next = self.came.q.val() + 1;
                }
            } else {
                self.first.d.next = self.rx.data.val();
                self.came.d.next = 0.into();
            }
            if self.rx.last.val() {
                self.whole.d.next = true;
                self.spoilt.d.next = self.rx.err.val() || (self.rx.bytes.val() != 8);
            }
        }
        if self.take.val() {
            self.whole.d.next = false;
        }
        self.unpack.octets.next = self.first.q.val();
        self.head.next = self.unpack.record.val();
        self.count.next = self.came.q.val();
        self.bad.next = self.spoilt.q.val();
        self.valid.next = self.whole.q.val();
    }
}
