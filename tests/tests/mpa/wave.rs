// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing diagram of `hdl/src/mpa/README.md`: an FPDU with a marker becomes a ULPDU.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::Pattern;
use ferrowarp_tests::mpa_rx::{cut_every, Rx, Stream};
use ferrowarp_tests::wave::{compare, tape, Diagram};

/// Marker, length and CRC of the segment are not in the ULPDU.
#[test]
fn the_readme_shows_an_fpdu_without_its_marker() {
    compare("mpa", Top::MpaW64, |bench| {
        let rx = Rx::new(bench, Pattern::None, Pattern::None)?;
        let mut stream = Stream::new(5, 0x1000, true, true);
        stream.push(&[&[0xc1, 0x40][..], &(0xd0..0xe4).collect::<Vec<u8>>()].concat());
        rx.set_up(bench, &stream)?;
        (0..50).for_each(|_| bench.step());
        let tape = tape(bench);
        let streams = [stream];
        rx.check(bench, &streams, &cut_every(&streams, 1_460))?;
        let diagram = Diagram::of(&tape, 6).bits("mpa_rx_seg_valid").fields("mpa_rx_seg", "seq");
        let diagram = diagram.bits("mpa_rx_rx_valid").whole("mpa_rx_rx");
        let diagram = diagram.bits("mpa_rx_fpdu_valid").fields("mpa_rx_fpdu", "length");
        Ok(diagram.bits("mpa_rx_tx_valid").whole("mpa_rx_tx"))
    });
}
