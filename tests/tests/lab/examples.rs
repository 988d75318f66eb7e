// SPDX-License-Identifier: MIT OR Apache-2.0
//! The examples of the driver, as they stand in `driver/examples`, each between two simulated
//! devices.
use ferrowarp::{Device, WcOpcode};
use ferrowarp_tests::driver::pair::Cable;

#[path = "../../../driver/examples/echo.rs"]
mod echo;
#[path = "../../../driver/examples/hello_write.rs"]
mod hello_write;
#[path = "../../../driver/examples/key_value.rs"]
mod key_value;

#[test]
fn hello_write_arrives() {
    let cable = Cable::new("hello");
    let [theirs, ours] = [cable.url(1, 2), cable.url(2, 1)].map(|url| Device::open(&url).unwrap());
    let listener = theirs.listen(7000, 1).unwrap();
    std::thread::scope(|scope| {
        let served = scope.spawn(|| hello_write::server(&theirs, &listener));
        let done = hello_write::client(&ours, "10.0.0.1:7000".parse().unwrap()).unwrap();
        assert_eq!(done.map(|d| (d.wr_id, d.opcode)), [(1, WcOpcode::Write), (2, WcOpcode::Send)]);
        assert_eq!(served.join().unwrap().unwrap(), b"hello, remote memory");
    });
}

/// The tutorial shows a program that the test above has run, and that needs no crate but
/// `ferrowarp`.
#[test]
fn the_tutorial_shows_hello_write_as_it_stands() {
    let program = include_str!("../../../driver/examples/hello_write.rs");
    // what is there for this file's sake only, and the licence line
    let own = |line: &&str| line.starts_with("#[allow") || line.starts_with("// SPDX");
    let shown: String = program.lines().filter(|l| !own(l)).map(|l| format!("{l}\n")).collect();
    let tutorial = include_str!("../../../docs/tutorial.md");
    assert!(
        tutorial.contains(&format!("```rust\n{shown}```\n")),
        "copy the example to docs/tutorial.md:\n{shown}"
    );
    for text in [
        program,
        include_str!("../../../driver/examples/echo.rs"),
        include_str!("../../../driver/examples/key_value.rs"),
    ] {
        assert!(
            !text.contains("ferrowarp_"),
            "an example names a crate below `ferrowarp`: export what it needs"
        );
    }
}

#[test]
fn every_echo_comes_back_in_its_turn() {
    let cable = Cable::new("echo");
    let long = "e".repeat(96);
    let texts = ["one", &long, "three"];
    assert_eq!(echo::run(&cable.url(1, 2), &cable.url(2, 1), "10.0.0.1", &texts).unwrap(), texts);
}

#[test]
fn keys_are_found_by_reads_alone() {
    let cable = Cable::new("key-value");
    let (ours, theirs) = (cable.url(1, 2), cable.url(2, 1));
    let pairs = [("iron", "Fe"), ("gold", "Au"), ("lead", "Pb")];
    let values = key_value::run([&ours, &theirs], "10.0.0.1", &pairs, &["gold", "tin", "iron"]).unwrap();
    assert_eq!(values, [Some("Au".to_string()), None, Some("Fe".into())]);
}
