// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames of the host's slow path, from the raw transmit ring to the wire.
use super::ports::{Read, ReadSource};
use super::ring_place::RingPlace;
use crate::gen::{Doorbell, RawDescriptor, Ring, UnpackRawDescriptor};
use crate::prelude::*;
use crate::stream::{Hold, ItemSink, OnFull, PacketFifo, StreamSink, StreamSource};

/// log2 of the octets of a descriptor.
const SLOT: usize = 4;
/// log2 of the beats of the store: a frame of 2,032 octets fits.
const BEATS: usize = 8;
/// Bounds of a frame in octets.
const SHORTEST: usize = 14;
const LONGEST: usize = 2032;

/// What is being done.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Nothing, or the store still holds a frame.
    Idle,
    /// The descriptor comes.
    Descriptor,
    /// It is judged.
    Judge,
    /// The frame comes.
    Frame,
    /// It leaves the store.
    Leave,
    /// A descriptor could not be read: nothing more until the ring is placed anew.
    Stopped,
}

const DESCRIPTOR_TAG: usize = 0;
const FRAME_TAG: usize = 1;

/// Reads a descriptor, then its frame, and sends it, one frame at a time; the consumer index moves
/// on when the frame is read. A descriptor is skipped and told on `bad` if its length is not 14 to
/// 2,032 octets, if `iova` is no multiple of 8 (so that parts of an answer are whole beats), or if
/// its frame cannot be read. If a descriptor cannot be read the ring stops.
///
/// The slow path: two read latencies a frame.
#[block(clock)]
pub struct RawTx {
    /// Synchronous reset: there is no ring.
    pub reset: Signal<In, Bit>,
    /// Place of the ring, a multiple of 16; both indices begin at 0.
    pub ring: ItemSink<Ring>,
    /// Producer index.
    pub db: ItemSink<Doorbell>,
    /// Reads of descriptors and frames.
    pub rd_req: ReadSource<8>,
    /// Answers.
    pub rd_ans: StreamSink<64, 4>,
    /// Tag of the frame on `rd_ans`: 0 for a descriptor, 1 for a frame. Of others nothing is kept.
    pub rd_ans_tag: Signal<In, Bits<8>>,
    /// The last frame of the request.
    pub rd_ans_final: Signal<In, Bit>,
    /// Frames, not padded.
    pub tx: StreamSource<64, 4>,
    /// Consumer index: frames that were read.
    pub consumer: Signal<Out, Bits<32>>,
    /// Pulse: a descriptor or frame was impossible or could not be read.
    pub bad: Signal<Out, Bit>,
    /// Pulse: an impossible producer index was dropped.
    pub bad_db: Signal<Out, Bit>,
    place: RingPlace<SLOT>,
    asks: Hold<Read>,
    store: PacketFifo<64, 4, BEATS>,
    unpack: UnpackRawDescriptor,
    st: Reg<St>,
    /// First beat of the descriptor.
    low: Flop<Bits<64>>,
    descriptor: Flop<RawDescriptor>,
    bad_now: Reg<Bit>,
    wanted: Signal<Local, Bits<8>>,
}

impl RawTx {
    /// Without a ring.
    pub fn new() -> Self {
        Self { place: RingPlace::new(true), store: PacketFifo::new(OnFull::Wait), ..Default::default() }
    }
}

#[kernel]
impl Logic for RawTx {
    fn update(&mut self) {
        regs!(st, bad_now);
        flops!(low, descriptor);
        parts!(place, asks, store);

        ItemSink::<Ring>::link(&mut self.ring, &mut self.place.ring);
        ItemSink::<Doorbell>::link(&mut self.db, &mut self.place.db);
        self.place.may.next = (self.st.q.val() == St::Idle) || (self.st.q.val() == St::Stopped);
        self.place.step.next = false;
        self.consumer.next = self.place.mine.val();
        self.bad_db.next = self.place.bad.val();

        self.asks.rx.item.next.addr = self.place.addr.val();
        self.asks.rx.item.next.length = lit::<13>(1 << SLOT);
        self.asks.rx.item.next.tag = lit::<8>(DESCRIPTOR_TAG);
        self.asks.rx.valid.next = false;
        let high: Bits<128> = bit_cast::<128, 64>(self.rd_ans.data.val()) << 64;
        self.unpack.octets.next = bit_cast::<128, 64>(self.low.q.val()) | high;
        let iova: Bits<64> = self.descriptor.q.val().iova;
        let part: Bits<3> = iova.get_bits::<3>(0);
        let lawful: Bit = (self.descriptor.q.val().length >= lit::<16>(SHORTEST))
            && (self.descriptor.q.val().length <= lit::<16>(LONGEST))
            && !part.any();
        self.bad_now.d.next = false;

        // The store is empty when a frame is asked for, so that it takes the answer without a pause
        // (D10).
        let to_store: Bit = self.st.q.val() == St::Frame;
        self.wanted.next = lit::<8>(DESCRIPTOR_TAG);
        if to_store {
            self.wanted.next = lit::<8>(FRAME_TAG);
        }
        let ours: Bit = self.rd_ans.valid.val() && (self.rd_ans_tag.val() == self.wanted.val());
        self.rd_ans.ready.next = !to_store || self.store.rx.ready.val();
        let moves: Bit = ours && (!to_store || self.store.rx.ready.val());
        let ended: Bit = moves && self.rd_ans.last.val() && self.rd_ans_final.val();
        self.store.rx.data.next = self.rd_ans.data.val();
        self.store.rx.bytes.next = self.rd_ans.bytes.val();
        self.store.rx.last.next = self.rd_ans.last.val() && self.rd_ans_final.val();
        self.store.rx.err.next = self.rd_ans.last.val() && self.rd_ans_final.val() && self.rd_ans.err.val();
        self.store.rx.valid.next = ours && to_store;
        self.store.discard.next = false;
        StreamSource::<64, 4>::link(&mut self.tx, &mut self.store.tx);
        match self.st.q.val() {
            St::Idle => {
                if !self.ring.valid.val()
                    && self.place.settled.val()
                    && self.place.some.val()
                    && self.asks.rx.ready.val()
                {
                    self.asks.rx.valid.next = true;
                    self.st.d.next = St::Descriptor;
                }
            }
            St::Descriptor => {
                if moves {
                    self.low.d.next = self.rd_ans.data.val();
                }
                self.descriptor.d.next = self.unpack.record.val();
                if ended {
                    self.st.d.next = St::Judge;
                    if self.rd_ans.err.val() {
                        self.bad_now.d.next = true;
                        self.st.d.next = St::Stopped;
                    }
                }
            }
            St::Judge => {
                self.asks.rx.item.next.addr = iova;
                self.asks.rx.item.next.tag = lit::<8>(FRAME_TAG);
                self.asks.rx.item.next.length = bit_cast::<13, 16>(self.descriptor.q.val().length);
                if !lawful {
                    self.bad_now.d.next = true;
                    self.place.step.next = true;
                    self.st.d.next = St::Idle;
                } else if self.asks.rx.ready.val() {
                    self.asks.rx.valid.next = true;
                    self.st.d.next = St::Frame;
                }
            }
            St::Frame => {
                if ended {
                    self.place.step.next = true;
                    self.st.d.next = St::Leave;
                    if self.rd_ans.err.val() {
                        self.bad_now.d.next = true;
                        self.st.d.next = St::Idle;
                    }
                }
            }
            St::Leave => {
                if self.tx.valid.val() && self.tx.last.val() && self.tx.ready.val() {
                    self.st.d.next = St::Idle;
                }
            }
            St::Stopped => {
                if self.ring.valid.val() {
                    self.st.d.next = St::Idle;
                }
            }
            _ => {}
        }
        self.rd_req.addr.next = self.asks.tx.item.val().addr;
        self.rd_req.length.next = self.asks.tx.item.val().length;
        self.rd_req.tag.next = self.asks.tx.item.val().tag;
        self.rd_req.valid.next = self.asks.tx.valid.val();
        self.asks.tx.ready.next = self.rd_req.ready.val();
        self.bad.next = self.bad_now.q.val();
    }
}
