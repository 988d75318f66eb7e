// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a part of the campaign is.
use super::figures::Figures;
use super::hardware::Trial;
use super::run::Run;
use crate::device::config;
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::top::Top;

/// A part: a grid of cells, and what a run of one of them is.
pub trait Part: Sync {
    /// Its name, as `F1`.
    fn name(&self) -> &'static str;

    /// What it does, in a few words.
    fn about(&self) -> &'static str;

    /// Number of cells, 1 at least.
    fn cells(&self) -> usize;

    /// What a cell is made of.
    fn cell(&self, cell: usize) -> String;

    /// The models that its runs need: tops with their configuration. Most parts run on two devices.
    fn models(&self) -> Vec<(Top, Config)> {
        vec![(Top::DeviceW64, config())]
    }

    /// Steps that a run may leave out, so that a failure can be cut down; 0 if it has none.
    fn steps(&self, run: &Run) -> usize;

    /// What is run in place of a run that was drawn: a part with a corpus may vary a run of the
    /// corpus.
    fn varied(&self, run: Run) -> Run {
        run
    }

    /// Runs; the error tells which invariant does not hold.
    fn run(&self, trial: &Trial<'_>) -> Result<Figures, String>;
}
