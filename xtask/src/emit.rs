// SPDX-License-Identifier: MIT OR Apache-2.0
//! `emit`: a configuration becomes Verilog, a file list, and a JSON of ports and parameters.
use crate::{benchfile, repo};
use anyhow::{Context, Result};
use ferrowarp_hdl::config::{Config, ConfigError, Profile};
use ferrowarp_hdl::emit::{Emitted, Port};
use ferrowarp_hdl::top::Top;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask emit --profile tiny -o target/tiny\n  \
    cargo xtask emit --profile 10g -o /tmp/ten\n\n\
    A whole device has 64 data bits, a bus edge of 64 or 128 bits, 16 or 64 queue pairs, and an MTU of up to 1500. For other numbers\n\
    the command writes the bench of that width, with streams and cells only.\n\n\
    Writes <top>.v, <top>.f and <top>.json, and the keys emit.s and emit.mib of target/bench.json.\n\
    If a configuration is impossible, the error names the field and its bound, and the exit code is 2.")]
pub struct Args {
    /// Set of numbers to start from: tiny, 10g or 100g
    #[arg(long)]
    profile: String,
    /// Change one number of the profile, FIELD=VALUE; may be repeated
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    sets: Vec<String>,
    /// Folder to write to; made if missing
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

/// Files of one emission.
pub struct Written {
    /// The Verilog.
    pub verilog: PathBuf,
    /// The JSON of ports and parameters.
    pub json: PathBuf,
}

/// What `<top>.json` holds.
#[derive(Serialize)]
struct Description<'a> {
    top: &'a str,
    parameters: &'a Config,
    modules: usize,
    lines: usize,
    ports: &'a [Port],
}

pub fn run(args: &Args) -> Result<()> {
    let config = configured(&args.profile, &args.sets)?;
    let start = Instant::now();
    let top = Top::of(&config)?;
    let emitted = top.emit(&config)?;
    let seconds = start.elapsed().as_secs_f64();
    let mib = peak_mib()?;
    let files = write(&emitted, &config, &args.output)?;
    benchfile::merge(&[("emit.s".into(), seconds), ("emit.mib".into(), mib)].into())?;
    if top != Top::RnicW64 {
        say!("no whole device has these numbers (qps of 16 or 64, mtu of up to 1500, data_bits=64 and edge_bits of 64 or 128): this is the bench of the width");
    }
    say!("{} ({} modules, {} ports)", emitted.top, emitted.modules, emitted.ports.len());
    say!("wrote {} and {}", repo::shown(&files.verilog), repo::shown(&files.json));
    say!("emit.s {seconds:.2}  emit.mib {mib:.0}");
    Ok(())
}

/// The configuration that a command line names, checked.
pub fn configured(profile: &str, sets: &[String]) -> Result<Config, ConfigError> {
    let mut config = Config::profile(profile.parse::<Profile>()?);
    for assignment in sets {
        config.set(assignment)?;
    }
    config.check()?;
    Ok(config)
}

/// Writes the three files of an emission to `folder`.
pub fn write(emitted: &Emitted, config: &Config, folder: &Path) -> Result<Written> {
    let file = |extension: &str| folder.join(format!("{}.{extension}", emitted.top));
    let description = Description {
        top: &emitted.top,
        parameters: config,
        modules: emitted.modules,
        lines: emitted.verilog.lines().count(),
        ports: &emitted.ports,
    };
    let written = Written { verilog: file("v"), json: file("json") };
    repo::write(&written.verilog, &emitted.verilog)?;
    repo::write(&file("f"), &format!("{}.v\n", emitted.top))?;
    repo::write(&written.json, &(serde_json::to_string_pretty(&description)? + "\n"))?;
    Ok(written)
}

/// Largest resident memory of this process so far, MiB.
fn peak_mib() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status").context("cannot read /proc/self/status")?;
    vm_hwm_mib(&status).context("/proc/self/status has no VmHWM line")
}

fn vm_hwm_mib(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_impossible_configuration_names_field_and_bound() {
        let refused = |sets: &[&str]| {
            let sets: Vec<String> = sets.iter().map(|s| s.to_string()).collect();
            configured("tiny", &sets).unwrap_err().to_string()
        };
        assert!(refused(&["mtu=100"]).contains("`mtu` = 100 is impossible: it must be 1280"));
        assert!(refused(&["qps=16", "qps=17"]).contains("power of two"));
        assert!(configured("40g", &[]).unwrap_err().to_string().contains("unknown profile `40g`"));
        assert_eq!(configured("10g", &["mtu=1400".into()]).unwrap().mtu, 1400);
    }

    #[test]
    fn the_peak_is_read_in_mib() {
        assert_eq!(vm_hwm_mib("VmPeak:\t 9 kB\nVmHWM:\t  2048 kB\n"), Some(2.0));
        assert_eq!(vm_hwm_mib("VmPeak:\t 9 kB\n"), None);
        assert!(peak_mib().unwrap() > 0.0);
    }
}
