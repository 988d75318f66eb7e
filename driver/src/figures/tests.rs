// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures of a device that a test plays, and clients that mean no good.
mod hostile;
mod places;

use super::asking::ask_within;
use super::*;
use crate::backend::fake::{device_figures, pair_figures, Fake};
use crate::device::Device;
use crate::inspect::{qp_counters, Inspect};
use crate::url::NetUrl;
use crate::verbs::tests::net;
use ferrowarp_abi::consts::admin_opcode;
use ferrowarp_abi::host::counters::{COUNTERS, QP_COUNTERS};
use serde_json::{json, Value};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A folder for sockets, removed with its contents.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        // the path of a socket has a hundred octets
        let path = std::env::temp_dir().join(format!("fw-figures-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

fn device() -> (Arc<Fake>, Device) {
    let fake = Fake::new();
    (fake.clone(), Device::new(fake, &net()).unwrap())
}

/// Numbers of a queue pair's counters, from `first` on.
fn numbers(first: usize) -> Value {
    let values = QP_COUNTERS.iter().enumerate().map(|(nth, c)| (c.name.to_string(), json!(first + nth)));
    Value::Object(values.collect())
}

#[test]
fn figures_of_the_device_are_told() {
    let folder = Folder::new("device");
    let (fake, device) = device();
    let figures = device.serve_figures(folder.0.join("sock")).unwrap();
    let [a, b, c] = [0, 1, 2].map(|n: usize| COUNTERS[n].name);
    for _ in 0..3 {
        fake.state().registers = device_figures();
        let told = ask(figures.path(), None).unwrap();
        assert_eq!(told["counters"], json!({ a: 5, b: 0, c: 7 }));
        assert_eq!(told["queue_pairs"], json!({ "0": numbers(0), "1": numbers(QP_COUNTERS.len()) }));
        assert!(fake.state().registers.is_empty(), "{told}");
    }
    assert_eq!(fake.state().resets, 0);
    let refused = ask(figures.path(), None).unwrap_err();
    assert!(matches!(&refused, FiguresError::Refused(why) if why.contains("registers")), "{refused}");
}

#[test]
fn figures_of_a_queue_pair_are_told_with_its_connection() {
    let folder = Folder::new("pair");
    let (fake, device) = device();
    let figures = device.serve_figures(folder.0.join("sock")).unwrap();
    fake.state().registers = pair_figures(false);
    fake.state().row = vec![0; 256];
    let told = ask(figures.path(), Some(1)).unwrap();
    let alone = json!({ "ok": true, "queue_pair": 1, "counters": numbers(10), "connection": null });
    assert_eq!(told, alone);
    fake.state().registers = pair_figures(true);
    fake.state().row = vec![1; 256];
    let told = ask(figures.path(), Some(1)).unwrap();
    fake.state().registers = pair_figures(false);
    let info = crate::tcp_info::tcp_info(device.inspect(), 1).unwrap().unwrap();
    assert_eq!(told["connection"], json!(info));
    assert!(told["connection"]["srtt_us"].as_u64() > Some(0), "{told}");
    assert_eq!(serde_json::from_value::<crate::TcpInfo>(json!(info)).unwrap(), info);
    let (head, _) = fake.told(admin_opcode::READ_ROW).pop().unwrap();
    assert_eq!(head.index, 1);
    let wrong = ask(figures.path(), Some(2)).unwrap_err();
    assert!(wrong.to_string().contains("queue pairs 0 to 1, and no 2"), "{wrong}");
    assert!(qp_counters(Inspect::new(&*fake), 2).unwrap().is_empty());
}

/// By its URL a device offers its figures as long as it is open.
#[test]
fn a_url_offers_figures_until_the_device_is_closed() {
    let folder = Folder::new("url");
    let path = folder.0.join("sock");
    let fake = Fake::new();
    let device = Device::new(fake.clone(), &NetUrl { figures: Some(path.clone()), ..net() }).unwrap();
    fake.state().registers = device_figures();
    assert_eq!(ask(&path, None).unwrap()["ok"], true);
    let second = Device::new(Fake::new(), &NetUrl { figures: Some(path.clone()), ..net() });
    assert!(matches!(second, Err(Error::Figures(FiguresError::InUse(of))) if of == path));
    drop(device);
    assert!(!path.exists() && matches!(ask(&path, None), Err(FiguresError::Nobody(_))));
    // all that the thread held of the device has gone, too
    assert_eq!(Arc::strong_count(&fake), 1);
}

#[test]
fn behind_the_end_of_the_device_each_answer_says_so() {
    let folder = Folder::new("closed");
    let (fake, device) = device();
    let figures = device.serve_figures(folder.0.join("sock")).unwrap();
    drop(device);
    assert_eq!(Arc::strong_count(&fake), 1);
    let closed = ask(figures.path(), None).unwrap_err();
    assert!(closed.to_string().contains("closed the device"), "{closed}");
}

/// A device that answers nothing holds up the thread, and nobody else.
#[test]
fn a_silent_device_holds_no_drop_up() {
    let folder = Folder::new("silent");
    let (fake, device) = device();
    let figures = device.serve_figures(folder.0.join("sock")).unwrap();
    fake.state().registers = pair_figures(false);
    fake.state().mute.insert(admin_opcode::READ_ROW);
    let late = ask_within(figures.path(), Some(0), Duration::from_millis(200)).unwrap_err();
    assert!(matches!(late, FiguresError::Late { .. }), "{late}");
    assert!(fake.is_asked());
    let (path, begun) = (figures.path().to_path_buf(), Instant::now());
    drop(figures);
    assert!(begun.elapsed() < Duration::from_secs(3) && !path.exists(), "{:?}", begun.elapsed());
    fake.answer();
}
