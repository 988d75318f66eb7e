// SPDX-License-Identifier: MIT OR Apache-2.0
//! F4-bar: a host accesses the BARs as no driver does. Accesses have any length, alignment and byte
//! enables, are poisoned, of other kinds, or longer than they say. Each request that is owed an
//! answer has one in bounded time, registers hold what docs/registers.md says, each bad request is
//! counted, and a queue pair beside transfers.

mod access;
mod registers;

use super::figures::Figures;
use super::hardware::Trial;
use super::part::Part;
use super::run::Run;
use crate::device::TCP_PAYLOAD;
use crate::rnic::{configs, Rnic, CLOCK_PS};
use crate::rnic_anew::{post, set_up, step, OCTETS};
use access::{Access, Owed};
use ferrowarp_abi::consts::csr;
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::pcie::RcConfig;
use ferrowarp_sim::Bench;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use registers::Registers;
use std::collections::VecDeque;

/// Accesses of a run, and how many of them may wait for an answer.
const ACCESSES: usize = 800;
const AHEAD: usize = 8;
/// Cycles that an answer may take, behind others and the longest write.
const PATIENCE: u64 = 3_000;
/// Cycles between two accesses at most, by cell.
const PACE: [u64; 2] = [6, 120];
/// RDMA Writes of a run, octets of the longest, and cycles that the last ones may take.
const WRITES: u32 = 14;
const LONGEST: u32 = 600;
const LAST: u64 = 20_000;
/// Octets of a tagged DDP header, and of the length in front.
const HEADER: usize = 14;
const LENGTH: usize = 2;

/// The part.
pub struct Bars;

impl Part for Bars {
    fn name(&self) -> &'static str {
        "F4-bar"
    }

    fn about(&self) -> &'static str {
        "accesses to registers, doorbells and MSI-X that no driver makes"
    }

    fn cells(&self) -> usize {
        2 * PACE.len()
    }

    fn cell(&self, cell: usize) -> String {
        let (bits, pace) = (configs()[cell % 2].edge_bits, PACE[cell / 2]);
        format!("an edge of {bits} bits, an access within {pace} cycles")
    }

    fn models(&self) -> Vec<(Top, Config)> {
        configs().map(|config| (Top::RnicW64, config)).into()
    }

    fn steps(&self, _run: &Run) -> usize {
        ACCESSES
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Figures, String> {
        let run = trial.run;
        trial.bench((Top::RnicW64, &configs()[run.cell % 2]), |bench| {
            let mut scene = Scene::new(bench, run)?;
            for place in (0..ACCESSES).filter(|&place| run.performs(place)) {
                let mut rng = ChaCha8Rng::seed_from_u64(run.seed ^ (place as u64 + 1) << 48);
                scene.access(bench, &mut rng).map_err(|why| format!("access {place}: {why}"))?;
                for _ in 0..rng.random_range(0..=PACE[run.cell / 2]) {
                    scene.step(bench)?;
                }
            }
            scene.end(bench)?;
            Ok(scene.figures)
        })
    }
}

/// A device with a queue pair that sends, and what its host knows of the registers.
struct Scene {
    nic: Rnic,
    registers: Registers,
    owed: VecDeque<Owed>,
    /// Send queue, region, octets of the region.
    sq: u64,
    base: u64,
    octets: Vec<u8>,
    /// Payload that must leave, oldest first; Writes that were posted.
    leaves: VecDeque<Vec<u8>>,
    posted: u32,
    /// Bad requests, and what the device had counted before.
    bad: u64,
    counted: u64,
    figures: Figures,
}

impl Scene {
    fn new(bench: &mut Bench, run: &Run) -> Result<Self, String> {
        let mut rng = ChaCha8Rng::seed_from_u64(run.seed);
        let mut nic = Rnic::new(bench, RcConfig { msix: false, ..RcConfig::rough(CLOCK_PS) });
        let (sq, base) = set_up(bench, &mut nic).map_err(|why| format!("I5: set up: {why}"))?;
        // nobody acknowledges what is sent
        nic.set(bench, csr::RTO_MIN, 0);
        let mut octets = vec![0; OCTETS as usize];
        rng.fill_bytes(&mut octets);
        bench.root(nic.root).host.write(base, &octets).map_err(|e| e.to_string())?;
        let registers = Registers::new(bench, &nic)?;
        let counted = registers::refused(bench, &nic)?;
        let figures = Figures { connections: 1, ..Default::default() };
        let (owed, leaves) = (VecDeque::new(), VecDeque::new());
        Ok(Self { nic, registers, owed, sq, base, octets, leaves, posted: 0, bad: 0, counted, figures })
    }

    /// One access, now and then behind an RDMA Write.
    fn access(&mut self, bench: &mut Bench, rng: &mut ChaCha8Rng) -> Result<(), String> {
        if self.posted < WRITES && rng.random_ratio(1, 40) {
            self.write(bench, rng)?;
        }
        while self.owed.len() >= AHEAD {
            self.step(bench)?;
        }
        let access = Access::any(rng);
        self.figures.hostile_accesses += 1;
        self.bad += u64::from(access.is_bad());
        for (offset, value) in access.written() {
            self.registers.write(access.bar, offset, value);
            self.owed.iter_mut().for_each(|owed| owed.may_see(access.bar, offset, &self.registers));
        }
        let owed = access.send(bench, self.nic.root, &self.registers);
        self.owed.extend(owed);
        Ok(())
    }

    /// Posts an RDMA Write of one segment.
    fn write(&mut self, bench: &mut Bench, rng: &mut ChaCha8Rng) -> Result<(), String> {
        let octets = rng.random_range(1..=LONGEST);
        let at = rng.random_range(0..OCTETS as usize - octets as usize);
        self.leaves.push_back(self.octets[at..at + octets as usize].to_vec());
        post(bench, &self.nic, self.sq, self.posted, (self.base + at as u64, octets))?;
        self.posted += 1;
        Ok(())
    }

    /// A cycle, with what was answered and what left in it.
    fn step(&mut self, bench: &mut Bench) -> Result<(), String> {
        step(bench);
        for answer in bench.root(self.nic.root).take_answers() {
            let at = self.owed.iter().position(|owed| owed.tag == answer.tag);
            let owed = at.and_then(|at| self.owed.remove(at));
            let owed = owed.ok_or_else(|| format!("I2: an answer nobody waits for: {answer:?}"))?;
            owed.judge(&answer)?;
        }
        if let Some(late) = self.owed.front().filter(|owed| bench.cycle() > owed.since + PATIENCE) {
            return Err(format!("I5: {late} has no answer for {PATIENCE} cycles"));
        }
        for frame in bench.received(self.nic.tx) {
            let segment = frame.data.get(TCP_PAYLOAD..).filter(|segment| segment.len() > LENGTH + HEADER);
            let Some(fpdu) = segment else { continue };
            let ulpdu = usize::from(u16::from_be_bytes([fpdu[0], fpdu[1]]));
            let is = fpdu.get(LENGTH + HEADER..LENGTH + ulpdu);
            let must = self.leaves.pop_front();
            if is.is_none() || is != must.as_deref() {
                return Err(format!("I1: the segment {fpdu:02x?} leaves, its payload must be {must:02x?}"));
            }
            self.figures.frames += 1;
        }
        Ok(())
    }

    /// All is answered and has left, registers are as they must be, bad requests were counted.
    fn end(&mut self, bench: &mut Bench) -> Result<(), String> {
        let begun = bench.cycle();
        while !self.owed.is_empty() || !self.leaves.is_empty() {
            if bench.cycle() > begun + LAST {
                return Err(format!("I5: {} RDMA Writes do not leave", self.leaves.len()));
            }
            self.step(bench)?;
        }
        bench.set("tick_pin", 0);
        self.registers.compare(bench, &self.nic)?;
        let counted = registers::refused(bench, &self.nic)? - self.counted;
        match self.bad == counted {
            true => Ok(()),
            false => Err(format!("{} bad requests came, {counted} were counted", self.bad)),
        }
    }
}
