// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text and JSON of figures, from this process and from another one.
use super::*;
use crate::devices::tests::opened;
use clap::Parser;
use ferrowarp::backend::fake::{device_figures, pair_figures};
use tempfile::TempDir;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

fn parsed(line: &[&str]) -> Result<Args, clap::Error> {
    Line::try_parse_from([&["counters"], line].concat()).map(|line| line.args)
}

#[test]
fn zeros_are_left_out_unless_they_are_asked_for() {
    let told = json!({
        "ok": true,
        "counters": { "rx_gap": 3, "rx_fcs": 0 },
        "queue_pairs": { "0": { "timeouts": 0 }, "10": { "timeouts": 7 }, "2": { "probes": 1, "timeouts": 8 } },
    });
    let some = said(&told, false);
    assert!(some.text.contains("rx_gap") && !some.text.contains("rx_fcs"), "{}", some.text);
    let at = |name: &str| some.text.find(name).unwrap_or_else(|| panic!("{name}: {}", some.text));
    assert!(at("rx_gap") < at("timeouts of QP 2") && !some.text.contains("QP 0"), "{}", some.text);
    assert!(at("timeouts of QP 2") < at("probes of QP 2") && at("probes of QP 2") < at("timeouts of QP 10"));
    assert_eq!(some.json["counters"], json!({ "rx_gap": 3 }));
    let pairs = json!({ "2": { "probes": 1, "timeouts": 8 }, "10": { "timeouts": 7 } });
    assert_eq!(some.json["queue_pairs"], pairs);
    assert_eq!(said(&told, true).json, told);
    let nothing = json!({ "ok": true, "counters": { "rx_fcs": 0 }, "queue_pairs": {} });
    assert_eq!(said(&nothing, false).text, "every counter is 0");
}

#[test]
fn a_queue_pair_has_its_number_and_its_connection() {
    let told = json!({ "ok": true, "queue_pair": 3, "counters": { "probes": 0 }, "connection": null });
    assert_eq!(said(&told, false).text, "every counter is 0\nno connection");
    assert_eq!(said(&told, false).json["counters"], json!({}));
    assert!(said(&told, true).text.contains("probes of QP 3"), "{}", said(&told, true).text);
}

/// What a running program tells is said in the words of a device of one's own.
#[test]
fn figures_of_a_program_are_said_as_those_of_a_device() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("sock");
    let (fake, device) = opened();
    let _figures = device.serve_figures(&path).unwrap();
    let told = |qp: Option<u16>, emss: u8| {
        fake.state().row = vec![emss; 256];
        fake.state().registers = if qp.is_some() { pair_figures(emss > 0) } else { device_figures() };
    };
    for (qp, emss) in [(None, 0), (Some(0), 0), (Some(1), 1)] {
        for all in [false, true] {
            told(qp, emss);
            let here = said(&figures::told(device.inspect(), qp).unwrap(), all);
            told(qp, emss);
            let number = qp.map(|qp| qp.to_string());
            let mut line = vec!["--of", path.to_str().unwrap()];
            line.extend(number.iter().flat_map(|qp| ["--qp", qp]));
            line.extend(all.then_some("--all"));
            assert_eq!(run(&parsed(&line).unwrap()).unwrap(), here, "{qp:?}");
            assert_eq!(here.text.contains("connection: SRTT"), emss > 0, "{}", here.text);
        }
    }
    let wrong = parsed(&["--of", path.to_str().unwrap(), "--qp", "9"]).unwrap();
    let [there, here] =
        [run(&wrong).unwrap_err(), figures::told(device.inspect(), Some(9)).unwrap_err().into()];
    assert_eq!(there.to_string(), here.to_string());
    assert!(here.to_string().contains("queue pairs 0 to 1, and no 9"), "{here}");
}

#[test]
fn a_device_and_a_program_exclude_each_other() {
    assert!(parsed(&["vfio:3:00.0"]).is_ok() && parsed(&["--of", "a", "--all", "--qp", "1"]).is_ok());
    for line in [&[][..], &["vfio:3:00.0", "--of", "a"], &["--of", "a", "--seconds", "2"]] {
        assert!(parsed(line).is_err(), "{line:?}");
    }
    let nobody = run(&parsed(&["--of", "/nowhere/fw.sock"]).unwrap()).unwrap_err().to_string();
    assert!(nobody.contains("no program answers on `/nowhere/fw.sock`"), "{nobody}");
}
