// SPDX-License-Identifier: MIT OR Apache-2.0
//! The input by which a MAC tells a device that it has a link.
use super::Link;
use crate::bench::agent::{Agent, Fault, Moment, NEVER};
use crate::model::{Model, PortError, PortId};

/// Drives the pin: high while the link is up.
pub(crate) struct LinkPin {
    link: Link,
    /// Period of the clock in picoseconds.
    clock_ps: u64,
    name: String,
    pin: PortId,
    /// What the pin is; none before the first cycle and behind a reset.
    shown: Option<bool>,
}

impl LinkPin {
    /// The error is that of a model without such an input.
    pub(crate) fn new(model: &Model, link: &Link, name: &str) -> Result<Self, PortError> {
        let (link, clock_ps, pin) = (link.clone(), link.config().clock_ps, model.need(name)?);
        Ok(Self { link, clock_ps, name: name.into(), pin, shown: None })
    }
}

impl Agent for LinkPin {
    fn drive(&mut self, now: &mut Moment<'_>) -> Result<(), Fault> {
        let is_up = self.link.is_up(now.cycle * self.clock_ps);
        if self.shown.replace(is_up) != Some(is_up) {
            now.model.set_u64(self.pin, is_up.into())?;
        }
        Ok(())
    }

    fn probe(&mut self, _now: &mut Moment<'_>) -> Result<(), Fault> {
        Ok(())
    }

    fn sample(&mut self, _now: &mut Moment<'_>) -> Result<bool, Fault> {
        Ok(false)
    }

    fn pending(&self) -> bool {
        false
    }

    /// A change is to a device what a timer is: who passes over cycles asks [`Link::next_change`].
    fn wakes(&self, _cycle: u64) -> u64 {
        NEVER
    }

    fn prefix(&self) -> &str {
        &self.name
    }

    fn state(&self, _model: &Model) -> String {
        let shown = match self.shown {
            Some(true) => "up",
            Some(false) => "down",
            None => "not driven yet",
        };
        format!("{}: the link is {shown}", self.name)
    }

    fn reset(&mut self) {
        self.shown = None;
    }
}
