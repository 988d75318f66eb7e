// SPDX-License-Identifier: MIT OR Apache-2.0
//! The client: posts, counts, and measures.
use super::end::{End, CONTROL, CONTROL_OCTETS};
use super::error::PerfError;
use super::plan::{compare, pattern, Mode, Operation, Plan};
use super::report::Report;
use crate::error::ToolError;
use crate::ping::{Advert, Times};
use ferrowarp::{
    Access, ConnectOptions, Connected, Device, Error, MemoryRegion, QueuePair, Remote, WantedDepth, WcOpcode,
};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// What is under way.
pub(super) struct Client {
    pub(super) end: End,
    qp: QueuePair<Connected>,
    pub(super) plan: Plan,
    pub(super) buffer: MemoryRegion,
    /// The peer's buffer.
    pub(super) remote: Remote,
    /// Messages that the server has taken.
    taken: u32,
    /// Messages that came back.
    back: u32,
}

/// Connects, measures one size, compares, and closes.
pub fn measure(
    device: &Device,
    remote: SocketAddr,
    plan: &Plan,
    patience: Duration,
) -> Result<Report, ToolError> {
    let plan = plan.checked()?;
    let mut end = End::new(device, patience)?;
    let buffer = end.pd.allocate(plan.octets as usize, Access::ALL)?;
    if plan.operation != Operation::Read {
        buffer.memory().write(0, &pattern(plan.octets as usize))?;
    }
    end.expect(0)?;
    let options = ConnectOptions::default()
        .ird(WantedDepth::Default(8))
        .ord(WantedDepth::Default(8))
        .patience(patience);
    let connection = device.connect(&end.qp, remote, options)?;
    let qp = connection.queue_pair().clone();
    end.tell(&qp, plan.to_octets())?;
    let told = end.message()?;
    let advert = <[u8; CONTROL_OCTETS]>::try_from(told.as_slice());
    let advert = Advert::parse(advert.map_err(|_| PerfError::Buffer(told.len() as u32))?);
    let mut client = Client::new(end, qp, plan, buffer, advert.remote);
    let report = client.timed(device)?;
    client.verify()?;
    connection.disconnect(patience)?;
    Ok(report)
}

impl Client {
    pub(super) fn new(
        end: End,
        qp: QueuePair<Connected>,
        plan: Plan,
        buffer: MemoryRegion,
        remote: Remote,
    ) -> Self {
        Self { end, qp, plan, buffer, remote, taken: 0, back: 0 }
    }

    /// Does what is planned, and how long it took.
    pub(super) fn timed(&mut self, device: &Device) -> Result<Report, ToolError> {
        let (own, begun) = (device.clock_begin_ns(), Instant::now());
        let times_us = match self.plan.mode {
            Mode::Bandwidth => self.bandwidth().map(|()| None)?,
            Mode::Latency => Times::of(&self.latency()?),
        };
        let seconds = begun.elapsed().as_secs_f64();
        let device_us = device.clock_ns().zip(own).map(|(end, start)| (end - start) / 1e3);
        let Plan { operation, mode, octets, messages, .. } = self.plan;
        let mbit_per_s = f64::from(octets) * f64::from(messages) * 8.0 / seconds / 1e6;
        let connection = self.qp.tcp_info()?;
        Ok(Report { operation, mode, octets, messages, seconds, mbit_per_s, device_us, times_us, connection })
    }

    /// Tells the peer something.
    pub(super) fn tell(&mut self, octets: [u8; CONTROL_OCTETS]) -> Result<(), Error> {
        self.end.tell(&self.qp, octets)
    }

    fn post(&self) -> Result<(), Error> {
        let whole = self.buffer.segment(0, self.plan.octets as usize)?;
        let qp = &self.qp;
        match self.plan.operation {
            Operation::Write => qp.write(0, &[whole], self.remote).post(),
            Operation::Read => qp.read(0, whole, self.remote).post(),
            Operation::Send => qp.send(0, &[whole]).post(),
        }
    }

    /// A completion: whether it is one of a measured request of ours.
    fn step(&mut self) -> Result<bool, ToolError> {
        let done = self.end.done()?;
        if done.opcode != WcOpcode::Receive {
            return Ok(done.wr_id & CONTROL == 0);
        }
        if done.wr_id & CONTROL == 0 {
            self.back += 1;
            return Ok(false);
        }
        if let Some(count) = self.end.heard(&done)?.first_chunk::<4>() {
            self.taken = u32::from_be_bytes(*count);
        }
        self.end.expect((done.wr_id & !CONTROL) as usize)?;
        Ok(false)
    }

    fn bandwidth(&mut self) -> Result<(), ToolError> {
        let Plan { operation, messages, depth, .. } = self.plan;
        let sends = operation == Operation::Send;
        if sends {
            self.end.expect_all()?;
        }
        let (mut posted, mut completed) = (0, 0);
        while completed < messages || (sends && self.taken < messages) {
            // the server has `depth` receives beyond what it has told of
            let room = !sends || posted - self.taken < u32::from(depth);
            if posted < messages && posted - completed < u32::from(depth) && room {
                self.post()?;
                posted += 1;
            } else {
                completed += u32::from(self.step()?);
            }
        }
        Ok(())
    }

    fn latency(&mut self) -> Result<Vec<Duration>, ToolError> {
        let sends = self.plan.operation == Operation::Send;
        let whole = [self.buffer.segment(0, self.plan.octets as usize)?];
        let mut times = Vec::with_capacity(self.plan.messages as usize);
        for nth in 1..=self.plan.messages {
            if sends {
                self.end.qp.post_recv(0, &whole)?;
            }
            let begun = Instant::now();
            self.post()?;
            let mut is_done = false;
            while !is_done || (sends && self.back < nth) {
                is_done |= self.step()?;
            }
            times.push(begun.elapsed());
        }
        Ok(times)
    }

    /// Compares what the messages carried: a Read what is here now, a Write what is there.
    fn verify(&mut self) -> Result<(), ToolError> {
        let octets = self.plan.octets as usize;
        if self.plan.operation == Operation::Write {
            self.buffer.memory().write(0, &vec![0; octets])?;
            self.qp.read(0, self.buffer.segment(0, octets)?, self.remote).post()?;
            while !self.step()? {}
        }
        Ok(compare(&self.buffer.memory().copy(0, octets)?)?)
    }
}
