// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of memory regions: rows, their writer and revoker, two clients who ask, one who
//! invalidates.
use super::change::MrChange;
use super::check::MrCheck;
use super::invalidate::MrInvalidate;
use super::pick::MrPick;
use super::read_back::MrReadBack;
use crate::cell::{ScrubbedRam, Sdp};
use crate::emit::{Part, Table};
use crate::gen::MrRow;
use crate::record::{MrAsk, MrSay};
use crate::stream::{Credit, Queue, Slot};
use rust_hdl::prelude::Bit;

/// Places for answers of a client.
const ANSWERS: usize = 16;

/// Regions of index 1 to `2^A` - 1; index 0 can be written and is never valid.
///
/// **Ports.** `scrubbed`: all regions are invalid after reset; from then on rows and checks are
/// taken. `mrw_*`: a row is written. `revoke_*`: a region is no longer valid. `inv_*`, `invd_*`:
/// STag that a peer invalidates, queue pair of that peer; `ok` if the region is no longer valid,
/// otherwise the peer may not, and nothing changed. `c0_ask`, `c0_say`, `c1_ask`, `c1_say`: checks
/// of two clients, and their answers. `mrr_*`, `mrd`: region to read back, and its row, all zero if
/// the region is not valid.
///
/// **Order.** A check that is taken after a write or revoke was taken, or an invalidation answered,
/// sees it. Answers come in the order in which a client asked; clients take turns. Nine cycles from
/// a check to its answer, a check a cycle in all. Writer and revoker may move a row at every other
/// cycle each, and each row costs the clients one cycle. Their turn changes only while one of them
/// offers.
pub fn mr_table<const A: usize>() -> Table {
    const { assert!(A >= 1 && A <= 16, "the tables of the host interface number 2^16 regions") };
    let parts = vec![
        Part::new("rows", Sdp::<MrRow, A>::default),
        Part::new("lives", ScrubbedRam::<Bit, A>::default),
        Part::new("change", MrChange::<A>::default),
        Part::new("peers", MrInvalidate::<A>::default),
        Part::new("back", MrReadBack::default),
        Part::new("slot0", Slot::<MrAsk>::default),
        Part::new("slot1", Slot::<MrAsk>::default),
        Part::new("credit0", || Credit::<5>::new(ANSWERS, 0)),
        Part::new("credit1", || Credit::<5>::new(ANSWERS, 0)),
        Part::new("pick", MrPick::<A>::default),
        Part::new("check", MrCheck::default),
        Part::new("says0", Queue::<MrSay, 4>::default),
        Part::new("says1", Queue::<MrSay, 4>::default),
    ];
    Table::new(parts)
        .joins(&[
            // what changes a region
            ("peers.locks", "change.locks"),
            ("peers.kills", "change.kills"),
            ("change.keeps", "rows.write_enable"),
            ("change.row", "rows.write_data"),
            ("change.live", "lives.write_data"),
            // whose row is read
            ("slot0.tx", "pick.ask0"),
            ("slot1.tx", "pick.ask1"),
            ("credit0.some", "pick.some0"),
            ("credit1.some", "pick.some1"),
            ("peers.wants", "pick.peer_wants"),
            ("pick.peer_looks", "peers.looks"),
            ("back.looks", "pick.looks"),
            // the check and its answer
            ("pick.valid", "check.valid"),
            ("pick.ask", "check.ask"),
            ("pick.client", "check.client"),
            ("pick.exists", "check.exists"),
            ("check.say0_valid", "says0.rx_valid"),
            ("check.say1_valid", "says1.rx_valid"),
            // places of the answers
            ("slot0.tx_valid", "credit0.take_valid"),
            ("pick.ask0_ready", "credit0.take_ready"),
            ("says0.tx_valid", "credit0.free_valid"),
            ("slot1.tx_valid", "credit1.take_valid"),
            ("pick.ask1_ready", "credit1.take_ready"),
            ("says1.tx_valid", "credit1.free_valid"),
        ])
        .fans(&[
            ("lives.ready", "change.scrubbed back.scrubbed pick.scrubbed"),
            ("change.stores", "lives.write_enable back.stores pick.stores"),
            ("change.index", "rows.write_address lives.write_address"),
            ("peers.index", "change.dead pick.peer_index"),
            ("pick.read_enable", "rows.read_enable lives.read_enable"),
            ("pick.read_address", "rows.read_address lives.read_address"),
            ("rows.read_data", "peers.row back.row check.row"),
            ("lives.read_data", "peers.live back.live pick.live"),
            ("check.say", "says0.rx_item says1.rx_item"),
        ])
        // the credits keep a place
        .open(&["says0.rx_ready", "says1.rx_ready", "credit0.freed", "credit1.freed"])
        .exports(&[
            ("lives.ready", "scrubbed"),
            ("change.mrw", "mrw"),
            ("change.revoke", "revoke"),
            ("peers.inv_item.stag", "inv_stag"),
            ("peers.inv_item.qp", "inv_qp"),
            ("peers.inv_valid", "inv_valid"),
            ("peers.inv_ready", "inv_ready"),
            ("peers.invd_item", "invd_ok"),
            ("peers.invd_valid", "invd_valid"),
            ("peers.invd_ready", "invd_ready"),
            ("slot0.rx", "c0_ask"),
            ("says0.tx", "c0_say"),
            ("credit0.free_ready", "c0_say_ready"),
            ("slot1.rx", "c1_ask"),
            ("says1.tx", "c1_say"),
            ("credit1.free_ready", "c1_say_ready"),
            ("pick.mrr_index", "mrr_item"),
            ("back.mrr_valid", "mrr_valid"),
            ("back.mrr_ready", "mrr_ready"),
            ("back.mrd", "mrd"),
        ])
}
