// SPDX-License-Identifier: MIT OR Apache-2.0
//! Coverage as feedback: a corpus of runs of F3-grammar. The corpus grows by runs that reach blocks
//! of the device's text that no run before them reached.
use super::engine::tried;
use super::hardware::Hardware;
use super::hostile::genes::{fresh, variation, CORPUS};
use super::run::{BadLine, Run};
use ferrowarp_sim::coverage::{hits, parsed, Thing, POINTS, VARIABLE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The part that has a corpus.
const PART: &str = "F3-grammar";
/// One of so many runs is a fresh one.
const FRESH: u32 = 4;

/// A run, and what came of it.
#[derive(Clone, Debug)]
pub struct Guided {
    /// The run.
    pub run: Run,
    /// Blocks of the device's text that it reached and none before it.
    pub new: usize,
    /// What went wrong.
    pub failure: Option<String>,
}

/// Why there can be no feedback.
#[derive(Debug, thiserror::Error)]
pub enum GuideError {
    /// A line of the corpus is no run.
    #[error("tests/data/campaign-corpus.txt {0}")]
    Corpus(#[source] BadLine),
    /// No model.
    #[error("{0}")]
    Hardware(String),
    /// The list of what the model counts is not there.
    #[error("cannot read {}; the variable {} must name a folder", path.display(), VARIABLE)]
    List {
        /// The list.
        path: PathBuf,
        /// Why.
        #[source]
        why: std::io::Error,
    },
    /// The list has a bad line.
    #[error("{} line {line} is no point of coverage; delete the file and its model", path.display())]
    Line {
        /// The list.
        path: PathBuf,
        /// From 1.
        line: usize,
    },
}

/// A search for runs that reach more.
pub struct Guide<'a> {
    hardware: &'a Hardware,
    rng: ChaCha8Rng,
    /// Name of the model, and the counters of its blocks.
    model: String,
    blocks: Vec<usize>,
    /// Blocks that were reached so far.
    reached: usize,
    /// Runs to be tried first: the corpus of before.
    before: Vec<Run>,
    kept: Vec<Guided>,
}

impl<'a> Guide<'a> {
    /// A search behind the runs of the corpus, with draws from a seed.
    ///
    /// # Errors
    /// If the model counts nothing: [`VARIABLE`] is not set.
    pub fn new(hardware: &'a Hardware, seed: u64) -> Result<Self, GuideError> {
        let library = hardware.device().map_err(GuideError::Hardware)?;
        let list = library.file().with_extension(POINTS);
        let text =
            std::fs::read_to_string(&list).map_err(|why| GuideError::List { path: list.clone(), why })?;
        let points = parsed(&text).map_err(|line| GuideError::Line { path: list.clone(), line })?;
        let is_block = |thing: &Thing| matches!(thing, Thing::Block { .. });
        let blocks = points.iter().filter(|point| is_block(&point.thing)).map(|point| point.index).collect();
        let model = library.file().file_stem().map(|stem| stem.to_string_lossy().into()).unwrap_or_default();
        let before = Run::listed(CORPUS).map_err(GuideError::Corpus)?;
        let (rng, kept) = (ChaCha8Rng::seed_from_u64(seed), vec![]);
        Ok(Self { hardware, rng, model, blocks, reached: 0, before, kept })
    }

    /// Blocks of the device's text, and those that were reached.
    pub fn blocks(&self) -> (usize, usize) {
        (self.blocks.len(), self.reached)
    }

    /// Tries the corpus, then variations of it, until the time is over. `told` gets each run.
    pub fn run(&mut self, time: Duration, mut told: impl FnMut(&Guided)) {
        let begun = Instant::now();
        for run in std::mem::take(&mut self.before) {
            told(&self.one(run));
        }
        while begun.elapsed() < time {
            let corpus: Vec<_> = self.kept.iter().map(|kept| kept.run.clone()).collect();
            let varied = match self.rng.random_ratio(1, FRESH) {
                true => None,
                false => variation(&mut self.rng, &corpus),
            };
            let run = varied.unwrap_or_else(|| fresh(&mut self.rng, PART));
            told(&self.one(run));
        }
    }

    /// Runs that reached something new, oldest first.
    pub fn kept(&self) -> &[Guided] {
        &self.kept
    }

    /// One run, kept if it reached something new.
    fn one(&mut self, run: Run) -> Guided {
        let failure = tried(self.hardware, &run).err();
        let hits = hits(&self.model);
        let is_hit = |&&at: &&usize| hits.get(at / 8).is_some_and(|octet| octet >> (at % 8) & 1 != 0);
        let reached = self.blocks.iter().filter(is_hit).count();
        let guided = Guided { run, new: reached - self.reached, failure };
        self.reached = reached;
        if guided.new > 0 {
            self.kept.push(guided.clone());
        }
        guided
    }
}
