// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices on one link: two benches that step together.
use crate::bench::{Bench, Recording};
use crate::case::{reported, run, run_once, Subject};
use crate::link::{Link, LinkConfig, Side};
use crate::model::Library;
use std::sync::Arc;

/// Where the second bench's seed differs, so that the two models do not start with equal registers.
const OTHER_SEED: u64 = 1 << 63;

/// Two benches and the link between them. Both clocks are one: a cycle of A, then the same cycle of
/// B.
pub struct Pair {
    /// The first device.
    pub a: Bench,
    /// The second device.
    pub b: Bench,
    /// What joins them, once [`Pair::join`] has put it on their ports.
    pub link: Link,
}

impl Pair {
    /// Puts the link on the streams `tx` and `rx` of both devices.
    pub fn join(&mut self, tx: &str, rx: &str) {
        self.a.ethernet(&self.link, Side::A, tx, rx);
        self.b.ethernet(&self.link, Side::B, tx, rx);
    }

    /// The bench at one end.
    pub fn side(&mut self, side: Side) -> &mut Bench {
        match side {
            Side::A => &mut self.a,
            Side::B => &mut self.b,
        }
    }

    /// One clock cycle of both.
    pub fn step(&mut self) {
        self.a.step();
        self.b.step();
    }

    /// Steps both until `done`, which is asked before each cycle. Returns the cycles that it took;
    /// the error is that of the bench that failed, or `max_cycles` used up, with the state of both.
    pub fn run_until(
        &mut self,
        max_cycles: u64,
        mut done: impl FnMut(&mut Pair) -> bool,
    ) -> Result<u64, String> {
        let start = self.a.cycle();
        while !done(self) {
            if self.a.cycle() - start >= max_cycles {
                let (a, b) = (self.a.dump(), self.b.dump());
                return Err(format!("not done after {max_cycles} cycles\nA {a}\nB {b}"));
            }
            self.a.try_step().map_err(|why| format!("A: {why}"))?;
            self.b.try_step().map_err(|why| format!("B: {why}"))?;
        }
        Ok(self.a.cycle() - start)
    }
}

impl Subject for Pair {
    fn cycle(&self) -> u64 {
        self.a.cycle()
    }

    fn take_log(&mut self) -> Vec<String> {
        let named = |name: &str, log: Vec<String>| log.into_iter().map(|l| format!("{name} {l}")).collect();
        let (mut a, b): (Vec<_>, Vec<_>) = (named("A", self.a.take_log()), named("B", self.b.take_log()));
        a.extend(b);
        a
    }

    fn finish(&mut self) -> Result<(), String> {
        self.a.finish().map_err(|why| format!("A: {why}"))?;
        self.b.finish().map_err(|why| format!("B: {why}"))
    }
}

/// Runs `body` on two fresh instances of a library with a link between them, as
/// [`run_case_on`](crate::run_case_on) does on one. The second instance's waveform has `.b` in its
/// name.
///
/// # Panics
/// As [`run_case_on`](crate::run_case_on).
pub fn run_pair_on(
    name: &str,
    library: &Arc<Library>,
    config: LinkConfig,
    seed: u64,
    body: impl Fn(&mut Pair) -> Result<(), String>,
) {
    run(name, library, seed, |library, recording| pair_of(library, config, seed, recording), body);
}

/// Runs `body` once on two fresh instances, as [`run_pair_on`] does, and leaves no files: for a
/// search over many cases. The error is what that would report.
pub fn try_pair_on(
    library: &Arc<Library>,
    config: LinkConfig,
    seed: u64,
    body: impl Fn(&mut Pair) -> Result<(), String>,
) -> Result<(), String> {
    run_once(pair_of(library, config, seed, None), body)
}

/// As [`run_pair_on`]; the text of the panic is the error here, and ends with the line `repeat`.
pub fn report_pair_on(
    name: &str,
    library: &Arc<Library>,
    config: LinkConfig,
    seed: u64,
    repeat: &str,
    body: impl Fn(&mut Pair) -> Result<(), String>,
) -> Result<(), String> {
    let make = |library: &Arc<Library>, recording| pair_of(library, config, seed, recording);
    reported(name, library, seed, Some(repeat), make, body)
}

/// Two fresh instances and the link between them.
fn pair_of(
    library: &Arc<Library>,
    config: LinkConfig,
    seed: u64,
    recording: Option<Recording>,
) -> Result<Pair, String> {
    let second = recording.clone().map(|r| Recording { fst: r.fst.with_extension("b.fst"), ..r });
    let a = Bench::new(library.instantiate(seed), seed, recording)?;
    let b = Bench::new(library.instantiate(seed ^ OTHER_SEED), seed ^ OTHER_SEED, second)?;
    Ok(Pair { a, b, link: Link::new(config) })
}
