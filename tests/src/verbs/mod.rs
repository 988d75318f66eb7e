// SPDX-License-Identifier: MIT OR Apache-2.0
//! A walk over verbs: two bare devices between which completion queues, regions, queue pairs and
//! connections come and go in any order, with work requests of each kind and with sinks held at
//! random.
//!
//! A protection domain is a number that rows name, so it is neither created nor destroyed here.
//! Devices have neither memory windows nor local invalidation nor fast registration as work
//! requests.
//!
//! | invariant | how it is checked |
//! |---|---|
//! | I1 memory | each octet of each region is the old one, or the one that a message brings; the latter once a completion says so |
//! | I2 completions | of a queue pair in order, each once, nothing behind the end of its queue pair, one fault at most |
//! | I3 live regions only | accesses to memory that is not mapped fail the walk; octets outside of promised places stay |
//! | I4 nothing behind an answer | with the answer memory of a region, of rings and of a completion queue is taken away |
//! | I5 no wedge | commands are answered, clean connections complete, a request that cannot be done is told by a fault |
//! | I6 nothing is left | all is destroyed at the end: rows are empty, no frame leaves, no access comes |
//!
//! A connection is clean until a request cannot be done, or until something is taken away that it
//! needs. Of one that is not clean completions are a beginning of what is owed.

mod ends;
mod estate;
mod ledger;
mod op;
mod post;
mod region;
mod walk;

pub use walk::Tally;

use ferrowarp_sim::Pair;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// An operation of a walk. One that does not apply where it stands is passed over.
#[derive(Clone, Copy)]
pub struct Step(op::Op);

impl std::fmt::Debug for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The walk of a seed: about `count` steps.
pub fn steps(seed: u64, count: usize) -> Vec<Step> {
    op::draw(&mut ChaCha8Rng::seed_from_u64(seed), count).into_iter().map(Step).collect()
}

/// Walks through steps of a seed on a fresh pair of devices; the error tells the invariant and the
/// step.
pub fn run(pair: &mut Pair, seed: u64, steps: impl IntoIterator<Item = Step>) -> Result<Tally, String> {
    walk::run(pair, seed, steps.into_iter().map(|step| step.0))
}
