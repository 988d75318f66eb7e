//! `interop`: Linux guests with siw, which nobody here wrote, at the other end of the wire.
//!
//! `prepare` makes the guest's image once, `guest` boots it, `channel` runs commands in it, `case` is the table of what is
//! tried, `judge` has tshark read what passed. `docs/interop.md` is the guide.

mod bus;
mod case;
mod cases;
mod channel;
mod device;
mod echo;
mod guest;
mod inside;
mod judge;
mod ping;
mod prepare;
mod relay;
mod visit;
mod wire;

pub use guest::Guest;
pub use judge::judge;
pub use visit::{address, asked, served, Host};

use crate::benchfile::{self, Figures};
use crate::{repo, setup, simulator, steps::Steps};
use anyhow::{bail, Context, Result};
use case::{Case, Run, CASES};
use guest::{Kind, Siw};
use prepare::Image;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wire::Wire;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask interop                        all cases; the first run makes the guest, about four minutes, as root\n  \
    cargo xtask interop --list\n  \
    cargo xtask interop --only lab-pair-rping\n  \
    cargo xtask interop --only lab-echo --keep   then type commands for the guest: `dmesg | tail`, `rdma link`\n  \
    cargo xtask interop --json\n  \
    wireshark target/interop/captures/lab-pair-rping.pcapng\n\n\
    Everything is kept in target/interop (1.2 GB); delete it to make the guest anew. docs/interop.md is the guide.")]
pub struct Args {
    /// Cases to run; default: all of them
    #[arg(long, value_delimiter = ',', value_name = "CASE")]
    only: Vec<String>,
    /// Print the cases and what they show
    #[arg(long)]
    list: bool,
    /// Only make the guest's image
    #[arg(long)]
    prepare: bool,
    /// Leave the last guests running and run in the first what is typed, a line a command
    #[arg(long, conflicts_with = "json")]
    keep: bool,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

/// How a case went.
#[derive(Debug, Serialize)]
struct Outcome {
    case: &'static str,
    siw: &'static str,
    passed: bool,
    /// Why it did not.
    error: Option<String>,
    seconds: f64,
    figures: Figures,
    capture: String,
}

/// A folder for sockets, whose paths are short; it is removed in the end.
struct Sockets(PathBuf);

impl Sockets {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("ferrowarp-{}", std::process::id()));
        std::fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        // what stays behind in the folder for temporary files harms nobody
        drop(std::fs::remove_dir_all(&self.0));
    }
}

pub fn run(args: &Args) -> Result<()> {
    if args.list {
        CASES.iter().for_each(|c| say!("{:<20} {:<6} {}", c.name, c.siw.name(), c.about));
        return Ok(());
    }
    let chosen = chosen(&args.only)?;
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
    if chosen.iter().any(|case| !case.name.starts_with("lab-")) {
        steps.run("the device", simulator::prepare);
    }
    let mut outcomes = vec![];
    if let Some(image) = image.filter(|_| !args.prepare) {
        let groups = by_boot(&chosen);
        for (nth, (boot, cases)) in groups.iter().enumerate() {
            let keep = args.keep && nth + 1 == groups.len();
            outcomes.extend(group(&mut steps, &image, *boot, cases, keep)?);
        }
    }
    drop(lock);
    if args.json {
        say!("{}", serde_json::to_string_pretty(&outcomes)?);
    } else if !outcomes.is_empty() {
        print_table(&outcomes);
    }
    steps.finish()
}

/// The cases of the given names; all without a name.
fn chosen(only: &[String]) -> Result<Vec<&'static Case>> {
    if let Some(stranger) = only.iter().find(|o| CASES.iter().all(|c| c.name != o.as_str())) {
        let names: Vec<_> = CASES.iter().map(|c| c.name).collect();
        bail!("no case `{stranger}`; there are {}", names.join(", "));
    }
    Ok(CASES.iter().filter(|c| only.is_empty() || only.iter().any(|o| o == c.name)).collect())
}

/// Cases that share a boot.
fn by_boot(cases: &[&'static Case]) -> BTreeMap<(Siw, Wire), Vec<&'static Case>> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for &case in cases {
        groups.entry((case.siw, case.wire)).or_default().push(case);
    }
    groups
}

/// Boots as many guests as any of the cases needs, and runs them all.
fn group(
    steps: &mut Steps,
    image: &Image,
    (siw, wire): (Siw, Wire),
    cases: &[&'static Case],
    keep: bool,
) -> Result<Vec<Outcome>> {
    let sockets = Sockets::new()?;
    let count = cases.iter().map(|c| c.guests).max().unwrap_or(1);
    let name = format!("boot {count} with siw {}, {wire:?}", siw.name());
    let Some(guests) = steps.run(&name, |_| boot(image, (siw, wire), count, &sockets.0)) else {
        return Ok(vec![]);
    };
    let mut outcomes = vec![];
    for case in cases {
        steps.run(case.name, |step| {
            let outcome = one(case, &guests);
            for (key, value) in &outcome.figures {
                step.line(&format!("    {key} = {value:.3}"));
            }
            let failed = outcome.error.clone();
            outcomes.push(outcome);
            failed.map_or(Ok(()), |why| bail!("{why}"))
        });
    }
    if keep {
        converse(&guests)?;
    }
    Ok(outcomes)
}

/// Boots guests side by side.
fn boot(image: &Image, (siw, wire): (Siw, Wire), count: u8, folder: &Path) -> Result<Vec<Guest>> {
    std::thread::scope(|scope| {
        let boots: Vec<_> = (1..=count)
            .map(|number| scope.spawn(move || Guest::boot(image, Kind { siw, wire, number }, folder)))
            .collect();
        let guests = boots.into_iter().map(|b| b.join().map_err(|_| anyhow::anyhow!("booting panicked"))?);
        guests.collect()
    })
}

/// Runs a case, then has tshark judge its capture.
fn one(case: &Case, guests: &[Guest]) -> Outcome {
    let start = Instant::now();
    let capture = prepare::home().join("captures").join(format!("{}.pcapng", case.name));
    let done = (|| {
        let folder = capture.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", repo::shown(folder)))?;
        // one of an earlier run would be taken for this one's
        drop(std::fs::remove_file(&capture));
        let figures = (case.body)(&Run { guests, capture: &capture })?;
        let summary = judge(case.name, &capture)?;
        (case.check)(&summary).with_context(|| format!("tshark, of {}", repo::shown(&capture)))?;
        benchfile::merge(&figures)?;
        Ok::<_, anyhow::Error>(figures)
    })();
    let (figures, error) = match done {
        Ok(figures) => (figures, None),
        Err(e) => (Figures::new(), Some(format!("{e:#}"))),
    };
    Outcome {
        case: case.name,
        siw: case.siw.name(),
        passed: error.is_none(),
        error,
        seconds: start.elapsed().as_secs_f64(),
        figures,
        capture: repo::shown(&capture),
    }
}

/// Runs what is typed in the first guest, until the input ends.
fn converse(guests: &[Guest]) -> Result<()> {
    let Some(guest) = guests.first() else { return Ok(()) };
    say!("The guest {} is kept: a command a line, an empty line ends it.", guest.ipv4());
    say!("Its Ethernet: {}", guest.net());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            break;
        }
        let output = guest.run(&line, Duration::from_secs(600))?;
        say!("{}{}", output.stdout, output.stderr);
        say!("[{}]", output.code);
    }
    Ok(())
}

/// Prints a line for each case.
fn print_table(outcomes: &[Outcome]) {
    say!("\n{:<20} {:<6} {:>8}  result", "case", "siw", "seconds");
    for o in outcomes {
        let result = if o.passed { "ok" } else { "FAILED" };
        say!("{:<20} {:<6} {:>8.1}  {result:<6}  {}", o.case, o.siw, o.seconds, o.capture);
    }
    let passed = outcomes.iter().filter(|o| o.passed).count();
    say!("{passed} passed, {} failed", outcomes.len() - passed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_of_one_siw_and_wire_share_a_boot_and_strangers_are_named() {
        let all = chosen(&[]).unwrap();
        let groups = by_boot(&all);
        assert_eq!(groups.values().map(Vec::len).sum::<usize>(), all.len());
        assert!(groups.iter().all(|(boot, cases)| cases.iter().all(|c| (c.siw, c.wire) == *boot)));
        assert_eq!(chosen(&["lab-echo".into()]).unwrap().len(), 1);
        let told = chosen(&["nix".into()]).map(drop).unwrap_err().to_string();
        assert!(told.contains("no case `nix`") && told.contains("lab-echo"), "{told}");
    }
}
