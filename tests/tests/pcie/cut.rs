// SPDX-License-Identifier: MIT OR Apache-2.0
//! A link that is lost inside a TLP: the TLP ends with `err`, and the first one behind the loss is
//! a TLP of its own.
use ferrowarp_sim::{Bench, ChanSrcId, Item, Pattern};
use ferrowarp_tests::pcie::run_widths;

/// Cycles for which the link is away.
const AWAY: u64 = 20;
/// Dword 0 of a message, which `req` shows as it came, and of a completion, which it does not.
const MESSAGE: u32 = 0x7400_0000;
const COMPLETION: u32 = 0x4a00_0008;

/// Octets of a beat.
fn width(bench: &Bench) -> usize {
    if bench.has("rx_is_sof") {
        16
    } else {
        8
    }
}

/// A beat of a TLP from lane 0 on; `begins` and `ends` say whether the TLP does.
fn put(bench: &mut Bench, rx: ChanSrcId, dwords: &[u32], begins: bool, ends: bool) {
    let data: Vec<u8> = dwords.iter().flat_map(|d| d.to_le_bytes()).collect();
    let item = Item::new().with_bytes("data", &data).with("bar_hit", 2).with("err", 0);
    let item = if width(bench) == 16 {
        let sof = if begins { 0x10 } else { 0 };
        item.with("is_sof", sof).with("is_eof", if ends { 0x1f } else { 0 })
    } else {
        item.with("bytes", 8).with("last", ends.into())
    };
    bench.put(rx, item);
}

/// A whole TLP of `beats` beats.
fn whole(bench: &mut Bench, rx: ChanSrcId, first: u32, beats: usize) -> Vec<u32> {
    let dwords = width(bench) / 4;
    let all: Vec<u32> = (0..).take(beats * dwords).map(|n| if n == 0 { first } else { 0x100 + n }).collect();
    for (n, beat) in all.chunks(dwords).enumerate() {
        put(bench, rx, beat, n == 0, n + 1 == beats);
    }
    all
}

#[test]
fn a_tlp_that_a_lost_link_cuts_is_ended_and_the_next_is_whole() {
    for first in [MESSAGE, COMPLETION] {
        for begun in 1..4 {
            run_widths(&format!("pcie-cut-{first:x}-{begun}"), 1, |bench| {
                for (port, value) in [("lost", 0), ("tick", 0), ("timeout", 100), ("begun", 0)] {
                    bench.set(port, value);
                }
                let rx = bench.channel_source("rx", Pattern::None);
                let req = bench.channel_sink("req", Pattern::None);
                let dwords = width(bench) / 4;
                for n in 0..begun {
                    let beat: Vec<u32> = (0..dwords as u32).map(|d| 10 * n + d).collect();
                    let beat = if n == 0 { [&[first], &beat[1..]].concat() } else { beat };
                    put(bench, rx, &beat, n == 0, false);
                }
                bench.run_until(100, |b| b.put_all(rx))?;
                (0..6).for_each(|_| bench.step());
                bench.set("lost", 1);
                // what the block still offers belongs to no TLP
                put(bench, rx, &vec![MESSAGE; dwords], true, true);
                (0..AWAY).for_each(|_| bench.step());
                bench.set("lost", 0);
                let want = whole(bench, rx, MESSAGE, 3);
                bench.run_until(100, |b| b.put_all(rx))?;
                (0..20).for_each(|_| bench.step());

                let mut tlps = vec![(vec![], false)];
                for beat in bench.taken(req) {
                    let field = |name: &str| beat.u64(name).expect("a port of the top");
                    let octets = &beat.bytes("data").expect("a port of the top")[..field("bytes") as usize];
                    let (lanes, err) = tlps.last_mut().expect("one is open");
                    lanes.extend(octets.chunks(4).map(|d| u32::from_le_bytes(d.try_into().expect("four"))));
                    *err = field("err") == 1;
                    if field("last") == 1 {
                        tlps.push((vec![], false));
                    }
                }
                assert_eq!(tlps.pop(), Some((vec![], false)), "a TLP has no end");
                assert_eq!(tlps.pop(), Some((want, false)));
                let errs: Vec<_> = tlps.iter().map(|(_, err)| *err).collect();
                assert_eq!(errs, vec![true; usize::from(first == MESSAGE)], "{tlps:x?}");
                Ok(())
            });
        }
    }
}
