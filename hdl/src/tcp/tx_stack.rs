//! Headers one behind the other.
use crate::cell::Const;
use crate::gen::consts::tcp_option;
use rust_hdl::prelude::*;

/// Bits of the longest header with its pad: IPv6 with tag and timestamps.
pub const HEAD: usize = 768;

/// Combinational: Ethernet, 802.1Q tag, IPv4 or IPv6, TCP and its timestamps option, with 2 or 6 octets of zeros in
/// front so that all of it is whole beats of 8 octets. Ethernet's 14 octets with 2 of pad, the tag and each of
/// the others are whole words of 4 octets, so one more word of pad makes any sum of them even.
#[derive(LogicBlock, Default)]
pub struct TxStack {
    /// Octets of Ethernet's header, the first in bits 7:0; so all others.
    pub ethernet: Signal<In, Bits<112>>,
    /// 802.1Q tag.
    pub tag: Signal<In, Bits<32>>,
    /// IPv4.
    pub ipv4: Signal<In, Bits<160>>,
    /// IPv6.
    pub ipv6: Signal<In, Bits<320>>,
    /// TCP.
    pub tcp: Signal<In, Bits<160>>,
    /// Timestamps option.
    pub stamps: Signal<In, Bits<80>>,
    /// The frame has the tag.
    pub has_vlan: Signal<In, Bit>,
    /// It has IPv6, else IPv4.
    pub is_ipv6: Signal<In, Bit>,
    /// It has the option.
    pub timestamps: Signal<In, Bit>,
    /// Header, octet 0 in bits 7:0.
    pub octets: Signal<Out, Bits<HEAD>>,
    /// Beats of it.
    pub beats: Signal<Out, Bits<4>>,
    /// Octets of pad.
    pub skip: Signal<Out, Bits<16>>,
    no_operation: Const<Bits<8>>,
    /// Beats by shape.
    beat_count: [Const<Bits<4>>; 8],
    option: Signal<Local, Bits<96>>,
    segment: Signal<Local, Bits<256>>,
    packet: Signal<Local, Bits<576>>,
    frame: Signal<Local, Bits<720>>,
    odd: Signal<Local, Bit>,
    shape: Signal<Local, Bits<3>>,
}

impl TxStack {
    /// The wiring.
    pub fn new() -> Self {
        // Ethernet with its pad 4 words, tag 1, IPv4 5, IPv6 10, TCP 5, option 3
        let words = |i: usize| 14 + (i & 1) + 5 * (i >> 1 & 1) + 3 * (i >> 2 & 1);
        Self {
            no_operation: tcp_option::no_operation(),
            beat_count: std::array::from_fn(|i| Const::of(words(i).div_ceil(2))),
            ..Default::default()
        }
    }
}

impl Logic for TxStack {
    #[hdl_gen]
    fn update(&mut self) {
        self.option.next = bit_cast::<96, 8>(self.no_operation.val())
            | (bit_cast::<96, 8>(self.no_operation.val()) << 8)
            | (bit_cast::<96, 80>(self.stamps.val()) << 16);

        // Each part in front of what follows it.
        self.segment.next = bit_cast::<256, 160>(self.tcp.val());
        if self.timestamps.val() {
            self.segment.next =
                bit_cast::<256, 160>(self.tcp.val()) | (bit_cast::<256, 96>(self.option.val()) << 160);
        }
        self.packet.next =
            bit_cast::<576, 160>(self.ipv4.val()) | (bit_cast::<576, 256>(self.segment.val()) << 160);
        if self.is_ipv6.val() {
            self.packet.next =
                bit_cast::<576, 320>(self.ipv6.val()) | (bit_cast::<576, 256>(self.segment.val()) << 320);
        }
        self.frame.next =
            bit_cast::<720, 112>(self.ethernet.val()) | (bit_cast::<720, 576>(self.packet.val()) << 112);
        if self.has_vlan.val() {
            self.frame.next = bit_cast::<720, 112>(self.ethernet.val())
                | (bit_cast::<720, 32>(self.tag.val()) << 112)
                | (bit_cast::<720, 576>(self.packet.val()) << 144);
        }
        self.odd.next = self.has_vlan.val() ^ self.is_ipv6.val() ^ self.timestamps.val();
        self.octets.next = bit_cast::<HEAD, 720>(self.frame.val()) << 16;
        self.skip.next = 2.into();
        if self.odd.val() {
            self.octets.next = bit_cast::<HEAD, 720>(self.frame.val()) << 48;
            self.skip.next = 6.into();
        }
        self.shape.next = bit_cast::<3, 1>(self.has_vlan.val().into())
            | (bit_cast::<3, 1>(self.is_ipv6.val().into()) << 1)
            | (bit_cast::<3, 1>(self.timestamps.val().into()) << 2);
        self.beats.next = 7.into();
        for k in 0..8 {
            if self.shape.val() == k.to_bits() {
                self.beats.next = self.beat_count[k].val();
            }
        }
    }
}
