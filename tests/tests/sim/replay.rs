// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recorded device does the same again: every frame at the same time, whether cycles in which
//! nothing can move are evaluated or passed over.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::model;
use ferrowarp_sim::rnic::{wire, Replay, Replayed};
use ferrowarp_tests::device::config;
use ferrowarp_tests::recorded::{line, tour, Load};

fn replayed(load: &Load, skips: bool) -> Replayed {
    let config = config();
    let library = model(Top::RnicW64, &config).expect("the model of the device is built");
    let replay = Replay::new(&library, wire(&config), load.recording.clone(), skips);
    let mut replay = replay.expect("a device");
    replay.run(load.recording.cycles()).expect("a recording that goes through");
    replay.finish().expect("no fault of the link")
}

fn repeats(load: &Load) -> Replayed {
    let evaluated = replayed(load, false);
    assert_eq!(evaluated.passed, 0);
    assert!(evaluated.sent == load.recording.sent(), "the replay is not the recording");
    let passed_over = replayed(load, true);
    assert!(passed_over.sent == evaluated.sent, "passing over changes what the device sends");
    assert_eq!(passed_over.cycles, evaluated.cycles);
    passed_over
}

#[test]
fn a_tour_goes_the_same_way_again_also_if_cycles_are_passed_over() {
    let told = repeats(&tour().expect("a tour"));
    assert!(told.passed > told.cycles / 20, "{} of {} cycles were passed over", told.passed, told.cycles);
}

#[test]
fn writes_at_line_rate_go_the_same_way_again() {
    repeats(&line(2).expect("Writes"));
}
