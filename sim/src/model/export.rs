// SPDX-License-Identifier: MIT OR Apache-2.0
//! Copies a model to where a program of a release looks for the model.
use super::prebuilt::Prebuilt;
use super::{model, Kind, ModelError};
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::top::Top;
use std::path::{Path, PathBuf};

/// Copies the model of a top, built if it is not there, into `folder`. A program whose executable
/// stands beside a folder `models` with these files loads the model from there. The model writes
/// no waveforms. Returns the library's new file.
///
/// # Errors
/// Those of [`model`], and those of the copies.
pub fn export(top: Top, config: &Config, folder: &Path) -> Result<PathBuf, ModelError> {
    let library = model(top, config)?;
    let place = Prebuilt::of(folder.into(), top, config, Kind::Plain);
    let place = place.ok_or_else(|| ModelError::NoKey { top: top.name().into() })?;
    Ok(place.keep(library.file())?)
}

#[cfg(test)]
mod tests {
    use super::super::{prebuilt::PrebuiltError, Library};
    use super::*;
    use crate::paths;
    use ferrowarp_hdl::config::Profile;

    #[test]
    fn an_exported_model_is_found_by_its_key_and_refused_on_a_processor_without_its_instructions() {
        let folder = paths::target().join(format!("prebuilt-tests/{}", std::process::id()));
        let config = Config::profile(Profile::Tiny);
        let made = export(Top::MpaW64, &config, &folder).unwrap();
        let place = |config: &Config, kind| Prebuilt::of(folder.clone(), Top::MpaW64, config, kind).unwrap();
        let same = place(&config, Kind::Plain);
        assert_eq!(same.library().unwrap().as_deref(), Some(&*made));
        let library = Library::built(&made).unwrap();
        assert_eq!(library.top(), "mpa_w64");
        drop(library.instantiate(1));

        let other = place(&Config::profile(Profile::TenG), Kind::Plain);
        assert_eq!(other.library().unwrap(), None, "another configuration has another key");
        assert_eq!(place(&config, Kind::Traced).library().unwrap(), None, "a traced model is another one");

        let needs = made.with_extension("needs");
        std::fs::write(&needs, "-mnot-there\n").unwrap();
        let why = same.library().unwrap_err();
        assert!(matches!(&why, PrebuiltError::Processor { missing, .. } if missing == "-mnot-there"));
        assert!(why.to_string().contains("cargo xtask release"), "{why}");
        std::fs::remove_file(&needs).unwrap();
        assert!(same.library().unwrap_err().to_string().contains(".needs"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
