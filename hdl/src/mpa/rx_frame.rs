// SPDX-License-Identifier: MIT OR Apache-2.0
//! The framer: finds where FPDUs begin and end in a connection's words, one piece a cycle.
//!
//! FPDUs and markers begin at stream offsets divisible by 4, so octets are joined into words first
//! (up to three wait in the row) and all else is counted in words. A piece is what one cycle takes
//! out of the window: everything up to the end of the window or of the FPDU, whichever comes first.
//!
//! A segment that does not begin with the octet that is due is a stray: where FPDUs begin in it
//! cannot be known, so it is dropped whole, while the registers stay those of the connection before
//! it.
//!
//! A Send that begins waits here for its receive, see `RxHold`. If that lasts and somebody waits
//! behind it, the segment is *cut*: its rest, from ULPDU_Length on, is dropped, and all that was
//! announced behind it is a stray until the cut was heard of. Nothing of the FPDU but a leading
//! marker was consumed: the row stands as if the segment ended there.
mod steps;

use super::rx_join::RxJoin;
use super::rx_look::RxLook;
use super::rx_room::RxRoom;
use super::rx_row::{verdict, RxComing, RxPiece, RxRow, RxSetup};
use crate::prelude::*;
use crate::stream::{ItemSink, StreamSink};

/// Framer of `W`-bit beats, `LN` = `W/32` words each. `LK` bits hold `0..=LN`, `S` = log2 `LN`,
/// `C` = log2 of the connections, `A` = log2 of the buffer rows a connection, `WC` = `W + 32`.
#[block]
pub struct RxFrame<
    const W: usize,
    const K: usize,
    const LN: usize,
    const LK: usize,
    const S: usize,
    const C: usize,
    const A: usize,
    const WC: usize,
> {
    /// Octets of the segments, a frame each.
    pub rx: StreamSink<W, K>,
    /// The next segment and its row, taken when the segment before is through.
    pub coming: ItemSink<RxComing>,
    /// Row after those that the reader frees.
    pub free_row: Signal<In, Bits<12>>,
    /// Connection of these rows.
    pub free_conn: Signal<In, Bits<C>>,
    /// Pulse: the reader frees rows.
    pub free_valid: Signal<In, Bit>,
    /// Room for one more finished FPDU downstream (a credit).
    pub credit: Signal<In, Bit>,
    /// A connection is set up anew: its registers here are no longer its row.
    pub forget_conn: Signal<In, Bits<C>>,
    /// Set-up in this cycle.
    pub forget: Signal<In, Bit>,
    /// A Send of the connection that is framed may go on, see [`super::rx_hold::RxHold`].
    pub hold_may: Signal<In, Bit>,
    /// Its segment is cut instead.
    pub cuts: Signal<In, Bit>,
    /// One waits in this cycle.
    pub hold_waits: Signal<Out, Bit>,
    /// One goes on in this cycle.
    pub hold_passes: Signal<Out, Bit>,
    /// A segment was cut at `back_row.due` of `back_conn`, one cycle.
    pub cut: Signal<Out, Bit>,
    /// A stray was dropped, one cycle.
    pub stray: Signal<Out, Bit>,
    /// Write-back of the row, in the cycle of the segment's last piece or later.
    pub back_valid: Signal<Out, Bit>,
    /// Framing column.
    pub back_row: Signal<Out, RxRow>,
    /// The stream ends with the segment.
    pub back_ends: Signal<Out, Bit>,
    /// The segment told of octets behind the end.
    pub back_late: Signal<Out, Bit>,
    /// Buffer start column.
    pub back_start: Signal<Out, Bits<12>>,
    /// Connection they belong to.
    pub back_conn: Signal<Out, Bits<C>>,
    /// Pulse: a piece, which is always taken.
    pub p_valid: Signal<Out, Bit>,
    /// Words of the piece, the first in bits 31:0.
    pub p_data: Signal<Out, Bits<W>>,
    /// What the piece is.
    pub p_item: Signal<Out, RxPiece>,
    active: Reg<Bit>,
    /// The rest of a stray is dropped.
    astray: Reg<Bit>,
    strayed: Reg<Bit>,
    known: Reg<Bit>,
    back: Reg<Bit>,
    conn: Flop<Bits<C>>,
    seq: Flop<Bits<32>>,
    /// Words before the next marker.
    to_marker: Flop<Bits<7>>,
    odd: Flop<Bits<2>>,
    fin: Flop<Bit>,
    /// The peer's FIN comes after the segment: it takes a sequence number.
    closes: Flop<Bit>,
    late: Flop<Bit>,
    setup: Flop<RxSetup>,
    seg_first: Reg<Bit>,
    /// The framing column of `conn`.
    row: Reg<RxRow>,
    /// Its `carry` as it was before the segment.
    begun: Flop<Bits<24>>,
    start: Flop<Bits<12>>,
    unread: Flop<Bits<12>>,
    win: Flop<Bits<W>>,
    words: Reg<Bits<LK>>,
    win_last: Reg<Bit>,
    cut_now: Reg<Bit>,
    o_valid: Reg<Bit>,
    o_data: Flop<Bits<W>>,
    o: Flop<RxPiece>,

    v_marker: Const<Bits<3>>,
    v_length: Const<Bits<3>>,
    v_buffer: Const<Bits<3>>,
    v_ended: Const<Bits<3>>,
    no_words: Const<Bits<7>>,
    look: RxLook<W, LN, LK>,
    joiner: RxJoin<W, K, LK, WC>,
    space: RxRoom<S, A>,
    is_stray: Signal<Local, Bit>,
    in_row: Signal<Local, RxRow>,
    in_setup: Signal<Local, RxSetup>,
    in_due: Signal<Local, Bits<32>>,
    piece: Signal<Local, RxPiece>,
}

impl<
        const W: usize,
        const K: usize,
        const LN: usize,
        const LK: usize,
        const S: usize,
        const C: usize,
        const A: usize,
        const WC: usize,
    > RxFrame<W, K, LN, LK, S, C, A, WC>
{
    /// A framer for connections whose buffer holds FPDUs of up to `most` words (CRC counted,
    /// markers not).
    pub fn new(most: usize) -> Self {
        assert!(LN == W / 32 && LN == 1 << S && LK == S + 1 && WC == W + 32 && A <= 12 && C <= 8);
        assert!(most.div_ceil(LN) + 4 <= 1 << A, "{most} words do not fit a buffer of 2^{A} rows");
        Self {
            look: RxLook::new(most),
            v_marker: Const::of(verdict::MARKER),
            v_length: Const::of(verdict::LENGTH),
            v_buffer: Const::of(verdict::BUFFER),
            v_ended: Const::of(verdict::ENDED),
            ..Default::default()
        }
    }
}
