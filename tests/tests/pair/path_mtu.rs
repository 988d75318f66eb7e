// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices whose path takes smaller packets from some moment on: what is in flight leaves again
//! in smaller segments.
use ferrowarp_abi::codec::ConnRow;
use ferrowarp_abi::consts::admin_opcode;
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::link::Fate;
use ferrowarp_sim::{model, run_pair_on, LinkConfig, MemoryTiming, Pair};
use ferrowarp_tests::device::{
    clock_ps, config, link, units, Message, Plan, Traffic, Wire, RDMA_WRITE, SEND,
};
use ferrowarp_tests::tcp_judge::Changes;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;

/// Queue pair of the connection.
const QP: u16 = 5;
/// Octets of an IP packet that the narrow path takes, and of Ethernet's header in front of it.
const NARROW: u16 = 576;
const ETHERNET: usize = 14;
/// FPDUs that have to be in flight when the path becomes narrow.
const IN_FLIGHT: u64 = 64;
/// log2 of the window, which holds all of them.
const WINDOW_LOG2: u64 = 20;
/// Octets of a Write, of a Send and of a Read.
const WRITE: usize = 40_000;
const SEND_OCTETS: usize = 5_000;
const READ: usize = 30_000;
/// Octet of a frame of IPv4 with TCP's flags, and RST among them.
const FLAGS: usize = ETHERNET + 20 + 13;
const RST: u8 = 4;

/// The path: whether it is narrow, and the frames that were too long for it.
#[derive(Clone, Default)]
struct Path {
    is_narrow: Arc<AtomicBool>,
    lost: Arc<AtomicU64>,
    resets: Arc<AtomicU64>,
}

impl Path {
    /// Stands between two devices.
    fn watch(&self, pair: &mut Pair) {
        let path = self.clone();
        pair.link.set_hook(move |sent| {
            if sent.data.get(FLAGS).is_some_and(|flags| flags & RST != 0) {
                path.resets.fetch_add(1, Ordering::Relaxed);
            }
            if path.is_narrow.load(Ordering::Relaxed) && sent.data.len() > ETHERNET + usize::from(NARROW) {
                path.lost.fetch_add(1, Ordering::Relaxed);
                return Fate::Drop;
            }
            Fate::Deliver
        });
    }
}

/// Work of every kind in which A sends: Writes and Sends of its own, responses to Reads of B.
fn post(traffic: &mut Traffic, pair: &mut Pair) {
    for n in 0..3 {
        traffic.post(pair, 0, 0, Message::plain(RDMA_WRITE, vec![n; WRITE]));
        traffic.post(pair, 0, 0, Message::plain(SEND, vec![0x80 | n; SEND_OCTETS]));
        let payload = traffic.hosts[0].inverse(READ);
        traffic.post_read(pair, 1, 0, &payload, [0, 0]);
    }
}

#[test]
fn a_smaller_path_mtu_loses_nothing_and_resets_nothing() {
    let own = Config { window_log2: WINDOW_LOG2, ..config() };
    let library = model(Top::DeviceW64, &own).expect("the device's model");
    // with congestion control, and with all that the peer's window takes in flight
    for (seed, recovery) in [(1, 15), (2, 14)] {
        let far = LinkConfig { delay_ns: 40_000, ..link() };
        run_pair_on("path_mtu", &library, far, seed, |pair| {
            let wire = Wire::plain(40_100 + seed as u16, config().mtu as u16, WINDOW_LOG2 as u32);
            let plan = Plan {
                wires: vec![wire],
                numbers: vec![QP],
                timing: MemoryTiming::steady(clock_ps()),
                longest: WRITE,
                budget: 1_000_000,
            };
            pair.link.capture();
            let mut traffic = Traffic::new(pair, plan)?;
            for bench in [&mut pair.a, &mut pair.b] {
                bench.set("rto_min", units(20));
                bench.set("retry_limit", 15);
                bench.set("recovery", recovery);
            }
            let path = Path::default();
            path.watch(pair);
            // the peer's window grows with what comes
            post(&mut traffic, pair);
            traffic.until_settled(pair, 300_000)?;
            post(&mut traffic, pair);
            let most = pair.a.cycle() + 200_000;
            path.is_narrow.store(true, Ordering::Relaxed);
            while path.lost.load(Ordering::Relaxed) < if recovery == 14 { IN_FLIGHT } else { 1 } {
                traffic.step(pair);
                traffic.look(pair)?;
                if pair.a.cycle() > most {
                    return Err(format!("{:?} frames were too long for the path", path.lost));
                }
            }
            let narrow = Wire { mtu: NARROW, ..wire };
            let row = ConnRow { emss: narrow.emss(), mulpdu: narrow.mulpdu(0), ..wire.row(0) };
            let octets = row.octets().map_err(|e| e.to_string())?;
            traffic.hosts[0].nic.command(&mut pair.a, admin_opcode::CONN_UPDATE, QP, &octets);
            traffic.until_settled(pair, 3_000_000)?;
            // as large as before where the path is wide
            path.is_narrow.store(false, Ordering::Relaxed);
            post(&mut traffic, pair);
            traffic.until_settled(pair, 3_000_000)?;
            traffic.judge_tcp(pair, &Changes::default())?;
            traffic.compare(pair)?;
            match path.resets.load(Ordering::Relaxed) {
                0 => Ok(()),
                resets => Err(format!("{resets} connections were reset")),
            }
        });
    }
}
