// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device behind its PCI Express edge, and the host that drives it through the root complex
//! alone.
use ferrowarp_abi::codec::{AdminAnswer, AdminCommand, Doorbell};
use ferrowarp_abi::consts::{admin_status, csr, csr_mask};
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::pcie::{PciePorts, RcConfig};
use ferrowarp_sim::{model, run_case_on, Bench, Pattern, RootId, SinkId, SourceId};

/// 156.25 MHz.
pub const CLOCK_PS: u64 = 6_400;
/// The device with the edge of profile `tiny` and with that of `10g`: of one profile else, so that
/// only the edge differs.
pub fn configs() -> [Config; 2] {
    [64, 128].map(|edge_bits| Config { edge_bits, ..crate::device::config() })
}

/// Profile `10g` as it stands, with its 64 queue pairs.
pub fn ten() -> Config {
    Config::profile(Profile::TenG)
}

/// Runs a case on the device at both widths of its edge.
///
/// # Panics
/// If the case fails, or there is no model.
pub fn run_edges(name: &str, seed: u64, body: impl Fn(&mut Bench) -> Result<(), String>) {
    for config in configs() {
        let library = model(Top::RnicW64, &config).expect("the model of the device is built");
        run_case_on(&format!("{name}-edge{}", config.edge_bits), &library, seed, &body);
    }
}

/// Regions begin at multiples of this.
const PAGE: u64 = 4096;
/// Longest that a read of a register, a reset or a command may take, in cycles.
const PATIENCE: u64 = 20_000;
/// BARs in the root complex's count.
const REGISTERS: u8 = 0;
const PAGES: u8 = 1;
/// Page of the doorbells that belong to no queue, of 32 completion queues.
const OWN_PAGE: u64 = 32;

/// The device and its host.
pub struct Rnic {
    /// The root complex and the host's memory.
    pub root: RootId,
    /// The wire into the device.
    pub rx: SourceId,
    /// The wire out of it.
    pub tx: SinkId,
    next: u64,
}

impl Rnic {
    /// On a bench of the top `rnic_w64`.
    pub fn new(bench: &mut Bench, config: RcConfig) -> Self {
        let ports = PciePorts {
            tx: "pcie_tx".into(),
            rx: "pcie_rx".into(),
            cfg: "pcie_cfg".into(),
            np_room: "pcie_np_room".into(),
            block: Some("pcie".into()),
        };
        for (port, value) in [("pcie_flr", 0), ("tick_pin", 0), ("tick_use_pin", 1), ("eth_link_up", 0)] {
            bench.set(port, value);
        }
        Self {
            root: bench.root_complex(&ports, config),
            rx: bench.source("rx", Pattern::None),
            tx: bench.sink("tx", Pattern::None),
            next: 0x10_0000,
        }
    }

    /// Maps zeros in host memory.
    ///
    /// # Panics
    /// If the memory refuses, which would be this allocator's mistake.
    pub fn map(&mut self, bench: &mut Bench, octets: u64, writable: bool) -> u64 {
        let at = self.next;
        self.next = (at + octets).next_multiple_of(PAGE) + PAGE;
        bench
            .root(self.root)
            .host
            .map(at, octets, writable)
            .expect("regions of one allocator do not overlap");
        at
    }

    /// Where the region begins that is mapped next; all others lie below.
    pub fn next_address(&self) -> u64 {
        self.next
    }

    /// Octets of host memory.
    pub fn memory(&self, bench: &mut Bench, at: u64, octets: u64) -> Result<Vec<u8>, String> {
        bench.root(self.root).host.read(at, octets).map_err(|e| e.to_string())
    }

    /// Reads registers: `octets` octets of a BAR.
    pub fn read(&self, bench: &mut Bench, bar: u8, offset: u64, octets: u64) -> Result<Vec<u8>, String> {
        let root = self.root;
        let tag = bench.root(root).bar_read(bar, offset, octets);
        let mut answer = None;
        bench.run_until(PATIENCE, |b| {
            answer = b.root(root).take_answers().pop();
            answer.is_some()
        })?;
        match answer {
            Some(a) if a.tag == tag && a.data.len() as u64 == octets => Ok(a.data),
            other => Err(format!("a read at {offset:#x} of BAR {bar} is answered by {other:?}")),
        }
    }

    /// A register.
    pub fn get(&self, bench: &mut Bench, register: u16) -> Result<u32, String> {
        let octets = self.read(bench, REGISTERS, register.into(), 4)?;
        Ok(octets.iter().rev().fold(0, |value, &o| value << 8 | u32::from(o)))
    }

    /// Writes a register.
    pub fn set(&self, bench: &mut Bench, register: u16, value: u32) {
        bench.root(self.root).bar_write(REGISTERS, register.into(), &value.to_le_bytes());
    }

    /// Waits until the device is ready.
    pub fn ready(&self, bench: &mut Bench) -> Result<(), String> {
        let end = bench.cycle() + PATIENCE;
        while self.get(bench, csr::STATUS)? & csr_mask::STATUS_READY == 0 {
            if bench.cycle() > end {
                return Err("the device is not ready".into());
            }
        }
        Ok(())
    }

    /// Gives a command through the window and takes its answer: head and row.
    pub fn ask(
        &self,
        bench: &mut Bench,
        command: AdminCommand,
        row: &[u8],
    ) -> Result<(AdminAnswer, Vec<u8>), String> {
        let head = command.octets().map_err(|e| e.to_string())?;
        let octets = [&head[..], row].concat();
        for (i, word) in octets.chunks(8).enumerate() {
            bench.root(self.root).bar_write(REGISTERS, u64::from(csr::ADMIN_COMMAND) + 8 * i as u64, word);
        }
        self.set(bench, csr::ADMIN_GO, octets.len() as u32);
        let end = bench.cycle() + PATIENCE;
        let length = loop {
            let status = self.get(bench, csr::ADMIN_STATUS)?;
            if status & csr_mask::ADMIN_STATUS_DONE != 0 {
                break u64::from(status >> 16);
            }
            if bench.cycle() > end {
                return Err(format!("command {command:?} has no answer; status {status:#x}"));
            }
        };
        let mut answer = vec![];
        for at in (0..length).step_by(8) {
            answer.extend(self.read(bench, REGISTERS, u64::from(csr::ADMIN_ANSWER) + at, 8)?);
        }
        let head = AdminAnswer::parse(&answer).map_err(|e| e.to_string())?;
        Ok((head, answer[AdminAnswer::LEN..].to_vec()))
    }

    /// A command that must be done.
    pub fn command(&self, bench: &mut Bench, opcode: u8, index: u16, row: &[u8]) -> Result<(), String> {
        let (answer, _) = self.ask(bench, AdminCommand { opcode, index, ..Default::default() }, row)?;
        match answer {
            AdminAnswer { status: admin_status::DONE, opcode: o, index: i, .. }
                if (o, i) == (opcode, index) =>
            {
                Ok(())
            }
            other => Err(format!("command {opcode} for {index} is answered by {other:?}")),
        }
    }

    /// Rings a doorbell.
    pub fn ring(&self, bench: &mut Bench, doorbell: Doorbell) -> Result<(), String> {
        let page = if doorbell.kind < 4 { doorbell.number.into() } else { OWN_PAGE };
        self.ring_on(bench, page, doorbell)
    }

    /// Rings a doorbell on this page, whoever's it is.
    pub fn ring_on(&self, bench: &mut Bench, page: u64, doorbell: Doorbell) -> Result<(), String> {
        let octets = doorbell.octets().map_err(|e| e.to_string())?;
        bench.root(self.root).bar_write(PAGES, PAGE * page, &octets);
        Ok(())
    }
}
