// SPDX-License-Identifier: MIT OR Apache-2.0
//! The campaign: random runs of whole devices under faults, in as many shards as there are
//! machines, for as many minutes as there are. `docs/campaign.md` tells of it.
//!
//! A [`Part`] is a grid of cells. A [`Run`] is a part, a cell and a seed, and nothing else decides
//! what comes of it. The engine draws runs, appends a [`Line`] of each to the file of its shard,
//! cuts a run that fails down, and repeats it with a waveform.
//!
//! - `part`, `run`: what a part and a run are. `hardware`: models, and one run on them.
//! - `figures`: what is counted. `invariant`: what a failure breaks. `line`: the file of a shard.
//! - `engine`, `plan`: which run is next. `covering`: cells that bring each few values together.
//! - `impair`, `walks`, `bar`, `bus`, `hostile`, `host`: the parts. `all`: the list of them.
//! - `guide`: coverage as feedback, and the corpus that grows by it.
//! - `beside`: a connection that must not suffer. `bugs`: seeded bugs.

mod all;
mod bar;
mod beside;
mod bugs;
mod bus;
mod covering;
mod engine;
mod figures;
mod guide;
mod hardware;
mod host;
mod hostile;
mod impair;
mod invariant;
mod line;
mod part;
mod plan;
mod run;
mod walks;

pub use all::{part, parts};
pub use bugs::BUGS;
pub use engine::{repeat, Engine, Orders};
pub use figures::Figures;
pub use guide::{Guide, GuideError, Guided};
pub use hardware::{Bug, Hardware, Trial};
pub use invariant::Invariant;
pub use line::{Failure, Line, Log, LogError, Session};
pub use part::Part;
pub use plan::{BadShard, Shard};
pub use run::{BadLine, BadRun, Run};
