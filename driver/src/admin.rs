// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands of the admin port and what became of them.
use crate::backend::{Backend, BackendError, Pending};
use ferrowarp_abi::codec::{AdminAnswer, AdminCommand, EmitError};
use ferrowarp_abi::consts::{admin_opcode, admin_status};
use std::time::Duration;

/// How long an answer may take: a simulated device may wait for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Why a command was not done.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AdminError {
    /// The hardware said no.
    #[error("the device refused {command} for index {index}: {}", reason(*.status))]
    Refused {
        /// Its name.
        command: &'static str,
        /// Queue pair, completion queue or region.
        index: u16,
        /// One of `admin_status`.
        status: u8,
    },
    /// A field does not fit: the caller's number was too large.
    #[error("{command} for index {index}: {why}")]
    Field {
        /// Its name.
        command: &'static str,
        /// Its index.
        index: u16,
        /// Which field.
        why: EmitError,
    },
    /// Octets that are no answer.
    #[error("the answer to {command} has {octets} octets and does not fit the command; use the driver of the device's version")]
    Answer {
        /// Its name.
        command: &'static str,
        /// Octets of the answer.
        octets: usize,
    },
    /// No answer.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

impl AdminError {
    /// Whether the device has not done the command and says so, or was not given it.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Field { .. })
    }

    /// Whether the device reaches nothing any more, so that a command that takes something away
    /// needs no answer.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, Self::Backend(why) if why.is_gone())
    }
}

/// What a status of `admin_status` says.
fn reason(status: u8) -> String {
    let text = match status {
        admin_status::BAD_OPCODE => "it does not know the command: it is older than this driver",
        admin_status::BAD_INDEX => "it has no such row",
        admin_status::BAD_ROW => "a field of the row is impossible",
        admin_status::PRESENT => "the 4-tuple is in its table already",
        admin_status::FULL => "its connection table has no place for the 4-tuple",
        admin_status::ABSENT => "the row is not in use",
        other => return format!("status {other}, which this driver does not know"),
    };
    text.into()
}

/// Name of an opcode.
fn name(opcode: u8) -> &'static str {
    match opcode {
        admin_opcode::CONN_INSERT => "conn_insert",
        admin_opcode::CONN_REMOVE => "conn_remove",
        admin_opcode::CONN_ACK => "conn_ack",
        admin_opcode::CONN_UPDATE => "conn_update",
        admin_opcode::MR_WRITE => "mr_write",
        admin_opcode::MR_REVOKE => "mr_revoke",
        admin_opcode::QP_WRITE => "qp_write",
        admin_opcode::CQ_WRITE => "cq_write",
        admin_opcode::READ_ROW => "read_row",
        admin_opcode::EVENT_RING => "event_ring",
        admin_opcode::RAW_RX_RING => "raw_rx_ring",
        admin_opcode::RAW_TX_RING => "raw_tx_ring",
        admin_opcode::CONN_CONTROL => "conn_control",
        admin_opcode::CONN_RESET => "conn_reset",
        _ => "a command",
    }
}

/// An answer: its value and its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answered {
    /// Its meaning depends on the command.
    pub(crate) value: u32,
    /// Only of `read_row`.
    pub(crate) row: Vec<u8>,
}

/// A command under way.
#[derive(Debug)]
pub(crate) struct Asked {
    command: &'static str,
    opcode: u8,
    index: u16,
    pending: Pending,
}

impl Asked {
    /// Gives a command.
    pub(crate) fn new(backend: &dyn Backend, head: AdminCommand, row: &[u8]) -> Result<Self, AdminError> {
        let AdminCommand { opcode, index, .. } = head;
        let command = name(opcode);
        let octets = head.octets().map_err(|why| AdminError::Field { command, index, why })?;
        // SAFETY: rows come from the objects of this crate, each from the one that holds the memory
        // that it names and takes the row out before it gives that up.
        let pending = unsafe { backend.admin([&octets[..], row].concat()) }?;
        Ok(Self { command, opcode, index, pending })
    }

    /// The answer, if it has come.
    pub(crate) fn poll(&mut self) -> Option<Result<Answered, AdminError>> {
        match self.pending.poll() {
            Ok(None) => None,
            Ok(Some(octets)) => Some(self.read(&octets)),
            Err(e) => Some(Err(e.into())),
        }
    }

    /// The answer, which is waited for.
    pub(crate) fn wait(self) -> Result<Answered, AdminError> {
        self.wait_for(PATIENCE)
    }

    /// The answer, which is waited for so long.
    pub(crate) fn wait_for(mut self, most: Duration) -> Result<Answered, AdminError> {
        let octets = self.pending.wait(most)?;
        self.read(&octets)
    }

    fn read(&self, octets: &[u8]) -> Result<Answered, AdminError> {
        let Self { command, opcode, index, .. } = *self;
        let head = AdminAnswer::parse(octets).ok().filter(|h| (h.opcode, h.index) == (opcode, index));
        let head = head.ok_or(AdminError::Answer { command, octets: octets.len() })?;
        if head.status != admin_status::DONE {
            return Err(AdminError::Refused { command, index, status: head.status });
        }
        Ok(Answered { value: head.value, row: octets[AdminAnswer::LEN..].to_vec() })
    }
}

/// Gives a command with a row and waits until it is done.
pub(crate) fn command(
    backend: &dyn Backend,
    opcode: u8,
    index: u16,
    row: Result<impl AsRef<[u8]>, EmitError>,
) -> Result<Answered, AdminError> {
    command_within(backend, opcode, index, row, PATIENCE)
}

/// The same for so long at most.
pub(crate) fn command_within(
    backend: &dyn Backend,
    opcode: u8,
    index: u16,
    row: Result<impl AsRef<[u8]>, EmitError>,
    most: Duration,
) -> Result<Answered, AdminError> {
    let row = row.map_err(|why| AdminError::Field { command: name(opcode), index, why })?;
    let head = AdminCommand { opcode, index, ..Default::default() };
    Asked::new(backend, head, row.as_ref())?.wait_for(most)
}

/// Takes a row of an object out whose end this is, within `most`. A device that is gone has none of
/// it any more.
pub(crate) fn take_out(
    backend: &dyn Backend,
    opcode: u8,
    index: u16,
    row: Result<impl AsRef<[u8]>, EmitError>,
    most: Duration,
) -> Result<(), AdminError> {
    match command_within(backend, opcode, index, row, backend.waits(most)) {
        Ok(_) => Ok(()),
        Err(why) if why.is_gone() => {
            tracing::debug!(index, %why, "the device of a row is gone");
            Ok(())
        }
        Err(why) => {
            tracing::error!(index, %why, "a row is not taken out: its number and the driver's memory are used no more");
            Err(why)
        }
    }
}
