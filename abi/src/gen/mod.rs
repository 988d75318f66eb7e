// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Written from the tables of this crate.

pub mod consts;

mod admin;
mod carrier;
mod completion;
mod conn_row;
mod ddp;
mod doorbell;
mod eth;
mod ip;
mod mpa;
mod raw;
mod rdmap;
mod row;
mod tcp;
mod work;

/// The codec of every layout.
pub mod codecs {
    pub use super::admin::*;
    pub use super::carrier::*;
    pub use super::completion::*;
    pub use super::conn_row::*;
    pub use super::ddp::*;
    pub use super::doorbell::*;
    pub use super::eth::*;
    pub use super::ip::*;
    pub use super::mpa::*;
    pub use super::raw::*;
    pub use super::rdmap::*;
    pub use super::row::*;
    pub use super::tcp::*;
    pub use super::work::*;
}

/// Calls `$each!(Codec)` for every codec.
#[cfg(test)]
macro_rules! each_codec {
    ($each:ident) => {
        $each!(EthernetHdr);
        $each!(VlanTag);
        $each!(Ipv4Hdr);
        $each!(Ipv6Hdr);
        $each!(TcpHdr);
        $each!(TcpOptHead);
        $each!(TcpOptMss);
        $each!(TcpOptWindowScale);
        $each!(TcpOptSackPermitted);
        $each!(TcpSackBlock);
        $each!(TcpOptTimestamps);
        $each!(MpaStartupHdr);
        $each!(MpaDepths);
        $each!(FpduHdr);
        $each!(Marker);
        $each!(DdpControl);
        $each!(DdpTaggedHdr);
        $each!(DdpUntaggedHdr);
        $each!(RdmapControl);
        $each!(ReadRequestHdr);
        $each!(TerminateControl);
        $each!(TerminateLength);
        $each!(SendWqe);
        $each!(RecvWqe);
        $each!(Sge);
        $each!(Cqe);
        $each!(Event);
        $each!(RawHead);
        $each!(RawDescriptor);
        $each!(Doorbell);
        $each!(ConnRow);
        $each!(QpRow);
        $each!(CqRow);
        $each!(MrRow);
        $each!(AdminCommand);
        $each!(ConnAck);
        $each!(AdminAnswer);
        $each!(CapturedError);
        $each!(PathRow);
        $each!(Ring);
        $each!(CarrierHdr);
        $each!(CarrierRecord);
        $each!(CarrierConfig);
    };
}
#[cfg(test)]
pub(crate) use each_codec;
