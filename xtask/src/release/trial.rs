// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trial of a tarball: unpacked in an empty root, two devices and two applications run a tour.
use super::contents::{Tarball, PROGRAMS, SUMS};
use crate::application::Application;
use crate::demo::visit::Told;
use crate::programs::Programs;
use crate::simulator::{Device, Simulator};
use crate::steps::Step;
use crate::{child, repo};
use anyhow::{ensure, Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// How long the devices and the tour may take.
const LONGEST: Duration = Duration::from_secs(60);
/// Seconds that a step of the tour may take.
const PATIENCE: &str = "25";
/// Octets of the Write.
const OCTETS: usize = 4096;
/// The operation that the tarball is for, as the tour names it.
const WRITE: &str = "RDMA Write";

/// Unpacks the tarball, compares its checksums, and runs its programs where nothing but they and
/// their shared libraries is. Returns what was done.
pub fn run(step: &Step, tarball: &Tarball) -> Result<String> {
    let root = repo::emptied("release-root")?;
    for name in ["tmp", "proc"] {
        fs::create_dir_all(root.join(name)).with_context(|| format!("cannot make {}", root.display()))?;
    }
    step.capture(Command::new("tar").arg("-xzf").arg(&tarball.path).arg("-C").arg(&root))?;
    let folder = root.join(&tarball.folder);
    let check = ["--check", "--strict", "--quiet", SUMS];
    step.capture(Command::new("sha256sum").args(check).current_dir(&folder))?;
    let loaded = PROGRAMS.iter().map(|name| folder.join("bin").join(name));
    let loaded: Vec<_> = loaded.chain([folder.join(&tarball.model)]).collect();
    let libraries = libraries(&loaded)?;
    for library in &libraries {
        let place = root.join(library.strip_prefix("/")?);
        fs::create_dir_all(place.parent().unwrap_or(&root))?;
        fs::copy(library, &place).with_context(|| format!("cannot copy {}", library.display()))?;
    }
    let programs = Programs::inside(&root, &Path::new("/").join(&tarball.folder).join("bin"))?;
    step.note("two devices, two applications");
    let start = Instant::now();
    let told = tour(&programs, &root)?;
    let took = start.elapsed();
    ensure!(took < LONGEST, "the tour took {took:.1?}, where {LONGEST:?} are allowed");
    let write = told.visit.shown.iter().find(|shown| shown.what == WRITE);
    let write = write.with_context(|| format!("the tour shows no `{WRITE}`"))?;
    ensure!(write.octets == OCTETS, "the {WRITE} has {} octets, and {OCTETS} were asked for", write.octets);
    fs::remove_dir_all(&root).with_context(|| format!("cannot remove {}", repo::shown(&root)))?;
    Ok(format!(
        "{WRITE} of {OCTETS} octets; {} octets compared; {:.1} s; {} shared libraries",
        told.visit.compared,
        took.as_secs_f64(),
        libraries.len()
    ))
}

/// Serves two devices on a link, and takes the tour.
fn tour(programs: &Programs, root: &Path) -> Result<Told> {
    let device = |n: usize| Device {
        socket: PathBuf::from(format!("/tmp/{n}")),
        eth: format!("link:{}", 1 - n),
        capture: PathBuf::from(format!("/tmp/{n}.pcapng")),
    };
    let log = root.join("tmp/log");
    let simulator = Simulator::of(programs, vec![device(0), device(1)], &[], &log)?;
    let common = ["--json", "--patience", PATIENCE];
    let application = |n: usize, arguments: &[&str]| {
        let (socket, net) = (device(n).socket, format!("ip=10.0.0.{}/24", n + 1));
        Application::start(programs, &socket, &net, &[&common[..], arguments].concat())
    };
    let mut server = application(0, &["--server"])?;
    server.listens()?;
    let client = application(1, &["--client", "10.0.0.1", "--octets", &OCTETS.to_string()])?;
    let told = client.said().context("the client")?;
    server.said().context("the server")?;
    simulator.finish()?;
    Ok(serde_json::from_str(&told)?)
}

/// The shared libraries that `ldd` names of these files, the loader among them.
fn libraries(files: &[PathBuf]) -> Result<BTreeSet<PathBuf>> {
    let mut all = BTreeSet::new();
    for file in files {
        let said = child::capture(Command::new("ldd").arg(file))?;
        all.extend(named(&said).with_context(|| format!("ldd, of {}", repo::shown(file)))?);
    }
    Ok(all)
}

/// The paths in what `ldd` says. The error is a library that is not there.
fn named(said: &str) -> Result<Vec<PathBuf>> {
    ensure!(!said.contains("not found"), "a library is missing:\n{said}");
    let path = |line: &str| line.split_whitespace().find(|word| word.starts_with('/')).map(PathBuf::from);
    Ok(said.lines().filter_map(path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_and_loader_are_read_from_ldd() {
        let said =
            "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f63)\n\
                    \t/lib64/ld-linux-x86-64.so.2 (0x00007f63)\n";
        let paths = named(said).unwrap();
        assert_eq!(
            paths,
            ["/lib/x86_64-linux-gnu/libm.so.6", "/lib64/ld-linux-x86-64.so.2"].map(PathBuf::from)
        );
        let why = named("\tlibatomic.so.1 => not found\n").unwrap_err().to_string();
        assert!(why.contains("libatomic.so.1"), "{why}");
    }
}
