// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory regions alone, and DDP receive with regions of its own.
use crate::emit::{emit_joined, EmitError, Emitted, Net, Part, Table};
use crate::params::{ddp_rx_of, mr_of};

/// 16 queue pairs, twice 256 regions. Client 0 of the joined regions is DDP, and it invalidates;
/// nobody is client 1.
pub(super) fn ddp_rx(top: &str) -> Result<Emitted, EmitError> {
    let parts = vec![
        Part::table("alone", mr_of!(regions_log2: 8)()),
        Part::table("rights", mr_of!(regions_log2: 8)()),
        Part::table("stage", ddp_rx_of!(qps_log2: 4, qps: 16, reads_log2: 8, columns_log2: 6)()),
    ];
    let exports = [
        ("alone", "mr", "scrubbed mrw revoke inv invd c0_ask c0_say c1_ask c1_say mrr mrd"),
        ("rights", "regions", "scrubbed mrw revoke"),
        (
            "stage",
            "ddp",
            "scrubbed qpw ins dead fpdu rx take rqe place deliver fault posted tok rr ro rdone first event",
        ),
    ];
    let mut nets = vec![];
    for (part, outer, ports) in exports {
        let export = |port| Net::export(format!("{part}.{port}"), format!("{outer}_{port}"));
        nets.extend(ports.split(' ').map(export));
    }
    nets.push(Net::join("stage.chk", "rights.c0_ask"));
    nets.push(Net::join("rights.c0_say", "stage.ans"));
    nets.push(Net::join("stage.inv", "rights.inv"));
    nets.push(Net::join("rights.invd", "stage.invd"));
    let unused = "c1_ask_item c1_ask_valid c1_say_ready mrr_item mrr_valid mrd_ready";
    nets.extend(unused.split(' ').map(|p| Net::tie(format!("rights.{p}"), 0)));
    let unread = "c1_ask_ready c1_say_item c1_say_valid mrr_ready mrd_item mrd_valid";
    nets.extend(unread.split(' ').map(|p| Net::open(format!("rights.{p}"))));
    emit_joined(top, Table::new(parts).nets(nets))
}
