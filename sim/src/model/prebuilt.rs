// SPDX-License-Identifier: MIT OR Apache-2.0
//! Models beside the program: a release carries the models that its programs run, so that neither
//! Verilator nor a compiler is needed where the release is unpacked.
//!
//! The folder `models` beside the executable holds three files a model. `<top>-<key>.so` is the
//! library. `<top>-<key>.v` is its Verilog. `<top>-<key>.needs` lists the compiler flags of the
//! processor's instructions, one a line. The key is that of an emitted text ([`emission::key`]):
//! sources of the generator, and configuration. A program of other sources finds no model.
use super::processor::bits;
use super::{emission, Kind};
use crate::file_error::{io, FileError};
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::top::Top;
use std::fs;
use std::path::{Path, PathBuf};

/// Name of the folder beside the executable.
pub const FOLDER: &str = "models";

/// Why a model beside the program cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PrebuiltError {
    /// The model was compiled for another processor.
    #[error(
        "{file} was compiled for a processor with {missing}, and this processor has no such instructions; \
         make the release on a machine like this one by `cargo xtask release`", file = .file.display()
    )]
    Processor {
        /// The library.
        file: PathBuf,
        /// Compiler flags of the instructions.
        missing: String,
    },
    /// A file of the model cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A model in a folder, there or not.
pub(super) struct Prebuilt {
    /// The folder of models.
    pub(super) folder: PathBuf,
    /// Name of the model's files, without extension.
    pub(super) stem: String,
}

impl Prebuilt {
    /// A model in `folder`; none if the configuration has no key.
    pub(super) fn of(folder: PathBuf, top: Top, config: &Config, kind: Kind) -> Option<Self> {
        let stem = format!("{}-{}{}", top.name(), emission::key(config)?, kind.mark());
        Some(Self { folder, stem })
    }

    /// A model in the folder beside this executable; none if there is no such folder.
    pub(super) fn beside(top: Top, config: &Config, kind: Kind) -> Option<Self> {
        let folder = std::env::current_exe().ok()?.parent()?.join(FOLDER);
        Self::of(folder, top, config, kind).filter(|model| model.folder.is_dir())
    }

    /// The library, if the model is there. Nothing of the library has run yet.
    ///
    /// # Errors
    /// [`PrebuiltError::Processor`], and [`PrebuiltError::File`] if the list of instructions cannot
    /// be read.
    pub(super) fn library(&self) -> Result<Option<PathBuf>, PrebuiltError> {
        let file = self.file("so");
        if !file.is_file() {
            return Ok(None);
        }
        let needs = self.file("needs");
        let needs = fs::read_to_string(&needs).map_err(io("read", &needs))?;
        let has = bits();
        let missing: Vec<_> = needs.lines().filter(|flag| !has.contains(flag)).collect();
        match missing.is_empty() {
            true => Ok(Some(file)),
            false => Err(PrebuiltError::Processor { file, missing: missing.join(" ") }),
        }
    }

    /// Copies a library that was built on this machine, and the Verilog beside the library, to the
    /// place of this model. Returns the copy of the library.
    pub(super) fn keep(&self, library: &Path) -> Result<PathBuf, PrebuiltError> {
        let copy = |from: &Path, to: &Path| fs::copy(from, to).map(drop).map_err(io("copy", from));
        fs::create_dir_all(&self.folder).map_err(io("create", &self.folder))?;
        let (file, needs) = (self.file("so"), self.file("needs"));
        copy(library, &file)?;
        copy(&library.with_extension("v"), &self.file("v"))?;
        let flags: String = bits().iter().map(|flag| format!("{flag}\n")).collect();
        fs::write(&needs, flags).map_err(io("write", &needs))?;
        Ok(file)
    }

    fn file(&self, extension: &str) -> PathBuf {
        self.folder.join(format!("{}.{extension}", self.stem))
    }
}
