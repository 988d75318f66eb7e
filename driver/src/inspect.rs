// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device says of itself: registers, counters and rows, each field by its name in the tables
//! of `abi`.
use crate::admin::{AdminError, Asked};
use crate::backend::{Backend, BackendError, Capabilities};
use ferrowarp_abi::codec::{AdminCommand, CapturedError};
use ferrowarp_abi::consts::{admin_opcode, admin_row, csr};
use ferrowarp_abi::host::counters::{Counter, COUNTERS, QP_COUNTERS, QP_PLACES};
use ferrowarp_abi::host::csr::{Reach, Register, REGISTERS};
use ferrowarp_abi::host::{admin, conn_row, row};
use ferrowarp_abi::table::{Access, Layout};
use serde::Serialize;

/// A device as it is looked at: everything here only reads.
#[derive(Debug, Clone, Copy)]
pub struct Inspect<'a>(&'a dyn Backend);

impl<'a> Inspect<'a> {
    pub(crate) fn new(backend: &'a dyn Backend) -> Self {
        Self(backend)
    }

    /// What the device has.
    pub fn capabilities(self) -> Capabilities {
        self.0.capabilities()
    }

    /// Its tick counter, in milliseconds.
    pub fn ticks(self) -> u64 {
        self.0.ticks()
    }

    /// A register of BAR0 by its offset.
    pub fn register(self, offset: u16) -> Result<u32, BackendError> {
        self.0.register(offset)
    }

    /// The answer to a command that reads a row.
    fn read_row(self, row: u8, index: u16) -> Result<Vec<u8>, AdminError> {
        let command = AdminCommand { opcode: admin_opcode::READ_ROW, row, index };
        Ok(Asked::new(self.0, command, &[])?.wait()?.row)
    }
}

/// A field and its number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Named {
    /// Its name in the table.
    pub name: &'static str,
    /// Its number; one of more than 64 bits is cut to its lowest 64.
    pub value: u64,
}

/// A register and its fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// Its name; of several in a row the number stands in brackets.
    pub name: String,
    /// Where it is in BAR0.
    pub offset: u16,
    /// All of it.
    pub value: u32,
    /// Its parts, if it has any.
    pub fields: Vec<Named>,
}

/// Rows that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// Connection, by the number of its queue pair.
    Connection,
    /// Queue pair.
    QueuePair,
    /// Completion queue.
    CompletionQueue,
    /// Memory region.
    Region,
    /// First error of a queue pair.
    Captured,
    /// Timer and congestion window of a connection, by the number of its queue pair.
    Path,
}

impl Row {
    /// Number for `read_row`, and the table of its fields.
    fn table(self) -> (u8, &'static Layout) {
        match self {
            Self::Connection => (admin_row::CONN, &conn_row::CONN),
            Self::QueuePair => (admin_row::QP, &row::QP),
            Self::CompletionQueue => (admin_row::CQ, &row::CQ),
            Self::Region => (admin_row::MR, &row::MR),
            Self::Captured => (admin_row::CAPTURED, &admin::CAPTURED),
            Self::Path => (admin_row::PATH, &admin::PATH),
        }
    }
}

/// The fields of a layout that software looks at, from octets that begin with it; none if they are
/// too few.
pub fn fields(layout: &Layout, octets: &[u8]) -> Option<Vec<Named>> {
    let octets = octets.get(..layout.octets)?;
    let bit = |n: usize| u64::from(octets[n / 8] >> (7 - n % 8) & 1);
    let value = |from: usize, behind: usize| (from..behind).fold(0, |value, n| value << 1 | bit(n));
    let members = layout.fields.iter().filter(|f| f.access != Access::Reserved);
    Some(members.map(|f| Named { name: f.name, value: value(f.offset, f.end()) }).collect())
}

/// A register with its parts.
fn shown(register: &Register, nth: usize, value: u32) -> Shown {
    let offset = (register.offset + 4 * nth) as u16;
    let name = match register.count {
        1 => register.name.to_string(),
        _ => format!("{}[{nth}]", register.name),
    };
    let part = |p: &ferrowarp_abi::host::csr::Part| Named {
        name: p.name,
        value: u64::from((value & p.mask()) >> p.lsb),
    };
    Shown { name, offset, value, fields: register.parts.iter().map(part).collect() }
}

/// All registers that can be read, but counters and the windows of the admin port. Of those that
/// each queue has, as many as the device has queues.
pub fn registers(device: Inspect<'_>) -> Result<Vec<Shown>, BackendError> {
    let Capabilities { queue_pairs, completion_queues, .. } = device.capabilities();
    let there = |register: &Register| register.there(queue_pairs.into(), completion_queues.into());
    let elsewhere = [csr::COUNTER, csr::QP_COUNTER, csr::ADMIN_ANSWER].map(usize::from);
    let readable = REGISTERS.iter().filter(|r| r.reach != Reach::WriteOnly && !elsewhere.contains(&r.offset));
    let all = readable.flat_map(|register| (0..there(register)).map(move |nth| (register, nth)));
    let read = |(register, nth): (&Register, usize)| {
        let value = device.register((register.offset + 4 * nth) as u16)?;
        Ok(shown(register, nth, value))
    };
    all.map(read).collect()
}

/// All counters that the device has.
pub fn counters(device: Inspect<'_>) -> Result<Vec<Named>, BackendError> {
    let has = device.register(csr::LIMITS)? >> 24;
    read_counters(device, csr::COUNTER, &COUNTERS[..COUNTERS.len().min(has as usize)])
}

/// The counters of a queue pair, from the device's reset on; none if the device has not that many
/// queue pairs.
pub fn qp_counters(device: Inspect<'_>, qp: u16) -> Result<Vec<Named>, BackendError> {
    if qp >= device.capabilities().queue_pairs {
        return Ok(vec![]);
    }
    read_counters(device, csr::QP_COUNTER + 4 * QP_PLACES as u16 * qp, QP_COUNTERS)
}

/// Counters in a row from this register on.
fn read_counters(device: Inspect<'_>, first: u16, counters: &[Counter]) -> Result<Vec<Named>, BackendError> {
    let read = |(nth, counter): (usize, &Counter)| {
        let value = device.register(first + 4 * nth as u16)?;
        Ok(Named { name: counter.name, value: value.into() })
    };
    counters.iter().enumerate().map(read).collect()
}

/// A row, field by field.
pub fn row(device: Inspect<'_>, kind: Row, index: u16) -> Result<Vec<Named>, AdminError> {
    let (row, layout) = kind.table();
    let octets = device.read_row(row, index)?;
    let answer = || AdminError::Answer { command: "read_row", octets: octets.len() };
    fields(layout, &octets).ok_or_else(answer)
}

/// Octets of the segment that caused a queue pair's first error, behind the fields of
/// [`Row::Captured`].
pub fn captured_segment(device: Inspect<'_>, qp: u16) -> Result<Vec<u8>, AdminError> {
    let octets = device.read_row(admin_row::CAPTURED, qp)?;
    let head = CapturedError::parse(&octets);
    let head = head.map_err(|_| AdminError::Answer { command: "read_row", octets: octets.len() })?;
    let rest = octets.get(CapturedError::LEN..).unwrap_or_default();
    let kept = if head.has_segment { rest.len().min(head.length.into()) } else { 0 };
    Ok(rest[..kept].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::fake::Fake;
    use ferrowarp_abi::codec::QpRow;
    use ferrowarp_abi::wire::{ddp, mpa};

    fn value(fields: &[Named], name: &str) -> u64 {
        fields.iter().find(|f| f.name == name).map(|f| f.value).unwrap()
    }

    /// The worked example of a ready-to-receive Write in `ddp-mpa2-notes.md`.
    #[test]
    fn fields_stand_where_the_rfcs_have_them() {
        let octets = [0xc1, 0x40, 0, 0, 0x12, 0x34, 0, 0, 0, 0, 0, 0, 0x45, 0xce];
        let tagged = fields(&ddp::TAGGED, &octets).unwrap();
        assert_eq!(["is_tagged", "is_last", "ddp_version"].map(|n| value(&tagged, n)), [1, 1, 1]);
        assert_eq!((value(&tagged, "stag"), value(&tagged, "tagged_offset")), (0x1234, 17870));
        assert_eq!(fields(&ddp::TAGGED, &octets[..13]), None);
        let length = fields(&mpa::FPDU, &[0x05, 0xdc]).unwrap();
        assert_eq!(length, [Named { name: "ulpdu_length", value: 1500 }]);
    }

    #[test]
    fn a_row_is_read_by_name_and_a_short_one_is_refused() {
        let fake = Fake::new();
        let row_of = QpRow { state: 1, pd: 5, sq_log2: 4, ird: 8, ..Default::default() };
        fake.state().row = row_of.octets().unwrap().to_vec();
        let told = row(Inspect::new(&*fake), Row::QueuePair, 3).unwrap();
        assert_eq!(["state", "pd", "sq_log2", "ird"].map(|n| value(&told, n)), [1, 5, 4, 8]);
        let (head, _) = fake.told(admin_opcode::READ_ROW).pop().unwrap();
        assert_eq!((head.row, head.index), (admin_row::QP, 3));
        fake.state().row.pop();
        assert!(matches!(
            row(Inspect::new(&*fake), Row::QueuePair, 3),
            Err(AdminError::Answer { octets: 31, .. })
        ));
    }

    #[test]
    fn registers_have_their_parts() {
        let queues = REGISTERS.iter().find(|r| r.name == "queues").unwrap();
        let queues = shown(queues, 0, 0x0408_0304);
        assert_eq!(queues.fields.iter().map(|f| f.value).collect::<Vec<_>>(), [4, 3, 8, 4]);
        let vectors = REGISTERS.iter().find(|r| r.name == "cq_vector").unwrap();
        let third = shown(vectors, 2, 7);
        assert_eq!((third.name.as_str(), third.offset), ("cq_vector[2]", 0x108));
        let none = registers(Inspect::new(&*Fake::new())).unwrap_err().to_string();
        assert!(none.contains("registers"), "{none}");
    }
}
