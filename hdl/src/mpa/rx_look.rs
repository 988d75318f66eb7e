// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands in the framer's window: marker, ULPDU_Length, end of the FPDU.
use crate::cell::Const;
use rust_hdl::prelude::*;

/// Shortest ULPDU: a DDP tagged header.
const SHORTEST: usize = 14;
/// Longest ULPDU (MULPDU's upper clamp).
const LONGEST: usize = 64768;

/// Combinational part of [`super::rx_frame::RxFrame`]: looks at a window of up to `LN` words of one
/// connection. `LK` bits hold `0..=LN`; `LN` is 16 at most.
#[derive(LogicBlock, Default)]
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
    k_reach: Const<Bits<16>>,
    k_shortest: Const<Bits<16>>,
    k_longest: Const<Bits<16>>,
    k_most: Const<Bits<16>>,
    words8: Signal<Local, Bits<8>>,
    words6: Signal<Local, Bits<6>>,
    at_start: Signal<Local, Bit>,
    to_marker16: Signal<Local, Bits<16>>,
    marker: Signal<Local, Bits<5>>,
    has_marker: Signal<Local, Bit>,
    lead: Signal<Local, Bit>,
    head: Signal<Local, Bits<32>>,
    low_op: Signal<Local, Bit>,
    has_header_l: Signal<Local, Bit>,
    len_now_l: Signal<Local, Bits<16>>,
    len_up: Signal<Local, Bits<17>>,
    len_words: Signal<Local, Bits<17>>,
    in_total: Signal<Local, Bits<16>>,
    left_now_l: Signal<Local, Bits<16>>,
    beyond: Signal<Local, Bits<16>>,
    is_far: Signal<Local, Bit>,
    near: Signal<Local, Bits<5>>,
    is_known: Signal<Local, Bit>,
    counts_l: Signal<Local, Bit>,
    to_end: Signal<Local, Bits<6>>,
    ends_l: Signal<Local, Bit>,
    take_l: Signal<Local, Bits<LK>>,
    take16_l: Signal<Local, Bits<16>>,
    marker_word: Signal<Local, Bits<32>>,
    pointer: Signal<Local, Bits<16>>,
    distance: Signal<Local, Bits<16>>,
    distance4: Signal<Local, Bits<16>>,
    is_length_l: Signal<Local, Bit>,
    is_buffer: Signal<Local, Bit>,
    some_l: Signal<Local, Bit>,
}

impl<const W: usize, const LN: usize, const LK: usize> RxLook<W, LN, LK> {
    /// Refuses FPDUs of more than `most` words (CRC counted, markers not).
    pub fn new(most: usize) -> Self {
        assert!(LN <= 16, "the end of an FPDU is looked for in five bits, a window of {LN} words needs more");
        Self {
            k_reach: Const::of(5),
            k_shortest: Const::of(SHORTEST),
            k_longest: Const::of(LONGEST),
            k_most: Const::of(most),
            ..Default::default()
        }
    }
}

impl<const W: usize, const LN: usize, const LK: usize> Logic for RxLook<W, LN, LK> {
    #[hdl_gen]
    fn update(&mut self) {
        // Where the next marker stands in the window, and whether it does.
        self.words8.next = bit_cast::<8, LK>(self.words.val());
        self.words6.next = bit_cast::<6, LK>(self.words.val());
        self.to_marker16.next = bit_cast::<16, 7>(self.to_marker.val());
        self.marker.next = self.to_marker.val().get_bits::<5>(0);
        self.at_start.next = !self.to_marker.val().any();
        self.some_l.next = self.words.val().any();
        self.has_marker.next =
            self.markers.val() && (bit_cast::<8, 7>(self.to_marker.val()) < self.words8.val());
        self.lead.next = self.markers.val() && self.at_start.val() && self.some_l.val();
        self.lead16.next = 0.into();
        if self.lead.val() {
            self.lead16.next = 1.into();
        }

        // ULPDU_Length: the window's first word, or the second behind a leading marker.
        self.head.next = self.win.val().get_bits::<32>(0);
        self.has_header_l.next = self.some_l.val() && !self.header.val();
        if self.lead.val() {
            self.head.next = self.win.val().get_bits::<32>(32);
            self.has_header_l.next = !self.header.val() && (self.words8.val() > 1);
        }
        self.len_now_l.next = (bit_cast::<16, 8>(self.head.val().get_bits::<8>(0)) << 8)
            | bit_cast::<16, 8>(self.head.val().get_bits::<8>(8));
        // Behind it DDP's and RDMAP's control octets: T clear, and an opcode from 3 to 6.
        self.low_op.next = self.head.val().get_bit(24) && self.head.val().get_bit(25);
        self.is_send.next = !self.head.val().get_bit(23)
            && !self.head.val().get_bit(27)
            && (self.head.val().get_bit(26) != self.low_op.val());
        self.is_last.next = self.head.val().get_bit(22);
        // (length + 2 + pad + 4) / 4
        self.len_up.next = bit_cast::<17, 16>(self.len_now_l.val()) + 9;
        self.len_words.next = self.len_up.val() >> 2;
        self.in_total.next = self.len_words.val().get_bits::<16>(0);
        self.is_length_l.next =
            (self.len_now_l.val() < self.k_shortest.val()) || (self.len_now_l.val() > self.k_longest.val());
        self.is_buffer.next = self.in_total.val() > self.k_most.val();
        self.refuse.next = self.has_header_l.val() && (self.is_length_l.val() || self.is_buffer.val());

        // How many words of the window belong to the FPDU. A marker right behind its CRC heads the
        // next one.
        self.left_now_l.next = self.in_total.val();
        if self.header.val() {
            self.left_now_l.next = self.left.val();
        }
        self.is_known.next = self.header.val() || self.has_header_l.val();
        // A window is short: what lies beyond its reach needs no comparison, and the rest only a
        // few bits.
        self.beyond.next = self.left_now_l.val() >> self.k_reach.val();
        self.is_far.next = self.beyond.val().any();
        self.near.next = self.left_now_l.val().get_bits::<5>(0);
        self.counts_l.next = self.has_marker.val()
            && (!self.is_known.val() || self.is_far.val() || (self.marker.val() < self.near.val()));
        self.to_end.next = bit_cast::<6, 5>(self.near.val());
        if self.counts_l.val() {
            self.to_end.next = bit_cast::<6, 5>(self.near.val()) + 1;
        }
        self.ends_l.next =
            self.is_known.val() && !self.is_far.val() && (self.to_end.val() <= self.words6.val());
        self.take_l.next = self.words.val();
        if self.ends_l.val() {
            self.take_l.next = self.to_end.val().get_bits::<LK>(0);
        }
        self.take16_l.next = bit_cast::<16, LK>(self.take_l.val());
        self.net.next = self.take16_l.val();
        if self.counts_l.val() {
            self.net.next = self.take16_l.val() - 1;
        }

        // FPDUPTR counts octets from ULPDU_Length to the marker; its low two bits are not looked
        // at.
        self.marker_word.next = self.win.val().get_bits::<32>(0);
        for i in 1..LN {
            if self.to_marker.val() == i.to_bits() {
                self.marker_word.next = self.win.val().get_bits::<32>(32 * i);
            }
        }
        self.pointer.next = (bit_cast::<16, 8>(self.marker_word.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<16, 6>(self.marker_word.val().get_bits::<6>(26)) << 2);
        self.distance.next = self.to_marker16.val();
        if self.header.val() {
            self.distance.next = self.since.val() + self.to_marker16.val();
        }
        self.distance4.next = self.distance.val() << 2;
        self.disagrees.next = self.counts_l.val() && (self.pointer.val() != self.distance4.val());

        self.some.next = self.some_l.val();
        self.has_header.next = self.has_header_l.val();
        self.len_now.next = self.len_now_l.val();
        self.left_now.next = self.left_now_l.val();
        self.counts.next = self.counts_l.val();
        self.ends.next = self.ends_l.val();
        self.take.next = self.take_l.val();
        self.take16.next = self.take16_l.val();
        self.is_length.next = self.is_length_l.val();
    }
}
