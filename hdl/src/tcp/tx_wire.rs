//! Header of a segment as octets.
use super::tx_fields::TxFields;
use super::tx_row::{HeadItem, HeadRow};
use super::tx_stack::{TxStack, HEAD};
use crate::gen::{PackEthernetHdr, PackIpv4Hdr, PackIpv6Hdr, PackTcpHdr, PackTcpOptTimestamps, PackVlanTag};
use rust_hdl::prelude::*;

/// Combinational: fields of all headers, each as octets, one behind the other.
#[derive(LogicBlock, Default)]
pub struct TxWire {
    /// What the connection's headers have in common.
    pub row: Signal<In, HeadRow>,
    /// What is this one's own.
    pub item: Signal<In, HeadItem>,
    /// Header, octet 0 in bits 7:0.
    pub octets: Signal<Out, Bits<HEAD>>,
    /// Beats of it.
    pub beats: Signal<Out, Bits<4>>,
    /// Octets of pad in front.
    pub skip: Signal<Out, Bits<16>>,
    fields: TxFields,
    ethernet: PackEthernetHdr,
    tag: PackVlanTag,
    ipv4: PackIpv4Hdr,
    ipv6: PackIpv6Hdr,
    tcp: PackTcpHdr,
    stamps: PackTcpOptTimestamps,
    stack: TxStack,
}

impl TxWire {
    /// The wiring.
    pub fn new() -> Self {
        Self { fields: TxFields::new(), stack: TxStack::new(), ..Default::default() }
    }
}

impl Logic for TxWire {
    #[hdl_gen]
    fn update(&mut self) {
        self.fields.row.next = self.row.val();
        self.fields.item.next = self.item.val();
        self.ethernet.record.next = self.fields.ethernet.val();
        self.tag.record.next = self.fields.tag.val();
        self.ipv4.record.next = self.fields.ipv4.val();
        self.ipv6.record.next = self.fields.ipv6.val();
        self.tcp.record.next = self.fields.tcp.val();
        self.stamps.record.next = self.fields.stamps.val();
        self.stack.ethernet.next = self.ethernet.octets.val();
        self.stack.tag.next = self.tag.octets.val();
        self.stack.ipv4.next = self.ipv4.octets.val();
        self.stack.ipv6.next = self.ipv6.octets.val();
        self.stack.tcp.next = self.tcp.octets.val();
        self.stack.stamps.next = self.stamps.octets.val();
        self.stack.has_vlan.next = self.row.val().has_vlan;
        self.stack.is_ipv6.next = self.row.val().is_ipv6;
        self.stack.timestamps.next = self.row.val().timestamps;
        self.octets.next = self.stack.octets.val();
        self.beats.next = self.stack.beats.val();
        self.skip.next = self.stack.skip.val();
    }
}
