// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stages: where each is mutated, how often, and which tests judge it.
use anyhow::{Context, Result};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::mutate::{Plan, Share};

/// What the places of all recorded runs are drawn from.
pub const SEED: u64 = 1;

/// Mutants of all stages.
pub const TOTAL: usize = 500;

/// A top with mutants of some stages; all are in one model.
pub struct Bench {
    /// The top.
    pub top: Top,
    /// Test binaries of `tests`, of which each test that makes an instance of the top judges.
    pub judges: &'static [&'static str],
    /// Its stages.
    pub stages: &'static [Stage],
}

/// A stage.
pub struct Stage {
    /// Its name, as people give it.
    pub name: &'static str,
    /// Its instances below the top, as [`Share::only`] has them.
    pub only: &'static str,
    /// Emitted lines of its modules when the counts were made.
    pub lines: usize,
    /// Its mutants: its share of [`TOTAL`] by lines.
    pub count: usize,
}

const fn stage(name: &'static str, only: &'static str, lines: usize, count: usize) -> Stage {
    Stage { name, only, lines, count }
}

/// All stages. The small models stand first.
pub const BENCHES: &[Bench] = &[
    Bench { top: Top::MacW64, judges: &["mac"], stages: &[stage("mac", "port+fifo", 915, 7)] },
    Bench {
        top: Top::QueueW64,
        judges: &["queue"],
        stages: &[
            stage("rq", "rq_0", 1064, 9),
            stage("cq", "cq_0", 840, 7),
            stage("fault", "fault_0", 977, 8),
            stage("events", "ring_0", 452, 4),
        ],
    },
    Bench { top: Top::MpaW64, judges: &["mpa"], stages: &[stage("mpa_rx", "", 2460, 20)] },
    Bench {
        top: Top::HostW64,
        judges: &["host"],
        stages: &[
            stage("admin", "admin", 2310, 19),
            stage("host", "read+post+db+raw+time+dog+own", 3242, 26),
        ],
    },
    Bench { top: Top::CarrierW64, judges: &["carrier"], stages: &[stage("carrier", "", 2050, 17)] },
    Bench { top: Top::PcieBarW64, judges: &["pcie"], stages: &[stage("pcie_bar", "", 5898, 48)] },
    Bench { top: Top::PcieDmaW64, judges: &["pcie"], stages: &[stage("pcie_dma", "", 3952, 32)] },
    Bench {
        top: Top::BenchW64,
        judges: &["cell", "mpa", "stream"],
        stages: &[
            stage("mpa_tx", "mpa_tx", 1925, 16),
            // one width of each cell that comes in several
            stage("stream", "skid+fifo+arb3+fork+mjoin+split14+join14+realign+cut+merge+queue", 2812, 23),
            stage(
                "cell",
                "crc+sum+reg+flop+ram+lut_ram+scrubbed+keep+parity+word_sum+counters+table",
                2520,
                20,
            ),
        ],
    },
    Bench {
        top: Top::DdpRxW64,
        judges: &["ddp_rx", "mr"],
        stages: &[stage("mr", "alone", 987, 8), stage("ddp_rx", "stage", 4729, 38)],
    },
    Bench { top: Top::NetRxW64, judges: &["net_rx"], stages: &[stage("net_rx", "", 6639, 54)] },
    Bench { top: Top::TcpTxW64, judges: &["mpa", "tcp_tx"], stages: &[stage("tcp_tx", "", 7949, 65)] },
    Bench {
        top: Top::SqW64,
        judges: &["sq"],
        stages: &[stage("ddp_tx", "sq.ddp_tx", 2380, 19), stage("sq", "sq.sq", 6427, 52)],
    },
    Bench {
        top: Top::RnicW64,
        judges: &["rnic"],
        stages: &[stage("edge", "flr+gate+taps+link+bus_+written+ctl+net_rx_row", 978, 8)],
    },
];

impl Bench {
    /// The mutants: of every stage, or `count` of those that are `chosen`.
    pub fn plan(&self, seed: u64, count: Option<usize>, chosen: &dyn Fn(&str) -> bool) -> Plan {
        let share = |stage: &Stage| {
            let count = count.map_or(stage.count, |count| if chosen(stage.name) { count } else { 0 });
            Share { count, only: stage.only.into() }
        };
        Plan { top: self.top.name().into(), seed, shares: self.stages.iter().map(share).collect() }
    }
}

/// All stages in their order.
pub fn all() -> impl Iterator<Item = &'static Stage> {
    BENCHES.iter().flat_map(|bench| bench.stages)
}

/// Refuses a name that no stage has.
pub fn known(name: &str) -> Result<()> {
    let names = || all().map(|stage| stage.name).collect::<Vec<_>>().join(", ");
    let found = all().find(|stage| stage.name == name);
    found.map(|_| ()).with_context(|| format!("no stage `{name}`; there are {}", names()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_mutants_are_shared_out_by_lines() {
        assert_eq!(all().map(|stage| stage.count).sum::<usize>(), TOTAL);
        let lines: usize = all().map(|stage| stage.lines).sum();
        for stage in all() {
            let share = (stage.lines * TOTAL) as f64 / lines as f64;
            assert!((stage.count as f64 - share).abs() < 1.0, "{}: {share:.1}", stage.name);
        }
        assert_eq!(all().map(|stage| stage.name).collect::<BTreeSet<_>>().len(), all().count());
    }

    #[test]
    fn a_count_is_for_the_chosen_stages_alone() {
        let queue = BENCHES.iter().find(|bench| bench.top == Top::QueueW64).unwrap();
        let counts = |plan: Plan| plan.shares.iter().map(|share| share.count).collect::<Vec<_>>();
        assert_eq!(counts(queue.plan(SEED, None, &|name| name == "cq")), [9, 7, 8, 4]);
        assert_eq!(counts(queue.plan(SEED, Some(3), &|name| name == "cq")), [0, 3, 0, 0]);
        assert!(known("cq").is_ok());
        assert!(known("rx").unwrap_err().to_string().contains("there are mac, rq, cq"));
    }
}
