// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tells the crate the hash of what its emitted text depends on.
mod sources;

use std::path::Path;

fn main() -> std::io::Result<()> {
    let workspace = Path::new("..");
    for source in sources::files(workspace)? {
        println!("cargo:rerun-if-changed={}", workspace.join(source).display());
    }
    println!("cargo:rustc-env=FERROWARP_HDL_SOURCES={}", sources::hash(workspace)?);
    Ok(())
}
