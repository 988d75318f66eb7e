// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing diagram of `hdl/src/mr/README.md`: a check that holds and one that does not.
use ferrowarp_hdl::record::{MrAsk, MrSay};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::Pattern;
use ferrowarp_tests::mr::{Ask, Error, Region, Table};
use ferrowarp_tests::wave::{compare, tape, Diagram};

/// The second check names another key of the same region and its address does not count.
#[test]
fn the_readme_shows_two_checks() {
    compare("mr", Top::DdpRxW64, |bench| {
        let table = Table::new(bench, Pattern::None, Pattern::None)?;
        let region = Region::writable(0x3000, 4_096, 7, 0x2a);
        table.rows.write(bench, 5, &Region { to_base: 0x700, ..region })?;
        (0..50).for_each(|_| bench.step());
        let tape = tape(bench);
        let asks = [0x52a, 0x52b].map(|stag| Ask::write(stag, 0x710, 12, 1, 7));
        assert_eq!(table.answers(bench, &asks)?, [Ok(0x3010), Err(Error::Stag)]);
        (0..4).for_each(|_| bench.step());
        let diagram = Diagram::of(&tape, 6).handshake("mr_c0_ask");
        let diagram = diagram.items::<MrAsk>("mr_c0_ask", "stag addr length pd remote_write");
        Ok(diagram.handshake("mr_c0_say").items::<MrSay>("mr_c0_say", "ok error iova"))
    });
}
