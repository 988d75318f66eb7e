// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing diagram of `hdl/src/mac/README.md`: a frame of 64 octets comes from the wire.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::Pattern;
use ferrowarp_tests::mac::{symbols, with_fcs, Symbol};
use ferrowarp_tests::wave::{compare, tape, Diagram};

/// Preamble and FCS go, and the verdict is known with the last beat.
#[test]
fn the_readme_shows_a_frame_received() {
    compare("mac", Top::MacW64, |bench| {
        let sink = bench.sink("rx_tx", Pattern::None);
        let tape = tape(bench);
        let data: Vec<u8> = (0..60).collect();
        let frame = symbols(7, &with_fcs(&data));
        for symbol in frame.iter().chain(&[Symbol::IDLE; 6]) {
            bench.set("rx_octet", symbol.octet.into());
            bench.set("rx_carrier", symbol.carrier.into());
            bench.step();
        }
        let received: Vec<_> = bench.received(sink).into_iter().map(|frame| frame.data).collect();
        assert_eq!(received, [data]);
        Ok(Diagram::of(&tape, 4).bits("rx_carrier rx_good").ends("rx_tx"))
    });
}
