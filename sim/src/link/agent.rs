// SPDX-License-Identifier: MIT OR Apache-2.0
//! One end of a link on the Ethernet port of a device: an agent of a bench.
use super::{Link, LinkFault, Side};
use crate::bench::agent::{Agent, Boundary, Fault, Moment, Source, NEVER};
use crate::bench::Pattern;
use crate::check::Beat;
use crate::model::{Model, PortError};

/// One end.
pub(crate) struct LinkEnd {
    link: Link,
    side: Side,
    tx: Boundary<Beat>,
    rx: Source<Beat>,
    /// Octets of a beat.
    width: usize,
}

impl LinkEnd {
    /// On the streams `tx` out of the device and `rx` into it.
    pub(crate) fn new(model: &Model, link: &Link, side: Side, tx: &str, rx: &str) -> Result<Self, Fault> {
        let octets = |prefix: &str| -> Result<u64, PortError> {
            Ok(model.width(model.need(&format!("{prefix}_data"))?) as u64 / 8)
        };
        let (width, other) = (octets(tx)?, octets(rx)?);
        let config = link.config();
        if width != other {
            return Err(LinkFault::Widths { tx: width, rx: other }.into());
        }
        if config.wire_ps(width) < config.clock_ps {
            let (rate_bps, clock_ps) = (config.rate_bps, config.clock_ps);
            return Err(LinkFault::TooFast { rate_bps, width, clock_ps }.into());
        }
        let tx = Boundary::new(model, tx)?;
        let rx = Source::new(model, rx, Pattern::None)?;
        Ok(Self { link: link.clone(), side, tx, rx, width: width as usize })
    }

    /// Simulated time at the beginning of this cycle.
    fn time(&self, now: &Moment<'_>) -> u64 {
        now.cycle * self.link.config().clock_ps
    }
}

impl Agent for LinkEnd {
    fn drive(&mut self, now: &mut Moment<'_>) -> Result<(), Fault> {
        let time = self.time(now);
        let mut shared = self.link.lock();
        let shared = &mut *shared;
        let up_since = shared.carrier.up_since(time);
        let cable = &mut shared.cables[self.side.other() as usize];
        cable.lose(time, up_since);
        if self.rx.queued() > 0 {
            let fault = cable.overrun(time, self.width);
            shared.faults.extend(fault.map(|fault| (time, self.side, fault)));
        } else if let Some(beat) = cable.receive(time, self.width) {
            self.rx.push(beat);
        }
        self.tx.set_ready(now, shared.macs[self.side as usize].ready(time))?;
        self.rx.drive(now)
    }

    fn probe(&mut self, now: &mut Moment<'_>) -> Result<(), Fault> {
        self.tx.probe_sink(now)?;
        self.rx.probe(now)
    }

    fn sample(&mut self, now: &mut Moment<'_>) -> Result<bool, Fault> {
        let time = self.time(now);
        let received = self.rx.sample(now)?;
        let done = self.tx.sample(now.cycle, now.model)?;
        let sent = done.is_some();
        let mut shared = self.link.lock();
        let mac = &shared.macs[self.side as usize];
        if !sent && mac.sending() && mac.ready(time) {
            return Err(LinkFault::Underrun { octets: mac.octets() }.into());
        }
        if sent {
            let beat = self.tx.beat();
            let end = beat.last.then_some(beat.err);
            shared.beat(self.side, time, &beat.data[..beat.bytes as usize], end)?;
        }
        drop(shared);
        if let Some(frame) = done.flatten() {
            self.tx.note(now, "sent", &frame);
        }
        Ok(received || sent)
    }

    fn pending(&self) -> bool {
        self.rx.pending() || self.link.lock().cables[self.side.other() as usize].pending()
    }

    /// When the next beat arrives, or the MAC takes the next frame.
    fn wakes(&self, cycle: u64) -> u64 {
        let shared = self.link.lock();
        let mac = &shared.macs[self.side as usize];
        if self.rx.queued() > 0 || mac.sending() {
            return cycle;
        }
        let clock_ps = shared.config.clock_ps;
        let arrives = shared.cables[self.side.other() as usize].wakes(self.width);
        // taken in the cycle that begins when the beat is there, or behind
        let arrives = arrives.map_or(NEVER, |ps| ps.div_ceil(clock_ps));
        let ready = mac.wakes(cycle * clock_ps).map_or(NEVER, |ps| ps / clock_ps);
        arrives.min(ready).max(cycle)
    }

    fn prefix(&self) -> &str {
        self.tx.prefix()
    }

    fn state(&self, model: &Model) -> String {
        let stats = self.link.stats(self.side);
        let (tx, rx) = (self.tx.state(model), self.rx.state(model));
        format!("link end {:?}: {} frames sent\n  {tx}\n  {rx}", self.side, stats.frames)
    }

    fn reset(&mut self) {
        let mut shared = self.link.lock();
        shared.macs[self.side as usize].reset();
        shared.cables[self.side as usize].sender_reset();
        shared.cables[self.side.other() as usize].receiver_reset();
        drop(shared);
        self.tx.reset();
        self.rx.reset();
    }

    fn unseen(&mut self) -> Option<String> {
        let faults = self.link.take_faults();
        let first = faults.first()?;
        Some(format!("{} faults of the link, the first: {first}", faults.len()))
    }
}
