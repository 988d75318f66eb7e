// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing diagrams of `hdl/src/ddp/README.md` and `hdl/src/rdmap/README.md`: a tagged segment
//! is placed, a Read Request goes to the send queue.
use ferrowarp_hdl::record::ReadRequest;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{Bench, Pattern};
use ferrowarp_tests::ddp_model::{tagged, untagged};
use ferrowarp_tests::ddp_rx::{Pauses, Rx};
use ferrowarp_tests::mr::Region;
use ferrowarp_tests::wave::{compare, tape, Diagram};

/// The peer's name of the region, and where the region begins.
const STAG: u32 = 0x52a;
const TO: u64 = 0x700;
const IOVA: u64 = 0x3000;

/// A stage with queue pair 1, whose peer may write and read a region.
fn connected(bench: &mut Bench) -> Result<Rx, String> {
    let mut rx = Rx::new(bench, Pauses { idle: Pattern::None, stall: Pattern::None })?;
    rx.set_up(bench, 1, 7, 9)?;
    let region = Region::writable(IOVA, 4_096, 7, STAG as u8);
    rx.region(bench, STAG >> 8, Region { to_base: TO, remote_read: true, ..region })?;
    rx.run(bench, 50)?;
    Ok(rx)
}

/// The address is that of the region and the tagged offset, and the header is not placed.
#[test]
fn the_readme_of_ddp_shows_a_tagged_segment_placed() {
    compare("ddp", Top::DdpRxW64, |bench| {
        let mut rx = connected(bench)?;
        let tape = tape(bench);
        rx.send(bench, 1, 0, &tagged(0, STAG, TO + 0x10, true, &(0xd0..0xdc).collect::<Vec<u8>>()));
        rx.check(bench)?;
        let diagram = Diagram::of(&tape, 8).bits("ddp_fpdu_valid").fields("ddp_fpdu", "conn length");
        let diagram = diagram.bits("ddp_rx_valid").beats("ddp_rx").handshake("ddp_place_cmd");
        let diagram = diagram.fields("ddp_place_cmd", "addr length");
        Ok(diagram.bits("ddp_place_valid").beats("ddp_place"))
    });
}

/// The opcode decides: nothing is placed and no completion is made.
#[test]
fn the_readme_of_rdmap_shows_a_read_request() {
    compare("rdmap", Top::DdpRxW64, |bench| {
        let mut rx = connected(bench)?;
        let tape = tape(bench);
        let (sink, sink_to, length, source, source_to) = (0x111_u32, 0x222_u64, 0x40_u32, STAG, TO + 0x10);
        let header = [
            &sink.to_be_bytes()[..],
            &sink_to.to_be_bytes(),
            &length.to_be_bytes(),
            &source.to_be_bytes(),
            &source_to.to_be_bytes(),
        ];
        rx.send(bench, 1, 0, &untagged(1, 1, 1, 0, true, &header.concat()));
        rx.check(bench)?;
        let diagram = Diagram::of(&tape, 9).bits("ddp_fpdu_valid").fields("ddp_fpdu", "conn length");
        let diagram = diagram.bits("ddp_rx_valid").ends("ddp_rx").handshake("ddp_rr");
        let diagram = diagram.items::<ReadRequest>("ddp_rr", "qp sink_stag length src_stag src_to");
        Ok(diagram.bits("ddp_place_valid ddp_deliver_valid ddp_fault_valid"))
    });
}
