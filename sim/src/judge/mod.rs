// SPDX-License-Identifier: MIT OR Apache-2.0
//! An independent judge: the same inputs in Icarus must give the outputs that the Verilated model
//! gave.
//!
//! A record has the inputs and outputs of each cycle after reset. Icarus gets the text and the
//! inputs, and its outputs are compared: `valid` and `ready` in each cycle, payload while `valid`
//! is high, of a stream's data the octets up to `bytes`, levels always.
//!
//! Both begin with all registers and memories at 0 ([`crate::Library::instantiate_zeroed`]). From
//! an `x` Icarus would take the `else` of an `if`, Verilator one of the two: what a top makes of
//! values that nobody wrote is no difference between simulators. The benches, which begin with
//! random values, look for such values. An `x` then comes from a place behind the end of a memory
//! or vector, which a random stimulus may ask for. A flag must be known in each cycle after reset.
//! In a payload or level Verilator's bit means nothing where Icarus has `x`: such bits are not
//! compared, but counted by port ([`Verdict::unknown`]).
//!
//! Icarus gets the emitted text with two changes: the initial values (`initial.rs`), and blocks
//! that hand on their results once (`quiet.rs`), without which Icarus would not end. Every
//! expression, condition and edge is as emitted.
mod compare;
mod initial;
mod quiet;
mod record;
mod shape;
mod stimulus;
mod testbench;
mod verdict;
mod words;

pub use record::{Record, Tape};
pub use stimulus::drive;
pub use verdict::{Difference, JudgeError, Moved, Verdict};

use crate::file_error::io;
use crate::model::hash;
use crate::paths;

/// Runs `text`, the Verilog of `top`, in Icarus under the inputs of `record` and compares the
/// outputs. A verdict is kept in `target/judge` by the hash of text, record and Icarus, and is
/// taken from there; `true` says so.
///
/// # Errors
/// [`JudgeError::Differs`] names the first difference by top, cycle and port,
/// [`JudgeError::Silent`] a stimulus that moves nothing into the top or out of it; the others say
/// why Icarus did not run.
pub fn judge(top: &str, text: &str, record: &Record) -> Result<(Verdict, bool), JudgeError> {
    let moved = compare::moved(record);
    heard(top, record.len(), &moved)?;
    let testbench = testbench::text(top, record);
    let given: String = (0..record.len()).map(|n| record.input_digits(n) + "\n").collect();
    let text = testbench::prepared(text);
    let name = format!("{top}-{}", hash(&[&text, &testbench, &given, &testbench::version()?]));
    let kept = paths::judge().join(format!("{name}.json"));
    if let Some(verdict) = std::fs::read(&kept).ok().and_then(|octets| serde_json::from_slice(&octets).ok()) {
        return Ok((verdict, true));
    }
    let folder = paths::judge().join(format!("{name}.{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(io("create", &folder))?;
    let answers = testbench::run(top, &text, &testbench, &given, &folder)?;
    let counts = compare::compare(top, record, &answers).map_err(|difference| JudgeError::Differs {
        difference: difference.into(),
        folder: folder.clone(),
    })?;
    std::fs::remove_dir_all(&folder).map_err(io("remove", &folder))?;
    let compare::Counts { equal, unknown } = counts;
    let verdict = Verdict { top: top.into(), cycles: record.len(), equal, unknown, moved };
    let octets = serde_json::to_vec(&verdict).unwrap_or_default();
    std::fs::write(&kept, octets).map_err(io("write", &kept))?;
    Ok((verdict, false))
}

/// A top that has boundaries of a direction must have moved something there.
fn heard(top: &str, cycles: usize, moved: &[Moved]) -> Result<(), JudgeError> {
    for (is_input, way) in [(true, "into"), (false, "out of")] {
        let these: Vec<_> = moved.iter().filter(|m| m.is_input == is_input).collect();
        if !these.is_empty() && these.iter().all(|m| m.transfers == 0) {
            let silent = these.iter().map(|m| m.prefix.as_str()).collect::<Vec<_>>().join(", ");
            return Err(JudgeError::Silent { top: top.into(), cycles, way, silent });
        }
    }
    Ok(())
}
