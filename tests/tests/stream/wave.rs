// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing diagram of `hdl/src/stream/README.md`: a frame through a skid buffer whose reader
//! waits.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{Frame, Pattern};
use ferrowarp_tests::wave::{compare, tape, Diagram};

/// No beat is lost or doubled when the reader waits: the diagram has each beat on both sides once.
#[test]
fn the_readme_shows_a_frame_whose_reader_waits() {
    compare("stream", Top::BenchW64, |bench| {
        let source = bench.source("skid_rx", Pattern::None);
        let sink = bench.sink("skid_tx", Pattern::None);
        bench.step();
        let tape = tape(bench);
        bench.send(source, Frame::good((0..44).collect()));
        for held in [false, false, false, true, true, true, false] {
            bench.hold_sink(sink, held);
            bench.step();
        }
        bench.run_until(100, |b| b.waiting(sink) == 1)?;
        bench.step();
        Ok(Diagram::of(&tape, 7).stream("skid_rx").stream("skid_tx"))
    });
}
