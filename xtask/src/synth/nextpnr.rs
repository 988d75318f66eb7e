//! nextpnr for ECP5: its options, its log, and when its router is given up.
use crate::{child, repo};
use anyhow::{bail, Context, Result};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// The part: an LFE5UM5G-85F in a package of 756 balls.
const PART: [&str; 4] = ["--um5g-85k", "--package", "CABGA756", "--lpf-allow-unconstrained"];

/// The placer that leaves a fifth less wire than nextpnr's usual one on this device, and the router that tells how far it is. Both
/// go by need and not by time: that leaves less wire, and nets that time makes stubborn were among those that never came apart. What the
/// placer finds differs by a fifth of the wire from seed to seed; this one is good.
const WAY: [&str; 7] = ["--placer", "static", "--router", "router2", "--no-tmdriv", "--seed", "3"];

/// What the router is told and has no option for. A net may leave the box of its pins by eight tiles, and the way that is left
/// counts in full. What a wire costs that is used twice grows slowly from one iteration to the next: by two, as it comes, the last
/// ones go to and fro.
const ROUTER: [(&str, &str); 4] = [
    ("router2/bbMargin/x", "8"),
    ("router2/bbMargin/y", "8"),
    ("router2/estimateWeight", "1.0"),
    ("router2/currCongWeightMult", "0.5"),
];

/// In so many iterations the router must take away a tenth of the wires that are used twice.
const PATIENCE: u64 = 12;

/// So few of them are the last ones: an iteration takes seconds, and one wire may need many to find its way.
const LAST: u64 = 500;

/// What the last ones have instead.
const LAST_PATIENCE: u64 = 150;

/// Settings of a netlist.
type Settings = BTreeMap<String, String>;

/// How far the router is.
#[derive(Debug, Default)]
struct Progress {
    /// Iterations, and wires that are still used twice.
    now: (u64, u64),
    /// The same when it last was a tenth better.
    mark: Option<(u64, u64)>,
}

impl Progress {
    /// Takes a line of the log; false if there is no end in sight.
    fn goes_on(&mut self, line: &str) -> bool {
        let number = |key: &str| -> Option<u64> {
            let (_, rest) = line.split_once(key)?;
            rest.split(' ').next()?.parse().ok()
        };
        let (Some(iteration), Some(overused)) = (number("iter="), number("overused=")) else { return true };
        self.now = (iteration, overused);
        match self.mark {
            Some((since, was)) if overused * 10 > was * 9 => iteration < since + patience(overused),
            _ => {
                self.mark = Some(self.now);
                true
            }
        }
    }
}

/// Iterations that the router has to make `overused` a tenth less.
fn patience(overused: u64) -> u64 {
    if overused > LAST {
        PATIENCE
    } else {
        LAST_PATIENCE
    }
}

/// `placed`, a netlist as nextpnr writes it, with `settings` in place of those it has of the same name. It takes settings of a netlist before
/// its own options; a text that might be a number of bits ends with a blank, as nextpnr writes it.
fn with_settings(placed: &str, settings: &[(&str, &str)]) -> Result<String> {
    const OPENS: &str = "\"settings\": {";
    let (before, rest) = placed.split_once(OPENS).context("nextpnr wrote a netlist without settings")?;
    let (old, after) = rest.split_once('}').context("nextpnr wrote settings without an end")?;
    let old: Settings =
        serde_json::from_str(&format!("{{{old}}}")).context("nextpnr's settings are not understood")?;
    let new = settings.iter().map(|(key, value)| (key.to_string(), value.to_string()));
    let all: Settings = old.into_iter().chain(new).collect();
    let all = serde_json::to_string(&all).context("settings are text")?;
    Ok(format!("{before}\"settings\": {all}{after}"))
}

/// Runs nextpnr in `folder`; its output goes to `log`. An error says why it ended, or that its router would not.
fn nextpnr(folder: &Path, options: &[&str], log: &Path, out: &mut File) -> Result<()> {
    let mut command = Command::new("nextpnr-ecp5");
    command.args(PART).args(WAY).args(options).current_dir(folder);
    let mut progress = Progress::default();
    let mut kept = Ok(());
    let ended = child::watch(&mut command, |line| {
        kept = writeln!(out, "{line}");
        kept.is_ok() && progress.goes_on(line)
    })?;
    kept.with_context(|| format!("cannot write {}", repo::shown(log)))?;
    match ended {
        Some(status) if status.success() => Ok(()),
        Some(status) => bail!("nextpnr-ecp5: {status}; {} says why", repo::shown(log)),
        None => bail!(
            "the router does not come to an end: after {} iterations {} wires are used twice, and the last {} took away less than a \
             tenth; docs/placement.md says what helped so far, {} is its log",
            progress.now.0,
            progress.now.1,
            patience(progress.now.1),
            repo::shown(log)
        ),
    }
}

/// Places and routes `json` in `folder` for a clock of `mhz`; the report and the log are written beside it.
pub fn run(folder: &Path, json: &str, mhz: f64, report: &str, log: &Path) -> Result<()> {
    const SITES: &str = "sites.json";
    let mut out = File::create(log).with_context(|| format!("cannot write {}", repo::shown(log)))?;
    let clock = mhz.to_string();
    let common = ["--freq", clock.as_str(), "--timing-allow-fail"];
    nextpnr(
        folder,
        &[&common[..], &["--json", json, "--no-route", "--write", SITES]].concat(),
        log,
        &mut out,
    )?;
    let file = folder.join(SITES);
    let placed =
        std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", repo::shown(&file)))?;
    repo::write(&file, &with_settings(&placed, &ROUTER)?)?;
    let files =
        ["--json", SITES, "--no-pack", "--no-place", "--report", report, "--textcfg", "placed.config"];
    nextpnr(folder, &[&common[..], &files].concat(), log, &mut out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(iteration: u64, overused: u64) -> String {
        format!("Info:     iter={iteration} wires=1305652 overused={overused} overuse=125000 archfail=NA")
    }

    #[test]
    fn settings_take_the_place_of_those_that_are_there() {
        let placed =
            "{\"top\": {\n\"settings\": {\n\"seed\": \"01\",\n\"timing_driven\": \"1\"\n},\n\"cells\": {}}}";
        let told = with_settings(placed, &[("timing_driven", "0"), ("router2/bbMargin/x", "8")]).unwrap();
        let expected =
            "\"settings\": {\"router2/bbMargin/x\":\"8\",\"seed\":\"01\",\"timing_driven\":\"0\"},\n";
        assert_eq!(told, format!("{{\"top\": {{\n{expected}\"cells\": {{}}}}}}"));
        let error = with_settings("{}", &[]).unwrap_err().to_string();
        assert!(error.contains("without settings"), "{error}");
    }

    #[test]
    fn a_router_that_gets_nowhere_is_given_up() {
        let mut progress = Progress::default();
        assert!(progress.goes_on("Info: iter=250 steplen=1.13 a=127.2"), "a line of the placer");
        for (iteration, overused) in (1..).zip([1_000, 800, 700]) {
            assert!(progress.goes_on(&line(iteration, overused)));
        }
        for iteration in 4..15 {
            assert!(progress.goes_on(&line(iteration, 650)), "{iteration}");
        }
        assert!(!progress.goes_on(&line(15, 640)));
        assert_eq!(progress.now, (15, 640));
    }

    #[test]
    fn the_last_wires_have_more_time() {
        let mut progress = Progress::default();
        assert!(progress.goes_on(&line(1, LAST)));
        for iteration in 2..=LAST_PATIENCE {
            assert!(progress.goes_on(&line(iteration, LAST - 1)), "{iteration}");
        }
        assert!(!progress.goes_on(&line(LAST_PATIENCE + 1, LAST - 1)));
    }

    #[test]
    fn a_slow_one_that_gets_on_is_not() {
        let mut progress = Progress::default();
        // two in a hundred an iteration
        let mut overused = 1_000_000;
        for iteration in 1..200 {
            assert!(progress.goes_on(&line(iteration, overused)), "{iteration}");
            overused = overused * 98 / 100;
        }
    }
}
