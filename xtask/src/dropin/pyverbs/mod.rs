// SPDX-License-Identifier: MIT OR Apache-2.0
//! rdma-core's own cases by pyverbs, on the library and two simulated devices. Debian's package
//! rdma-core brings the cases. `run.py` runs them, with what an iWARP device needs in their place.
mod outcome;
mod page;

use super::place::{Place, ADDRESSES};
use super::Program;
use crate::steps::Step;
use crate::{repo, simulator};
use anyhow::{ensure, Context, Result};
use outcome::{judge, outcomes, Outcome};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Where Debian's package has the cases.
const CASES: &str = "/usr/share/doc/rdma-core/tests";
/// Debian's Python, for which Debian's pyverbs is.
const PYTHON: &str = "/usr/bin/python3";
/// Copies the folder of the first argument into the folder of the second. Cases of the providers
/// mlx5 and efa are left out: these need the devices of other vendors.
const COPY: &str =
    "cp -r \"$1\" \"$2\"; cd \"$2/tests\"; rm -f test_mlx5* test_efa*; gunzip *.gz; ls test_*.py";
/// Longest run of all cases that share a process.
const PATIENCE: Duration = Duration::from_secs(900);
/// Cases of connections. Each has devices of its own: a process that fails may hold the devices of
/// the next case for a moment.
const CONNECTIONS: [&str; 10] = [
    "async_ex_leave_multicast_traffic",
    "async_ex_multicast_traffic",
    "async_multicast_traffic",
    "async_read",
    "async_reject_traffic",
    "async_traffic",
    "async_traffic_external_qp",
    "async_udp_traffic",
    "async_write",
    "sync_traffic",
];
/// What CI runs of the other cases, in one process, and of those of connections.
const SHORT: [&str; 7] = [
    "tests.test_device",
    "tests.test_pd",
    "tests.test_cq",
    "tests.test_cqex.CQEXAPITest",
    "tests.test_fork",
    "tests.test_qp",
    "tests.test_qpex.QpExTestCase.test_qp_ex_rc_rdma_read",
];
const SHORT_CONNECTIONS: [&str; 2] = ["async_traffic_external_qp", "sync_traffic"];

fn connection(case: &str) -> String {
    format!("tests.test_rdmacm.CMTestCase.test_rdmacm_{case}")
}

/// The folder with the cases, and the names of their modules.
fn unpacked(step: &Step) -> Result<(PathBuf, Vec<String>)> {
    let folder = repo::emptied("pyverbs")?;
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", repo::shown(&folder)))?;
    let mut copy = Command::new("sh");
    let listed = step.capture(copy.args(["-ec", COPY, "sh", CASES]).arg(&folder)).with_context(|| {
        format!("no cases in {CASES}: `cargo xtask setup` installs rdma-core; dpkg may leave documents out")
    })?;
    let module = |name: &str| name.strip_suffix(".py").map(|module| format!("tests.{module}"));
    Ok((folder, listed.lines().filter_map(module).collect()))
}

/// Runs cases in one process. It is an error if a case fails whose reason is not known.
fn run(step: &Step, library: &Path, folder: &Path, cases: &[String]) -> Result<Vec<Outcome>> {
    let sockets = tempfile::tempdir().context("cannot make a folder for sockets")?;
    let place = Place::new(library, sockets.path(), &ADDRESSES)?;
    let script = repo::root().join("xtask/src/dropin/pyverbs/run.py");
    let words =
        [&[PYTHON.into(), script.display().to_string(), folder.display().to_string()], cases].concat();
    step.note(&cases.join(" "));
    let said = Program::start(&words.join(" "), library, &place.urls.join(","))?.done(PATIENCE)?;
    place.finish()?;
    let done = outcomes(&said);
    ensure!(!done.is_empty(), "`{}` ran no case:\n{said}", words.join(" "));
    judge(&done)?;
    Ok(done)
}

/// Runs the cases of CI. The answer is how many passed.
pub fn short(step: &Step, library: &Path) -> Result<usize> {
    let (folder, _) = unpacked(step)?;
    let mut done = run(step, library, &folder, &SHORT.map(String::from))?;
    for case in SHORT_CONNECTIONS {
        done.extend(run(step, library, &folder, &[connection(case)])?);
    }
    let passed = done.iter().filter(|outcome| outcome.what == outcome::What::Passed).count();
    step.line(&format!("    pyverbs: {passed} cases of rdma-core passed, {} skipped", done.len() - passed));
    Ok(passed)
}

/// Runs all cases, and writes the page about them.
pub fn all(step: &Step, library: &Path) -> Result<()> {
    simulator::prepare(step)?;
    let library = library.parent().unwrap_or(Path::new("."));
    let (folder, modules) = unpacked(step)?;
    let together: Vec<_> = modules.into_iter().filter(|module| module != "tests.test_rdmacm").collect();
    let mut done = run(step, library, &folder, &together)?;
    for case in CONNECTIONS {
        done.extend(run(step, library, &folder, &[connection(case)])?);
    }
    done.sort();
    repo::write(&repo::root().join(page::FILE), &page::text(&done))?;
    step.line(&format!("    {} cases; wrote {}", done.len(), page::FILE));
    Ok(())
}
