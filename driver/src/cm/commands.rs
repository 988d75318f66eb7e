// SPDX-License-Identifier: MIT OR Apache-2.0
//! Firmware's commands as commands of the admin port, one after the other.
use crate::admin::{AdminError, Answered, Asked};
use crate::error::Error;
use crate::objects::Managed;
use crate::rings::{Payload, SendRequest};
use crate::shared::Shared;
use ferrowarp_abi::codec::{AdminCommand, ConnAck, ConnRow, DdpUntaggedHdr, EmitError};
use ferrowarp_abi::consts::{admin_opcode, admin_row, admin_status, work_opcode};
use ferrowarp_abi::opcode::Opcode;
use ferrowarp_abi::types::ByteCount;
use ferrowarp_firmware::port::{Answer, Change, Command, QpId, Refusal};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// What the answer under way is for.
#[derive(Debug)]
enum Then {
    /// It ends the command.
    Done,
    /// The row of queue pair was written; its receives are told again.
    Depths,
    /// The value is the raw ring's index.
    Inserted,
    /// The row as it is.
    Progress,
    /// The row as it is before it goes.
    Look,
    /// The row is gone; what it was.
    Gone(ConnRow),
    /// The row as it is before it is changed.
    Change(Change),
}

/// A command under way.
#[derive(Debug)]
struct Current {
    qp: QpId,
    asked: Asked,
    then: Then,
}

/// Commands that were given and not answered yet.
#[derive(Debug)]
pub(super) struct Commands {
    shared: Arc<Shared>,
    waiting: VecDeque<Command>,
    current: Option<Current>,
    /// Rows as they were inserted or changed last.
    rows: BTreeMap<QpId, ConnRow>,
}

/// Octets of the slot of `conn_control`.
fn control(opcode: u8, inline: &[u8]) -> Result<Vec<u8>, Error> {
    let request: SendRequest<'_> =
        SendRequest { opcode, payload: Payload::Inline(inline), ..Default::default() };
    Ok(request.octets()?.to_vec())
}

/// What follows from a command or an answer.
enum Next {
    Ask(AdminCommand, Vec<u8>, Then),
    End(Answer),
}

fn end(answer: Answer) -> Result<Next, Error> {
    Ok(Next::End(answer))
}

fn head(opcode: u8, qp: QpId) -> AdminCommand {
    AdminCommand { opcode, index: qp.0, ..Default::default() }
}

fn read_row(qp: QpId) -> AdminCommand {
    AdminCommand { row: admin_row::CONN, ..head(admin_opcode::READ_ROW, qp) }
}

/// The connection row of an answer; all zero if it has none.
fn row_of(answer: &Answered) -> Option<ConnRow> {
    ConnRow::parse(&answer.row).ok()
}

fn refusal(status: u8) -> Refusal {
    match status {
        admin_status::BAD_OPCODE => Refusal::Unknown,
        admin_status::BAD_INDEX => Refusal::BadIndex,
        admin_status::PRESENT => Refusal::Present,
        admin_status::FULL => Refusal::Full,
        admin_status::ABSENT => Refusal::Absent,
        _ => Refusal::BadRow,
    }
}

impl Commands {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Self { shared: shared.clone(), waiting: VecDeque::new(), current: None, rows: BTreeMap::new() }
    }

    pub(super) fn submit(&mut self, command: Command) {
        self.waiting.push_back(command);
    }

    /// How many were not answered.
    pub(super) fn under_way(&self) -> usize {
        self.waiting.len() + usize::from(self.current.is_some())
    }

    /// The answer of the oldest command, if it is there. The error is that of the device.
    pub(super) fn step(&mut self) -> Result<Option<Answer>, Error> {
        loop {
            let (qp, next) = match self.current.take() {
                Some(mut current) => match current.asked.poll() {
                    None => {
                        self.current = Some(current);
                        return Ok(None);
                    }
                    Some(Ok(answered)) => (current.qp, self.follow(current.qp, current.then, &answered)?),
                    Some(Err(AdminError::Refused { status, .. })) => {
                        return Ok(Some(Answer::Refused(refusal(status))))
                    }
                    Some(Err(why)) => return Err(why.into()),
                },
                None => match self.waiting.pop_front() {
                    None => return Ok(None),
                    Some(command) => self.start(command)?,
                },
            };
            match next {
                Next::End(answer) => return Ok(Some(answer)),
                Next::Ask(command, row, then) => match Asked::new(&*self.shared.backend, command, &row) {
                    Ok(asked) => self.current = Some(Current { qp, asked, then }),
                    Err(AdminError::Field { .. }) => return Ok(Some(Answer::Refused(Refusal::BadRow))),
                    Err(why) => return Err(why.into()),
                },
            }
        }
    }

    fn qp(&self, qp: QpId) -> Option<Arc<dyn Managed>> {
        self.shared.qps_by_number.get(qp.0)
    }

    /// The first step of a command.
    fn start(&mut self, command: Command) -> Result<(QpId, Next), Error> {
        Ok(match command {
            Command::Depths { qp, ird, ord } => (qp, self.depths(qp, ird, ord)?),
            Command::ConnInsert { qp, row } => {
                self.rows.insert(qp, *row);
                (qp, self.write(qp, admin_opcode::CONN_INSERT, &row, Then::Inserted)?)
            }
            Command::Progress { qp } => (qp, Next::Ask(read_row(qp), vec![], Then::Progress)),
            Command::ConnRemove { qp } => (qp, Next::Ask(read_row(qp), vec![], Then::Look)),
            Command::ConnAck { qp, ack, window, seq: wl1, ack_now } => {
                let row = ConnAck { ack, wnd: ByteCount(window), wl1, ack_now };
                (qp, Self::write_octets(qp, admin_opcode::CONN_ACK, row.octets(), Then::Done)?)
            }
            Command::ConnUpdate { qp, change } => (qp, Next::Ask(read_row(qp), vec![], Then::Change(change))),
            // the peer sends its FIN again until the hardware has acknowledged it
            Command::PeerFin { qp, .. } => (qp, end(Answer::Done)?),
            Command::RawMessage { qp, octets } => (qp, self.post(qp, |qp| qp.post_raw(&octets))?),
            Command::Rtr { qp, kind } => (qp, self.post(qp, |qp| qp.post_ready(kind))?),
            Command::OpenGate { qp } => (qp, self.open_gate(qp)?),
            Command::Terminate { qp, ulpdu } => {
                // the hardware makes the untagged header itself
                let inline = ulpdu.get(DdpUntaggedHdr::LEN..).unwrap_or_default();
                (
                    qp,
                    Next::Ask(
                        head(admin_opcode::CONN_CONTROL, qp),
                        control(Opcode::Terminate as u8, inline)?,
                        Then::Done,
                    ),
                )
            }
            Command::Fin { qp } => {
                let slot = control(work_opcode::FIN, &[])?;
                (qp, Next::Ask(head(admin_opcode::CONN_CONTROL, qp), slot, Then::Done))
            }
            Command::Rst { qp } => (qp, Next::Ask(head(admin_opcode::CONN_RESET, qp), vec![], Then::Done)),
        })
    }

    fn write(&self, qp: QpId, opcode: u8, row: &ConnRow, then: Then) -> Result<Next, Error> {
        Self::write_octets(qp, opcode, row.octets(), then)
    }

    fn write_octets<const N: usize>(
        qp: QpId,
        opcode: u8,
        row: Result<[u8; N], EmitError>,
        then: Then,
    ) -> Result<Next, Error> {
        match row {
            Ok(octets) => Ok(Next::Ask(head(opcode, qp), octets.to_vec(), then)),
            Err(_) => end(Answer::Refused(Refusal::BadRow)),
        }
    }

    fn depths(&self, qp: QpId, ird: u16, ord: u16) -> Result<Next, Error> {
        let Some(shared) = self.qp(qp) else { return end(Answer::Refused(Refusal::Absent)) };
        let depth = |n: u16| u8::try_from(n).unwrap_or(u8::MAX);
        match shared.row(depth(ird), depth(ord)).octets() {
            Ok(row) => Ok(Next::Ask(head(admin_opcode::QP_WRITE, qp), row.to_vec(), Then::Depths)),
            Err(_) => end(Answer::Refused(Refusal::BadRow)),
        }
    }

    /// Posts a message of the driver's own.
    fn post(&self, qp: QpId, post: impl FnOnce(&dyn Managed) -> Result<(), Error>) -> Result<Next, Error> {
        let Some(shared) = self.qp(qp) else { return end(Answer::Refused(Refusal::Absent)) };
        match post(&*shared) {
            Ok(()) => end(Answer::Done),
            Err(why @ Error::Backend(_)) => Err(why),
            Err(why) => {
                tracing::error!(qp = qp.0, %why, "a message of the driver's own is not posted");
                end(Answer::Refused(Refusal::BadRow))
            }
        }
    }

    fn open_gate(&mut self, qp: QpId) -> Result<Next, Error> {
        let Some(row) = self.rows.get_mut(&qp) else { return end(Answer::Refused(Refusal::Absent)) };
        row.gate_open = true;
        let row = *row;
        self.write(qp, admin_opcode::CONN_UPDATE, &row, Then::Done)
    }

    /// The step after an answer.
    fn follow(&mut self, qp: QpId, then: Then, answered: &Answered) -> Result<Next, Error> {
        match then {
            Then::Done => end(Answer::Done),
            Then::Depths => self.post(qp, |qp| qp.ring_receives()),
            Then::Inserted => end(Answer::Inserted { raw_index: answered.value }),
            Then::Progress => end(match row_of(answered) {
                Some(row) => Answer::Acknowledged { snd_una: row.snd_una, snd_nxt: row.snd_nxt },
                None => Answer::Refused(Refusal::Absent),
            }),
            Then::Look => {
                let known = self.rows.get(&qp).copied();
                let row = row_of(answered).or(known).unwrap_or_default();
                Ok(Next::Ask(head(admin_opcode::CONN_REMOVE, qp), vec![], Then::Gone(row)))
            }
            Then::Gone(row) => {
                self.rows.remove(&qp);
                end(Answer::Removed { snd_una: row.snd_una, snd_nxt: row.snd_nxt, rcv_nxt: row.rcv_nxt })
            }
            Then::Change(change) => self.change(qp, change, row_of(answered)),
        }
    }

    fn change(&mut self, qp: QpId, change: Change, now: Option<ConnRow>) -> Result<Next, Error> {
        let (Some(row), Some(now)) = (self.rows.get_mut(&qp), now) else {
            return end(Answer::Refused(Refusal::Absent));
        };
        match change {
            Change::NextHop(mac) => row.destination_mac = mac,
            // A size that is not above the row's needs a packet in flight (RFC 5927 section 4).
            // A larger size is firmware's own try and quotes no packet.
            Change::PathMtu { emss, quoted, .. }
                if emss <= row.emss && (quoted.is_before(now.snd_una) || !quoted.is_before(now.snd_nxt)) =>
            {
                return end(Answer::Done);
            }
            Change::PathMtu { emss, mulpdu, .. } => (row.emss, row.mulpdu) = (emss, mulpdu),
        }
        let row = ConnRow { gate_open: row.gate_open || now.gate_open, ..*row };
        self.write(qp, admin_opcode::CONN_UPDATE, &row, Then::Done)
    }
}
