// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cache of built models: content-hashed, built once even when several processes ask at the
//! same time.
use super::compile::{Speed, Unit};
use super::cxx::Cxx;
use super::time::TimePart;
use super::{shim, Kind, ModelError};
use crate::coverage;
use crate::file_error::{io, FileError};
use crate::paths;
use crate::verilator::Verilator;
use ferrowarp_hdl::emit::Port;
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Beside the runtime's sources, for those that include `<lz4.h>`.
const LZ4: &str = include_str!("lz4.h");

/// What a model is made from, and by which Verilator.
pub(super) struct Design<'a> {
    pub(super) verilator: &'a Verilator,
    /// Name of the top module.
    pub(super) top: &'a str,
    /// The whole design, one text.
    pub(super) verilog: &'a str,
    /// Ports of the top module in their order.
    pub(super) ports: &'a [Port],
}

/// Returns the shared library of `design`, building it if it is not there: `<top>-<hash>.so`, of a
/// traced model `<top>-<hash>.traced.so`.
pub(super) fn shared_library(design: &Design<'_>, kind: Kind) -> Result<PathBuf, ModelError> {
    let &Design { verilator, top, verilog: text, ports } = design;
    let cxx = Cxx::find(&verilator.include(), kind)?;
    let time = TimePart::find(text, top)?;
    let shim = shim::shim(ports, kind, time.as_ref());
    let control = time.as_ref().map_or_else(String::new, TimePart::control);
    let tools = format!("{}\n{}", verilator.identity(kind), cxx.identity());
    let name = format!("{top}-{}{}", hash(&[text, &shim, &control, &tools]), kind.mark());
    let models = paths::models();
    let library = models.join(format!("{name}.so"));
    once(&models, &name, &library, || {
        let started = std::time::Instant::now();
        tracing::info!(top, ?kind, "building the Verilated model");
        let work = models.join(format!("{name}.build"));
        fresh_dir(&work)?;
        let verilog = work.join(format!("{top}.v"));
        write(&verilog, text)?;
        let controls = work.join("control.vlt");
        write(&controls, &control)?;
        let refused = |stderr| ModelError::Verilator { top: top.into(), stderr };
        let sources = [&controls, &verilog].map(PathBuf::as_path);
        let sources = if time.is_some() { &sources[..] } else { &sources[1..] };
        verilator.translate(top, kind, sources, &work).map_err(refused)?;
        if time.is_some() {
            let header = work.join("Vdut___024root.h");
            plain(&fs::read_to_string(&header).map_err(io("read", &header))?).map_err(refused)?;
        }
        if kind == Kind::Covered {
            write(&models.join(format!("{name}.{}", coverage::POINTS)), &points(verilator, &work)?)?;
        }
        write(&work.join("shim.cpp"), &shim)?;
        let mut objects = runtime(verilator, &cxx, &work)?;
        let units = units(&work)?;
        objects.extend(units.iter().map(|u| u.object.clone()));
        cxx.compile(units, &work)?;
        let linked = work.join("model.so");
        cxx.link(&objects, &linked)?;
        // The Verilog is kept beside the library for a reader of a waveform and for the traced
        // twin; the C++ is large and of no use. The library comes last: where it is, its Verilog
        // is.
        rename(&verilog, &models.join(format!("{name}.v")))?;
        rename(&linked, &library)?;
        remove_dir(&work)?;
        tracing::info!(top, ?kind, seconds = started.elapsed().as_secs_f64(), "model built");
        Ok(())
    })?;
    Ok(library)
}

/// The list of what a model counts, from the C++ in `work` that names the counters. The names leave
/// the C++: Verilator's runtime would take them in for each instance, which takes seconds.
fn points(verilator: &Verilator, work: &Path) -> Result<String, ModelError> {
    let mut list = String::new();
    for Unit { source, .. } in units(work)? {
        let text = fs::read_to_string(&source).map_err(io("read", &source))?;
        let names = coverage::listed(&text);
        if !names.is_empty() {
            write(&source, &coverage::unnamed(&text))?;
            list += &names;
        }
    }
    match list.is_empty() {
        true => Err(ModelError::NoPoints { version: verilator.version.clone() }),
        false => Ok(list),
    }
}

/// Refuses a model whose state is not all in the members of its root, as it is copied octet by
/// octet.
fn plain(header: &str) -> Result<(), String> {
    const ELSEWHERE: [&str; 5] = ["std::", "VlQueue", "VlAssocArray", "VlNBACommitQueue", "VlClassRef"];
    match ELSEWHERE.iter().find(|kind| header.contains(*kind)) {
        Some(kind) => {
            Err(format!("a member of the model is of the kind `{kind}`, whose octets are elsewhere"))
        }
        None => Ok(()),
    }
}

/// Verilator's runtime as object files, compiled once for all models of one kind and tool set.
/// Which files it has is written by Verilator beside the first model, in `work`.
fn runtime(verilator: &Verilator, cxx: &Cxx, work: &Path) -> Result<Vec<PathBuf>, ModelError> {
    let makefile = work.join("Vdut_classes.mk");
    let classes = fs::read_to_string(&makefile).map_err(io("read", &makefile))?;
    let sources = globals(&classes);
    let name = format!("rt-{}", hash(&[&verilator.release(), &cxx.identity(), &sources.join(" "), LZ4]));
    let models = paths::models();
    let dir = models.join(&name);
    let object = |dir: &Path, source: &str| dir.join(format!("{source}.o"));
    once(&models, &name, &dir, || {
        let fresh = models.join(format!("{name}.build"));
        fresh_dir(&fresh)?;
        write(&fresh.join("lz4.h"), LZ4)?;
        let units = sources.iter().map(|s| Unit {
            source: verilator.include().join(format!("{s}.cpp")),
            object: object(&fresh, s),
            speed: Speed::Fast,
        });
        cxx.compile(units.collect(), &fresh)?;
        Ok(rename(&fresh, &dir)?)
    })?;
    Ok(sources.iter().map(|s| object(&dir, s)).collect())
}

/// The names in the lists `VM_GLOBAL_FAST` and `VM_GLOBAL_SLOW` of Verilator's make fragment.
fn globals(makefile: &str) -> Vec<String> {
    let mut names = vec![];
    let mut inside = false;
    for line in makefile.lines() {
        if line.contains("+=") {
            inside = line.starts_with("VM_GLOBAL_FAST") || line.starts_with("VM_GLOBAL_SLOW");
        } else if line.trim().is_empty() {
            inside = false;
        } else if inside {
            names.extend(line.trim_end_matches('\\').split_whitespace().map(String::from));
        }
    }
    names
}

/// Every C++ file in `work`; what Verilator marks as slow is code of construction and trace
/// declarations.
fn units(work: &Path) -> Result<Vec<Unit>, ModelError> {
    let files = fs::read_dir(work).map_err(io("list", work))?;
    let sources = files.flatten().map(|f| f.path()).filter(|p| p.extension() == Some(OsStr::new("cpp")));
    let mut units: Vec<Unit> = sources
        .map(|source| {
            let name = source.file_name().unwrap_or_default().to_string_lossy();
            let slow = ["__Slow", "__Syms", "__Trace"].iter().any(|mark| name.contains(mark));
            let speed = if slow { Speed::Slow } else { Speed::Fast };
            Unit { object: source.with_extension("o"), speed, source }
        })
        .collect();
    units.sort_by(|a, b| a.source.cmp(&b.source));
    Ok(units)
}

/// Runs `build` unless `made` exists, under a lock that holds between processes and between
/// threads.
fn once(
    dir: &Path,
    name: &str,
    made: &Path,
    build: impl FnOnce() -> Result<(), ModelError>,
) -> Result<(), ModelError> {
    if made.exists() {
        return Ok(());
    }
    fs::create_dir_all(dir).map_err(io("create", dir))?;
    let path = dir.join(format!("{name}.lock"));
    let lock = File::create(&path).map_err(io("create", &path))?;
    lock.lock().map_err(io("lock", &path))?;
    if made.exists() {
        return Ok(());
    }
    build()
}

/// The first 64 bits of a SHA-256 over the parts, as 16 hex digits.
pub(crate) fn hash<P: AsRef<[u8]>>(parts: &[P]) -> String {
    let mut sha = Sha256::new();
    for part in parts.iter().map(AsRef::as_ref) {
        sha.update((part.len() as u64).to_le_bytes());
        sha.update(part);
    }
    sha.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect()
}

fn write(path: &Path, text: &str) -> Result<(), FileError> {
    fs::write(path, text).map_err(io("write", path))
}

fn rename(from: &Path, to: &Path) -> Result<(), FileError> {
    fs::rename(from, to).map_err(io("rename", from))
}

fn remove_dir(path: &Path) -> Result<(), FileError> {
    fs::remove_dir_all(path).map_err(io("remove", path))
}

/// An empty folder, whatever a build that was killed left there.
fn fresh_dir(path: &Path) -> Result<(), FileError> {
    if path.exists() {
        remove_dir(path)?;
    }
    fs::create_dir_all(path).map_err(io("create", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtime_is_what_verilator_lists() {
        let text = "VM_CLASSES_FAST += \\\n\tVdut \\\n\nVM_GLOBAL_FAST += \\\n\tverilated \\\n\tverilated_fst_c \\\n\n\
                    VM_GLOBAL_SLOW += \\\n\n# end\nVM_X = 1\n";
        assert_eq!(globals(text), ["verilated", "verilated_fst_c"]);
    }
}
