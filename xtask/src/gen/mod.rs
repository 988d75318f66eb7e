// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask gen`: writes what follows from the tables of abi, or checks that it is written.

mod codecs;
mod constants;
mod model;
mod pages;
mod records;
mod registers;

use crate::repo;
use anyhow::{bail, Context};
use ferrowarp_abi::all::protocols;
use ferrowarp_hdl::emit::LICENSE_LINE;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Options of the command.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask gen\n  cargo xtask gen --check")]
pub struct Args {
    /// Write nothing; fail if a committed file differs from the tables
    #[arg(long)]
    check: bool,
}

/// Line behind the licence line of every generated Rust file.
const NOTICE: &str =
    "// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.\n";

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let files = files(&repo::root())?;
    if args.check {
        check(&repo::root(), &files)?;
        crate::draw::check()?;
        say!("gen: {} files are as the tables say", files.len());
        return Ok(());
    }
    let mut changed = 0;
    for (path, text) in &files {
        let whole = repo::root().join(path);
        if std::fs::read_to_string(&whole).is_ok_and(|old| old == *text) {
            continue;
        }
        repo::write(&whole, text)?;
        say!("wrote {}", path.display());
        changed += 1;
    }
    say!("gen: {changed} of {} files changed", files.len());
    crate::draw::update()
}

/// Every generated file: its path from the root and its text.
fn files(root: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let mut rust = vec![
        ("abi/src/gen/mod.rs".to_string(), codecs::index()),
        ("hdl/src/gen/mod.rs".to_string(), records::index()),
    ];
    let in_folder = |folder: &'static str| move |(name, text)| (format!("{folder}/{name}"), text);
    rust.extend(constants::software().into_iter().map(in_folder("abi/src/gen/consts")));
    rust.extend(constants::hardware().into_iter().map(in_folder("hdl/src/gen/consts")));
    for p in protocols() {
        rust.push((format!("abi/src/gen/{}.rs", p.name), codecs::file(p)));
        rust.push((format!("hdl/src/gen/{}.rs", p.name), records::file(p)));
    }
    let mut all = vec![];
    for (path, text) in rust {
        let text = rustfmt(root, &format!("{LICENSE_LINE}\n{NOTICE}{text}"))
            .with_context(|| format!("formatting {path}"))?;
        all.push((path.into(), text));
    }
    let page = PathBuf::from("docs/abi.md");
    let old =
        std::fs::read_to_string(root.join(&page)).with_context(|| format!("reading {}", page.display()))?;
    all.push((page, pages::page(&old)?));
    all.push(("docs/registers.md".into(), registers::page()));
    Ok(all)
}

/// `text` as `cargo fmt` would leave it.
pub fn rustfmt(root: &Path, text: &str) -> anyhow::Result<String> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2021", "--config-path"])
        .arg(root.join("rustfmt.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run rustfmt; install it with `rustup component add rustfmt`")?;
    // rustfmt reads all of its input before it writes: no pipe can fill up on both sides.
    child.stdin.take().context("rustfmt has no standard input")?.write_all(text.as_bytes())?;
    let out = child.wait_with_output()?;
    if !out.status.success() {
        bail!("rustfmt refuses the generated text ({}): a table gives impossible Rust", out.status);
    }
    Ok(String::from_utf8(out.stdout)?)
}

/// Fails on the first file that differs, and on files in the generated folders that nothing writes
/// any more.
fn check(root: &Path, files: &[(PathBuf, String)]) -> anyhow::Result<()> {
    for (path, expected) in files {
        let have = std::fs::read_to_string(root.join(path)).unwrap_or_default();
        if let Some(difference) = first_difference(&have, expected) {
            bail!("{} differs from the tables; run `cargo xtask gen`\n{difference}", path.display());
        }
    }
    for folder in ["abi/src/gen", "abi/src/gen/consts", "hdl/src/gen", "hdl/src/gen/consts"] {
        for entry in std::fs::read_dir(root.join(folder)).with_context(|| format!("reading {folder}"))? {
            let path = Path::new(folder).join(entry?.file_name());
            if !files.iter().any(|(known, _)| known.starts_with(&path)) {
                bail!("{} is written by no table any more: remove it", path.display());
            }
        }
    }
    Ok(())
}

/// Where two texts part: line number and both lines.
fn first_difference(have: &str, expected: &str) -> Option<String> {
    let (mut a, mut b) = (have.lines(), expected.lines());
    for number in 1.. {
        match (a.next(), b.next()) {
            (None, None) if have == expected => return None,
            (None, None) => return Some(format!("line {number}: the files end differently")),
            (x, y) if x == y => {}
            (x, y) => {
                let shown = |l: Option<&str>| l.map_or("(end of file)".into(), |l| format!("`{l}`"));
                return Some(format!("line {number}: {}\nexpected: {}", shown(x), shown(y)));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committed_files_are_what_the_tables_say() {
        check(&repo::root(), &files(&repo::root()).unwrap()).unwrap();
    }

    #[test]
    fn drift_is_named_with_file_and_line() {
        let files = files(&repo::root()).unwrap();
        let root = repo::target("gen-test");
        // an earlier version's files would be strays
        if root.exists() {
            std::fs::remove_dir_all(&root).unwrap();
        }
        for (path, text) in &files {
            repo::write(&root.join(path), text).unwrap();
        }
        check(&root, &files).unwrap();
        let (path, text) = &files[0];
        repo::write(&root.join(path), &text.replacen("pub mod consts;", "pub mod const_s;", 1)).unwrap();
        let why = check(&root, &files).unwrap_err().to_string();
        assert!(why.contains("abi/src/gen/mod.rs") && why.contains("expected: `pub mod consts;`"), "{why}");
        repo::write(&root.join(path), text).unwrap();
        let stray = root.join("hdl/src/gen/stray.rs");
        repo::write(&stray, "").unwrap();
        let why = check(&root, &files).unwrap_err().to_string();
        std::fs::remove_file(&stray).unwrap();
        assert!(why.contains("stray.rs"), "{why}");
    }

    #[test]
    fn the_first_difference_is_found() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nc\n", "a\nb\n").unwrap(), "line 2: `c`\nexpected: `b`");
        assert_eq!(first_difference("a\n", "a\nb\n").unwrap(), "line 2: (end of file)\nexpected: `b`");
        assert_eq!(first_difference("a", "a\n").unwrap(), "line 2: the files end differently");
    }
}
