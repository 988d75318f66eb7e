// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device whose connections say that they know ECN.
//!
//! The driver's do not, as hardware does not answer marks. A switch marks only frames that say so.
use ferrowarp::backend::{Backend, BackendError, Capabilities, PciBackend, Pending};
use ferrowarp::dma::{Arena, DmaMemory};
use ferrowarp_abi::codec::{AdminCommand, ConnRow, Doorbell};
use ferrowarp_abi::consts::admin_opcode;
use ferrowarp_abi::types::MacAddr;
use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

/// ECT(0) of RFC 3168 in a traffic class.
const ECT: u8 = 2;

/// In front of a device: each row of a connection gets ECT(0) on its way.
#[derive(Debug)]
pub struct Ect(pub PciBackend);

/// The command with ECT(0) if it writes the row of a connection; else as it is.
fn with_ect(mut command: Vec<u8>) -> Vec<u8> {
    let writes = [admin_opcode::CONN_INSERT, admin_opcode::CONN_UPDATE];
    if command.first().is_some_and(|opcode| writes.contains(opcode)) {
        let row = ConnRow::parse(&command[AdminCommand::LEN..]).expect("the row of a connection");
        let row = ConnRow { traffic_class: row.traffic_class | ECT, ..row };
        command.truncate(AdminCommand::LEN);
        command.extend(row.octets().expect("fields that came out of a row"));
    }
    command
}

// SAFETY: the device behind keeps the promises; a traffic class has no part in them.
unsafe impl Backend for Ect {
    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn arena(&self) -> &Arc<Arena> {
        self.0.arena()
    }

    fn map(&self, memory: Arc<DmaMemory>, writable: bool) -> Result<u64, BackendError> {
        self.0.map(memory, writable)
    }

    unsafe fn unmap(&self, iova: u64, most: Duration) -> Result<(), BackendError> {
        // SAFETY: what the caller promises, the device behind asks for.
        unsafe { self.0.unmap(iova, most) }
    }

    unsafe fn doorbell(&self, doorbell: Doorbell) -> Result<(), BackendError> {
        // SAFETY: as above.
        unsafe { self.0.doorbell(doorbell) }
    }

    unsafe fn admin(&self, command: Vec<u8>) -> Result<Pending, BackendError> {
        // SAFETY: as above; a traffic class names no memory.
        unsafe { self.0.admin(with_ect(command)) }
    }

    fn reset(&self) -> Result<(), BackendError> {
        self.0.reset()
    }

    fn ticks(&self) -> u64 {
        self.0.ticks()
    }

    fn receive(&self, mac: MacAddr) -> Result<(), BackendError> {
        self.0.receive(mac)
    }

    fn register(&self, offset: u16) -> Result<u32, BackendError> {
        self.0.register(offset)
    }

    fn interrupts(&self, vector: u16) -> Option<File> {
        self.0.interrupts(vector)
    }

    fn steer(&self, cq: u16, vector: u16) -> Result<(), BackendError> {
        self.0.steer(cq, vector)
    }
}
