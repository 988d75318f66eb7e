// SPDX-License-Identifier: MIT OR Apache-2.0
//! One configuration, checked before elaboration (D7).
use crate::tcp::Congestion;
use serde::Serialize;

/// A named set of numbers for one kind of board.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// 1 GbE boards: W 64, edge 64, 62.5 MHz, 16 QPs, 32 CQs.
    Tiny,
    /// 10 GbE: W 64, edge 128, 156.25 MHz, 64 QPs, 64 CQs.
    #[serde(rename = "10g")]
    TenG,
    /// 100 GbE: W 512, edge 512, 250 MHz.
    #[serde(rename = "100g")]
    HundredG,
}

impl Profile {
    /// All profiles, in the order in which help texts name them.
    pub const ALL: [Profile; 3] = [Profile::Tiny, Profile::TenG, Profile::HundredG];

    /// The name used on command lines: `tiny`, `10g`, `100g`.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Tiny => "tiny",
            Profile::TenG => "10g",
            Profile::HundredG => "100g",
        }
    }
}

impl std::str::FromStr for Profile {
    type Err = ConfigError;
    fn from_str(s: &str) -> Result<Self, ConfigError> {
        Profile::ALL.into_iter().find(|p| p.name() == s).ok_or_else(|| ConfigError::UnknownProfile(s.into()))
    }
}

/// The numbers that an elaboration depends on. Made by [`Config::profile`], changed by
/// [`Config::set`], refused by [`Config::check`] if impossible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Config {
    /// Profile the numbers came from.
    pub profile: Profile,
    /// Width of the network data path in bits.
    pub data_bits: u64,
    /// Width of the host edge in bits.
    pub edge_bits: u64,
    /// Clock of the core in kHz.
    pub clock_khz: u64,
    /// Rate of the wire in Mb/s. The rate is that of the link in simulation, and is no part of the
    /// Verilog.
    pub wire_mbps: u64,
    /// Queue pairs; a power of two.
    pub qps: u64,
    /// Completion queues; a power of two. A program has one for the sends and one for the receives
    /// of a queue pair.
    pub cqs: u64,
    /// Largest Ethernet payload in octets.
    pub mtu: u64,
    /// log2 of the advertised TCP window in octets.
    pub window_log2: u64,
    /// Congestion control: a number of [`crate::tcp::Congestion`].
    pub congestion: u64,
}

/// What a field may be: unit, bounds and the text of its help.
struct Field {
    name: &'static str,
    get: fn(&Config) -> u64,
    put: fn(&mut Config, u64),
    bound: &'static str,
    ok: fn(u64) -> bool,
}

/// Every field that `--set` can change, with its bound.
const FIELDS: [Field; 9] = [
    Field {
        name: "data_bits",
        get: |c| c.data_bits,
        put: |c, v| c.data_bits = v,
        bound: "64, 256 or 512",
        ok: |v| matches!(v, 64 | 256 | 512),
    },
    Field {
        name: "edge_bits",
        get: |c| c.edge_bits,
        put: |c, v| c.edge_bits = v,
        bound: "64, 128, 256 or 512",
        ok: |v| matches!(v, 64 | 128 | 256 | 512),
    },
    Field {
        name: "clock_khz",
        get: |c| c.clock_khz,
        put: |c, v| c.clock_khz = v,
        bound: "1000 to 500000",
        ok: |v| (1_000..=500_000).contains(&v),
    },
    Field {
        name: "wire_mbps",
        get: |c| c.wire_mbps,
        put: |c, v| c.wire_mbps = v,
        bound: "10 to 400000",
        ok: |v| (10..=400_000).contains(&v),
    },
    Field {
        name: "qps",
        get: |c| c.qps,
        put: |c, v| c.qps = v,
        bound: "a power of two from 2 to 4096",
        ok: |v| v.is_power_of_two() && (2..=4096).contains(&v),
    },
    Field {
        name: "cqs",
        get: |c| c.cqs,
        put: |c, v| c.cqs = v,
        bound: "a power of two from 2 to 4096",
        ok: |v| v.is_power_of_two() && (2..=4096).contains(&v),
    },
    Field {
        name: "mtu",
        get: |c| c.mtu,
        put: |c, v| c.mtu = v,
        bound: "1280 to 9216 octets",
        ok: |v| (1280..=9216).contains(&v),
    },
    Field {
        name: "window_log2",
        get: |c| c.window_log2,
        put: |c, v| c.window_log2 = v,
        bound: "14 to 22 (the right edge of a receive window is kept modulo 2^24)",
        ok: |v| (14..=22).contains(&v),
    },
    Field {
        name: "congestion",
        get: |c| c.congestion,
        put: |c, v| c.congestion = v,
        bound: "0 (none: the peer's window alone bounds what is in flight, up to 8 MiB) or 1 (NewReno)",
        ok: |v| Congestion::of(v).is_some(),
    },
];

/// Why a configuration is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// No profile of that name.
    #[error("unknown profile `{0}`: use tiny, 10g or 100g")]
    UnknownProfile(String),
    /// No field of that name.
    #[error("unknown configuration field `{0}`: the fields are {1}")]
    UnknownField(String, String),
    /// The text after `=` is not a number.
    #[error("configuration field `{field}`: `{text}` is not a number; write for example `{field}=64`")]
    NotANumber {
        /// Field named.
        field: String,
        /// What stood there.
        text: String,
    },
    /// The number lies outside the field's bound.
    #[error("configuration field `{field}` = {value} is impossible: it must be {bound}")]
    OutOfBound {
        /// Field named.
        field: &'static str,
        /// Value refused.
        value: u64,
        /// What is allowed.
        bound: &'static str,
    },
}

impl Config {
    /// The numbers of a profile (D7).
    pub fn profile(profile: Profile) -> Self {
        // D7 names no MTU for `10g`. It has Ethernet's: receive buffers, segment store and raw
        // slots of the device hold frames of 1,500 octets, larger ones are refused.
        let (data_bits, edge_bits, clock_khz, wire_mbps, qps, cqs, mtu, window_log2) = match profile {
            Profile::Tiny => (64, 64, 62_500, 1_000, 16, 32, 1500, 15),
            Profile::TenG => (64, 128, 156_250, 10_000, 64, 64, 1500, 20),
            Profile::HundredG => (512, 512, 250_000, 100_000, 256, 256, 9000, 22),
        };
        Self {
            profile,
            data_bits,
            edge_bits,
            clock_khz,
            wire_mbps,
            qps,
            cqs,
            mtu,
            window_log2,
            congestion: 1,
        }
    }

    /// Applies `field=value` as given on a command line; the bound is checked by [`Config::check`].
    pub fn set(&mut self, assignment: &str) -> Result<(), ConfigError> {
        let (name, text) = assignment.split_once('=').unwrap_or((assignment, ""));
        let field = FIELDS.iter().find(|f| f.name == name).ok_or_else(|| {
            let all: Vec<_> = FIELDS.iter().map(|f| f.name).collect();
            ConfigError::UnknownField(name.into(), all.join(", "))
        })?;
        let value =
            text.parse().map_err(|_| ConfigError::NotANumber { field: name.into(), text: text.into() })?;
        (field.put)(self, value);
        Ok(())
    }

    /// Congestion control; NewReno for a number that [`Config::check`] refuses.
    pub fn congestion_control(&self) -> Congestion {
        Congestion::of(self.congestion).unwrap_or(Congestion::NewReno)
    }

    /// Refuses what cannot be built, naming the field and its bound.
    pub fn check(&self) -> Result<(), ConfigError> {
        for f in &FIELDS {
            let value = (f.get)(self);
            if !(f.ok)(value) {
                return Err(ConfigError::OutOfBound { field: f.name, value, bound: f.bound });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_is_possible() {
        for p in Profile::ALL {
            assert_eq!(p.name().parse::<Profile>().as_ref(), Ok(&p));
            assert_eq!(Config::profile(p).check(), Ok(()));
        }
    }

    #[test]
    fn an_impossible_field_is_named_with_its_bound() {
        let mut c = Config::profile(Profile::Tiny);
        c.set("data_bits=72").unwrap();
        let text = c.check().unwrap_err().to_string();
        assert_eq!(text, "configuration field `data_bits` = 72 is impossible: it must be 64, 256 or 512");
        assert!(matches!(c.set("colour=3"), Err(ConfigError::UnknownField(..))));
        assert!(matches!(c.set("mtu=big"), Err(ConfigError::NotANumber { .. })));
        assert!(matches!(c.set("mtu"), Err(ConfigError::NotANumber { .. })));
    }
}
