// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of a device that counts time, as the emitted Verilog has it: which C++ variable it is,
//! and what it holds.
use super::ModelError;
use regex::Regex;

/// Octets of the register, in words of 32 bits: `count`, `stamp`, `ticks` low and high, `cycles`
/// low and high, and one of `fine` in 24 bits below `ends`.
pub(super) const OCTETS: usize = 28;

/// Bits of fine time.
const FINE: u32 = (1 << 24) - 1;
/// Units of fine time in a tick of the pin.
const UNITS: u64 = 100;

/// What a device's time is made of (`hdl/src/host/timebase.rs`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Time {
    /// Cycles since the divider's last end.
    count: u32,
    /// Ticks since power-up.
    stamp: u32,
    /// Ticks since the reset of the registers.
    ticks: u64,
    /// Cycles since the reset of the registers.
    cycles: u64,
    /// Units of fine time since power-up, modulo 2^24.
    fine: u32,
    /// Ends of the divider in this round.
    ends: u32,
}

/// The divider of a device, and its rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rounds {
    /// Cycles from one end of the divider to the next.
    pub(crate) divider: u64,
    /// Ends in a round.
    pub(crate) ends: u64,
}

impl Time {
    /// From the register's octets.
    pub(super) fn of(octets: &[u8; OCTETS]) -> Self {
        let word = |n: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| octets[4 * n + i]));
        let both = |n: usize| u64::from(word(n)) | u64::from(word(n + 1)) << 32;
        Self {
            count: word(0),
            stamp: word(1),
            ticks: both(2),
            cycles: both(4),
            fine: word(6) & FINE,
            ends: word(6) >> 24,
        }
    }

    /// The register's octets.
    pub(super) fn octets(&self) -> [u8; OCTETS] {
        let mut octets = [0; OCTETS];
        octets[..4].copy_from_slice(&self.count.to_le_bytes());
        octets[4..8].copy_from_slice(&self.stamp.to_le_bytes());
        octets[8..16].copy_from_slice(&self.ticks.to_le_bytes());
        octets[16..24].copy_from_slice(&self.cycles.to_le_bytes());
        octets[24..].copy_from_slice(&(self.fine | self.ends << 24).to_le_bytes());
        octets
    }

    /// This, so many cycles and ticks later, of a device whose ticks come from its pin.
    pub(crate) fn behind(&self, cycles: u64, ticks: u64, rounds: Rounds) -> Self {
        let count = u64::from(self.count) + cycles;
        Self {
            count: (count % rounds.divider) as u32,
            ends: ((u64::from(self.ends) + count / rounds.divider) % rounds.ends) as u32,
            stamp: self.stamp.wrapping_add(ticks as u32),
            ticks: self.ticks.wrapping_add(ticks),
            cycles: self.cycles.wrapping_add(cycles),
            fine: self.fine.wrapping_add((UNITS * ticks) as u32) & FINE,
        }
    }

    /// Cycles until the round ends, and the time in the cycle in which it does.
    pub(crate) fn round_end(&self, rounds: Rounds) -> (u64, Self) {
        let whole = (rounds.ends - 1 - u64::from(self.ends)) * rounds.divider;
        let cycles = whole + rounds.divider - 1 - u64::from(self.count);
        (cycles, self.behind(cycles, 0, rounds))
    }
}

/// Where the time of a device stands in its Verilog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TimePart {
    /// Module that holds the register, which has one instance.
    pub(super) module: String,
    /// Name of the register.
    register: String,
    /// Variable of Verilator's root.
    pub(super) variable: String,
    pub(super) rounds: Rounds,
}

impl TimePart {
    /// Looks for it; none if `top` itself has no part `time`. Beside a device that is a part stand
    /// timers of another part, and time is not passed over.
    ///
    /// # Errors
    /// The part is there, and its register or its numbers are not found: idle time could not be
    /// passed over.
    pub(super) fn find(verilog: &str, top: &str) -> Result<Option<Self>, ModelError> {
        let own = verilog.split("endmodule").find(|text| text.contains(&format!("module {top}(")));
        if !own.is_some_and(|text| text.contains(" part_time(")) {
            return Ok(None);
        }
        let why = ModelError::Time { top: top.into() };
        Self::within(verilog, top).map(Some).ok_or(why)
    }

    fn within(verilog: &str, top: &str) -> Option<Self> {
        let found = |pattern: &str, text: &str| -> Option<String> {
            // the patterns are below
            Some(Regex::new(pattern).ok()?.captures(text)?.get(1)?.as_str().to_string())
        };
        let part = found(r"(?m)^\s*(\w+) part_time\(", verilog)?;
        let begin = verilog.find(&format!("module {part}("))?;
        let text = &verilog[begin..begin + verilog[begin..].find("endmodule")?];
        let register = found(r"(?m)^\s*reg\s+\[\d+:0\] (state_q);", text)?;
        let last = |name: &str| {
            let number = found(&format!(r"localparam\s+{name} = \d+'([hb][0-9a-f]+);"), text)?;
            let (radix, digits) = (if number.starts_with('h') { 16 } else { 2 }, &number[1..]);
            Some(u64::from_str_radix(digits, radix).ok()? + 1)
        };
        let rounds = Rounds { divider: last("last")?, ends: last("last_end")? };
        let variable = format!("{top}__DOT__part_time__DOT__{register}");
        Some(Self { module: part, register, variable, rounds })
    }

    /// What Verilator is told, so that the variable is there and may be written between two
    /// evaluations.
    pub(super) fn control(&self) -> String {
        let Self { module, register, .. } = self;
        format!("`verilator_config\npublic_flat_rw -module \"{module}\" -var \"{register}\"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUNDS: Rounds = Rounds { divider: 100, ends: 4 };

    #[test]
    fn time_goes_on_over_the_ends_of_divider_and_round() {
        let time = Time { count: 98, stamp: u32::MAX, ticks: 7, cycles: 1_000, fine: FINE - 49, ends: 3 };
        assert_eq!(Time::of(&time.octets()), time);
        let later = Time { count: 0, stamp: 0, ticks: 8, cycles: 1_002, fine: 50, ends: 0 };
        assert_eq!(time.behind(2, 1, ROUNDS), later);
        assert_eq!(time.round_end(ROUNDS), (1, Time { count: 99, cycles: 1_001, ..time }));
        assert_eq!(later.round_end(ROUNDS).0, 399);
        assert_eq!(later.behind(400, 0, ROUNDS), Time { cycles: 1_402, ..later });
    }

    #[test]
    fn the_part_is_found_in_the_text() {
        let text = "module t(clock);\n    t_time part_time(\n        .clock(clock)\n    );\nendmodule\n\
                    module t_time(clock);\n    localparam  last = 32'h63;\n    localparam  last_end = 7'b0000011;\n\
                    \x20   reg  [223:0] state_q;\nendmodule\n";
        let part = TimePart::find(text, "t").unwrap().unwrap();
        assert_eq!(part.module, "t_time");
        assert_eq!(part.variable, "t__DOT__part_time__DOT__state_q");
        assert_eq!(part.rounds, ROUNDS);
        assert!(part.control().contains("-module \"t_time\" -var \"state_q\""));
        assert_eq!(TimePart::find("module t(clock);\nendmodule\n", "t").unwrap(), None);
        let within = format!("module u(clock);\n    t part_t(\n    );\nendmodule\n{text}");
        assert_eq!(TimePart::find(&within, "u").unwrap(), None, "the device is a part");
        let why = TimePart::find(&text.replace("state_q", "state"), "t").unwrap_err().to_string();
        assert!(why.contains("`t`") && why.contains("state_q"), "{why}");
    }
}
