// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing diagram of `hdl/src/eth/README.md`: the filter drops a frame and passes the next one.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{Frame, Pattern};
use ferrowarp_tests::pcie_bar::Host;
use ferrowarp_tests::wave::{compare, tape, Diagram};

const RX_FILTER: u64 = 0x090;
const RX_MAC_LOW: u64 = 0x0a0;
const RX_MAC_HIGH: u64 = 0x0b0;

/// A frame of 24 octets to a station with this second octet of its address.
fn frame(station: u8) -> Frame {
    Frame::good([2, station, 0, 0, 0, 0].into_iter().chain(0xd0..0xe2).collect())
}

/// The frame to another station gives a pulse of `filtered` and no beat.
#[test]
fn the_readme_shows_a_frame_dropped_and_one_passed() {
    compare("eth", Top::PcieBarW64, |bench| {
        let host = Host::new(bench, Pattern::None, Pattern::None);
        let rx = bench.source("frames", Pattern::None);
        let tx = bench.sink("received", Pattern::None);
        host.set(bench, RX_MAC_LOW, 0x0000_0102)?;
        host.set(bench, RX_MAC_HIGH, 0x0001_0000)?;
        host.set(bench, RX_FILTER, 0)?;
        (0..20).for_each(|_| bench.step());
        let tape = tape(bench);
        bench.send(rx, frame(2));
        bench.send(rx, frame(1));
        bench.run_until(100, |b| b.waiting(tx) == 1)?;
        bench.step();
        let diagram = Diagram::of(&tape, 7).stream("frames").bits("filtered");
        Ok(diagram.stream("received"))
    });
}
