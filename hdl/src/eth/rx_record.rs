// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Ethernet says of a frame.
use rust_hdl::prelude::*;

/// What a frame carries, as numbers in the emitted Verilog.
pub mod kind {
    /// None of those below.
    pub const OTHER: usize = 0;
    /// EtherType 0800.
    pub const IPV4: usize = 1;
    /// EtherType 86DD.
    pub const IPV6: usize = 2;
    /// EtherType 0806.
    pub const ARP: usize = 3;
}

/// One item a frame.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct EthFrame {
    /// Octets of the whole frame, modulo 2^16.
    pub octets: Bits<16>,
    /// One of [`kind`].
    pub kind: Bits<2>,
    /// It has an 802.1Q tag.
    pub has_vlan: Bit,
    /// VLAN of the tag; 0 without one, and with one that has a priority alone.
    pub vid: Bits<12>,
    /// It is to a group of stations.
    pub to_group: Bit,
    /// Octets follow the header: there is a packet.
    pub has_packet: Bit,
    /// The frame is bad: wrong FCS, or cut.
    pub err: Bit,
}

/// The same before it is known whether a packet follows.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct EthNote {
    /// As in [`EthFrame`].
    pub octets: Bits<16>,
    /// As in [`EthFrame`].
    pub kind: Bits<2>,
    /// As in [`EthFrame`].
    pub has_vlan: Bit,
    /// As in [`EthFrame`].
    pub vid: Bits<12>,
    /// As in [`EthFrame`].
    pub to_group: Bit,
    /// As in [`EthFrame`].
    pub err: Bit,
}
