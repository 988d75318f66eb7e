// SPDX-License-Identifier: MIT OR Apache-2.0
//! The switch beside the model: its ports as it has them, what passes them, and the comparison.
use super::{predict, Counts, Frame, Port};
use ferrowarp_sim::eth::{EthError, Wire};
use ferrowarp_sim::link::switch::{PortConfig, PortFrame, PortStats, SwitchPort, Vlan};
use ferrowarp_sim::LinkConfig;
use std::sync::{Arc, Mutex, PoisonError};

/// A port as the switch has it.
///
/// # Panics
/// If the switch does not take it.
pub fn config(port: &Port) -> PortConfig {
    let share = |n: u32| f64::from(n) / f64::from(super::MILLION);
    let [loss, double, spoil, hold] = port.odds.map(share);
    let (extra, seed, queue) = (port.extra / 1_000_000, port.seed, port.queue);
    let text =
        format!("loss={loss},duplicate={double},corrupt={spoil},reorder={hold},delay={extra},seed={seed}");
    let wire: Wire = text.parse().expect("shares and whole numbers");
    let trunk = || Vlan::Trunk(port.vids.iter().copied().collect());
    let vlan = port.untagged.map_or_else(trunk, Vlan::Access);
    PortConfig { vlan, queue, ecn: port.ecn, wire }
}

fn counts(stats: &PortStats) -> Counts {
    let PortStats { frames_in, octets_in, bad, wrong_vid, filtered, flooded, frames_out, .. } = *stats;
    let PortStats { octets_out, dropped, marked, deepest, lost, duplicated, spoilt, held, .. } = *stats;
    Counts {
        frames_in,
        octets_in,
        bad,
        wrong_vid,
        filtered,
        flooded,
        frames_out,
        octets_out,
        dropped,
        marked,
        deepest,
        lost,
        duplicated,
        spoilt,
        held,
    }
}

/// Frames that passed a port, into the switch and out of it.
#[derive(Debug, Clone, Default)]
pub struct Passed(Arc<Mutex<[Vec<Frame>; 2]>>);

impl Passed {
    fn note(&self, way: usize, frame: &PortFrame) {
        let PortFrame { at_ps, data, is_bad } = frame.clone();
        let mut both = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        both[way].push(Frame { at: at_ps, data, bad: is_bad });
    }

    fn all(&self) -> [Vec<Frame>; 2] {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A port that keeps what passes. It panics if a frame is given that begins to arrive before the
/// end of the block.
pub struct Watched<P> {
    port: P,
    passed: Passed,
    until: u64,
}

impl<P: SwitchPort> Watched<P> {
    /// Watches a port; what passes is in `passed`.
    pub fn new(port: P, passed: &Passed) -> Self {
        Self { port, passed: passed.clone(), until: 0 }
    }
}

impl<P: SwitchPort> SwitchPort for Watched<P> {
    fn line(&self) -> LinkConfig {
        self.port.line()
    }

    fn take(&mut self, until_ps: u64) -> Result<Option<PortFrame>, EthError> {
        self.until = until_ps;
        let taken = self.port.take(until_ps)?;
        taken.iter().for_each(|frame| self.passed.note(0, frame));
        Ok(taken)
    }

    fn give(&mut self, frame: PortFrame) -> Result<(), EthError> {
        let (at, until) = (frame.at_ps, self.until);
        assert!(at >= until, "the device stands at {until} ps and gets a frame at {at} ps");
        self.passed.note(1, &frame);
        self.port.give(frame)
    }
}

/// Compares what left the ports with what the model makes of the frames that came in, and what the
/// switch counted. The error names the port and the first difference. The counts are
/// returned port by port.
pub fn compare(
    ports: &[Port],
    table: (u64, usize),
    passed: &[Passed],
    stats: &[PortStats],
) -> Result<Vec<Counts>, String> {
    let [came, left] = [0, 1].map(|way| passed.iter().map(|p| p.all()[way].clone()).collect::<Vec<_>>());
    let (wanted, counted) = predict(ports, &came, table);
    for (n, port) in ports.iter().enumerate() {
        let both = left[n].iter().zip(&wanted[n]).enumerate();
        if let Some((index, (got, wanted))) = both.into_iter().find(|(_, (got, wanted))| got != wanted) {
            return Err(format!("port {n}, frame {index}: {}", difference(got, wanted)));
        }
        let (got, wanted) = (left[n].len(), wanted[n].len());
        if got != wanted {
            return Err(format!("{got} frames left port {n}, expected {wanted}"));
        }
        let (got, wanted) = (counts(&stats[n]), counted[n]);
        if got != wanted {
            return Err(format!("port {n}, {port:?}: {got:?}, expected {wanted:?}"));
        }
    }
    Ok(counted)
}

/// What tells one frame from the other.
fn difference(got: &Frame, wanted: &Frame) -> String {
    let octet = got.data.iter().zip(&wanted.data).position(|(got, wanted)| got != wanted);
    let told = |frame: &Frame| {
        let Frame { at, data, bad } = frame;
        let octet = octet.map(|at| format!(", octet {at} is {:#04x}", data[at])).unwrap_or_default();
        format!("{} octets at {at} ps, bad FCS {bad}{octet}", data.len())
    };
    format!("{}; expected {}", told(got), told(wanted))
}
