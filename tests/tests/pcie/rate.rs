// SPDX-License-Identifier: MIT OR Apache-2.0
//! Latency and rates that the README of `host/pcie` states.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::pcie::RcConfig;
use ferrowarp_sim::{run_case, Bench, Pattern};
use ferrowarp_tests::bench::pcie::{measure, short_completions, usual, BAR};
use ferrowarp_tests::pcie::{Dma, CLOCK_PS, HIGH, TOPS};

/// Cycles from the first transfer of a DMA port to the first beat on `tx`.
const WRITE_LATENCY: u64 = 6;
/// As above.
const READ_LATENCY: u64 = 7;
/// Cycles from the last beat of a completion to the first beat of the answer.
const ANSWER_LATENCY: u64 = 14;

fn first_on_link(bench: &mut Bench, dma: &mut Dma) -> u64 {
    while bench.link_rates(dma.root).0.beats == 0 {
        dma.step(bench);
    }
    bench.link_rates(dma.root).0.first_cycle
}

#[test]
fn latencies() {
    run_case("pcie-latency", Top::PcieDmaW64, 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        // all tags are free
        (0..64).for_each(|_| dma.step(bench));
        dma.ask(bench, 0, HIGH.0, 64);
        let on_link = first_on_link(bench, &mut dma);
        let taken = bench.channel_source_rate(dma.reads).first_cycle;
        assert_eq!(on_link - taken, READ_LATENCY, "of a read");
        while dma.answered(bench).is_empty() {
            dma.step(bench);
        }
        let came = bench.link_rates(dma.root).1.last_cycle;
        let told = bench.channel_sink_rate(dma.answers).first_cycle;
        assert_eq!(told - came, ANSWER_LATENCY, "of an answer");
        Ok(())
    });
    run_case("pcie-latency-write", Top::PcieDmaW64, 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        dma.write(bench, HIGH.0 + 3, 40);
        let on_link = first_on_link(bench, &mut dma);
        let taken = bench.channel_source_rate(dma.commands).first_cycle;
        assert_eq!(on_link - taken, WRITE_LATENCY, "of a write");
        dma.until_written(bench, 1_000)
    });
}

#[test]
fn short_writes_lose_no_beat() {
    run_case("pcie-rate-short", Top::PcieDmaW64, 1, |bench| {
        let mut dma = Dma::new(bench, RcConfig::steady(CLOCK_PS), Pattern::None);
        bench.root(dma.root).config.timing.write_credits = 1_000;
        for n in 0..30 {
            dma.write(bench, HIGH.0 + 64 * n, 32);
        }
        dma.until_written(bench, 2_000)?;
        // four dwords of header and eight of payload: six beats
        let (up, _) = bench.link_rates(dma.root);
        assert_eq!((up.beats, up.bubbles()), (180, 0));
        Ok(())
    });
}

/// Writes and reads at each width reach its bar.
fn reaches(name: &str, config: &RcConfig, bars: [f64; 2]) {
    for (top, bar) in TOPS.into_iter().zip(bars) {
        for (reads, what) in [(false, "writes"), (true, "reads")] {
            let name = format!("{name}-{what}-{}", top.name());
            let ratio = measure(&name, top, config, reads);
            assert!((bar..=1.0).contains(&ratio), "{name}: {ratio:.4} of the limit, bar {bar}");
        }
    }
}

#[test]
fn the_limit_is_reached_on_every_link() {
    // slower than the edge, as fast as one of its widths, faster than both: edge and link are the
    // limit by turns
    for (generation, lanes) in [(1, 1), (1, 4), (2, 4), (2, 8), (3, 4), (3, 8)] {
        reaches(
            &format!("pcie-bw-{generation}-x{lanes}"),
            &RcConfig { generation, lanes, ..usual() },
            [BAR; 2],
        );
    }
}

#[test]
fn the_limit_is_reached_with_short_completions() {
    // at 64 bits a completion of 19 dwords has 10 beats for itself: the most is 0.95
    reaches("pcie-bw-rcb64", &short_completions(), [0.94, BAR]);
}
