// SPDX-License-Identifier: MIT OR Apache-2.0
//! `docs`: the Markdown of the repository as a book, the crates' rustdoc, a front page for both.
pub mod api;
mod book;
mod front;
mod links;
mod summary;

use crate::steps::Steps;
use crate::{repo, setup};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask docs                 target/docs/index.html\n  \
    cargo xtask docs -o /tmp/site\n\n\
    book/ has all Markdown of the repository, made by mdBook. api/ has the documentation of the crates, made by rustdoc with\n\
    `-D warnings`. The front page, index.html, links both. A link whose file or place is missing is an error.\n\n\
    If mdBook is not installed, the command compiles mdBook into target/tools (some minutes, once).")]
pub struct Args {
    /// Folder to write to; its folders `book` and `api` are replaced [default: target/docs]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<()> {
    let output = args.output.clone().unwrap_or_else(|| repo::target("docs"));
    let output = std::path::absolute(&output).with_context(|| output.display().to_string())?;
    let mut steps = Steps::new(false);
    let ready = steps.run("mdBook", |step| {
        setup::ensure_mdbook(step)?;
        made(&output)
    });
    let api = ready.and_then(|()| steps.run("rustdoc", |step| api::make(step, &output.join("api"))));
    let book = ready.and_then(|()| steps.run("book", |step| book::make(step, &output.join("book"))));
    if let (Some(crates), Some(pages)) = (api, book) {
        let linked = steps.run("front page, links", |_| {
            let text = front::html(&crates, &pages);
            repo::write(&output.join("index.html"), &text)?;
            links::check(&output, &["index.html", "book"])
        });
        if let Some(links) = linked {
            say!("{} pages, {} crates, {links} links: {}", pages.len(), crates.len(), repo::shown(&output));
        }
    }
    steps.finish()
}

/// Makes the folder, and takes away what an earlier run left there and nothing else.
fn made(output: &Path) -> Result<()> {
    for part in ["api", "book"] {
        let folder = output.join(part);
        if folder.exists() {
            std::fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot remove {}", repo::shown(&folder)))?;
        }
    }
    std::fs::create_dir_all(output).with_context(|| format!("cannot make {}", repo::shown(output)))
}
