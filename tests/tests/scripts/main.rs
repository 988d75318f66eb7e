// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each file of `tests/conformance/scripts` is a test: a scripted peer and a scripted application
//! at both ends of a simulated device. A script that holds proves the rows that its steps check.
use ferrowarp_tests::proves::{write_proof, Kind, Record};
use ferrowarp_tests::scratch::scratch;
use ferrowarp_tests::script::link::{Link, DUT};
use ferrowarp_tests::script::linux::network;
use ferrowarp_tests::script::run::Half;
use ferrowarp_tests::script::sockets::Sockets;
use ferrowarp_tests::script::verbs::Verbs;
use ferrowarp_tests::script::{files, run, Script};
use libtest_mimic::{Arguments, Failed, Trial};
use std::net::Ipv4Addr;
use std::sync::Arc;

fn main() {
    let trials = files().into_iter().flat_map(|(name, text)| match Script::parse(&name, &text) {
        Ok(script) => trials(&Arc::new(script)),
        Err(why) => vec![Trial::test(title(&name, "sim", None), move || Err(why.into()))],
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn title(name: &str, device: &str, half: Option<Half>) -> String {
    let half = half.map(|half| format!("::{}", half.name())).unwrap_or_default();
    format!("{device}::{}{half}", name.replace('/', "::"))
}

/// A trial for each device and each half.
fn trials(script: &Arc<Script>) -> Vec<Trial> {
    let halves = if script.has_halves() { Half::ALL.map(Some).to_vec() } else { vec![None] };
    let devices = script.devices.iter().filter(|device| *device != "siw");
    devices
        .flat_map(|device| halves.iter().map(move |half| (device.clone(), *half)))
        .map(|(device, half)| {
            let (script, title) = (script.clone(), title(&script.name, &device, half));
            Trial::test(title.clone(), move || match device.as_str() {
                "sim" => on_sim(&title, &script, half),
                _ => on_linux(&script, half),
            })
        })
        .collect()
}

/// A script holds on a simulated device.
fn on_sim(title: &str, script: &Script, half: Option<Half>) -> Result<(), Failed> {
    let folder = scratch(&title.replace("::", "-"));
    std::fs::create_dir_all(&folder)?;
    let [ours, theirs] = ["peer", "device"].map(|end| folder.join(end));
    let mut link = Link::new(&ours, &theirs)?;
    let url = format!(
        "eth=qemu-dgram:{},{};ip={}/24;mac=52:54:00:00:00:01;{}",
        theirs.display(),
        ours.display(),
        Ipv4Addr::from(DUT),
        script.url
    );
    let mut app = Verbs::open(&url)?;
    let proved = run::run(script, half, &mut link, &mut app);
    drop(app);
    std::fs::remove_dir_all(&folder)?;
    let ids: Vec<_> = proved?.into_iter().collect();
    let binary = "scripts".to_string();
    let device = Some("sim".to_string());
    write_proof(&Record { binary, name: title.into(), ids, kind: Kind::Wire, device })?;
    Ok(())
}

/// A script holds on the TCP of Linux, in a thread whose network is its own.
fn on_linux(script: &Arc<Script>, half: Option<Half>) -> Result<(), Failed> {
    let script = script.clone();
    let run = std::thread::spawn(move || -> Result<(), String> {
        let mut link = network()?;
        let ran = run::run(&script, half, &mut link, &mut Sockets::default());
        ran.map(drop).map_err(|why| why.to_string())
    });
    Ok(run.join().map_err(|_| "a panic")??)
}
