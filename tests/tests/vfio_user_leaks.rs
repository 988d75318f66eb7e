// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections come and go through vfio-user sockets, one after the other and many at once, and
//! nothing of them stays: no row, no mapping, no object of driver or firmware, no thread.
//!
//! A process of its own: the test counts the threads of its process.
use ferrowarp::backend::{Backend, PciBackend};
use ferrowarp::url::VfioUserUrl;
use ferrowarp::{Audit, Device};
use ferrowarp_abi::codec::{AdminAnswer, AdminCommand, ConnRow};
use ferrowarp_abi::consts::{admin_opcode, admin_row};
use ferrowarp_sim::rnic::Served;
use ferrowarp_tests::served::joined;
use ferrowarp_tool::ping::{client, serve, ClientOptions, ServerOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);
/// Queue pairs of a device.
const AT_ONCE: u16 = 16;
const PORT: u16 = 7_000;

/// A device, its driver, and what it holds.
struct End {
    served: Served,
    backend: Arc<PciBackend>,
    device: Device,
}

impl End {
    fn new((path, served): (impl AsRef<Path>, Served), ip: &str) -> Self {
        let backend = Arc::new(PciBackend::vfio_user(path.as_ref()).unwrap());
        let url: VfioUserUrl = format!("{};ip={ip}/24", path.as_ref().display()).parse().unwrap();
        let device = Device::new(backend.clone(), &url.net).unwrap();
        Self { served, backend, device }
    }

    fn holds(&self) -> (Audit, u64) {
        let mut audit = self.device.audit().unwrap();
        // what TIME-WAIT remembers goes with time
        audit.firmware.time_waits = 0;
        (audit, self.served.stats().mapped)
    }

    /// Whether the hardware has nothing of a connection.
    fn is_blank(&self, qp: u16) -> bool {
        let head = AdminCommand { opcode: admin_opcode::READ_ROW, row: admin_row::CONN, index: qp };
        // SAFETY: a row is read.
        let asked = unsafe { self.backend.admin(head.octets().unwrap().to_vec()) };
        let answer = asked.unwrap().wait(PATIENCE).unwrap();
        let row = ConnRow::parse(&answer[AdminAnswer::LEN..]).unwrap();
        (row.rcv_nxt.0, row.snd_una.0, row.snd_nxt.0, row.snd_wnd.0, row.gate_open) == (0, 0, 0, 0, false)
    }
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

/// A connection that pings twice, over a listener of its own.
fn cycle(ends: &[End; 2], port: u16, size: usize) {
    let listener = ends[0].device.listen(port, 1).unwrap();
    let remote = format!("10.0.0.1:{port}").parse().unwrap();
    let options =
        ClientOptions { remote, count: 2, size, peer_to_peer: false, startup: None, patience: PATIENCE };
    let server = ServerOptions { accept: PATIENCE, patience: PATIENCE, validate: true };
    std::thread::scope(|scope| {
        let serving = scope.spawn(|| serve(&ends[0].device, &listener, &server, |_, _| {}));
        assert_eq!(client(&ends[1].device, &options, |_, _| {}).unwrap().octets, size);
        assert_eq!(serving.join().unwrap().unwrap().pings, 2);
    });
}

/// Waits until no more is held than before.
fn settle(ends: &[End; 2], before: &[(Audit, u64)], threads_before: usize) {
    let end = Instant::now() + PATIENCE;
    loop {
        let now: Vec<_> = ends.iter().map(End::holds).collect();
        if now == before && threads() == threads_before {
            return;
        }
        assert!(
            Instant::now() < end,
            "held {now:?}, {} threads; before {before:?}, {threads_before}",
            threads()
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn two_hundred_connections_and_sixteen_at_once_leave_nothing() {
    let cycles = if std::env::var("FERROWARP_FULL").is_ok_and(|full| full == "1") { 200 } else { 20 };
    let [a, b] = joined("leaks");
    let ends = [End::new(a, "10.0.0.1"), End::new(b, "10.0.0.2")];
    let before: Vec<_> = ends.iter().map(End::holds).collect();
    let threads_before = threads();
    assert!(before.iter().all(|(audit, mapped)| audit.queue_pairs == 0 && *mapped > 0), "{before:?}");

    for n in 0..cycles {
        cycle(&ends, PORT, 27 + 97 * n);
    }
    settle(&ends, &before, threads_before);

    std::thread::scope(|scope| {
        for n in 0..AT_ONCE {
            let ends = &ends;
            scope.spawn(move || cycle(ends, PORT + n, 3_000 + usize::from(n)));
        }
    });
    settle(&ends, &before, threads_before);
    for end in &ends {
        assert!((0..AT_ONCE).all(|qp| end.is_blank(qp)), "a connection is still in the hardware");
    }

    for End { served, backend, device } in ends {
        drop((device, backend));
        let stats = served.finish().unwrap();
        assert_eq!((stats.refused, stats.mapped), (0, 0), "{stats:?}");
    }
}
