//! `demo`: what stands so far, shown as a table of checks that anyone can run.
use crate::{bench, child, emit, models, repo, setup, steps::Steps, synth};
use anyhow::{anyhow, ensure, Result};
use ferrowarp_hdl::config::Profile;
use ferrowarp_hdl::top::Top;
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::process::Command;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask demo\n\n\
    Emits the Verilog of every profile to target/demo, has other tools read it, and runs the hardware.")]
pub struct Args {}

/// One line of the table.
struct Check {
    what: String,
    figure: String,
    ok: bool,
}

pub fn run(_: &Args) -> Result<()> {
    let mut steps = Steps::new(false);
    steps.run("setup", setup::ensure);
    let mut checks = Vec::new();
    let folder = repo::target("demo");
    for profile in Profile::ALL {
        let name = format!("verilog {}", profile.name());
        let folder = folder.join(profile.name());
        checks.extend(steps.run(&name, |_| verilog(profile, folder)).unwrap_or_default());
    }
    steps.run("models", models::build);
    for show in ferrowarp_tests::demo::all() {
        checks.extend(steps.run(show.what, |_| {
            let seen = catch_unwind(show.run).map_err(|_| anyhow!("the case failed, see above"))?;
            let (ok, figure) = seen.map_or_else(|why| (false, why), |figure| (true, figure));
            Ok(Check { what: show.what.into(), figure, ok })
        }));
    }
    for b in bench::chosen(&[])? {
        let figures = steps.run(b.name, |_| bench::measure(&b)).unwrap_or_default();
        checks.extend(figures.into_iter().map(|f| Check {
            what: f.key,
            figure: format!("{:.3}, {}", f.value, if f.bar == "-" { "machine limit" } else { &f.bar }),
            ok: f.ok,
        }));
    }
    let width = checks.iter().map(|c| c.what.len()).max().unwrap_or(0);
    println!("\n{:<width$}  {:<52} verdict", "check", "figure");
    for c in &checks {
        println!("{:<width$}  {:<52} {}", c.what, c.figure, if c.ok { "ok" } else { "FAILED" });
    }
    println!("\nThe Verilog, its file lists and descriptions lie in {}.", repo::shown(&folder));
    steps.finish()?;
    let failed = checks.iter().filter(|c| !c.ok).count();
    ensure!(failed == 0, "{failed} checks failed");
    Ok(())
}

/// Emits one profile and has Verilator and Yosys read it.
fn verilog(profile: Profile, folder: PathBuf) -> Result<Vec<Check>> {
    let check = |what: &str, figure: String| Check {
        what: format!("{} ({})", what, profile.name()),
        figure,
        ok: true,
    };
    let config = emit::configured(profile.name(), &[])?;
    let emitted = Top::of(&config)?.emit(&config)?;
    let files = emit::write(&emitted, &config, &folder)?;
    let size = format!("{} modules, {} lines", emitted.modules, emitted.verilog.lines().count());
    let mut lint = Command::new("verilator");
    lint.args(["--lint-only", "-Wno-fatal", "-Wno-WIDTH", "--top-module", &emitted.top]).arg(&files.verilog);
    let said = child::capture(&mut lint)?;
    let warnings = said.lines().filter(|l| l.starts_with('%')).count();
    synth::latch_check(&emitted)?;
    Ok(vec![
        check("Rust-HDL becomes Verilog", size),
        check("Verilator reads it", format!("no error, {warnings} warnings")),
        check("Yosys reads it", "no latch, no double driver, no loop".into()),
    ])
}
