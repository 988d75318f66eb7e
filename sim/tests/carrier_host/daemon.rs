// SPDX-License-Identifier: MIT OR Apache-2.0
//! The daemon's thread between a handle and a device's end in another thread.
use crate::mirror::{tlp_record, Mirror, Record};
use crate::tlps;
use ferrowarp_sim::carrier::{CarrierConfig, CarrierState};
use ferrowarp_sim::eth::{wait, JoinedPort, Wire};
use ferrowarp_sim::rnic::{CarriedConfig, CarrierWatch, Rnic};
use ferrowarp_sim::EthPort;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A device whose registers read as their addresses.
struct Board {
    is_mute: Arc<AtomicBool>,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<Record>>>,
}

impl Board {
    fn start(mut port: JoinedPort) -> Self {
        let (is_mute, ends) = <(Arc<AtomicBool>, Arc<AtomicBool>)>::default();
        let (mute, stop) = (is_mute.clone(), ends.clone());
        let body = move || {
            let (mut device, start, mut got) = (Mirror::new(), Instant::now(), vec![]);
            while !stop.load(Ordering::Relaxed) {
                let now = start.elapsed().as_nanos() as u64;
                device.is_mute = mute.load(Ordering::Relaxed);
                while let Some(frame) = port.receive().unwrap() {
                    if !port.is_spoilt() && !device.is_mute {
                        device.frame_came(now, &frame);
                    }
                }
                for record in std::mem::take(&mut device.got) {
                    serve(&mut device, &record);
                    got.push(record);
                }
                while let Some(frame) = device.poll(now) {
                    port.send(&frame).unwrap();
                }
                wait(&[&port], Duration::from_micros(200)).unwrap();
            }
            got
        };
        Self { is_mute, ends, thread: Some(std::thread::spawn(body)) }
    }

    fn mute(&self, is_mute: bool) {
        self.is_mute.store(is_mute, Ordering::Relaxed);
    }

    /// All records that came.
    fn finish(mut self) -> Vec<Record> {
        self.ends.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

/// Answers a read of registers, and a reset.
fn serve(device: &mut Mirror, record: &Record) {
    match record {
        Record::Reset => device.push(vec![4, 0, 0, 0, 0, 0, 0, 0]),
        Record::Tlp(_, stream) if stream[3] == 0 => {
            let tlp = tlps::stream(stream);
            let (dwords, tag) = (tlp[3], tlp[6]);
            let address = u32::from_be_bytes(tlp[8..12].try_into().unwrap());
            let data: Vec<_> = (0..u32::from(dwords)).flat_map(|n| (address + 4 * n).to_le_bytes()).collect();
            let head = [0x4A, 0, 0, dwords, 0x03, 0, 0, 4 * dwords, 0, 0, tag, address as u8 & 0x7F];
            device.push(tlp_record(&tlps::stream(&[&head[..], &data].concat())));
        }
        _ => {}
    }
}

fn started(wire: &str, gone: Duration) -> (Rnic, CarrierWatch, Board) {
    let [port, far] = JoinedPort::pair(&wire.parse().unwrap()).unwrap();
    let board = Board::start(far);
    let carrier = CarrierConfig {
        hello_ns: 10_000_000,
        keepalive_ns: 20_000_000,
        gone_ns: gone.as_nanos() as u64,
        ..CarrierConfig::default()
    };
    let (rnic, watch) = Rnic::carried(CarriedConfig { port: Box::new(port), carrier, pcap: None }).unwrap();
    (rnic, watch, board)
}

/// A register of BAR 0.
fn register(rnic: &Rnic, offset: u64) -> u32 {
    u32::from_le_bytes(rnic.bar_read(0, offset, 4).unwrap().try_into().unwrap())
}

#[test]
fn registers_are_reached_over_a_bad_cable() {
    let wire = "loss=0.2,duplicate=0.1,reorder=0.1,corrupt=0.1,seed=3";
    let (rnic, watch, board) = started(wire, Duration::from_secs(20));
    for n in 0..100_u64 {
        rnic.bar_write(2, 8 * n, &(n as u32).to_le_bytes()).unwrap();
        assert_eq!(register(&rnic, 4 * n), 0xF000_0000 + 4 * n as u32);
    }
    let mut run = [0; 256];
    rnic.bar_read_run(0, 0x400, &mut run).unwrap();
    assert_eq!(run[252..], 0xF000_04FC_u32.to_le_bytes());
    rnic.reset().unwrap();
    assert_eq!(register(&rnic, 0x10), 0xF000_0010);
    let stats = watch.stats();
    assert!(stats.sent_again > 0 && stats.violations == 0 && stats.epochs == 1, "{stats:?}");
    rnic.finish().unwrap();
    let got = board.finish();
    let writes: Vec<_> = got.iter().filter(|r| matches!(r, Record::Tlp(2, _))).collect();
    let wanted: Vec<_> =
        (0..100).map(|n| Record::Tlp(2, tlps::stream(&tlps::write(0xF100_0000 + 8 * n, n)))).collect();
    assert!(writes.into_iter().eq(&wanted), "{got:?}");
    assert_eq!(got.iter().filter(|record| **record == Record::Reset).count(), 1);
}

#[test]
fn a_device_that_falls_silent_is_told_and_nobody_hangs() {
    let gone = Duration::from_millis(300);
    let (rnic, watch, board) = started("", gone);
    assert_eq!(register(&rnic, 0x10), 0xF000_0010);
    board.mute(true);
    let begun = Instant::now();
    // whether the silence is noticed before the read or by the read
    assert_eq!(register(&rnic, 0x10), u32::MAX);
    assert!(begun.elapsed() < gone + Duration::from_secs(10), "{:?}", begun.elapsed());
    while watch.state() != CarrierState::Gone {
        std::thread::sleep(Duration::from_millis(1));
    }
    rnic.reset().unwrap();
    assert_eq!(register(&rnic, 0x10), u32::MAX);
    board.mute(false);
    while watch.state() != CarrierState::Up {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(register(&rnic, 0x10), u32::MAX, "an access was lost, so software begins anew");
    rnic.reset().unwrap();
    assert_eq!(register(&rnic, 0x10), 0xF000_0010);
    let stats = rnic.finish().unwrap();
    assert_eq!((stats.link_downs, watch.stats().gone), (1, 1));
    board.finish();
}

#[test]
fn without_a_device_the_start_returns_and_registers_are_all_ones() {
    let [port, _far] = JoinedPort::pair(&Wire::default()).unwrap();
    let carrier = CarrierConfig { gone_ns: 100_000_000, ..CarrierConfig::default() };
    let (rnic, watch) = Rnic::carried(CarriedConfig { port: Box::new(port), carrier, pcap: None }).unwrap();
    assert_eq!(watch.state(), CarrierState::Gone);
    assert_eq!(register(&rnic, 0), u32::MAX);
    rnic.bar_write(0, 0, &[1; 4]).unwrap();
    rnic.reset().unwrap();
    let stats = rnic.finish().unwrap();
    assert!(stats.sent > 0 && stats.received == 0, "{stats:?}");
}
