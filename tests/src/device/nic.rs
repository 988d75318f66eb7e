// SPDX-License-Identifier: MIT OR Apache-2.0
//! One device: its admin port, its doorbells, the memory of its host.
use ferrowarp_abi::codec::{AdminAnswer, AdminCommand, Doorbell};
use ferrowarp_abi::consts::admin_status;
use ferrowarp_sim::memory::{MemoryPorts, MemoryTiming};
use ferrowarp_sim::{Bench, ChanSrcId, Frame, Item, MemoryId, Pattern, SinkId, SourceId};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Regions begin at multiples of this and leave at least as much unmapped between them: what runs
/// over is refused.
const PAGE: u64 = 4096;

/// Why a device could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum NicError {
    /// A command was refused.
    #[error("admin command {opcode} for index {index} was answered with status {status}")]
    Refused {
        /// Opcode.
        opcode: u8,
        /// Index.
        index: u16,
        /// One of `admin_status`.
        status: u8,
    },
    /// An answer is no answer.
    #[error("an answer of {0} octets from the admin port; its head has 8")]
    Short(usize),
}

/// A device on a bench.
pub struct Nic {
    commands: SourceId,
    answers: SinkId,
    doorbells: ChanSrcId,
    /// The host's memory.
    pub memory: MemoryId,
    next: u64,
    owed: u64,
    /// Names that tests gave to requests, by their index: of each queue pair its sends, and its
    /// receives.
    names: RefCell<BTreeMap<(u16, bool), Vec<u64>>>,
}

impl Nic {
    /// The device whose ports are `cmd`, `ans`, `db`, `rd`, `wr`.
    pub fn new(bench: &mut Bench, timing: MemoryTiming) -> Self {
        Self {
            commands: bench.source("cmd", Pattern::None),
            answers: bench.sink("ans", Pattern::None),
            doorbells: bench.channel_source("db", Pattern::None),
            memory: bench.memory(&MemoryPorts::both("rd", "wr"), timing),
            next: 0x10_0000,
            owed: 0,
            names: RefCell::default(),
        }
    }

    /// Maps `octets` octets at an address that ends in `offset` within its page.
    ///
    /// # Panics
    /// If the memory refuses, which would be this allocator's mistake.
    pub fn map(&mut self, bench: &mut Bench, octets: u64, offset: u64, writable: bool) -> u64 {
        let at = self.next + offset % PAGE;
        self.next = (at + octets).next_multiple_of(PAGE) + PAGE;
        bench
            .host(self.memory)
            .map(at, octets.max(1), writable)
            .expect("regions of one allocator do not overlap");
        at
    }

    /// The queues of a queue pair begin anew.
    pub(super) fn forget(&self, qp: u16) {
        self.names.borrow_mut().retain(|(number, _), _| *number != qp);
    }

    /// A block of a request was posted.
    pub(super) fn name(&self, qp: u16, is_recv: bool, wr_id: u64) {
        self.names.borrow_mut().entry((qp, is_recv)).or_default().push(wr_id);
    }

    /// The name of the request whose first block was posted behind `index` blocks of its queue.
    ///
    /// # Panics
    /// If there is none: the device names what was not posted.
    pub fn named(&self, qp: u16, is_recv: bool, index: u32) -> u64 {
        let names = self.names.borrow();
        let name = names.get(&(qp, is_recv)).and_then(|names| names.get(index as usize));
        *name.unwrap_or_else(|| panic!("queue pair {qp} has no request {index}, receive {is_recv}"))
    }

    /// Gives a command with the row `row`; [`Nic::settled`] looks at its answer.
    pub fn command(&mut self, bench: &mut Bench, opcode: u8, index: u16, row: &[u8]) {
        let head = AdminCommand { opcode, index, ..Default::default() };
        let head = head.octets().expect("every field of the head fills its width");
        bench.send(self.commands, Frame::good([&head[..], row].concat()));
        self.owed += 1;
        bench.expect(self.answers, 1);
    }

    /// Reads a row; the answer comes with [`Nic::answered`].
    pub fn ask(&mut self, bench: &mut Bench, row: u8, index: u16) {
        let head = AdminCommand { opcode: ferrowarp_abi::consts::admin_opcode::READ_ROW, row, index };
        let head = head.octets().expect("every field of the head fills its width");
        bench.send(self.commands, Frame::good(head.to_vec()));
        self.owed += 1;
        bench.expect(self.answers, 1);
    }

    /// The answers that came: head and row.
    pub fn answered(&mut self, bench: &mut Bench) -> Result<Vec<(AdminAnswer, Vec<u8>)>, NicError> {
        let split = |f: Frame| {
            let head = AdminAnswer::parse(&f.data).map_err(|_| NicError::Short(f.data.len()))?;
            Ok((head, f.data[AdminAnswer::LEN..].to_vec()))
        };
        let frames = bench.received(self.answers);
        self.owed -= frames.len() as u64;
        frames.into_iter().map(split).collect()
    }

    /// All commands were answered; the error is the first one that was refused.
    pub fn settled(&mut self, bench: &mut Bench) -> Result<bool, NicError> {
        for (head, _) in self.answered(bench)? {
            let AdminAnswer { status, opcode, index, .. } = head;
            if status != admin_status::DONE {
                return Err(NicError::Refused { opcode, index, status });
            }
        }
        Ok(self.owed == 0)
    }

    /// All commands were answered, whatever the answers say.
    pub fn is_answered(&mut self, bench: &mut Bench) -> bool {
        self.owed -= bench.received(self.answers).len() as u64;
        self.owed == 0
    }

    /// While held no answer of the admin port is taken.
    pub fn hold_answers(&self, bench: &mut Bench, held: bool) {
        bench.hold_sink(self.answers, held);
    }

    /// All doorbells that were rung have reached the device.
    pub fn is_quiet(&self, bench: &Bench) -> bool {
        bench.put_all(self.doorbells)
    }

    /// Rings a doorbell.
    pub fn ring(&self, bench: &mut Bench, doorbell: Doorbell) {
        let Doorbell { kind, solicited_only, number, value } = doorbell;
        // members of a record stand lowest first
        let bits = u64::from(kind)
            | u64::from(solicited_only) << 8
            | u64::from(number) << 9
            | u64::from(value) << 25;
        bench.put(self.doorbells, Item::new().with("item", bits));
    }
}
