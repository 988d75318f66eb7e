// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands in the framer's window: marker, ULPDU_Length, end of the FPDU.
use crate::prelude::*;

/// Shortest ULPDU: a DDP tagged header.
const SHORTEST: usize = 14;
/// Words of its FPDU: ULPDU_Length and CRC count.
const SHORTEST_WORDS: usize = (2 + SHORTEST).div_ceil(4) + 1;
/// Longest ULPDU (MULPDU's upper clamp).
const LONGEST: usize = 64768;
const REACH: usize = 5;

/// Combinational part of [`super::rx_frame::RxFrame`]: looks at a window of up to `LN` words of one
/// connection. `LK` bits hold `0..=LN`; `LN` is 16 at most.
#[block(comb)]
pub struct RxLook<const W: usize, const LN: usize, const LK: usize> {
    /// The words, the next one of the stream in bits 31:0.
    pub win: Signal<In, Bits<W>>,
    /// How many.
    pub words: Signal<In, Bits<LK>>,
    /// Words before the next marker, if the stream has markers: 0 if the first one is it.
    pub to_marker: Signal<In, Bits<7>>,
    /// The stream has markers.
    pub markers: Signal<In, Bit>,
    /// ULPDU_Length of the open FPDU was seen before.
    pub header: Signal<In, Bit>,
    /// Then: words still to come.
    pub left: Signal<In, Bits<16>>,
    /// Then: words since ULPDU_Length, markers counted.
    pub since: Signal<In, Bits<16>>,
    /// The window is not empty.
    pub some: Signal<Out, Bit>,
    /// 1 if the window begins with a marker, else 0.
    pub lead16: Signal<Out, Bits<16>>,
    /// ULPDU_Length is in the window.
    pub has_header: Signal<Out, Bit>,
    /// With `has_header`: a segment of a Send.
    pub is_send: Signal<Out, Bit>,
    /// Its last one.
    pub is_last: Signal<Out, Bit>,
    /// With `has_header`: ULPDU_Length in octets.
    pub len_now: Signal<Out, Bits<16>>,
    /// Words of the FPDU from here on, CRC counted, markers not.
    pub left_now: Signal<Out, Bits<16>>,
    /// A marker stands among the words that are taken.
    pub counts: Signal<Out, Bit>,
    /// The FPDU ends in the window.
    pub ends: Signal<Out, Bit>,
    /// Words of the window that belong to the FPDU.
    pub take: Signal<Out, Bits<LK>>,
    /// The same, wider.
    pub take16: Signal<Out, Bits<16>>,
    /// The same without the marker.
    pub net: Signal<Out, Bits<16>>,
    /// The marker's FPDUPTR does not point to ULPDU_Length.
    pub disagrees: Signal<Out, Bit>,
    /// With `refuse`: ULPDU_Length is impossible, not only too long for the buffer.
    pub is_length: Signal<Out, Bit>,
    /// The FPDU cannot be taken.
    pub refuse: Signal<Out, Bit>,
    /// Longest ULPDU that is taken, in octets.
    len_most: Const<Bits<16>>,
    /// The window has fewer words than an FPDU.
    narrow: Const<Bit>,
    head: Signal<Local, Bits<32>>,
    has_header_l: Signal<Local, Bit>,
    left_now_l: Signal<Local, Bits<16>>,
    span: Signal<Local, Bits<16>>,
    word_of: Signal<Local, Bits<32>>,
    len_of: Signal<Local, Bits<16>>,
    bad: [Signal<Local, Bit>; 2],
    to_end: Signal<Local, Bits<6>>,
    take_l: Signal<Local, Bits<LK>>,
    marker_word: Signal<Local, Bits<32>>,
    distance: Signal<Local, Bits<16>>,
}

impl<const W: usize, const LN: usize, const LK: usize> RxLook<W, LN, LK> {
    /// Refuses FPDUs of more than `most` words (CRC counted, markers not).
    pub fn new(most: usize) -> Self {
        assert!(LN <= 16, "the end of an FPDU is looked for in five bits, a window of {LN} words needs more");
        // with ULPDU_Length, pad and CRC
        let len_most = (4 * most - 6).min(LONGEST);
        Self { len_most: Const::of(len_most), narrow: Const::new(LN < SHORTEST_WORDS), ..Default::default() }
    }
}

#[kernel]
impl<const W: usize, const LN: usize, const LK: usize> Logic for RxLook<W, LN, LK> {
    fn update(&mut self) {
        // Where the next marker stands in the window, and whether it does.
        let words8: Bits<8> = bit_cast::<8, LK>(self.words.val());
        let words6: Bits<6> = bit_cast::<6, LK>(self.words.val());
        let to_marker16: Bits<16> = bit_cast::<16, 7>(self.to_marker.val());
        let marker: Bits<5> = self.to_marker.val().get_bits::<5>(0);
        let at_start: Bit = !self.to_marker.val().any();
        let some_l: Bit = self.words.val().any();
        let has_marker: Bit = self.markers.val() && (bit_cast::<8, 7>(self.to_marker.val()) < words8);
        let lead: Bit = self.markers.val() && at_start && some_l;
        self.lead16.next = 0.into();
        if lead {
            self.lead16.next = 1.into();
        }

        // ULPDU_Length: the window's first word, or the second behind a leading marker.
        self.head.next = self.win.val().get_bits::<32>(0);
        self.has_header_l.next = some_l && !self.header.val();
        if lead {
            self.head.next = self.win.val().get_bits::<32>(32);
            self.has_header_l.next = !self.header.val() && (words8 > 1);
        }
        let len_now_l: Bits<16> = (bit_cast::<16, 8>(self.head.val().get_bits::<8>(0)) << 8)
            | bit_cast::<16, 8>(self.head.val().get_bits::<8>(8));
        // Behind it DDP's and RDMAP's control octets: T clear, and an opcode from 3 to 6.
        let low_op: Bit = self.head.val().get_bit(24) && self.head.val().get_bit(25);
        self.is_send.next = !self.head.val().get_bit(23)
            && !self.head.val().get_bit(27)
            && (self.head.val().get_bit(26) != low_op);
        self.is_last.next = self.head.val().get_bit(22);
        // (length + 2 + pad + 4) / 4
        let len_up: Bits<17> = bit_cast::<17, 16>(len_now_l) + 9;
        let len_words: Bits<17> = len_up >> 2;
        let in_total: Bits<16> = len_words.get_bits::<16>(0);
        let is_length_l: Bit = (len_now_l < lit::<16>(SHORTEST)) || (len_now_l > lit::<16>(LONGEST));
        // both words are judged, since a marker is looked for meanwhile
        for i in 0..2 {
            self.word_of.next = self.win.val().get_bits::<32>(32 * i);
            self.len_of.next = (bit_cast::<16, 8>(self.word_of.val().get_bits::<8>(0)) << 8)
                | bit_cast::<16, 8>(self.word_of.val().get_bits::<8>(8));
            self.bad[i].next =
                (self.len_of.val() < lit::<16>(SHORTEST)) || (self.len_of.val() > self.len_most.val());
        }
        self.refuse.next =
            self.has_header_l.val() && ((lead && self.bad[1].val()) || (!lead && self.bad[0].val()));

        // How many words of the window belong to the FPDU. A marker right behind its CRC heads the
        // next one.
        self.left_now_l.next = in_total;
        if self.header.val() {
            self.left_now_l.next = self.left.val();
        }
        let is_known: Bit = self.header.val() || self.has_header_l.val();
        // A window is short: what lies beyond its reach needs no comparison, and the rest only a
        // few bits.
        // No FPDU begins and ends in a window that is shorter than the shortest: one that does is
        // refused.
        self.span.next = self.left_now_l.val();
        if self.narrow.val() {
            self.span.next = self.left.val();
        }
        let beyond: Bits<16> = self.span.val() >> lit::<16>(REACH);
        let is_far: Bit = beyond.any() || (self.narrow.val() && !self.header.val());
        let near: Bits<5> = self.span.val().get_bits::<5>(0);
        let counts_l: Bit = has_marker && (!is_known || is_far || (marker < near));
        self.to_end.next = bit_cast::<6, 5>(near);
        if counts_l {
            self.to_end.next = bit_cast::<6, 5>(near) + 1;
        }
        let ends_l: Bit = is_known && !is_far && (self.to_end.val() <= words6);
        self.take_l.next = self.words.val();
        if ends_l {
            self.take_l.next = self.to_end.val().get_bits::<LK>(0);
        }
        let take16_l: Bits<16> = bit_cast::<16, LK>(self.take_l.val());
        self.net.next = take16_l;
        if counts_l {
            self.net.next = take16_l - 1;
        }

        // FPDUPTR counts octets from ULPDU_Length to the marker; its low two bits are not looked
        // at.
        self.marker_word.next = self.win.val().get_bits::<32>(0);
        for i in 1..LN {
            if self.to_marker.val() == i.to_bits() {
                self.marker_word.next = self.win.val().get_bits::<32>(32 * i);
            }
        }
        let pointer: Bits<16> = (bit_cast::<16, 8>(self.marker_word.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<16, 6>(self.marker_word.val().get_bits::<6>(26)) << 2);
        self.distance.next = to_marker16;
        if self.header.val() {
            self.distance.next = self.since.val() + to_marker16;
        }
        let distance4: Bits<16> = self.distance.val() << 2;
        self.disagrees.next = counts_l && (pointer != distance4);

        self.some.next = some_l;
        self.has_header.next = self.has_header_l.val();
        self.len_now.next = len_now_l;
        self.left_now.next = self.left_now_l.val();
        self.counts.next = counts_l;
        self.ends.next = ends_l;
        self.take.next = self.take_l.val();
        self.take16.next = take16_l;
        self.is_length.next = is_length_l;
    }
}
