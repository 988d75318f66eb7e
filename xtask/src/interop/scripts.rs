// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases `scripts` and `scripts-few`: scripts of connections (`tests/conformance/scripts`) on
//! Linux siw. The scripted peer is at our end of the guest's Ethernet, the application is an agent
//! of ours in the guest.
use super::agent::AGENT;
use super::channel::Job;
use super::differs::{Difference, List};
use super::guest::{self, Siw};
use super::run::{Case, Run};
use super::slow::Slow;
use super::wire::Wire;
use crate::benchfile::Figures;
use crate::repo;
use anyhow::{anyhow, bail, Context, Result};
use ferrowarp_sim::pcap::Pcap;
use ferrowarp_tests::script::agent::Agent;
use ferrowarp_tests::script::link::{Ends, Link};
use ferrowarp_tests::script::{files, run, Script, ScriptError};
use std::net::SocketAddrV4;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

/// The lab's number of the peers.
const PEER: u8 = 7;
/// Every run of a script has ports of its own: connections and listeners of the one before may
/// still be there.
static RUN: AtomicU16 = AtomicU16::new(1);
/// First port of a listener, first port of a peer, ports of a run's peers.
const LISTENERS: u16 = 8_000;
const PEERS: u16 = 22_000;
const PEERS_OF_RUN: u16 = 32;
const RUNS: u16 = 1_000;
/// How long a step waits for what it must see.
const PATIENCE: Duration = Duration::from_secs(8);
/// How long an agent may take to end.
const END: Duration = Duration::from_secs(20);
/// A script that does not hold is run once more: siw may have lost a wake-up (docs/interop.md).
const ATTEMPTS: usize = 2;
/// One script in so many is among the few.
const FEW: usize = 8;

/// The cases. They are the last of a boot: a script may end the guest's kernel.
pub const CASES: [Case; 2] = [
    case("scripts-few", "an eighth of the scripts of connections that name siw, on stock siw", few, false),
    case("scripts", "all of them; docs/siw-differs.md has what differs", all, true),
];

/// A case of stock siw, which nobody judges by its capture.
const fn case(
    name: &'static str,
    about: &'static str,
    body: fn(&Run<'_>) -> Result<Figures>,
    full: bool,
) -> Case {
    Case { name, about, siw: Siw::Stock, wire: Wire::Dgram, guests: 1, body, check: None, full }
}

/// Whether a case of this name needs the agent.
pub fn is_one(case: &str) -> bool {
    case.starts_with("scripts")
}

/// All scripts that name siw; what ends the guest's kernel runs last.
pub fn all(run: &Run<'_>) -> Result<Figures> {
    let (list, mut scripts) = (List::committed()?, chosen()?);
    scripts.sort_by_key(|(script, _)| list.ends_kernel(&script.name));
    let differences = tried(run, &list, &scripts)?;
    let path = repo::target("interop").join("siw-differs.md");
    repo::write(&path, &list.with(&differences).text())?;
    let passed: Vec<_> = list.gone(&scripts, &differences);
    for script in passed {
        run.step.line(&format!("    {script} is listed and passes: take it out of {}", List::PATH));
    }
    judged(&list, &scripts, &differences)
}

/// A few of them.
pub fn few(run: &Run<'_>) -> Result<Figures> {
    let list = List::committed()?;
    // the guest is for other cases, too
    let mut scripts = chosen()?;
    scripts.retain(|(script, _)| !list.ends_kernel(&script.name));
    let scripts: Vec<_> = scripts.into_iter().step_by(FEW).collect();
    let differences = tried(run, &list, &scripts)?;
    judged(&list, &scripts, &differences)
}

/// The error has the differences that are not listed.
fn judged(list: &List, scripts: &[(Script, String)], differences: &[Difference]) -> Result<Figures> {
    let strange: Vec<_> = differences.iter().filter(|difference| !list.has(difference)).collect();
    if let Some(first) = strange.first() {
        let names: Vec<_> = strange.iter().map(|difference| difference.script.as_str()).collect();
        bail!(
            "{} of {} scripts differ and are not in {}: {}; the first: {first}",
            strange.len(),
            scripts.len(),
            List::PATH,
            names.join(", ")
        );
    }
    let (all, differ) = (scripts.len() as f64, differences.len() as f64);
    Ok(Figures::from([("interop.siw_scripts".into(), all), ("interop.siw_scripts_differ".into(), differ)]))
}

/// Scripts that name siw, and their texts.
fn chosen() -> Result<Vec<(Script, String)>> {
    let parsed = files().into_iter().map(|(name, text)| Ok((Script::parse(&name, &text)?, text)));
    let parsed: Vec<_> = parsed.collect::<Result<_>>()?;
    Ok(parsed.into_iter().filter(|(script, _)| script.is_for_siw()).collect())
}

/// Runs them one after the other; what differs.
fn tried(run: &Run<'_>, list: &List, scripts: &[(Script, String)]) -> Result<Vec<Difference>> {
    let mut differences = vec![];
    for (nth, (script, text)) in scripts.iter().enumerate() {
        let (mut last, mut noted) = (Ok(()), vec![]);
        for _ in 0..ATTEMPTS {
            noted.clear();
            last = one(run, script, &mut noted)?;
            if last.is_ok() || run.guests[0].has_failed() {
                break;
            }
        }
        let difference = Difference::new(script, text, &noted, last.as_ref().err());
        let word = if difference.is_none() { "ok" } else { "differs" };
        run.step.line(&format!("    {word:<8}{}", script.name));
        if let Some(difference) = difference {
            run.step.line(&format!("            {difference}"));
            differences.push(difference);
        }
        let rest = &scripts[nth + 1..];
        if !run.guests[0].has_failed() || rest.is_empty() {
            continue;
        }
        let (name, left) = (&script.name, rest.len());
        if !rest.iter().all(|(script, _)| list.ends_kernel(&script.name)) {
            let console = run.guests[0].console();
            bail!("the guest's kernel fails at {name}, {left} scripts did not run:\n{console}");
        }
        run.step.line(&format!(
            "    the guest's kernel has failed: {left} scripts that end it, too, did not run"
        ));
        break;
    }
    Ok(differences)
}

/// One script, with an agent and connections of its own. `noted` gets the steps that siw's habits
/// were passed over in. The inner error is a step that does not hold, the outer one that of the
/// lab.
fn one(run: &Run<'_>, script: &Script, noted: &mut Vec<ScriptError>) -> Result<Result<(), ScriptError>> {
    let (guest, number) = (&run.guests[0], RUN.fetch_add(1, Ordering::Relaxed));
    let ends = Ends {
        device: SocketAddrV4::new(guest.ipv4(), LISTENERS + number % RUNS),
        device_mac: guest.mac(),
        peer: SocketAddrV4::new(guest::ipv4(PEER), PEERS + number % RUNS * PEERS_OF_RUN),
        peer_mac: guest::mac(PEER),
        patience: PATIENCE,
    };
    let (port, peer) = (ends.device.port(), ends.peer.ip());
    let job = guest.spawn(&format!("exec {AGENT} {number} {port} {peer}"))?;
    let mut agent = match Agent::new(guest.agent()?, number.into()) {
        Ok(agent) => agent,
        Err(why) => bail!("{why}; {}", last_words(job)?),
    };
    let folder = run.capture.with_extension("").join(&script.name);
    let folder = folder.parent().context("a script has a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let capture = run.capture.with_extension("").join(format!("{}.pcapng", script.name));
    let port = Slow::new(guest.net().open()?, Pcap::create(&capture)?)?;
    let mut link = Link::over(Box::new(port), ends).of_siw();
    let ran = run::run(script, None, &mut link, &mut agent, noted);
    // siw may wait for the peer
    link.reset().map_err(|why| anyhow!("{}: {why}", script.name))?;
    drop(link);
    let ended = agent.end();
    let output = match job.wait(END) {
        // a kernel that has failed may never end a process
        Err(_) if guest.has_failed() && ran.is_err() => return Ok(ran.map(drop)),
        output => output?,
    };
    match output {
        output if output.code == 0 && !output.timed_out && ended.is_ok() => Ok(ran.map(drop)),
        _ if guest.has_failed() && ran.is_err() => Ok(ran.map(drop)),
        output => {
            let why = ended.err().unwrap_or_default();
            bail!("the agent of {} does not end well: {why} {output:?}; {}", script.name, guest.console())
        }
    }
}

/// What an agent said on its standard output and error.
fn last_words(job: Job) -> Result<String> {
    let output = match job.ended(Duration::ZERO)? {
        Some(output) => output,
        None => job.kill()?,
    };
    Ok(format!("it ended with {}: {}{}", output.code, output.stdout, output.stderr))
}
