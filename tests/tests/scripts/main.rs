// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each file of `tests/conformance/scripts` is a test: a scripted peer and a scripted application
//! at both ends of a simulated device. A script that holds proves the rows that its steps check.
use ferrowarp::Device;
use ferrowarp_tests::proves::{write_proof, Kind, Record};
use ferrowarp_tests::scratch::scratch;
use ferrowarp_tests::script::link::{Link, DUT};
use ferrowarp_tests::script::verbs::Verbs;
use ferrowarp_tests::script::{files, run, Script};
use libtest_mimic::{Arguments, Failed, Trial};
use std::net::Ipv4Addr;

/// What scripts of this binary run on.
const DEVICE: &str = "sim";

fn main() {
    let trials = files().into_iter().filter_map(|(name, text)| {
        let title = format!("{DEVICE}::{}", name.replace('/', "::"));
        match Script::parse(&name, &text) {
            Ok(script) if !script.devices.iter().any(|device| device == DEVICE) => None,
            Ok(script) => Some(Trial::test(title.clone(), move || judge(&title, &script))),
            Err(why) => Some(Trial::test(title, move || Err(why.into()))),
        }
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

/// A script holds.
fn judge(title: &str, script: &Script) -> Result<(), Failed> {
    let folder = scratch(&format!("script-{}", script.name.replace('/', "-")));
    std::fs::create_dir_all(&folder)?;
    let [ours, theirs] = ["peer", "device"].map(|end| folder.join(end));
    let mut link = Link::new(&ours, &theirs)?;
    let url = format!(
        "sim:eth=qemu-dgram:{},{};ip={}/24;mac=52:54:00:00:00:01;{}",
        theirs.display(),
        ours.display(),
        Ipv4Addr::from(DUT),
        script.url
    );
    let mut app = Verbs::new(Device::open(&url)?);
    let proved = run::run(script, &mut link, &mut app);
    drop(app);
    std::fs::remove_dir_all(&folder)?;
    let ids: Vec<_> = proved?.into_iter().collect();
    let binary = "scripts".to_string();
    write_proof(&Record { binary, name: title.into(), ids, kind: Kind::Wire })?;
    Ok(())
}
