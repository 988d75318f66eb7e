// SPDX-License-Identifier: MIT OR Apache-2.0
//! `demo --loss`: a wire that loses frames, what it took, and what tshark may say of that.
use crate::interop;
use anyhow::{ensure, Context, Result};
use ferrowarp_sim::pcap::tshark::Summary;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Where random numbers begin unless somebody chooses.
pub const SEED: u64 = 7;
/// The name under which the list of allowed remarks has what loss causes.
pub const CASE: &str = "demo-loss";
/// Keys of the devices' URLs. A tick of the demo is a microsecond, where the driver means a
/// millisecond. So the least time-out has many ticks: with them it is near that of a card.
pub const TIMERS: &str = ";rto=600";
/// Milliseconds for which time stands still for software: a lost frame of a handshake is missed for
/// a thousand ticks or more, which would be half a minute with as many as without loss.
pub const STILL: &str = "60";
/// Loss from which on nothing is tried.
const MOST: f64 = 0.5;

/// Why there is no such wire.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LossError {
    /// No number, or none that makes sense.
    #[error("a loss of `{0}` is no probability of 0 or more and less than {MOST}; for one frame of a hundred write 0.01")]
    Share(String),
    /// That wire is netem's business.
    #[error("--loss {0} is not possible with --peer siw; for a wire to Linux that loses frames run `cargo xtask interop --only netem`")]
    Siw(f64),
}

/// A wire that loses frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss {
    /// Probability of each frame of either direction.
    pub share: f64,
    /// Of the random numbers.
    pub seed: u64,
}

impl Loss {
    /// Keys of a port of `ferrowarp-sim`.
    pub fn keys(&self) -> String {
        format!(",loss={},seed={}", self.share, self.seed)
    }
}

/// A probability as it was written.
pub fn share(text: &str) -> Result<f64, LossError> {
    let share = text.parse().ok().filter(|share| (0.0..MOST).contains(share));
    share.ok_or_else(|| LossError::Share(text.into()))
}

/// What was lost of a device's frames, and what its counters say of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Toll {
    sent: u64,
    lost: u64,
    again: u64,
    octets: u64,
    duplicates: u64,
    resends: u64,
}

impl Toll {
    /// From the simulator's statistics of a device, and what `ferrowarp tour --json --counters`
    /// printed there.
    pub fn read(simulated: &Value, said: &str) -> Result<Self> {
        let told: Value = serde_json::from_str(said).context("what `ferrowarp tour` prints")?;
        let pairs = told["queue_pairs"].as_object().context("`ferrowarp tour` tells no counters")?;
        // one that is 0 is left out
        let counted = |name: &str| pairs.values().filter_map(|pair| pair[name].as_u64()).sum();
        let figure =
            |name: &str| simulated[name].as_u64().with_context(|| format!("no `{name}` in {simulated}"));
        Ok(Self {
            sent: figure("sent")?,
            lost: figure("wire_lost")?,
            again: counted("retransmitted_segments"),
            octets: counted("regenerated_octets"),
            duplicates: counted("duplicate_acks"),
            resends: counted("timeouts"),
        })
    }
}

/// A row of the table: its name, and its figure of a device.
type Row = (&'static str, fn(&Toll) -> u64);

const ROWS: [Row; 6] = [
    ("frames sent", |toll| toll.sent),
    ("of them lost on the wire", |toll| toll.lost),
    ("segments sent again", |toll| toll.again),
    ("their octets, read from memory again", |toll| toll.octets),
    ("duplicate ACKs that came", |toll| toll.duplicates),
    ("resends: time-outs, probes, third duplicates", |toll| toll.resends),
];

/// A table of what was lost and sent again, the server's device first.
pub fn told(loss: &Loss, tolls: &[Toll; 2]) -> String {
    let width = ROWS.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut lines = vec![format!("{:<width$} {:>9} {:>9}", "loss", "server", "client")];
    let [server, client] = tolls;
    lines.extend(ROWS.iter().map(|(name, of)| format!("{name:<width$} {:>9} {:>9}", of(server), of(client))));
    let Loss { share, seed } = loss;
    lines.push(match server.lost + client.lost {
        0 => format!(
            "no frame was lost (probability {share}, seed {seed}): try another --seed, or more --octets"
        ),
        lost => {
            format!("{lost} frames were lost (probability {share}, seed {seed}), and every octet arrived")
        }
    });
    lines.join("\n")
}

/// Reads a capture. The error lists what loss does not cause: anything malformed, a bad CRC or
/// checksum, a reset.
pub fn judge(capture: &Path) -> Result<Summary> {
    interop::prefer_own_preferences();
    let summary = interop::judge(CASE, capture)?;
    let (crc, checksums) = (summary.crc, summary.checksums);
    ensure!(
        crc.bad == 0 && crc.good > 0 && checksums.bad == 0,
        "tshark counts CRCs {crc:?} and checksums {checksums:?}; there must be good CRCs and nothing bad"
    );
    Ok(summary)
}

/// How tshark's remarks of loss begin.
const OF_LOSS: [&str; 3] = ["Duplicate ACK", "Previous segment", "This frame is a (suspected)"];

/// What tshark remarks of loss, and how often.
pub fn remarks(summary: &Summary) -> String {
    let mut counts = BTreeMap::new();
    for expert in summary.experts.iter().filter(|expert| expert.protocol == "TCP") {
        // duplicates are numbered
        let what = expert.message.split(" (#").next().unwrap_or_default();
        if OF_LOSS.iter().any(|start| what.starts_with(start)) {
            *counts.entry(what).or_insert(0) += expert.count;
        }
    }
    if counts.is_empty() {
        return "tshark remarks no loss".into();
    }
    let counts: Vec<_> = counts.iter().map(|(what, count)| format!("{count:>9}  {what}")).collect();
    format!("tshark's guesses, from the client's capture:\n{}", counts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::{run, Args};
    use clap::{Args as _, FromArgMatches};
    use ferrowarp_sim::pcap::tshark::{Expert, Severity};
    use serde_json::json;

    fn parse(args: &[&str]) -> Result<Args, String> {
        let command = Args::augment_args(clap::Command::new("demo"));
        let matches = command.try_get_matches_from([&["demo"], args].concat()).map_err(|e| e.to_string())?;
        Args::from_arg_matches(&matches).map_err(|e| e.to_string())
    }

    #[test]
    fn a_loss_is_a_probability_below_a_half_and_a_seed_is_of_a_loss() {
        for (text, share) in [("0", 0.0), ("0.01", 0.01), ("0.499999", 0.499_999)] {
            assert_eq!(parse(&["--loss", text]).unwrap().loss, Some(share));
        }
        for text in ["0.5", "1", "1%", "-0.1", "nan", "inf"] {
            let told = parse(&["--loss", text]).unwrap_err();
            assert!(told.contains(&format!("a loss of `{text}`")) && told.contains("write 0.01"), "{told}");
        }
        let args = parse(&["--loss", "0.2"]).unwrap();
        assert_eq!((args.loss, args.seed), (Some(0.2), SEED));
        let args = parse(&["--loss", "0.2", "--seed", "9"]).unwrap();
        assert_eq!(Loss { share: args.loss.unwrap(), seed: args.seed }.keys(), ",loss=0.2,seed=9");
        assert!(parse(&["--seed", "9"]).unwrap_err().contains("--loss"));
    }

    #[test]
    fn a_loss_on_the_way_to_linux_is_refused_before_anything_is_built() {
        let told = run(&parse(&["--loss", "0.01", "--peer", "siw"]).unwrap()).unwrap_err();
        assert_eq!(told.downcast_ref(), Some(&LossError::Siw(0.01)));
        assert!(told.to_string().contains("cargo xtask interop --only netem"), "{told}");
    }

    #[test]
    fn what_was_lost_and_sent_again_is_told_of_each_device() {
        let simulated = json!({ "sent": 100, "wire_lost": 2 });
        let said = json!({ "queue_pairs": {
            "0": { "retransmitted_segments": 5, "regenerated_octets": 7_000 },
            "3": { "retransmitted_segments": 1, "timeouts": 4 },
        } });
        let said = said.to_string();
        let some = Toll::read(&simulated, &said).unwrap();
        let due = Toll { sent: 100, lost: 2, again: 6, octets: 7_000, duplicates: 0, resends: 4 };
        assert_eq!(some, due);
        let loss = Loss { share: 0.01, seed: 7 };
        let text = told(&loss, &[some, Toll { lost: 1, again: 8, ..some }]);
        for (name, server, client) in [("of them lost", "2", "1"), ("segments sent again", "6", "8")] {
            let row = text.lines().find(|line| line.starts_with(name)).unwrap();
            let figures: Vec<_> = row.split_whitespace().rev().take(2).collect();
            assert_eq!(figures, [client, server], "{text}");
        }
        assert!(
            text.ends_with("3 frames were lost (probability 0.01, seed 7), and every octet arrived"),
            "{text}"
        );
        let text = told(&loss, &[Toll { lost: 0, ..some }; 2]);
        assert!(text.contains("no frame was lost (probability 0.01, seed 7)"), "{text}");
        let why = Toll::read(&json!({ "sent": 1 }), &said).unwrap_err().to_string();
        assert!(why.contains("no `wire_lost`"), "{why}");
        assert!(Toll::read(&simulated, r#"{"ok":true}"#).is_err());
    }

    #[test]
    fn remarks_of_loss_are_counted_by_kind_and_others_are_not() {
        let expert = |message: &str, count| {
            let (group, protocol, message) = ("Sequence".into(), "TCP".into(), message.into());
            Expert { severity: Severity::Note, group, protocol, message, count }
        };
        let experts = vec![
            expert("Duplicate ACK (#1)", 17),
            expert("Duplicate ACK (#2)", 16),
            expert("This frame is a (suspected) retransmission", 139),
            expert("This frame initiates the connection closing", 1),
        ];
        let text = remarks(&Summary { experts, ..Summary::default() });
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.contains(" 33  Duplicate ACK") && text.contains("139  This frame"), "{text}");
        assert_eq!(remarks(&Summary::default()), "tshark remarks no loss");
    }
}
