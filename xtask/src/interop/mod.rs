// SPDX-License-Identifier: MIT OR Apache-2.0
//! `interop`: Linux guests with siw, which nobody here wrote, at the other end of the wire.
//!
//! `prepare` makes the guest's image once, `guest` boots it, `channel` runs commands in it, `case`
//! is the table of what is tried, `judge` has tshark read what passed. `docs/interop.md` is the
//! guide.

mod agent;
mod bus;
mod case;
mod cases;
mod cause;
mod channel;
mod device;
pub mod differs;
mod echo;
mod guest;
mod inside;
mod judge;
mod lab;
mod netem;
mod ping;
mod prepare;
mod programs;
mod relay;
mod repeats;
mod run;
mod scripts;
mod slow;
mod sockets;
mod stalls;
mod tour;
mod visit;
mod wire;
mod zero;

pub use device::PATIENT;
pub use guest::Guest;
pub use judge::{judge, prefer_own_preferences};
pub use visit::{address, asked, served, Host};

use crate::{dropin, setup, simulator, steps::Steps};
use anyhow::{bail, Result};
use guest::Siw;
use lab::{Lab, Outcome};
use run::Case;
use std::collections::BTreeMap;
use wire::Wire;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask interop                        all cases; the first run makes the guest, about four minutes, as root\n  \
    cargo xtask interop --list\n  \
    cargo xtask interop --only lab-pair-rping\n  \
    cargo xtask interop --only programs          rping, perftest and others on the device, with siw at the other end\n  \
    cargo xtask interop --only netem             the cases netem-*: frames are lost on the way\n  \
    FERROWARP_FULL=1 cargo xtask interop --only netem   also the long cases\n  \
    cargo xtask interop --only lab-echo --keep   then type commands for the guest: `dmesg | tail`, `rdma link`\n  \
    cargo xtask interop --json\n  \
    wireshark target/interop/captures/lab-pair-rping.pcapng\n\n\
    A case that passes only with a repeat fails, unless .ci/allowed-repeats names the case. A case that failed while a processor\n\
    was away is put off and runs once more.\n\n\
    All files are in target/interop (about 1 GB). To make the guest anew, delete the folder. docs/interop.md is the guide.")]
pub struct Args {
    /// Cases to run, by name or by the beginning of names (netem, client) [default: all]
    #[arg(long, value_delimiter = ',', value_name = "CASE")]
    only: Vec<String>,
    /// Print the cases with their purpose
    #[arg(long)]
    list: bool,
    /// Only make the guest's image
    #[arg(long)]
    prepare: bool,
    /// Leave the last guests running, and run typed lines as commands in the first guest
    #[arg(long, conflicts_with = "json")]
    keep: bool,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<()> {
    if args.list {
        case::all().for_each(|c| say!("{:<20} {:<6} {}", c.name, c.siw.name(), listed(c)));
        return Ok(());
    }
    judge::prefer_own_preferences();
    let chosen = chosen(&args.only, is_full())?;
    let mut steps = Steps::new(args.json);
    steps.run("setup", setup::ensure);
    let mut lock = None;
    let image = steps.run("guest's image", |step| {
        lock = Some(prepare::lock(step)?);
        prepare::prepare(step)
    });
    if chosen.iter().any(|case| matches!(case.wire, Wire::Bus | Wire::Joined)) {
        steps.run("the device for a guest", bus::build);
    }
    let has_device = |case: &&Case| !case.name.starts_with("lab-") && !scripts::is_one(case.name);
    if chosen.iter().any(has_device) {
        steps.run("the device", simulator::prepare);
    }
    if chosen.iter().any(|case| case.name.starts_with("programs-")) {
        steps.run("the library for programs of rdma-core", dropin::build);
    }
    if chosen.iter().any(|case| scripts::is_one(case.name)) {
        steps.run("the agent of scripts for a guest", agent::build);
    }
    let mut outcomes = vec![];
    if let Some(image) = image.filter(|_| !args.prepare) {
        let groups = by_boot(&chosen);
        let watch = stalls::Watch::start()?;
        for (nth, (boot, cases)) in groups.iter().enumerate() {
            let keep = args.keep && nth + 1 == groups.len();
            let lab = Lab { image: &image, boot: *boot, watch: &watch };
            outcomes.extend(lab.run(&mut steps, cases, keep)?);
        }
    }
    drop(lock);
    if args.json {
        say!("{}", serde_json::to_string_pretty(&outcomes)?);
    } else if !outcomes.is_empty() {
        print_table(&outcomes);
    }
    steps.finish()?;
    repeats::judge(&outcomes)
}

/// The long cases are wanted, too.
fn is_full() -> bool {
    std::env::var("FERROWARP_FULL").is_ok_and(|full| full == "1")
}

/// What the list tells of a case.
fn listed(case: &Case) -> String {
    let when = if case.full { "; FERROWARP_FULL=1" } else { "" };
    format!("{}{when}", case.about)
}

/// A word of `--only` is the case's name, or the names begin so of several, of which this is one.
fn is_of_group(word: &str, case: &Case) -> bool {
    let is_name = case::all().any(|other| other.name == word);
    !is_name && case.name.strip_prefix(word).is_some_and(|rest| rest.starts_with('-'))
}

/// The cases of the given names; all without a name. Long ones are among them if they are named, or
/// if all is wanted: `full`.
fn chosen(only: &[String], full: bool) -> Result<Vec<&'static Case>> {
    let is_named = |case: &Case, word: &String| case.name == word;
    if let Some(stranger) = only.iter().find(|o| !case::all().any(|c| is_named(c, o) || is_of_group(o, c))) {
        let names: Vec<_> = case::all().map(|c| c.name).collect();
        bail!("no case `{stranger}`; there are {}", names.join(", "));
    }
    let is_chosen = |case: &&'static Case| {
        let is_due = full || !case.full;
        only.iter().any(|o| is_named(case, o))
            || (is_due && (only.is_empty() || only.iter().any(|o| is_of_group(o, case))))
    };
    Ok(case::all().filter(is_chosen).collect())
}

/// Cases that share a boot.
fn by_boot(cases: &[&'static Case]) -> BTreeMap<(Siw, Wire), Vec<&'static Case>> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for &case in cases {
        groups.entry((case.siw, case.wire)).or_default().push(case);
    }
    groups
}

/// Prints a line for each case.
fn print_table(outcomes: &[Outcome]) {
    say!("\n{:<20} {:<6} {:>8}  result", "case", "siw", "seconds");
    for o in outcomes {
        let result = if o.passed { "ok" } else { "FAILED" };
        let count = |count: usize, what: &str| match count {
            0 => String::new(),
            _ => format!("  {what} {count}"),
        };
        let (repeats, put_off) = (count(o.repeats.len(), "repeats:"), count(o.put_off, "put off:"));
        say!("{:<20} {:<6} {:>8.1}  {result:<6}  {}{repeats}{put_off}", o.case, o.siw, o.seconds, o.capture);
    }
    let passed = outcomes.iter().filter(|o| o.passed).count();
    let put_off: usize = outcomes.iter().map(|o| o.put_off).sum();
    let repeats: usize = outcomes.iter().map(|o| o.repeats.len()).sum();
    say!(
        "{passed} passed, {} failed; {repeats} repeats; put off for a machine that stood still: {put_off}",
        outcomes.len() - passed
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_of_one_siw_and_wire_share_a_boot_and_strangers_are_named() {
        let all = chosen(&[], true).unwrap();
        let groups = by_boot(&all);
        assert_eq!(groups.values().map(Vec::len).sum::<usize>(), all.len());
        assert!(groups.iter().all(|(boot, cases)| cases.iter().all(|c| (c.siw, c.wire) == *boot)));
        assert_eq!(chosen(&["lab-echo".into()], false).unwrap().len(), 1);
        let told = chosen(&["nix".into()], false).map(drop).unwrap_err().to_string();
        assert!(told.contains("no case `nix`") && told.contains("lab-echo"), "{told}");
    }

    #[test]
    fn long_cases_run_if_all_is_wanted_or_if_they_are_named() {
        let names = |word: &str, full| -> Vec<_> {
            chosen(&[word.into()], full).unwrap().iter().map(|case| case.name).collect()
        };
        assert_eq!(names("netem", false), ["netem-loss-client", "netem-loss-server"]);
        assert_eq!(names("netem", true).len(), netem::CASES.len());
        assert_eq!(names("netem-loss", true), ["netem-loss-client", "netem-loss-server"]);
        assert_eq!(names("netem-delay-client", false), ["netem-delay-client"]);
        assert_eq!(names("server", true), ["server"], "a case's name is not the beginning of others");
        assert!(chosen(&[], false).unwrap().iter().all(|case| !case.full));
    }
}
