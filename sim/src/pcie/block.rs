// SPDX-License-Identifier: MIT OR Apache-2.0
//! The receive side of the PCI Express block in front of the edge, in the form that the edge's
//! width has.
use super::straddle::{Straddle, Straddled};
use super::tlp::lanes;
use crate::bench::agent::{Agent, Fault, Moment, Source};
use crate::bench::{Frame, Item, Pattern, Rate, SideBeat, SideFrame};
use crate::model::{Model, PortError};

/// Beats that are enough for now: the next TLP is drawn while the last one of the one before waits,
/// so that no cycle is lost.
const ENOUGH: usize = 2;

/// TLPs on their way into the device.
pub(super) enum Block {
    /// 64 bits: each TLP in beats of its own.
    Whole(Source<SideBeat>),
    /// 128 bits: one behind the other.
    Straddled(Source<Straddled>, Straddle),
}

impl Block {
    /// On the ports below `prefix`, by what there is.
    pub(super) fn new(model: &Model, prefix: &str, stalls: Pattern) -> Result<Self, PortError> {
        Ok(match model.need(&format!("{prefix}_is_sof")) {
            Ok(_) => Self::Straddled(Source::new(model, prefix, stalls)?, Straddle::default()),
            Err(_) => Self::Whole(Source::new(model, prefix, stalls)?),
        })
    }

    /// Takes what `next` gives, TLPs with the BARs that they hit, as long as there is room.
    pub(super) fn fill(
        &mut self,
        now: &mut Moment<'_>,
        mut next: impl FnMut(&mut Moment<'_>) -> Option<(Vec<u8>, u8)>,
    ) -> Result<(), Fault> {
        match self {
            Self::Whole(source) => {
                if source.queued() < ENOUGH {
                    if let Some((tlp, hit)) = next(now) {
                        let side = Item::new().with("bar_hit", hit.into());
                        let frame = SideFrame { frame: Frame::good(lanes(&tlp)), side };
                        source.send(&frame, now.rng).map_err(Fault::Unit)?;
                    }
                }
            }
            Self::Straddled(source, straddle) => {
                while source.queued() < ENOUGH {
                    let Some((tlp, hit)) = next(now) else { break };
                    straddle
                        .add(&lanes(&tlp), hit, false, now.rng)
                        .into_iter()
                        .for_each(|beat| source.push(beat));
                }
                if source.is_empty() {
                    if let Some(beat) = straddle.flush(now.rng) {
                        source.push(beat);
                    }
                }
            }
        }
        Ok(())
    }

    /// Transfers.
    pub(super) fn rate(&self) -> Rate {
        match self {
            Self::Whole(source) => source.boundary.rate,
            Self::Straddled(source, _) => source.boundary.rate,
        }
    }

    /// As [`Agent::wakes`]: a beat that waits for the next TLP is flushed at once.
    pub(super) fn wakes(&self, cycle: u64) -> u64 {
        match self {
            Self::Straddled(_, straddle) if straddle.is_open() => cycle,
            _ => self.source().wakes(cycle),
        }
    }

    /// As an agent; a beat that waits for the next TLP is in `fill`'s hands.
    pub(super) fn source(&self) -> &dyn Agent {
        match self {
            Self::Whole(source) => source,
            Self::Straddled(source, _) => source,
        }
    }

    /// The same.
    pub(super) fn source_mut(&mut self) -> &mut dyn Agent {
        match self {
            Self::Whole(source) => source,
            Self::Straddled(source, _) => source,
        }
    }

    /// Nothing is left to send.
    pub(super) fn reset(&mut self) {
        self.source_mut().reset();
        if let Self::Straddled(_, straddle) = self {
            *straddle = Straddle::default();
        }
    }
}
