// SPDX-License-Identifier: MIT OR Apache-2.0
//! DDP receive on the emitted Verilog, whose streams begin two messages in front of the end of the
//! MSNs.
use ferrowarp_sim::Bench;
use ferrowarp_tests::ddp_model::{untagged, Request};
use ferrowarp_tests::ddp_rx::{Pauses, Rx, BUFFERS, QP};
use ferrowarp_tests::preload::{self, FIRST};

/// The MSNs of a stream's first messages.
const MSNS: [u32; 4] = [FIRST, 0xFFFF_FFFF, 0, 1];
/// Of a queue behind so many good messages: an MSN behind the next one, or of a finished message,
/// and its error.
const REFUSED: [(usize, u32, u16); 6] = [
    (1, 0, 0x1202),
    (1, FIRST, 0x1203),
    (2, 1, 0x1202),
    (2, 0xFFFF_FFFF, 0x1203),
    (3, 2, 0x1202),
    (3, 0, 0x1203),
];

fn case(name: &str, body: impl Fn(&mut Bench, &mut Rx) -> Result<(), String>) {
    preload::ddp_rx(&format!("ddp_rx-wrap-{name}"), |bench| {
        let mut rx = Rx::new(bench, Pauses::NONE)?;
        rx.first_msn = FIRST;
        rx.set_up_one(bench)?;
        body(bench, &mut rx)
    });
}

#[test]
fn sends_are_delivered_in_order_across_the_end_of_the_msns() {
    case("sends", |bench, rx| {
        for (nth, msn) in (0..).zip(MSNS) {
            rx.post_at(nth, 0x100 * u64::from(nth), 64);
            let octet = nth as u8 + 1;
            let first = untagged(3, 0, msn, 0, false, &[octet; 40]);
            rx.good(bench, &[first, untagged(3, 0, msn, 40, true, &[octet; 24])])?;
            assert_eq!(rx.octets(BUFFERS + 0x100 * u64::from(nth), 64), [octet; 64]);
        }
        let delivered: Vec<_> = rx.completions.iter().map(|c| (c.0.index, c.0.byte_len)).collect();
        assert_eq!(delivered, [(0, 64), (1, 64), (2, 64), (3, 64)]);
        let good = |msn: &u32| untagged(3, 0, *msn, 0, true, &[1; 8]);
        for (before, msn, error) in REFUSED {
            let ulpdus: Vec<_> = MSNS[..before].iter().chain([&msn]).map(good).collect();
            assert_eq!(rx.error(bench, &[64; 4], &ulpdus)?, error, "{msn:#x} behind {before}");
        }
        Ok(())
    });
}

#[test]
fn read_requests_are_taken_in_order_across_the_end_of_the_msns() {
    case("requests", |bench, rx| {
        // of nothing, so that no region is looked at
        let ask = |msn: &u32| Request { qp: QP, sink_stag: !msn, ..Request::default() }.ulpdu(*msn);
        rx.good(bench, &MSNS.each_ref().map(ask))?;
        assert_eq!(rx.requests.iter().map(|r| !r.0.sink_stag).collect::<Vec<_>>(), MSNS);
        for (before, msn, error) in REFUSED {
            let ulpdus: Vec<_> = MSNS[..before].iter().chain([&msn]).map(ask).collect();
            assert_eq!(rx.error(bench, &[], &ulpdus)?, error, "{msn:#x} behind {before}");
        }
        Ok(())
    });
}
