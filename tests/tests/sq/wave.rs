// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing diagram of `hdl/src/sq/README.md`: a work request becomes a ULPDU.
use ferrowarp_hdl::gen::Doorbell;
use ferrowarp_hdl::record::{Grant, Reserve, TxFpdu};
use ferrowarp_hdl::top::Top;
use ferrowarp_tests::sq::{Manners, Message, Rig};
use ferrowarp_tests::wave::{compare, tape, Diagram};

/// The request is read, room is reserved and granted, and the ULPDU of a Write leaves.
#[test]
fn the_readme_shows_a_write_with_its_payload_in_the_request() {
    compare("sq", Top::SqW64, |bench| {
        let mut rig = Rig::new(bench, Manners::steady());
        rig.set_up(bench, 2, 3, 700)?;
        rig.quiet(bench)?;
        let tape = tape(bench);
        let payload = (0xd0..0xd2).collect();
        let post = rig.inlined(bench, Message { opcode: 0, stag: 0x52a, to: 0x710, payload });
        rig.post(bench, 2, &post);
        rig.ring(bench, 2);
        rig.run(bench, 2_000, |_, rig| !rig.sent.is_empty())?;
        let diagram = Diagram::of(&tape, 5).bits("sq_db_valid").items::<Doorbell>("sq_db", "number value");
        let diagram = diagram.bits("sq_wqe_req_valid").fields("sq_wqe_req", "length");
        let diagram = diagram.bits("sq_res_valid").items::<Reserve>("sq_res", "length");
        let diagram = diagram.bits("sq_grant_valid").items::<Grant>("sq_grant", "octets");
        let diagram = diagram.bits("sq_fpdu_valid").items::<TxFpdu>("sq_fpdu", "length");
        Ok(diagram.bits("sq_tx_valid").beats("sq_tx"))
    });
}
