// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each file of `tests/conformance/scripts` is a test: a scripted peer and a scripted application
//! at both ends of a simulated device. A script that holds proves the rows that its steps check.
use ferrowarp_tests::proves::{write_proof, Kind, Record};
use ferrowarp_tests::scratch::scratch;
use ferrowarp_tests::script::judge::{self, Frames};
use ferrowarp_tests::script::link::{Ends, Link, DUT, FIRST};
use ferrowarp_tests::script::linux::network;
use ferrowarp_tests::script::run::Half;
use ferrowarp_tests::script::sockets::Sockets;
use ferrowarp_tests::script::verbs::Verbs;
use ferrowarp_tests::script::{files, run, Script};
use libtest_mimic::{Arguments, Failed, Trial};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};

/// Scripts at once, if nobody says.
const THREADS: usize = 6;

/// Frames of the scripts that held.
static FRAMES: Mutex<Vec<Frames>> = Mutex::new(vec![]);

fn main() {
    let trials = files().into_iter().flat_map(|(name, text)| match Script::parse(&name, &text) {
        Ok(script) => trials(&Arc::new(script)),
        Err(why) => vec![Trial::test(title(&name, "sim", None), move || Err(why.into()))],
    });
    let mut args = Arguments::from_args();
    // many scripts wait for a timer
    args.test_threads.get_or_insert(THREADS);
    let ended = libtest_mimic::run(&args, trials.collect());
    let frames = std::mem::take(&mut *FRAMES.lock().expect("no panic"));
    if !frames.is_empty() {
        match judge::faults(&captures().join("scripts.pcapng"), &frames) {
            Ok(faults) if faults.is_empty() => {}
            Ok(faults) => {
                refuse(&format!("tshark finds faults in what the device sent:\n{}", faults.join("\n")))
            }
            Err(why) => refuse(&why),
        }
    }
    ended.exit();
}

/// The end of a run that tests cannot tell.
fn refuse(why: &str) -> ! {
    eprintln!("error: {why}");
    std::process::exit(1)
}

/// Where captures go.
fn captures() -> PathBuf {
    ferrowarp_sim::paths::target().join("scripts")
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

/// The ends of the next script: the second judge tells connections apart by the peer's address.
fn ends() -> Ends {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    let [a, b, ..] = DUT;
    let peer = Ipv4Addr::new(a, b, 1 + (next / 250) as u8, 1 + (next % 250) as u8);
    Ends { peer: SocketAddrV4::new(peer, FIRST), ..Ends::default() }
}

/// A script holds on a simulated device.
fn on_sim(title: &str, script: &Script, half: Option<Half>) -> Result<(), Failed> {
    let folder = scratch(&title.replace("::", "-"));
    std::fs::create_dir_all(&folder)?;
    let [ours, theirs] = ["peer", "device"].map(|end| folder.join(end));
    let ends = ends();
    let mut link = Link::new(&ours, &theirs, ends)?;
    let url = format!(
        "eth=qemu-dgram:{},{};ip={}/16;mac=52:54:00:00:00:01;{}",
        theirs.display(),
        ours.display(),
        Ipv4Addr::from(DUT),
        script.url
    );
    let mut app = Verbs::open(&url, *ends.peer.ip())?;
    let proved = run::run(script, half, &mut link, &mut app, &mut vec![]);
    drop(app);
    std::fs::remove_dir_all(&folder)?;
    let proved = told(title, link, proved.map_err(|why| why.to_string()))?;
    let ids: Vec<_> = proved.into_iter().collect();
    let binary = "scripts".to_string();
    let device = Some("sim".to_string());
    write_proof(&Record { binary, name: title.into(), ids, kind: Kind::Wire, device })?;
    Ok(())
}

/// Keeps the frames for the second judge; a failure leaves a capture of its own.
fn told<T>(title: &str, link: Link, outcome: Result<T, String>) -> Result<T, String> {
    let frames = Frames { name: title.into(), frames: link.frames };
    match outcome {
        Ok(found) => {
            FRAMES.lock().expect("no panic").push(frames);
            Ok(found)
        }
        Err(why) => {
            let path = captures().join(format!("{}.pcapng", title.replace("::", "-")));
            let left = judge::write(&path, &[frames]).map_or_else(|why| why, |()| path.display().to_string());
            let again = format!("cargo test -p ferrowarp-tests --test scripts -- --exact {title}");
            Err(format!("{why}\n  capture: {left}\n  again: {again}"))
        }
    }
}

/// A script holds on the TCP of Linux, in a thread whose network is its own.
fn on_linux(script: &Arc<Script>, half: Option<Half>) -> Result<(), Failed> {
    let script = script.clone();
    let run = std::thread::spawn(move || -> Result<(), String> {
        let mut link = network()?;
        let ran = run::run(&script, half, &mut link, &mut Sockets::default(), &mut vec![]);
        ran.map(drop).map_err(|why| why.to_string())
    });
    Ok(run.join().map_err(|_| "a panic")??)
}
