// SPDX-License-Identifier: MIT OR Apache-2.0
//! `model(top, config)`: one shared library for each top and configuration of a process.
use super::build::{self, Design};
use super::collision::{self, garbled};
use super::error::ModelError;
use super::prebuilt::Prebuilt;
use super::time::{Rounds, TimePart};
use super::{ffi, Kind};
use crate::coverage;
use crate::file_error::io;
use crate::mutate::{Plan, MODEL, MUTANT};
use crate::verilator::{self, Verilator};
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::emit::{ports_of, Emitted, Port};
use ferrowarp_hdl::top::Top;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// A Verilated top in memory, from which instances are made.
pub struct Library {
    top: String,
    ports: Vec<Port>,
    file: PathBuf,
    shim: Arc<ffi::Shim>,
    /// Of the part that counts time, if there is one.
    rounds: Option<Rounds>,
    /// The traced model of the same Verilog, once it was asked for.
    twin: Mutex<Option<Arc<Library>>>,
}

impl Library {
    /// Name of the top module.
    pub fn top(&self) -> &str {
        &self.top
    }

    /// Ports of the top module in their order.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// The model's own instance of a seed, of which 0 is all zeros.
    pub(super) fn instance(&self, seed: u32) -> ffi::Instance {
        self.shim.instantiate(seed).expect("the port table was tested when the library was opened")
    }

    /// The file that it was loaded from.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// A library that was built before, by its file; its Verilog stands beside it. Nothing is
    /// elaborated, so that what runs in this process is the simulation alone.
    pub fn built(file: &Path) -> Result<Arc<Self>, ModelError> {
        let text = verilog_beside(file)?;
        // `<top>-<hash>.so`, `<top>-<hash>.traced.so`
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let top = stem.rsplit_once('-').map_or(&*stem, |(top, _)| top);
        Self::load(top, (&text, &ports_of(&text, top)), file.into())
    }

    /// Of the part that counts time; none if the top has no such part.
    pub(super) fn rounds(&self) -> Option<Rounds> {
        self.rounds
    }

    /// Whether it has mutants ([`crate::mutate`]).
    pub fn is_mutated(&self) -> bool {
        self.ports.iter().any(|port| port.name == MUTANT)
    }

    /// Whether instances can write a waveform.
    pub fn is_traced(&self) -> bool {
        self.shim.is_traced()
    }

    /// The traced model of the same Verilog, built if it is not there; the library itself if it is
    /// traced. With Verilator 5.48 equal seeds give both the same initial values. With 5.006, which
    /// draws them one after the other, they may differ.
    ///
    /// # Errors
    /// Those of a build, and [`ModelError::File`] if the Verilog beside the library's file is gone.
    pub fn traced(self: &Arc<Self>) -> Result<Arc<Self>, ModelError> {
        if self.is_traced() {
            return Ok(Arc::clone(self));
        }
        let mut twin = lock(&self.twin);
        if let Some(twin) = &*twin {
            return Ok(Arc::clone(twin));
        }
        let verilog = verilog_beside(&self.file)?;
        let design =
            Design { verilator: &verilator::find()?, top: &self.top, verilog: &verilog, ports: &self.ports };
        let file = build::shared_library(&design, Kind::Traced)?;
        let made = Self::load(&self.top, (&verilog, &self.ports), file)?;
        *twin = Some(Arc::clone(&made));
        Ok(made)
    }

    /// The model of `emitted` as this Verilator translates it.
    pub(crate) fn open(
        verilator: &Verilator,
        emitted: &Emitted,
        kind: Kind,
    ) -> Result<Arc<Self>, ModelError> {
        for port in ["clock", "reset"] {
            if !emitted.ports.iter().any(|p| p.name == port && p.width == 1) {
                return Err(ModelError::NoClock { top: emitted.top.clone(), port });
            }
        }
        let Emitted { top, verilog, ports, .. } = emitted;
        let file = build::shared_library(&Design { verilator, top, verilog, ports }, kind)?;
        Self::load(top, (verilog, ports), file)
    }

    fn load(top: &str, (verilog, ports): (&str, &[Port]), file: PathBuf) -> Result<Arc<Self>, ModelError> {
        let octets = ports.iter().map(|p| storage_octets(p.width)).collect();
        let shim = ffi::Shim::open(&file, octets);
        let shim = Arc::new(shim.map_err(|e| ModelError::Load { file: file.clone(), why: e.to_string() })?);
        shim.instantiate(1).map_err(|ffi::WrongPorts| ModelError::Ports { file: file.clone() })?;
        let rounds = TimePart::find(verilog, top)?.map(|time| time.rounds);
        Ok(Arc::new(Self {
            top: top.into(),
            ports: ports.into(),
            file,
            shim,
            rounds,
            twin: Mutex::default(),
        }))
    }
}

/// The Verilog that `file`, a built library, was made from.
fn verilog_beside(file: &Path) -> Result<String, ModelError> {
    let path = file.with_extension("v");
    Ok(std::fs::read_to_string(&path).map_err(io("read", &path))?)
}

/// Octets in which Verilator keeps a port of `width` bits: CData, SData, IData, QData, then 32-bit
/// words.
fn storage_octets(width: usize) -> usize {
    match width {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        33..=64 => 8,
        _ => width.div_ceil(32) * 4,
    }
}

/// Libraries of this process by what they were made from; the inner lock lets different tops build
/// side by side while a second request for the same top waits.
type Slot = Arc<Mutex<Option<Arc<Library>>>>;
static LOADED: Mutex<Vec<(Top, Config, Kind, Slot)>> = Mutex::new(Vec::new());

/// A lock whose data stays good when a holder panicked: both maps here are changed in one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

/// The Verilated model of a top: emitted, translated, compiled and loaded, or taken from the folder
/// `models` beside the program, or from `target/models`. With a plan of mutants for this top in the
/// environment the model is the mutated one ([`crate::mutate`]), built or, for the numbers of the
/// profile `tiny`, taken from the file that [`MODEL`] names; with a folder of coverage it is one
/// that counts ([`crate::coverage`]). The model writes no waveforms: [`Library::traced`] gives the
/// model that does.
pub fn model(top: Top, config: &Config) -> Result<Arc<Library>, ModelError> {
    loaded(top, config, wanted())
}

/// What [`model`] builds: a model that counts, if the environment names a folder for the counts.
fn wanted() -> Kind {
    match coverage::folder() {
        Some(_) => Kind::Covered,
        None => Kind::Plain,
    }
}

/// As [`model`], but a model that can write waveforms.
pub fn traced_model(top: Top, config: &Config) -> Result<Arc<Library>, ModelError> {
    loaded(top, config, Kind::Traced)
}

fn loaded(top: Top, config: &Config, kind: Kind) -> Result<Arc<Library>, ModelError> {
    let slot = {
        let mut loaded = lock(&LOADED);
        match loaded.iter().find(|(t, c, k, _)| *t == top && c == config && *k == kind) {
            Some((_, _, _, slot)) => Arc::clone(slot),
            None => {
                let slot = Slot::default();
                loaded.push((top, config.clone(), kind, Arc::clone(&slot)));
                slot
            }
        }
    };
    let mut library = lock(&slot);
    if let Some(library) = &*library {
        return Ok(Arc::clone(library));
    }
    let made = made(top, config, kind)?;
    *library = Some(Arc::clone(&made));
    Ok(made)
}

/// The model beside this program, else the one that is built in `target/models`. Neither mutants
/// nor garbage of collisions are in a model beside the program.
fn made(top: Top, config: &Config, kind: Kind) -> Result<Arc<Library>, ModelError> {
    let plan = Plan::from_environment().map_err(ModelError::Plan)?.filter(|plan| plan.top == top.name());
    if let Some(file) = std::env::var_os(MODEL).filter(|_| plan.is_some()) {
        if kind == Kind::Plain && *config == Config::profile(Profile::Tiny) {
            return Library::built(Path::new(&file));
        }
    }
    let beside = Prebuilt::beside(top, config, kind).filter(|_| plan.is_none() && !collision::is_on());
    if let Some(file) = beside.as_ref().map(Prebuilt::library).transpose()?.flatten() {
        return Library::built(&file);
    }
    let verilator = verilator::find().map_err(|why| match beside {
        Some(Prebuilt { folder, stem }) => ModelError::NotBeside { folder, stem, why },
        None => why.into(),
    })?;
    let emitted = super::emitted(top, config)?;
    let emitted = Emitted { verilog: garbled(emitted.verilog), ..emitted };
    match plan {
        Some(plan) => Library::open(&verilator, &plan.apply(&emitted).emitted, kind),
        None => Library::open(&verilator, &emitted, kind),
    }
}

/// The Verilated model of any Verilog whose top has `clock` and `reset`. Every call loads anew: for
/// tests of the harness itself, and for texts that differ from what a top emits. As with [`model`]
/// there are no waveforms.
pub fn model_of(emitted: &Emitted) -> Result<Arc<Library>, ModelError> {
    Library::open(&verilator::find()?, emitted, Kind::Plain)
}
