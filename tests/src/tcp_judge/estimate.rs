// SPDX-License-Identifier: MIT OR Apache-2.0
//! The estimator of RFC 6298 section 2, between two bounds.
use super::{Rules, HEADER_PS};

/// Units of one second: the wait while no round trip is known (RFC 6298 section 2 rule 2.1).
const FIRST_UNITS: f64 = 100_000.0;
/// Units that whole numbers lose: of SRTT, and of four RTTVAR whose three quarters are cut each
/// time.
const CUT: f64 = 1.0;
const CUT_OF_FOUR: f64 = 4.0;

/// A number that lies between two.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Between {
    least: f64,
    most: f64,
}

/// SRTT and RTTVAR in units of the sender's clock.
///
/// The wire shows a round trip to some nanoseconds, but not where in a unit the trip begins. So
/// each measurement lies between two whole numbers, and so do SRTT, RTTVAR and RTO. A difference of
/// one unit is the clock's and may count as none (`hdl/src/tcp/README.md`).
#[derive(Clone, Debug)]
pub(super) struct Estimate {
    rules: Rules,
    /// SRTT and RTTVAR; none before the first round trip.
    known: Option<[Between; 2]>,
    /// A round trip was measured, not only named by who opened the connection.
    is_measured: bool,
}

impl Estimate {
    /// Of a connection whose handshake took `rules.rtt` units.
    pub(super) fn new(rules: Rules) -> Self {
        let rtt = rules.rtt as f64;
        let known = (rules.rtt > 0).then(|| [rtt, rtt / 2.0].map(|x| Between { least: x, most: x }));
        Self { rules, known, is_measured: false }
    }

    /// A round trip took this long on the wire.
    pub(super) fn measured(&mut self, took_ps: u64) {
        let Rules { unit_ps, grain_ps, .. } = self.rules;
        let units = |steps: u64| (steps * grain_ps) as f64 / unit_ps as f64;
        let least = units(took_ps / grain_ps);
        let most = units((took_ps + HEADER_PS).div_ceil(grain_ps));
        let [srtt, var] = match self.known {
            Some([srtt, var]) => {
                let far = (srtt.most - least).abs().max((most - srtt.least).abs());
                let near = (least - srtt.most - 1.0).max(srtt.least - most).max(0.0);
                let fold = |old: f64, part: f64, new: f64| old + (new - old) / part;
                [
                    Between { least: fold(srtt.least, 8.0, least), most: fold(srtt.most, 8.0, most) },
                    Between { least: fold(var.least, 4.0, near), most: fold(var.most, 4.0, far) },
                ]
            }
            None => [Between { least, most }, Between { least: least / 2.0, most: most / 2.0 }],
        };
        self.known = Some([srtt, var]);
        self.is_measured = true;
    }

    /// Units of the least RTO beyond SRTT: the one that counts, and until a round trip was measured
    /// also the one at the connection's begin.
    fn floors(&self) -> [f64; 2] {
        let (own, first) = (self.rules.rto_min as f64, self.rules.first_rto_min as f64);
        if self.is_measured {
            [own; 2]
        } else {
            [own.min(first), own.max(first)]
        }
    }

    /// The least time of the wait in picoseconds, with so many doublings. The clock steps by
    /// [`Rules::grain_ps`], of which the first step may come at once.
    pub(super) fn least_ps(&self, doublings: u32) -> u64 {
        let units = match self.known {
            Some([srtt, var]) => {
                let beyond = self.floors()[0].max(4.0 * var.least - CUT_OF_FOUR);
                (srtt.least - CUT).max(0.0) + beyond
            }
            None => FIRST_UNITS,
        };
        self.stepped(units * f64::from(1_u32 << doublings.min(20)))
    }

    /// The longest time of the wait in picoseconds, with so many doublings.
    pub(super) fn most_ps(&self, doublings: u32) -> u64 {
        let units = match self.known {
            Some([srtt, var]) => srtt.most + CUT + self.floors()[1].max(4.0 * var.most),
            None => FIRST_UNITS,
        };
        let units = (units * f64::from(1_u32 << doublings.min(20))).ceil() as u64 + 1;
        units * self.rules.unit_ps + self.rules.grain_ps
    }

    /// The least time of a probe's wait in picoseconds: `SRTT + max(SRTT, 4 RTTVAR)`.
    pub(super) fn probe_ps(&self) -> u64 {
        let units = self.known.map_or(FIRST_UNITS, |[srtt, var]| {
            let srtt = (srtt.least - CUT).max(0.0);
            srtt + srtt.max(4.0 * var.least - CUT_OF_FOUR)
        });
        self.stepped(units)
    }

    /// The longest time of a probe's wait: two units more, and those that whole numbers add.
    pub(super) fn probe_most_ps(&self) -> u64 {
        let units = self
            .known
            .map_or(FIRST_UNITS, |[srtt, var]| srtt.most + CUT + (srtt.most + CUT).max(4.0 * var.most) + 2.0);
        (units.ceil() as u64 + 1) * self.rules.unit_ps + self.rules.grain_ps
    }

    fn stepped(&self, units: f64) -> u64 {
        let Rules { unit_ps, grain_ps, .. } = self.rules;
        ((units + 1.0) * unit_ps as f64) as u64 - ((units + 1.0) * unit_ps as f64).min(grain_ps as f64) as u64
    }
}
