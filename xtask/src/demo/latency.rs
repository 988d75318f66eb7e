// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the time of one RDMA Write goes: what passes the ports of the device that sends it.
use super::wave::{Frame, Tlp, TlpKind, Wave};
use anyhow::{Context, Result};

/// Place of the DDP control octet in a frame of a connection without TCP options: Ethernet 14, IPv4
/// 20, TCP 20, length of the ULPDU 2.
const DDP: usize = 14 + 20 + 20 + 2;
/// DDP control of a tagged segment of version 1, and its bit of the last segment.
const TAGGED: u8 = 0x81;
const LAST: u8 = 0x40;
/// RDMAP control of an RDMA Write of version 1.
const WRITE: u8 = 0x40;
/// Bit of the BAR with the doorbells, BAR2.
const DOORBELLS: u8 = 2;

/// What passes a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    pub what: &'static str,
    /// Port, as the Verilog calls it.
    pub port: &'static str,
    pub cycle: usize,
}

/// One RDMA Write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// From the doorbell to the completion.
    pub passed: Vec<Passed>,
    /// The first frame.
    pub frame: Frame,
}

/// Finds the first whole RDMA Write of a waveform.
///
/// # Errors
/// What cannot be found.
pub fn write(wave: &Wave) -> Result<Write> {
    let (sent, came) = (wave.frames("tx"), wave.frames("rx"));
    let (into, out) = (wave.tlps_in(), wave.tlps_out());
    let first = sent.iter().position(is_write).context("no frame of an RDMA Write leaves")?;
    let last = sent[first..].iter().find(|frame| is_write(frame) && frame.octets[DDP] & LAST != 0);
    let last = last.context("the last frame of the RDMA Write does not leave")?.last;
    let frame = sent[first].clone();

    let rings =
        |tlp: &&Tlp| tlp.kind == TlpKind::Write && tlp.bars & DOORBELLS != 0 && tlp.cycle < frame.first;
    let doorbell = into.iter().rfind(rings).context("no doorbell comes before the frame")?.cycle;
    let after = |tlps: &[Tlp], kind, cycle, what: &'static str| {
        let found = tlps.iter().find(|tlp| tlp.kind == kind && tlp.cycle > cycle);
        found.map(|tlp| tlp.cycle).with_context(|| format!("{what} is not in the waveform"))
    };
    let fetch = after(&out, TlpKind::Read, doorbell, "the read of the work request")?;
    let request = after(&into, TlpKind::Completion, fetch, "the work request")?;
    let gather = after(&out, TlpKind::Read, request, "the read of the payload")?;
    let payload = after(&into, TlpKind::Completion, gather, "the payload")?;
    let done = after(&out, TlpKind::Write, last, "the completion")?;
    let ack = came.iter().rfind(|frame| (last..done).contains(&frame.last));
    let ack = ack.context("no ACK comes between the last frame and the completion")?.last;
    let passed = [
        ("doorbell arrives", "pcie_rx", doorbell),
        ("read of the work request leaves", "pcie_tx", fetch),
        ("work request arrives", "pcie_rx", request),
        ("first read of the payload leaves", "pcie_tx", gather),
        ("first payload arrives", "pcie_rx", payload),
        ("first frame begins to leave", "tx", frame.first),
        ("last frame has left", "tx", last),
        ("last ACK of the peer has arrived", "rx", ack),
        ("completion leaves", "pcie_tx", done),
    ];
    let passed = passed.map(|(what, port, cycle)| Passed { what, port, cycle }).to_vec();
    Ok(Write { passed, frame })
}

fn is_write(frame: &Frame) -> bool {
    let control = frame.octets.get(DDP..DDP + 2);
    control.is_some_and(|control| control[0] & !LAST == TAGGED && control[1] == WRITE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beats of a stream of one octet lane: a frame of a Write whose octets come at once would need
    /// many beats, so a frame has 58 beats of one octet here.
    fn stream(name: &str, cycles: usize, frames: &[(usize, &[u8])]) -> Vec<(String, Vec<u128>)> {
        let mut ports = ["valid", "ready", "last", "bytes", "data"].map(|_| vec![0; cycles]);
        for (begin, octets) in frames {
            for (n, octet) in octets.iter().enumerate() {
                let values = [1, 1, u128::from(n + 1 == octets.len()), 1, u128::from(*octet)];
                ports.iter_mut().zip(values).for_each(|(port, value)| port[begin + n] = value);
            }
        }
        let names = ["valid", "ready", "last", "bytes", "data"].map(|port| format!("{name}_{port}"));
        names.into_iter().zip(ports).collect()
    }

    fn wave(ack: usize) -> Wave {
        const CYCLES: usize = 400;
        let segment = |control| [&[0; DDP][..], &[control, WRITE]].concat();
        let mut ports = stream("tx", CYCLES, &[(100, &segment(TAGGED)), (160, &segment(TAGGED | LAST))]);
        ports.extend(stream("rx", CYCLES, &[(ack, &[1, 2])]));
        let mut tlps = ["valid", "ready", "last", "data"].map(|_| vec![0; CYCLES]);
        for (cycle, kind) in [(20, 0x20), (50, 0x20), (300, 0x60)] {
            tlps.iter_mut().zip([1, 1, 1, kind << 24]).for_each(|(port, value)| port[cycle] = value);
        }
        let names = ["valid", "ready", "last", "data"].map(|port| format!("pcie_tx_{port}"));
        ports.extend(names.into_iter().zip(tlps));
        let mut tlps = ["valid", "ready", "is_sof", "bar_hit", "data"].map(|_| vec![0; CYCLES]);
        for (cycle, kind, bars) in [(10, 0x60, 2), (30, 0x4a, 0), (60, 0x4a, 0)] {
            tlps.iter_mut().zip([1, 1, 0x10, bars, kind << 24]).for_each(|(port, value)| port[cycle] = value);
        }
        let names = ["valid", "ready", "is_sof", "bar_hit", "data"].map(|port| format!("pcie_rx_{port}"));
        ports.extend(names.into_iter().zip(tlps));
        let ports: Vec<_> = ports.iter().map(|(name, values)| (&**name, values.clone())).collect();
        Wave::of(&ports)
    }

    #[test]
    fn the_steps_of_a_write_are_found_at_the_ports() {
        let write = write(&wave(250)).unwrap();
        let cycles: Vec<_> = write.passed.iter().map(|passed| passed.cycle).collect();
        assert_eq!(cycles, [10, 20, 30, 50, 60, 100, 217, 251, 300]);
        assert_eq!((write.frame.first, write.frame.last), (100, 157));
    }

    #[test]
    fn what_a_waveform_lacks_is_named() {
        assert!(write(&wave(20)).unwrap_err().to_string().contains("no ACK"));
        assert!(write(&Wave::default()).unwrap_err().to_string().contains("no frame of an RDMA Write"));
    }
}
