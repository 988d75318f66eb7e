// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Ethernet link goes down and comes up under load: what the two drivers at its ends see.
use ferrowarp::backend::PciBackend;
use ferrowarp::inspect::counters;
use ferrowarp::{ConnError, Device, Error, LinkState, PlatformEvent, Status, WcOpcode};
use ferrowarp_sim::rnic::{Clock, Held, PairConfig};
use ferrowarp_sim::{seeds, Link, Side};
use ferrowarp_tests::device::clock_ps;
use ferrowarp_tests::driver::load::Load;
use ferrowarp_tests::stack::{net, paced, TICK};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use std::time::Duration;

/// Flaps of a run.
const FLAPS: u64 = 24;
/// Picoseconds of a microsecond.
const US_PS: u64 = 1_000_000;
/// Shortest and longest time without a link. The hardware gives a connection up 510 ms after the
/// first timeout: 2 ms, eight times doubled.
const DOWN_PS: [u64; 2] = [US_PS, 5_000 * US_PS];
/// Messages of each end that arrive between most flaps, so that they meet traffic.
const PROGRESS: u64 = 2;
/// Most time from then on to the next flap.
const SOON_PS: u64 = 60 * US_PS;
/// Cycles between two looks, and those in which anything must get on.
const STEP: u64 = 1_600;
const PATIENCE: u64 = 40_000_000;
/// How long an event takes that is in memory already, on a busy machine.
const SOON: Duration = Duration::from_secs(30);

/// Two devices on a clock, and the link between them.
struct Scene {
    devices: [Device; 2],
    clock: Clock,
    link: Link,
}

/// What each device told of its link.
#[derive(Default)]
struct Told([Vec<PlatformEvent>; 2]);

impl Told {
    fn take(&mut self, devices: &[Device; 2]) {
        for (told, device) in self.0.iter_mut().zip(devices) {
            told.extend(std::iter::from_fn(|| device.next_event()));
        }
    }

    /// Waits for the events of this number of flaps at each end, and for the last state. The link
    /// was up before.
    fn judge(mut self, devices: &[Device; 2], flaps: u64) {
        for (told, device) in self.0.iter_mut().zip(devices) {
            while (told.len() as u64) < 2 * flaps {
                told.push(
                    device.wait_event(SOON).unwrap_or_else(|why| panic!("{} events: {why}", told.len())),
                );
            }
            let each = [PlatformEvent::LinkDown, PlatformEvent::LinkUp];
            let wrong = told.iter().enumerate().position(|(n, event)| *event != each[n % 2]);
            assert_eq!((wrong, told.len() as u64, device.next_event()), (None, 2 * flaps, None));
        }
    }
}

impl Scene {
    fn new() -> Self {
        let (backends, clock) = PciBackend::pair(PairConfig::in_blocks(TICK)).expect("two devices");
        let [a, b] = backends.map(Arc::new);
        let devices =
            [Device::new(a, &net(1)), Device::new(b, &net(2))].map(|device| device.expect("a device"));
        for device in &devices {
            assert_eq!(device.wait_event(SOON).unwrap(), PlatformEvent::LinkUp, "the state at the beginning");
        }
        let link = clock.link().clone();
        Self { devices, clock, link }
    }

    /// A counter of each device.
    fn counted(&self, name: &str) -> [u64; 2] {
        self.devices.each_ref().map(|device| {
            let counters = counters(device.inspect()).unwrap();
            counters.iter().find(|counter| counter.name == name).expect("a counter").value
        })
    }

    /// The state of the link, and how often the link went down, as both devices say.
    fn judge(&self, state: LinkState, downs: u64) {
        assert_eq!(self.devices.each_ref().map(|device| device.link().unwrap()), [state; 2]);
        assert_eq!(self.counted("link_downs"), [downs; 2]);
    }
}

fn run(held: &mut Held<'_>, cycles: u64) -> Result<u64, String> {
    held.run(cycles).map_err(|e| e.to_string())
}

/// Lets both devices work until something is so; the error after too many cycles.
fn until(
    held: &mut Held<'_>,
    load: &mut Load,
    what: &str,
    mut is_so: impl FnMut(&mut Load, u64) -> Result<bool, String>,
) -> Result<(), String> {
    let end = held.cycle() + PATIENCE;
    while !is_so(load, held.cycle())? {
        if run(held, STEP)? > end {
            return Err(format!("{what}: not within {PATIENCE} cycles; arrived {:?}", load.arrived()));
        }
        load.look()?;
    }
    Ok(())
}

/// Flaps of all lengths while messages go both ways.
fn flaps(seed: u64) -> Result<(), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let Scene { devices, mut clock, link } = Scene::new();
    let told = |e: Error| e.to_string();
    let mut load = paced(&mut clock, || Load::connect(&devices, seed)).map_err(told)?;
    let (mut events, mut held) = (Told::default(), clock.hold().map_err(|e| e.to_string())?);
    for n in 0..FLAPS {
        let before = load.arrived();
        // some come while the last one is not overcome
        if n % 4 != 3 {
            until(&mut held, &mut load, "messages after a flap", |load, _| {
                load.post().map_err(told)?;
                events.take(&devices);
                Ok(load.arrived().iter().zip(before).all(|(now, before)| *now >= before + PROGRESS))
            })?;
        }
        let [least, most] = DOWN_PS.map(|ps| (ps as f64).ln());
        let down_ps = rng.random_range(least..most).exp() as u64;
        let from_ps = held.cycle() * clock_ps() + rng.random_range(US_PS..SOON_PS);
        link.set_up(from_ps, false);
        link.set_up(from_ps + down_ps, true);
        until(&mut held, &mut load, "the end of a flap", |load, cycle| {
            load.post().map_err(told)?;
            events.take(&devices);
            Ok(cycle * clock_ps() > from_ps + down_ps)
        })?;
    }
    until(&mut held, &mut load, "what is under way", |load, _| Ok(load.is_settled()))?;
    // what is sent again then is no message a second time
    run(&mut held, 40_000)?;
    load.look()?;
    if !load.is_settled() || !load.failed.iter().all(Vec::is_empty) {
        return Err(format!("behind the last message: {:?}", load.failed));
    }
    drop(held);
    let lost = Side::BOTH.map(|side| link.stats(side).down);
    let mut scene = Scene { devices, clock, link };
    let cut = scene.counted("rx_fcs");
    let told_of = format!("{:?} messages, {lost:?} frames lost, of which {cut:?} were cut", load.arrived());
    eprintln!("seed {seed}: {told_of}");
    assert!(lost.iter().all(|&lost| lost > 0) && cut.iter().any(|&cut| cut > 0), "{told_of}");
    scene.judge(LinkState::Up, FLAPS);
    events.judge(&scene.devices, FLAPS);
    paced(&mut scene.clock, || load.close()).map_err(told)
}

#[test]
fn a_link_that_flaps_under_load_loses_no_message_and_is_told() {
    for seed in seeds(0..1, 0..42) {
        flaps(seed).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
}

#[test]
fn a_link_that_stays_down_for_longer_than_tcp_tries_ends_connections_and_serves_others() {
    let Scene { devices, mut clock, link } = Scene::new();
    let before = devices.each_ref().map(|device| device.audit().unwrap());
    let mut load = paced(&mut clock, || Load::connect(&devices, 1)).unwrap();
    let mut held = clock.hold().unwrap();
    let told = |e: Error| e.to_string();
    let works = |load: &mut Load, _| {
        load.post().map_err(told)?;
        Ok(load.arrived().iter().all(|&arrived| arrived >= PROGRESS))
    };
    until(&mut held, &mut load, "messages", works).unwrap();
    link.set_up((held.cycle() + 1) * clock_ps(), false);
    let begun = held.cycle();
    while load.ended().iter().any(Option::is_none) {
        let now = run(&mut held, 16 * STEP).unwrap();
        load.look().unwrap();
        assert!(now < begun + 16 * PATIENCE, "no end: {:?}", load.ended());
    }
    load.look().unwrap();
    let lost =
        |ended: &Option<Result<(), Error>>| matches!(ended, Some(Err(Error::Connection(ConnError::Lost))));
    assert!(load.ended().iter().all(lost), "{:?}", load.ended());
    // each request that was posted has completed once, in order
    for (failed, [completed, posted]) in load.failed.iter().zip(load.requests()) {
        assert!(failed.iter().all(|wc| wc.status == Status::Flushed), "{failed:?}");
        let sends = failed.iter().filter(|wc| wc.opcode != WcOpcode::Receive).map(|wc| wc.wr_id);
        assert!(sends.eq(completed..posted), "{completed} of {posted}: {failed:?}");
    }
    drop(held);
    drop(load);
    let scene = Scene { devices, clock, link };
    scene.judge(LinkState::Down, 1);
    for device in &scene.devices {
        assert_eq!(device.wait_event(SOON).unwrap(), PlatformEvent::LinkDown);
    }
    let mut clock = scene.clock;
    let held = clock.hold().unwrap();
    scene.link.set_up((held.cycle() + 1) * clock_ps(), true);
    drop(held);
    for device in &scene.devices {
        assert_eq!(device.wait_event(SOON).unwrap(), PlatformEvent::LinkUp);
    }
    let mut load = paced(&mut clock, || Load::connect(&scene.devices, 2)).unwrap();
    let mut held = clock.hold().unwrap();
    until(&mut held, &mut load, "messages of another connection", works).unwrap();
    until(&mut held, &mut load, "the last ones", |load, _| Ok(load.is_settled())).unwrap();
    drop(held);
    paced(&mut clock, || load.close()).unwrap();
    let audit = |device: &Device| {
        let mut audit = device.audit().unwrap();
        audit.firmware.time_waits = 0;
        audit
    };
    assert_eq!(scene.devices.each_ref().map(audit), before);
}
