// SPDX-License-Identifier: MIT OR Apache-2.0
//! The right edge of the receive window: what an ACK tells of it, and whether it is worth telling
//! again.
use crate::prelude::*;
use ferrowarp_abi::host::conn_row::first_window_log2;

/// Octets that an ACK offers beyond those that are left.
const MORE: usize = 6_144;
const ALL: usize = 15;
const QUARTER: usize = 4;

/// Combinational: an ACK's window out of the edge that was told last and what the store of frames
/// has room for.
///
/// A connection begins with the window of [`first_window_log2`]. If nothing is `pressed`, an ACK of
/// new octets offers 6 KiB more than is left of what was told, up to `2^window_log2` octets: an ACK
/// of two segments lets the window grow about as fast as the peer's slow start. If something is
/// pressed, shares of a sixteenth of the first window are not offered.
///
/// An edge that was told stays told (RFC 9293 section 3.8.6: a window is not to shrink), so of both
/// edges the one further right is told.
///
/// An edge is held as the number of its last octet, modulo four windows, and `span` is one less
/// than the octets from RCV.ACK to the edge. So a shift of `span` rounds the window up, and no
/// scaled field tells less than the edge (RFC 7323 section 2.4). The edge that is kept is the one
/// that the field tells. A field that ends at 65,535 tells less.
#[block(comb)]
pub struct TxRight {
    /// RCV.ACK of the connection; without meaning if the connection begins.
    pub ack: Signal<In, Bits<32>>,
    /// RCV.ACK that the edge is told from.
    pub from: Signal<In, Bits<32>>,
    /// Last octet before the edge that was told.
    pub told: Signal<In, Bits<24>>,
    /// Shift of the window's field.
    pub scale: Signal<In, Bits<4>>,
    /// Octets have come since the last ACK.
    pub moved: Signal<In, Bit>,
    /// Shares that are not offered, 0 to 16.
    pub pressed: Signal<In, Bits<5>>,
    /// The connection begins: the first window was told.
    pub begins: Signal<In, Bit>,
    /// Octets to the edge that is told now, less one.
    pub span: Signal<Out, Bits<24>>,
    /// There are none; `span` has no meaning.
    pub is_shut: Signal<Out, Bit>,
    /// Last octet before that edge.
    pub then: Signal<Out, Bits<24>>,
    /// Less than four shares were told, and more than eight could be.
    pub opens: Signal<Out, Bit>,
    low: Const<Bits<24>>,
    whole: Const<Bits<24>>,
    first: Const<Bits<24>>,
    /// What an edge is counted in: so many bits do.
    keep: Const<Bits<24>>,
    /// Bit that is set in less than nothing.
    sign: Const<Bits<6>>,
    grows: Const<Bit>,
    share: Const<Bits<6>>,
    offer: Signal<Local, Bits<24>>,
    kept: Signal<Local, Bits<24>>,
    instead: Signal<Local, Bits<24>>,
    told_to: Signal<Local, Bits<24>>,
    span_now: Signal<Local, Bits<24>>,
}

impl TxRight {
    /// For a window of `2^window_log2` octets.
    pub fn new(window_log2: usize) -> Self {
        assert!(
            (14..=22).contains(&window_log2),
            "a window of 2^{window_log2} octets: an edge of 24 bits is for 2^14 to 2^22"
        );
        let first = first_window_log2(window_log2 as u32) as usize;
        let share = first - 4;
        Self {
            low: Const::of((1 << share) - 1),
            whole: Const::of((1 << window_log2) - 1),
            first: Const::of((1 << first) - 1),
            keep: Const::of((1 << (window_log2 + 2)) - 1),
            sign: Const::of(window_log2 + 1),
            grows: Const::new(window_log2 > first),
            share: Const::of(share),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for TxRight {
    fn update(&mut self) {
        let left: Bits<24> = (self.told.val() - self.ack.val().get_bits::<24>(0)) & self.keep.val();
        let has_none: Bit = left.get_bit(self.sign.val().index());
        let shares: Bits<24> = (left & self.whole.val()) >> self.share.val();
        // Whole shares in `left`.
        let told_shares: Bits<13> = shares.get_bits::<13>(0);
        // The last share that is offered.
        let offered: Bits<5> = lit::<5>(ALL) - self.pressed.val();
        self.offer.next = (bit_cast::<24, 5>(offered) << self.share.val()) | self.low.val();
        if self.pressed.val().get_bit(4) {
            self.offer.next = lit::<24>((1 << 24) - 1);
        }
        // What was told, or more; what is told instead.
        self.kept.next = left;
        self.instead.next = self.offer.val();
        if !self.pressed.val().any() {
            self.instead.next = self.whole.val();
            if self.moved.val() {
                self.kept.next = left + lit::<24>(MORE);
            }
        }
        let is_first: Bit = self.begins.val()
            || (!self.pressed.val().any()
                && self.grows.val()
                && (has_none || (self.kept.val() < self.first.val())));
        let is_beyond: Bit = !self.grows.val() || (self.kept.val() > self.whole.val());
        let is_less: Bit =
            has_none || (!self.pressed.val().get_bit(4) && (told_shares <= bit_cast::<13, 5>(offered)));
        let is_instead: Bit =
            (self.pressed.val().any() && is_less) || (!self.pressed.val().any() && is_beyond);
        // the sums stand beside the comparisons
        let rounds: Bits<24> = (lit::<24>(1) << self.scale.val()) - 1;
        let here: Bits<24> = self.ack.val().get_bits::<24>(0);
        let first_here: Bits<24> = self.from.val().get_bits::<24>(0);
        self.span_now.next = self.kept.val();
        self.told_to.next = here + (self.kept.val() | rounds);
        if is_instead {
            self.span_now.next = self.instead.val();
            self.told_to.next = here + (self.instead.val() | rounds);
        }
        if is_first {
            self.span_now.next = self.first.val();
            self.told_to.next = first_here + (self.first.val() | rounds);
        }
        self.span.next = self.span_now.val() & self.whole.val();
        self.is_shut.next = self.span_now.val().get_bit(self.sign.val().index());
        self.then.next = self.told_to.val() & self.keep.val();
        self.opens.next = (has_none || (told_shares < lit::<13>(QUARTER)))
            && !self.pressed.val().get_bit(4)
            && !self.pressed.val().get_bit(3);
    }
}
