// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Header records, their wiring and constants, written from the tables of `ferrowarp-abi`.
//!
//! A record holds multi-octet fields as numbers. `Unpack*` makes it of the octets that a header split
//! delivers (octet 0 = bits 7:0), `Pack*` makes the octets for a header join, reserved bits zero.
//! Both are wiring without a register.

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

pub use admin::*;
pub use carrier::*;
pub use completion::*;
pub use conn_row::*;
pub use ddp::*;
pub use doorbell::*;
pub use eth::*;
pub use ip::*;
pub use mpa::*;
pub use raw::*;
pub use rdmap::*;
pub use row::*;
pub use tcp::*;
pub use work::*;

/// Calls `$each!(snake_case_name, Record, Unpack, Pack, bits)` for every layout.
#[cfg(test)]
macro_rules! each_record {
    ($each:ident) => {
        $each!(ethernet_hdr, EthernetHdr, UnpackEthernetHdr, PackEthernetHdr, 112);
        $each!(vlan_tag, VlanTag, UnpackVlanTag, PackVlanTag, 32);
        $each!(ipv4_hdr, Ipv4Hdr, UnpackIpv4Hdr, PackIpv4Hdr, 160);
        $each!(ipv6_hdr, Ipv6Hdr, UnpackIpv6Hdr, PackIpv6Hdr, 320);
        $each!(tcp_hdr, TcpHdr, UnpackTcpHdr, PackTcpHdr, 160);
        $each!(tcp_opt_head, TcpOptHead, UnpackTcpOptHead, PackTcpOptHead, 16);
        $each!(tcp_opt_mss, TcpOptMss, UnpackTcpOptMss, PackTcpOptMss, 32);
        $each!(tcp_opt_window_scale, TcpOptWindowScale, UnpackTcpOptWindowScale, PackTcpOptWindowScale, 24);
        $each!(
            tcp_opt_sack_permitted,
            TcpOptSackPermitted,
            UnpackTcpOptSackPermitted,
            PackTcpOptSackPermitted,
            16
        );
        $each!(tcp_sack_block, TcpSackBlock, UnpackTcpSackBlock, PackTcpSackBlock, 64);
        $each!(tcp_opt_timestamps, TcpOptTimestamps, UnpackTcpOptTimestamps, PackTcpOptTimestamps, 80);
        $each!(mpa_startup_hdr, MpaStartupHdr, UnpackMpaStartupHdr, PackMpaStartupHdr, 160);
        $each!(mpa_depths, MpaDepths, UnpackMpaDepths, PackMpaDepths, 32);
        $each!(fpdu_hdr, FpduHdr, UnpackFpduHdr, PackFpduHdr, 16);
        $each!(marker, Marker, UnpackMarker, PackMarker, 32);
        $each!(ddp_control, DdpControl, UnpackDdpControl, PackDdpControl, 8);
        $each!(ddp_tagged_hdr, DdpTaggedHdr, UnpackDdpTaggedHdr, PackDdpTaggedHdr, 112);
        $each!(ddp_untagged_hdr, DdpUntaggedHdr, UnpackDdpUntaggedHdr, PackDdpUntaggedHdr, 144);
        $each!(rdmap_control, RdmapControl, UnpackRdmapControl, PackRdmapControl, 8);
        $each!(read_request_hdr, ReadRequestHdr, UnpackReadRequestHdr, PackReadRequestHdr, 224);
        $each!(terminate_control, TerminateControl, UnpackTerminateControl, PackTerminateControl, 32);
        $each!(terminate_length, TerminateLength, UnpackTerminateLength, PackTerminateLength, 16);
        $each!(send_wqe, SendWqe, UnpackSendWqe, PackSendWqe, 256);
        $each!(recv_wqe, RecvWqe, UnpackRecvWqe, PackRecvWqe, 128);
        $each!(sge, Sge, UnpackSge, PackSge, 128);
        $each!(cqe, Cqe, UnpackCqe, PackCqe, 256);
        $each!(event, Event, UnpackEvent, PackEvent, 128);
        $each!(raw_head, RawHead, UnpackRawHead, PackRawHead, 128);
        $each!(raw_descriptor, RawDescriptor, UnpackRawDescriptor, PackRawDescriptor, 128);
        $each!(doorbell, Doorbell, UnpackDoorbell, PackDoorbell, 64);
        $each!(conn_row, ConnRow, UnpackConnRow, PackConnRow, 1152);
        $each!(qp_row, QpRow, UnpackQpRow, PackQpRow, 256);
        $each!(cq_row, CqRow, UnpackCqRow, PackCqRow, 128);
        $each!(mr_row, MrRow, UnpackMrRow, PackMrRow, 256);
        $each!(admin_command, AdminCommand, UnpackAdminCommand, PackAdminCommand, 64);
        $each!(conn_ack, ConnAck, UnpackConnAck, PackConnAck, 128);
        $each!(admin_answer, AdminAnswer, UnpackAdminAnswer, PackAdminAnswer, 64);
        $each!(captured_error, CapturedError, UnpackCapturedError, PackCapturedError, 192);
        $each!(path_row, PathRow, UnpackPathRow, PackPathRow, 128);
        $each!(ring, Ring, UnpackRing, PackRing, 128);
        $each!(carrier_hdr, CarrierHdr, UnpackCarrierHdr, PackCarrierHdr, 192);
        $each!(carrier_record, CarrierRecord, UnpackCarrierRecord, PackCarrierRecord, 64);
        $each!(carrier_config, CarrierConfig, UnpackCarrierConfig, PackCarrierConfig, 32);
    };
}
#[cfg(test)]
pub(crate) use each_record;
