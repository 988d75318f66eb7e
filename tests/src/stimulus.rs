// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the judge (`cargo xtask icarus`) replays in another simulator: for tops that random items
//! set nothing in motion in, the beginning of a lawful run; for the others
//! [`ferrowarp_sim::judge::drive`].
use crate::device::{clock_ps, config, Host, Wire};
use crate::rnic::{Rnic, CLOCK_PS};
use crate::sq::{message, Manners, Rig};
use ferrowarp_abi::codec::{AdminCommand, CarrierHdr};
use ferrowarp_abi::consts::{admin_opcode, admin_row, carrier_kind};
use ferrowarp_abi::host::carrier::FRAME_MIN;
use ferrowarp_abi::types::MacAddr;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::judge::{drive, Record, Tape};
use ferrowarp_sim::pcie::RcConfig;
use ferrowarp_sim::{Bench, Frame, Library, MemoryTiming, Pattern};
use std::sync::Arc;

/// Where random values come from.
const SEED: u64 = 1;
/// Cycles of a top, and of a whole device, which takes Icarus twenty times as long.
const CYCLES: usize = 2_000;
const DEVICE_CYCLES: usize = 1_000;
/// Octets of a frame of nobody that the device knows.
const FRAME: usize = 300;
/// Cycles between two hellos of a host.
const HELLO_EVERY: u64 = 300;
/// A queue pair in use.
const QP: u16 = 3;

/// Runs the Verilated `library` of `top` and records its first cycles after reset.
///
/// # Errors
/// What the bench says of a run that is not lawful, or of ports that are missing.
pub fn record(top: Top, library: &Arc<Library>) -> Result<Record, String> {
    match top {
        Top::SqW64 => send_queue(library),
        Top::DeviceW64 => device(library),
        Top::RnicW64 => rnic(library),
        Top::CarriedW64 => carried(library),
        _ => drive(library, SEED, CYCLES).map_err(|e| e.to_string()),
    }
}

/// Work requests of a queue pair that is set up: doorbells, fetches, gathers, ULPDUs,
/// acknowledgements.
fn send_queue(library: &Arc<Library>) -> Result<Record, String> {
    let (mut bench, tape) = Bench::recorded(library, SEED, CYCLES)?;
    let mut rig = Rig::new(&mut bench, Manners::steady());
    let qp = usize::from(QP);
    rig.set_up(&mut bench, qp, 4, 1_454)?;
    while !tape.is_full(CYCLES) {
        for (opcode, octets) in [(0, 100), (3, 1_000), (0, 33)] {
            let message = message(&mut bench, opcode, octets);
            let post = rig.gathered(&mut bench, qp, message, 2);
            rig.post(&mut bench, qp, &post);
        }
        rig.ring(&mut bench, qp);
        rig.finish(&mut bench)?;
    }
    Ok(tape.record())
}

/// A device that is set up with a queue pair and a connection, while frames of a stranger come.
fn device(library: &Arc<Library>) -> Result<Record, String> {
    let (mut bench, tape) = Bench::recorded(library, SEED, DEVICE_CYCLES)?;
    let rx = bench.source("rx", Pattern::None);
    bench.sink("tx", Pattern::None);
    strangers(&mut bench, rx);
    let mut host = Host::new(&mut bench, MemoryTiming::steady(clock_ps()), &[QP], FRAME);
    let c = config();
    Wire::plain(0, c.mtu as u16, c.window_log2 as u32).insert(&mut host.nic, &mut bench, 0, QP);
    filled(&mut bench, &tape)
}

/// A device behind its bus: registers and rows are read, while frames of a stranger come.
fn rnic(library: &Arc<Library>) -> Result<Record, String> {
    let (mut bench, tape) = Bench::recorded(library, SEED, DEVICE_CYCLES)?;
    let nic = Rnic::new(&mut bench, RcConfig::steady(CLOCK_PS));
    strangers(&mut bench, nic.rx);
    nic.ready(&mut bench)?;
    while !tape.is_full(DEVICE_CYCLES) {
        let row = AdminCommand { opcode: admin_opcode::READ_ROW, row: admin_row::QP, index: QP };
        nic.ask(&mut bench, row, &[])?;
    }
    Ok(tape.record())
}

/// A device behind the carrier: a host says hello until the device answers, while frames of a
/// stranger come.
fn carried(library: &Arc<Library>) -> Result<Record, String> {
    let (mut bench, tape) = Bench::recorded(library, SEED, CYCLES)?;
    let rx = bench.source("rx", Pattern::None);
    bench.sink("tx", Pattern::None);
    for (pin, value) in [("eth_link_up", 1), ("carrier_silence", 1 << 20), ("carrier_timeout", 1 << 10)] {
        bench.set(pin, value);
    }
    let [device, host] = [0x02, 0x06].map(|octet| MacAddr([octet; 6]));
    bench.set("carrier_address", device.to_bits());
    let header = CarrierHdr {
        destination: device,
        source: host,
        kind: carrier_kind::HELLO,
        epoch: 1,
        ..CarrierHdr::default()
    };
    let mut hello = header.octets().map_err(|e| format!("{e:?}"))?.to_vec();
    hello.resize(FRAME_MIN, 0);
    strangers(&mut bench, rx);
    while !tape.is_full(CYCLES) {
        bench.send(rx, Frame::good(hello.clone()));
        let until = bench.cycle() + HELLO_EVERY;
        bench.run_until(CYCLES as u64, |b| b.cycle() >= until || tape.is_full(CYCLES))?;
    }
    Ok(tape.record())
}

/// Sends frames that nobody waits for: IPv4 and TCP without options.
fn strangers(bench: &mut Bench, rx: ferrowarp_sim::SourceId) {
    let mut frame = vec![0x5a; FRAME];
    frame[12..16].copy_from_slice(&[8, 0, 0x45, 0]);
    frame[16..18].copy_from_slice(&(FRAME as u16 - 14).to_be_bytes());
    frame[23] = 6;
    for _ in 0..DEVICE_CYCLES * 8 / FRAME {
        bench.send(rx, Frame::good(frame.clone()));
    }
}

/// Goes on until the tape is full.
fn filled(bench: &mut Bench, tape: &Tape) -> Result<Record, String> {
    bench.run_until(CYCLES as u64, |_| tape.is_full(DEVICE_CYCLES))?;
    Ok(tape.record())
}
