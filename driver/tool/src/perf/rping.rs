// SPDX-License-Identifier: MIT OR Apache-2.0
//! Against rping, whose server this is: of each ping it does the Read, or the Write, as often as is
//! planned, and measures them.
use super::client::Client;
use super::end::{End, CONTROL, CONTROL_OCTETS};
use super::plan::{Operation, Plan};
use super::report::Report;
use crate::error::ToolError;
use crate::ping::{compare, pattern, Advert, PingError, ADVERT_OCTETS, SIZES};
use ferrowarp::{AcceptOptions, Access, Device, Listener, WcOpcode};
use std::time::Duration;

/// Places for messages: rping waits for an answer to each.
const PLACES: usize = 2;

/// Serves the next rping of a listener until it disconnects: a report of each of its pings. Octets
/// of messages are what rping says (`-S`), the plan's do not count. The text is compared with what
/// rping sends.
pub fn serve(
    device: &Device,
    listener: &Listener,
    plan: &Plan,
    patience: Duration,
) -> Result<Vec<Report>, ToolError> {
    let request = listener.next(patience)?;
    let end = End::new(device, patience)?;
    (0..PLACES).try_for_each(|place| end.expect(place))?;
    let buffer = end.pd.allocate(*SIZES.end(), Access::ALL)?;
    // rping allows one Read at a time
    let connection = request.accept(&end.qp, AcceptOptions::default().patience(patience))?;
    let Some(mut source) = named(&end)? else { return Ok(vec![]) };
    let qp = connection.queue_pair().clone();
    let mut client = Client::new(end, qp, *plan, buffer, source.remote);
    let mut reports = vec![];
    for ping in 0.. {
        let read = client.repeat(device, plan, Operation::Read, source)?;
        let text = client.buffer.memory().copy(0, client.plan.octets as usize)?;
        compare(ping, &pattern(ping, text.len()), &text)?;
        client.tell([0; CONTROL_OCTETS])?;
        let sink = named(&client.end)?.ok_or(PingError::Interrupted(ping))?;
        let written = client.repeat(device, plan, Operation::Write, sink)?;
        client.tell([0; CONTROL_OCTETS])?;
        reports.extend([read, written].into_iter().filter(|report| report.operation == plan.operation));
        match named(&client.end)? {
            Some(next) => source = next,
            None => break,
        }
    }
    connection.disconnect(patience)?;
    Ok(reports)
}

/// The buffer that rping names next; none if it has no more.
fn named(end: &End) -> Result<Option<Advert>, ToolError> {
    loop {
        let Some(done) = end.next()? else { return Ok(None) };
        if done.opcode == WcOpcode::Receive {
            let octets = <[u8; ADVERT_OCTETS]>::try_from(end.heard(&done)?);
            let octets = octets.map_err(|_| PingError::Message(done.octets))?;
            end.expect((done.wr_id & !CONTROL) as usize)?;
            return Ok(Some(Advert::parse(octets)));
        }
    }
}

impl Client {
    /// Does an operation on a buffer: as often as is planned if it is the planned one, else once.
    fn repeat(
        &mut self,
        device: &Device,
        plan: &Plan,
        operation: Operation,
        buffer: Advert,
    ) -> Result<Report, ToolError> {
        let octets = buffer.within(*SIZES.end())? as u32;
        let messages = if operation == plan.operation { plan.messages } else { 1 };
        self.plan = Plan { operation, octets, messages, ..*plan };
        self.remote = buffer.remote;
        self.timed(device)
    }
}
