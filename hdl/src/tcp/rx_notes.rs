// SPDX-License-Identifier: MIT OR Apache-2.0
//! Notes leave the stream of raw frames.
use crate::prelude::*;
use crate::record::RawNote;
use crate::stream::{ItemSource, StreamSink, StreamSource};

/// Takes the beat before each raw frame for the frame's note. A note is offered before its frame's
/// first beat; the next frame waits until the note is taken. A beat a cycle, no latency.
#[block]
pub struct RxNotes<const W: usize, const K: usize> {
    /// Notes and frames by turns.
    pub rx: StreamSink<W, K>,
    /// Whole frames.
    pub raw: StreamSource<W, K>,
    /// What goes with the next one.
    pub note: ItemSource<RawNote>,
    /// Pulse: the last beat of a frame is taken.
    pub given: Signal<Out, Bit>,
    /// The next beat is a note.
    between: Reg<Bit>,
    tag: Flop<Bits<25>>,
    tag_valid: Reg<Bit>,
    n: Signal<Local, RawNote>,
}

impl<const W: usize, const K: usize> RxNotes<W, K> {
    /// Between frames.
    pub fn new() -> Self {
        Self { between: Reg::new(true), ..Default::default() }
    }
}

#[kernel]
impl<const W: usize, const K: usize> Logic for RxNotes<W, K> {
    fn update(&mut self) {
        regs!(between, tag_valid);
        flops!(tag);
        self.given.next = false;
        let takes_tag: Bit = self.between.q.val() && (!self.tag_valid.q.val() || self.note.ready.val());
        self.raw.data.next = self.rx.data.val();
        self.raw.bytes.next = self.rx.bytes.val();
        self.raw.last.next = self.rx.last.val();
        self.raw.err.next = false;
        self.raw.valid.next = self.rx.valid.val() && !self.between.q.val();
        self.rx.ready.next = takes_tag || (!self.between.q.val() && self.raw.ready.val());
        if self.note.ready.val() {
            self.tag_valid.d.next = false;
        }
        if self.rx.valid.val() {
            if takes_tag {
                self.tag.d.next = self.rx.data.val().get_bits::<25>(0);
                self.tag_valid.d.next = true;
                self.between.d.next = false;
            }
            if !self.between.q.val() && self.raw.ready.val() && self.rx.last.val() {
                self.between.d.next = true;
                self.given.next = true;
            }
        }
        self.n.next.length = self.tag.q.val().get_bits::<16>(0);
        self.n.next.reason = self.tag.q.val().get_bits::<8>(16);
        self.n.next.is_low = self.tag.q.val().get_bit(24);
        self.note.item.next = self.n.val();
        self.note.valid.next = self.tag_valid.q.val();
    }
}
