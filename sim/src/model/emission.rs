// SPDX-License-Identifier: MIT OR Apache-2.0
//! Emitted text, elaborated once for all processes: an elaboration of the device takes seconds, and
//! each test binary would do its own.
#[path = "../../../hdl/sources.rs"]
mod sources;

use crate::paths;
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::emit::{ports_of, EmitError, Emitted};
use ferrowarp_hdl::top::Top;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// What is kept of an emission; the rest follows from the text.
#[derive(Serialize, Deserialize)]
struct Kept {
    verilog: String,
    modules: usize,
    modules_before: usize,
}

/// Emits `top`, or takes its text from `target/models/text`, where it is kept under the hash of the
/// generator's sources ([`ferrowarp_hdl::SOURCES`]), top and configuration.
///
/// # Errors
/// Those of [`Top::emit`]. A text that cannot be kept is no error.
pub fn emitted(top: Top, config: &Config) -> Result<Emitted, EmitError> {
    emitted_in(&paths::models().join("text"), top, config)
}

fn emitted_in(folder: &Path, top: Top, config: &Config) -> Result<Emitted, EmitError> {
    let path = place(folder, top, config);
    let name = top.name();
    if let Some(Kept { verilog, modules, modules_before }) = path.as_deref().and_then(read) {
        let ports = ports_of(&verilog, name);
        return Ok(Emitted { top: name.into(), verilog, ports, modules, modules_before });
    }
    let emitted = top.emit(config)?;
    if let Some(path) = path.filter(|_| is_of_these_sources()) {
        if let Err(e) = write(&path, &emitted) {
            tracing::warn!(path = %path.display(), error = %e, "the emitted text cannot be kept");
        }
    }
    Ok(emitted)
}

/// Hash of the generator's sources and a configuration; none if the configuration has no text.
pub(super) fn key(config: &Config) -> Option<String> {
    let config = serde_json::to_vec(config).ok()?;
    let mut hash = Sha256::new();
    hash.update(ferrowarp_hdl::SOURCES);
    hash.update(config);
    Some(hash.finalize().iter().take(12).map(|b| format!("{b:02x}")).collect())
}

/// Where the text is kept; nowhere if the configuration has no key.
fn place(folder: &Path, top: Top, config: &Config) -> Option<PathBuf> {
    Some(folder.join(format!("{}-{}.json", top.name(), key(config)?)))
}

/// A text that is not there, or is damaged, is made again.
fn read(path: &Path) -> Option<Kept> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Whether the sources are still those whose hash this program was built with. Who edited one while
/// the compiler was at work has a program whose text belongs to neither state.
fn is_of_these_sources() -> bool {
    sources::hash(&paths::workspace()).is_ok_and(|hash| hash == ferrowarp_hdl::SOURCES)
}

/// In one step, as other processes read meanwhile.
fn write(path: &Path, emitted: &Emitted) -> std::io::Result<()> {
    let Emitted { verilog, modules, modules_before, .. } = emitted;
    let (modules, modules_before) = (*modules, *modules_before);
    let kept = serde_json::to_vec(&Kept { verilog: verilog.clone(), modules, modules_before })?;
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let thread = std::thread::current().id();
    let own = path.with_extension(format!("{}-{thread:?}", std::process::id()));
    std::fs::write(&own, kept)?;
    std::fs::rename(own, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrowarp_hdl::config::Profile;

    #[test]
    fn a_text_that_is_kept_is_the_one_that_was_emitted() {
        let folder = paths::target().join(format!("emission-tests/{}", std::process::id()));
        let config = Config::profile(Profile::Tiny);
        let fresh = Top::MpaW64.emit(&config).unwrap();
        let path = place(&folder, Top::MpaW64, &config).unwrap();
        let same = |emitted: Emitted| {
            assert_eq!(emitted.verilog, fresh.verilog);
            assert_eq!(format!("{:?}", emitted.ports), format!("{:?}", fresh.ports));
            let counts = |e: &Emitted| (e.top.clone(), e.modules, e.modules_before);
            assert_eq!(counts(&emitted), counts(&fresh));
        };
        same(emitted_in(&folder, Top::MpaW64, &config).unwrap());
        assert!(path.is_file(), "the sources are those of this test");
        same(emitted_in(&folder, Top::MpaW64, &config).unwrap());
        std::fs::write(&path, "damaged").unwrap();
        same(emitted_in(&folder, Top::MpaW64, &config).unwrap());
        let other = place(&folder, Top::MpaW64, &Config::profile(Profile::TenG)).unwrap();
        assert_ne!(path, other);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing but the text stays");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
