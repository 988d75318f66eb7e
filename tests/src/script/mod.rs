// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scripts of one connection's both ends, `tests/conformance/scripts/*.iw`: what a peer sends and
//! must see on the wire, what an application does by verbs and must be told.
//!
//! `tests/conformance/scripts/README.md` has the language. [`Script::parse`] reads a script,
//! [`run::run`] runs it over two traits, [`device::Wire`] and [`device::Application`]. What
//! a script proves is what its steps have checked.
pub mod agent;
pub mod device;
pub mod habits;
pub mod judge;
pub mod link;
pub mod linux;
pub mod parse;
pub mod run;
pub mod sockets;
pub mod table;
pub mod text;
pub mod ulpdu;
pub mod value;
pub mod verbs;

pub use parse::{Script, Step};
pub use text::ScriptError;

use std::path::{Path, PathBuf};

/// Where the scripts are; `FERROWARP_SCRIPTS` names another folder.
fn folder() -> PathBuf {
    let own = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("conformance/scripts");
    std::env::var_os("FERROWARP_SCRIPTS").map_or_else(own, PathBuf::from)
}

/// Name and text of each script, in the order of their names. The name of `mpa/crc.iw` is
/// `mpa/crc`.
///
/// # Panics
/// If they cannot be read.
pub fn files() -> Vec<(String, String)> {
    let root = folder();
    let list = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
        entries.map(|entry| entry.expect("a file").path()).collect()
    };
    let (folders, mut paths): (Vec<_>, Vec<_>) = list(&root).into_iter().partition(|path| path.is_dir());
    paths.extend(folders.iter().flat_map(|folder| list(folder)));
    let mut files: Vec<_> = paths
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "iw"))
        .map(|path| {
            let name = path.strip_prefix(&root).expect("below the folder").with_extension("");
            let text = std::fs::read_to_string(&path);
            let text = text.unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            (name.to_string_lossy().into_owned(), text)
        })
        .collect();
    files.sort();
    files
}
