// SPDX-License-Identifier: MIT OR Apache-2.0
//! 4-tuples to connections.
use super::rx_record::{RxOwner, RxSegment};
use crate::cell::{AnswerSource, HashTable, UpdateSink};
use crate::prelude::*;
use crate::stream::{ItemSink, ItemSource, Trail};

/// Looks the key of each frame up and hands its segment on with the result, in order. `S` = log2 of
/// the table's slots. Frames that are no TCP segments are looked up too, without meaning.
///
/// One every [`HashTable::PERIOD`] cycles at most, which the shortest frame takes longer than,
/// [`HashTable::LATENCY`] cycles. A key stands until it is taken: the table reads it word by word.
/// A removal takes all that lies under a connection's number.
#[block(clock)]
pub struct RxFind<const S: usize> {
    /// Synchronous reset: empties the table.
    pub reset: Signal<In, Bit>,
    /// Random bits, taken until `ready`.
    pub secret: Signal<In, Bits<320>>,
    /// The table is empty and in service.
    pub ready: Signal<Out, Bit>,
    /// Frames in.
    pub segment: ItemSink<RxSegment>,
    /// With `segment`: its key.
    pub key: Signal<In, Bits<289>>,
    /// Frames out.
    pub found: ItemSource<RxSegment>,
    /// With `found`: its key is in the table.
    pub hit: Signal<Out, Bit>,
    /// With `hit`: under this connection.
    pub owner: Signal<Out, RxOwner>,
    /// Updates of the table; the value is an [`RxOwner`]: `qp` in bits 7:0, `age` above.
    pub change: UpdateSink<289, 12>,
    /// An answer to each.
    pub answer: AnswerSource,
    tuples: HashTable<289, 320, 12, S>,
    segments: Trail<RxSegment>,
}

impl<const S: usize> RxFind<S> {
    /// An empty table.
    pub fn new() -> Self {
        Self { tuples: HashTable::new(8), ..Default::default() }
    }
}

#[kernel]
impl<const S: usize> Logic for RxFind<S> {
    fn update(&mut self) {
        parts!(tuples, segments);
        self.tuples.secret.next = self.secret.val();
        self.ready.next = self.tuples.ready.val();
        UpdateSink::<289, 12>::link(&mut self.change, &mut self.tuples.change);
        AnswerSource::link(&mut self.answer, &mut self.tuples.answer);
        self.segment.ready.next = self.tuples.lookup.ready.val() && self.segments.rx.ready.val();
        self.tuples.lookup.key.next = self.key.val();
        self.tuples.lookup.valid.next = self.segment.valid.val() && self.segments.rx.ready.val();
        self.segments.rx.item.next = self.segment.item.val();
        self.segments.rx.valid.next = self.segment.valid.val() && self.tuples.lookup.ready.val();
        let value: Bits<12> = self.tuples.found.value.val();
        self.found.item.next = self.segments.tx.item.val();
        self.hit.next = self.tuples.found.hit.val();
        self.owner.next.qp = value.get_bits::<8>(0);
        self.owner.next.age = value.get_bits::<4>(8);
        self.found.valid.next = self.tuples.found.valid.val() && self.segments.tx.valid.val();
        self.tuples.found.ready.next = self.found.ready.val();
        self.segments.tx.ready.next = self.found.ready.val();
    }
}
