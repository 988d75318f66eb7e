//! The examples of the driver, as they stand in `driver/examples`, each between two simulated devices.
use ferrowarp_tests::driver::pair::Cable;

#[path = "../../driver/examples/echo.rs"]
mod echo;
#[path = "../../driver/examples/hello_write.rs"]
mod hello_write;
#[path = "../../driver/examples/key_value.rs"]
mod key_value;

#[test]
fn hello_write_arrives() {
    let cable = Cable::new("hello");
    let greeting = hello_write::run(&cable.url(1, 2), &cable.url(2, 1), "10.0.0.1").unwrap();
    assert_eq!(greeting, b"hello, remote memory");
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
