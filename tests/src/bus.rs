// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device as software without a driver sees it behind a vfio-user socket: registers, admin
//! commands, rings.
use crate::device::Wire;
use ferrowarp_abi::codec::{AdminAnswer, AdminCommand, CqRow, Doorbell, QpRow, Ring};
use ferrowarp_abi::consts::{admin_opcode, admin_status, csr, csr_mask, doorbell_kind, qp_state};
use std::time::{Duration, Instant};

/// Configuration space among VFIO's regions; offset of its command register, with memory and bus
/// master.
pub const CONFIG: u32 = 7;
/// The command register.
pub const COMMAND: u64 = 4;
/// Its bit for memory space.
pub const MEMORY: u16 = 2;
/// Its bit for bus master.
pub const MASTER: u16 = 4;
/// Where memory is on the bus.
pub const IOVA: u64 = 0x4000_0000;
/// Where in it the ring of events is.
pub const EVENTS: u64 = 0;
/// Two completion queues.
pub const CQS: u64 = 0x1000;
/// The send queue.
pub const SQ: u64 = 0x3000;
/// The receive queue.
pub const RQ: u64 = 0x4000;
/// Octets of all.
pub const OCTETS: u64 = 0x5000;
/// Logarithm of [`RING`].
const LOG2: u8 = 4;
/// Places of each ring.
pub const RING: u64 = 1 << LOG2;
/// The queue pair.
pub const QP: u16 = 5;
/// How long a device may take for anything.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A host program with nothing but the protocol.
pub trait Bus {
    /// Reads a region.
    fn read(&mut self, region: u32, offset: u64, into: &mut [u8]);

    /// Writes a region.
    fn write(&mut self, region: u32, offset: u64, octets: &[u8]);

    /// A register.
    fn word(&mut self, register: u16) -> u32 {
        let mut octets = [0; 4];
        self.read(0, register.into(), &mut octets);
        u32::from_le_bytes(octets)
    }

    /// Writes registers that follow each other.
    fn put(&mut self, at: u64, octets: &[u8]) {
        for (n, word) in octets.chunks(4).enumerate() {
            self.write(0, at + 4 * n as u64, word);
        }
    }

    /// Writes two octets of configuration space.
    fn configure(&mut self, at: u64, value: u16) {
        self.write(CONFIG, at, &value.to_le_bytes());
    }

    /// Waits for a bit of a register.
    ///
    /// # Panics
    /// If it does not come.
    fn await_bit(&mut self, register: u16, mask: u32) -> u32 {
        let end = Instant::now() + PATIENCE;
        loop {
            let word = self.word(register);
            if word != u32::MAX && word & mask != 0 {
                return word;
            }
            assert!(Instant::now() < end, "register {register:#x} stays {word:#x}");
        }
    }

    /// Gives a command with its row.
    ///
    /// # Panics
    /// If it is not done.
    fn command(&mut self, opcode: u8, index: u16, row: &[u8]) {
        let command = AdminCommand { opcode, index, ..Default::default() };
        let head = command.octets().expect("a command");
        let octets = [&head[..], row].concat();
        self.put(csr::ADMIN_COMMAND.into(), &octets);
        self.put(csr::ADMIN_GO.into(), &(octets.len() as u32).to_le_bytes());
        let status = self.await_bit(csr::ADMIN_STATUS, csr_mask::ADMIN_STATUS_DONE);
        let words: Vec<_> = (0..status >> 18).map(|n| self.word(csr::ADMIN_ANSWER + 4 * n as u16)).collect();
        let answer: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        let answer = AdminAnswer::parse(&answer).expect("an answer");
        assert_eq!(answer.status, admin_status::DONE, "{command:?}");
    }

    /// Rings and queues, and a connection with nobody at its other end.
    ///
    /// # Panics
    /// If the device does not take them.
    fn set_up(&mut self) {
        self.configure(COMMAND, MEMORY | MASTER);
        self.await_bit(csr::STATUS, csr_mask::STATUS_READY);
        let ring = Ring { base: IOVA + EVENTS, log2: LOG2, is_valid: true };
        self.command(admin_opcode::EVENT_RING, 0, &ring.octets().expect("a row"));
        for cq in [3, 4] {
            let base = IOVA + CQS + 0x1000 * u64::from(cq - 3);
            let cq_row = CqRow { base, log2: LOG2, is_valid: true };
            self.command(admin_opcode::CQ_WRITE, cq, &cq_row.octets().expect("a row"));
        }
        let qp = QpRow {
            state: qp_state::READY,
            send_cq: 3,
            recv_cq: 4,
            sq_base: IOVA + SQ,
            rq_base: IOVA + RQ,
            sq_log2: LOG2,
            rq_log2: LOG2,
            ..Default::default()
        };
        self.command(admin_opcode::QP_WRITE, QP, &qp.octets().expect("a row"));
        self.command(
            admin_opcode::CONN_INSERT,
            QP,
            &Wire::plain(1, 1_500, 14).row(0).octets().expect("a row"),
        );
    }

    /// Rings the doorbell of the send queue, whose first work request is then fetched.
    ///
    /// # Panics
    /// Never: the doorbell is one.
    fn ring(&mut self) {
        let doorbell = Doorbell { kind: doorbell_kind::SQ, number: QP, value: 1, ..Default::default() };
        self.write(2, u64::from(QP) * 4096, &doorbell.octets().expect("a doorbell"));
    }
}

/// A work request of no kind: its queue pair stops, by an event.
pub fn spoilt() -> [u8; 64] {
    let mut slot = [0; 64];
    slot[0] = 15;
    slot
}
