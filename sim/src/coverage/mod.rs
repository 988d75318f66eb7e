// SPDX-License-Identifier: MIT OR Apache-2.0
//! Coverage of the emitted Verilog: what a process has run of the models that it made.
//!
//! If [`VARIABLE`] names a folder, [`crate::model()`] gives models that count. When an instance is
//! dropped, its counters join the file `<model>.<process>.hits` in that folder: one bit a counter,
//! which is 1 if an instance of this process has counted anything there. The list of what each
//! counter stands for is `<model>.points`, beside the library in `target/models`.
mod points;

pub(crate) use points::{listed, unnamed};
pub use points::{parsed, Point, Thing};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// The variable that names the folder.
pub const VARIABLE: &str = "FERROWARP_COVERAGE";

/// Extension of a list of points.
pub const POINTS: &str = "points";

/// Extension of a file of hits.
pub const HITS: &str = "hits";

/// The folder of hits; none if no coverage is asked for.
pub fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let asked = || std::env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    FOLDER.get_or_init(asked).as_deref()
}

/// Hits of this process by the stem of a model's files.
static KEPT: Mutex<BTreeMap<String, Vec<u8>>> = Mutex::new(BTreeMap::new());

/// Adds what an instance of `library` has counted to the hits of this process, and writes these.
/// A file that cannot be written is told in the log: the run goes on.
pub(crate) fn keep(library: &Path, counters: &[u32]) {
    let (Some(folder), Some(stem)) = (folder(), library.file_stem()) else { return };
    let stem = stem.to_string_lossy();
    let mut kept = KEPT.lock().unwrap_or_else(|e| e.into_inner());
    let hits = kept.entry(stem.to_string()).or_default();
    if !join(hits, counters) {
        return;
    }
    let path = folder.join(format!("{stem}.{}.{HITS}", std::process::id()));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, &*hits));
    if let Err(e) = written {
        tracing::error!(path = %path.display(), error = %e, "hits of coverage are lost");
    }
}

/// Hits of this process on a model, whose files have this stem. Bit `n % 8` of octet `n / 8` is 1
/// if counter `n` of an instance that was dropped is not 0. Empty if there was none.
pub fn hits(stem: &str) -> Vec<u8> {
    KEPT.lock().unwrap_or_else(|e| e.into_inner()).get(stem).cloned().unwrap_or_default()
}

/// Sets the bit of each counter that is not 0. Returns whether a bit is new.
fn join(hits: &mut Vec<u8>, counters: &[u32]) -> bool {
    let is_first = hits.is_empty();
    hits.resize(hits.len().max(counters.len().div_ceil(8)), 0);
    let mut is_new = is_first;
    for (hit, eight) in hits.iter_mut().zip(counters.chunks(8)) {
        let bits = eight.iter().enumerate().fold(0, |bits, (n, count)| bits | u8::from(*count != 0) << n);
        is_new |= bits & !*hit != 0;
        *hit |= bits;
    }
    is_new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_of_several_instances_add_up() {
        let mut hits = vec![];
        assert!(join(&mut hits, &[0; 10]), "a first file is written even if it is empty");
        assert!(join(&mut hits, &[1, 0, 0, 0, 0, 0, 0, 9, 0, 0]));
        assert!(join(&mut hits, &[0, 0, 0, 0, 0, 0, 0, 1, 0, u32::MAX]));
        assert_eq!(hits, [0b1000_0001, 0b10]);
        assert!(!join(&mut hits, &[5, 0, 0, 0, 0, 0, 0, 0, 0, 0]), "nothing new is not written again");
    }
}
