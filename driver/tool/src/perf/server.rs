// SPDX-License-Identifier: MIT OR Apache-2.0
//! The server: names a buffer, takes Sends, answers them.
use super::end::{End, CONTROL};
use super::plan::{compare, pattern, Mode, Operation, Plan};
use crate::error::ToolError;
use crate::ping::Advert;
use ferrowarp::{
    AcceptOptions, Access, Connected, Device, Error, Listener, MemoryRegion, QueuePair, Remote, WantedDepth,
    WcOpcode,
};
use std::time::Duration;

/// Serves the next client of a listener until it disconnects: what it measured.
pub fn serve(device: &Device, listener: &Listener, patience: Duration) -> Result<Plan, ToolError> {
    let request = listener.next(patience)?;
    let mut end = End::new(device, patience)?;
    end.expect(0)?;
    let connection = request.accept(
        &end.qp,
        AcceptOptions::default().ird(WantedDepth::Default(8)).ord(WantedDepth::Default(8)).patience(patience),
    )?;
    let plan = Plan::parse(&end.message()?)?;
    let buffer = end.pd.allocate(plan.octets as usize, Access::ALL)?;
    let sends = plan.operation == Operation::Send;
    if plan.operation == Operation::Read {
        buffer.memory().write(0, &pattern(plan.octets as usize))?;
    }
    // one receive shows that the connection is over
    for _ in 0..if sends { plan.depth } else { 1 } {
        receive(&end, &buffer)?;
    }
    let remote = Remote { stag: buffer.stag(), to: buffer.to_base() };
    end.tell(connection.queue_pair(), Advert { remote, size: plan.octets }.octets())?;
    if sends {
        take(&mut end, connection.queue_pair(), &buffer, &plan)?;
    }
    while end.next()?.is_some() {}
    if plan.operation != Operation::Read {
        compare(&buffer.memory().copy(0, plan.octets as usize)?)?;
    }
    connection.disconnect(patience)?;
    Ok(plan)
}

fn receive(end: &End, buffer: &MemoryRegion) -> Result<(), Error> {
    end.qp.post_recv(0, &[buffer.segment(0, buffer.memory().len())?])
}

/// Takes the Sends of a plan. For bandwidth the client is told what was taken whenever half of the
/// receives were used, for latency each message goes back.
fn take(
    end: &mut End,
    qp: &QueuePair<Connected>,
    buffer: &MemoryRegion,
    plan: &Plan,
) -> Result<(), ToolError> {
    let whole = [buffer.segment(0, buffer.memory().len())?];
    let share = u32::from(plan.depth).div_ceil(2);
    let mut taken = 0;
    while taken < plan.messages {
        let Some(done) = end.next()? else { return Ok(()) };
        if done.opcode != WcOpcode::Receive || done.wr_id & CONTROL != 0 {
            continue;
        }
        taken += 1;
        receive(end, buffer)?;
        match plan.mode {
            Mode::Latency => qp.send(CONTROL, &whole).post()?,
            Mode::Bandwidth if taken % share == 0 || taken == plan.messages => {
                let mut told = [0; 16];
                told[..4].copy_from_slice(&taken.to_be_bytes());
                end.tell(qp, told)?;
            }
            Mode::Bandwidth => {}
        }
    }
    Ok(())
}
