// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask draw`: pictures of the tables of the hardware, timing diagrams of its stages.

mod dot;
mod waves;

use crate::steps::Steps;
use crate::{repo, setup};
use anyhow::{bail, Context, Result};
use ferrowarp_hdl::top::drawn;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Options of the command.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask draw                  write the pictures of the tables\n  \
    cargo xtask draw --check          write nothing; fail if a picture or a README differs\n  \
    cargo xtask draw --dot tcp/rx     print the graph of one table for Graphviz\n  \
    cargo xtask draw --waves          write the timing diagrams of the READMEs that differ\n\n\
    A picture has a box a part and an arrow a channel with its record's name; a tooltip has the names of all channels. A double\n\
    border is a table with a picture or parts of its own. `gen --check` includes this check.")]
pub struct Args {
    /// Write nothing; fail if a picture or a README differs from the tables
    #[arg(long)]
    check: bool,
    /// Print the graph of this picture: the end of its path without `.svg`
    #[arg(long, value_name = "NAME", conflicts_with = "check")]
    dot: Option<String>,
    /// Run the tests that draw the timing diagrams, and write the diagrams that differ
    #[arg(long, conflicts_with_all = ["check", "dot"])]
    waves: bool,
}

/// Begins the part of a README that shows the pictures of its folder.
const BEGIN: &str = "<!-- pictures: written by cargo xtask draw -->";
/// Ends that part.
const END: &str = "<!-- end of pictures -->";

/// A picture as the tables ask for it.
struct Picture {
    /// From the root of the repository.
    path: PathBuf,
    title: &'static str,
    /// The graph; the SVG holds the same text in a comment.
    dot: String,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    if args.waves {
        return waves::write();
    }
    let pictures = pictures()?;
    if let Some(name) = &args.dot {
        let found = pictures.iter().find(|p| p.path.with_extension("").ends_with(name));
        let all =
            || pictures.iter().map(|p| p.path.with_extension("").display().to_string()).collect::<Vec<_>>();
        let found = found.with_context(|| format!("no picture `{name}`; there are {}", all().join(", ")))?;
        say!("{}", found.dot);
        return Ok(());
    }
    if args.check {
        check_all(&pictures)?;
        say!("draw: {} pictures are as the tables say", pictures.len());
        return Ok(());
    }
    write(&pictures)
}

/// Fails if a picture, or the README of its folder, is not what the tables say, or if a README of a
/// stage has no timing diagram.
///
/// # Errors
/// The first file that differs, and what to do.
pub fn check() -> Result<()> {
    check_all(&pictures()?)
}

/// Writes the pictures and READMEs that are not what the tables say.
///
/// # Errors
/// Graphviz is missing, a README has no place for pictures, or a file cannot be written.
pub fn update() -> Result<()> {
    write(&pictures()?)
}

fn pictures() -> Result<Vec<Picture>> {
    let picture = |drawn: ferrowarp_hdl::top::Drawn| {
        let graph = drawn.table.graph(drawn.name)?;
        let path = Path::new(drawn.folder).join(drawn.name).with_extension("svg");
        Ok(Picture { path, title: drawn.title, dot: dot::text(&drawn.title.replace('`', ""), &graph) })
    };
    drawn()?.into_iter().map(picture).collect()
}

fn check_all(pictures: &[Picture]) -> Result<()> {
    let root = repo::root();
    for picture in pictures {
        let have = std::fs::read_to_string(root.join(&picture.path)).unwrap_or_default();
        if !have.contains(&comment(&picture.dot)) {
            bail!("{} is not the picture of its table; run `cargo xtask draw`", picture.path.display());
        }
    }
    for (readme, text) in readmes(&root, pictures)? {
        if std::fs::read_to_string(root.join(&readme)).unwrap_or_default() != text {
            bail!("{} does not show the pictures of its folder; run `cargo xtask draw`", readme.display());
        }
    }
    waves::check()
}

fn write(pictures: &[Picture]) -> Result<()> {
    let root = repo::root();
    let is_stale = |picture: &&Picture| {
        let have = std::fs::read_to_string(root.join(&picture.path)).unwrap_or_default();
        !have.contains(&comment(&picture.dot))
    };
    let stale: Vec<_> = pictures.iter().filter(is_stale).collect();
    if !stale.is_empty() {
        let mut steps = Steps::new(false);
        steps.run("setup", setup::ensure);
        steps.finish()?;
    }
    for picture in &stale {
        repo::write(&root.join(&picture.path), &svg(&picture.dot)?)?;
        say!("wrote {}", picture.path.display());
    }
    for (readme, text) in readmes(&root, pictures)? {
        let path = root.join(&readme);
        if std::fs::read_to_string(&path).unwrap_or_default() != text {
            repo::write(&path, &text)?;
            say!("wrote {}", readme.display());
        }
    }
    say!("draw: {} of {} pictures changed", stale.len(), pictures.len());
    Ok(())
}

/// The README of each folder with the pictures of the folder in their place.
fn readmes(root: &Path, pictures: &[Picture]) -> Result<Vec<(PathBuf, String)>> {
    let mut folders: Vec<&Path> = pictures.iter().filter_map(|p| p.path.parent()).collect();
    folders.dedup();
    let readme = |folder: &Path| {
        let path = folder.join("README.md");
        let old = std::fs::read_to_string(root.join(&path))
            .with_context(|| format!("reading {}", path.display()))?;
        let place = old.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
        let (head, tail) = place.with_context(|| {
            format!("{} has no place for pictures: add the lines\n{BEGIN}\n{END}", path.display())
        })?;
        let shown = pictures.iter().filter(|p| p.path.parent() == Some(folder));
        let lines: String = shown
            .map(|p| {
                format!("\n![{}]({})\n", p.title, p.path.file_name().unwrap_or_default().to_string_lossy())
            })
            .collect();
        Ok((path, format!("{head}{BEGIN}\n{lines}\n{END}{tail}")))
    };
    folders.into_iter().map(readme).collect()
}

/// The graph as a comment of an SVG.
fn comment(dot: &str) -> String {
    format!("<!-- The table:\n{}-->", dot.replace("->", "to"))
}

/// The picture of a graph.
fn svg(dot: &str) -> Result<String> {
    let mut child =
        Command::new("dot").arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context(
            "cannot run Graphviz's `dot`: run `cargo xtask setup`, or install the package graphviz",
        )?;
    // dot reads all of its input before it writes
    child.stdin.take().context("dot has no standard input")?.write_all(dot.as_bytes())?;
    let out = child.wait_with_output()?;
    if !out.status.success() {
        bail!("dot refuses the graph ({}); print it by `cargo xtask draw --dot NAME`", out.status);
    }
    let text = String::from_utf8(out.stdout)?;
    let end = text.rfind("</svg>").context("dot wrote no SVG")?;
    let license = "<!-- SPDX-License-Identifier: MIT OR Apache-2.0 -->";
    Ok(format!("{}{license}\n{}\n{}", &text[..end], comment(dot), &text[end..]))
}
