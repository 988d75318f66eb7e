// SPDX-License-Identifier: MIT OR Apache-2.0
//! What tshark says of a capture, against the list of what may be said.
use super::zero;
use crate::repo;
use anyhow::{bail, ensure, Context, Result};
use ferrowarp_sim::pcap::tshark::{self, Expert, Severity, Summary};
use std::path::Path;

/// The list, below the repository.
const LIST: &str = "tests/interop/tshark-allowed.tsv";

/// Preferences of tshark, below the repository, in place of those of whoever runs it. A segment
/// that comes before one that was lost waits for it, as it does at the receiver: else FPDUs are
/// looked for in its middle.
const PREFERENCES: &str = "tests/interop/tshark";

/// Every tshark of this process, which has one thread yet, reads with these preferences.
pub fn prefer_own_preferences() {
    std::env::set_var("WIRESHARK_CONFIG_DIR", repo::root().join(PREFERENCES));
}

/// A remark that may stand in a capture of a clean run.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Allowed {
    /// Wireshark's name of the protocol that says it: `TCP`.
    protocol: String,
    /// How its text begins.
    start: String,
    /// In whose capture, or with a `*` at its end in whose that begin so; without it in every one.
    case: Option<String>,
}

impl Allowed {
    fn is_for(&self, case: &str) -> bool {
        self.case.as_ref().is_none_or(|only| match only.strip_suffix('*') {
            Some(start) => case.starts_with(start),
            None => only == case,
        })
    }

    fn covers(&self, case: &str, expert: &Expert) -> bool {
        self.is_for(case) && expert.protocol == self.protocol && expert.message.starts_with(&self.start)
    }
}

/// Reads the capture of a case. The error lists what the allow-list does not cover: malformed
/// layers, bad checksums and CRCs never; of remarks all errors and warnings, and TCP's notes, among
/// them everything that was sent twice.
pub fn judge(case: &str, capture: &Path) -> Result<Summary> {
    let path = repo::root().join(LIST);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {LIST}"))?;
    let mut summary = tshark::read(capture)?;
    zero::forgive(&mut summary, capture)?;
    let faults = faults(&summary, case, &parse(&text)?);
    ensure!(faults.is_empty(), "tshark, of {}: {}", repo::shown(capture), faults.join("\n"));
    Ok(summary)
}

/// Lines `protocol TAB start of the remark TAB reason`, and `TAB case` or `TAB START*` if it is
/// right there only; empty ones and those that begin with `#` are none.
fn parse(text: &str) -> Result<Vec<Allowed>> {
    let lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
    let entry = |(nth, line): (usize, &str)| {
        let columns: Vec<_> = line.split('\t').map(str::trim).collect();
        match columns[..] {
            [protocol, start, reason, ref case @ ..]
                if columns.iter().all(|c| !c.is_empty()) && reason.len() > 10 && case.len() < 2 =>
            {
                let case = case.first().map(ToString::to_string);
                Ok(Allowed { protocol: protocol.into(), start: start.into(), case })
            }
            _ => bail!("{LIST}:{}: not `protocol TAB remark TAB reason [TAB case]`: {line}", nth + 1),
        }
    };
    lines.map(entry).collect()
}

/// What is not covered, a line each.
fn faults(summary: &Summary, case: &str, allowed: &[Allowed]) -> Vec<String> {
    let matters =
        |e: &&Expert| e.severity >= Severity::Warn || (e.severity == Severity::Note && e.protocol == "TCP");
    let experts = summary.experts.iter().filter(matters);
    let experts = experts.filter(|e| !allowed.iter().any(|a| a.covers(case, e))).map(ToString::to_string);
    summary.complaints.iter().map(ToString::to_string).chain(experts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo;
    use crate::interop::case;
    use ferrowarp_sim::pcap::tshark::Complaint;
    use ferrowarp_sim::pcap::{Endpoint, Established, Pcap};

    fn expert(severity: Severity, protocol: &str, message: &str) -> Expert {
        let (protocol, message) = (protocol.into(), message.into());
        Expert { severity, group: "Sequence".into(), protocol, message, count: 1 }
    }

    #[test]
    fn only_what_the_list_names_passes() {
        let list = "# text\n\nTCP\tThis frame init\tthe end of a connection\nTCP\tReset\tasked for by the case\tresets\n";
        let list = parse(list).unwrap();
        let mut summary = Summary {
            experts: vec![
                expert(Severity::Note, "TCP", "This frame initiates the connection closing"),
                expert(Severity::Chat, "TCP", "Connection finish (FIN)"),
                expert(Severity::Note, "ICMPv6", "whatever"),
                expert(Severity::Warn, "TCP", "Reset"),
            ],
            ..Summary::default()
        };
        assert_eq!(faults(&summary, "resets", &list), [""; 0]);
        assert_eq!(faults(&summary, "server", &list).len(), 1);
        summary.experts.push(expert(Severity::Note, "TCP", "This frame is a (suspected) retransmission"));
        summary.experts.push(expert(Severity::Warn, "IWARP_MPA", "This frame init"));
        summary.complaints.push(Complaint { frame: 3, what: "bad checksum of tcp".into() });
        let told = faults(&summary, "resets", &list);
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told[0].contains("frame 3") && told[1].contains("retransmission"), "{told:?}");
    }

    #[test]
    fn an_entry_without_a_reason_is_refused_and_the_committed_list_is_not() {
        let wrongs = [
            "TCP\tx",
            "TCP\tx\t",
            "TCP\tx\tshort",
            "\tx\ta reason that is long",
            "T\tx\ta long reason\tc\td",
        ];
        for wrong in wrongs {
            assert!(parse(wrong).unwrap_err().to_string().contains(":1: not `protocol"), "{wrong}");
        }
        let text = std::fs::read_to_string(repo::root().join(LIST)).unwrap();
        let list = parse(&text).unwrap();
        assert!(list.iter().any(|allowed| allowed.case.is_none()));
        for allowed in list {
            let mut names = case::all().map(|case| case.name).chain([demo::loss::CASE]);
            assert!(names.any(|name| allowed.is_for(name)), "there is no such case: {allowed:?}");
        }
    }

    /// A connection between the devices of a test in this network, the first or second one: its
    /// SYNs, Request and Reply.
    fn connection(nth: u32, network: u8) -> Established {
        let end = |n: u8, port| {
            let (ip, mac) = ([10, 9, network, n].into(), [2, 0, 10, 9, network, n]);
            Endpoint { mac, ip, port, seq_start: 70_000 << nth, window_scale: 0, wants_markers: false }
        };
        Established { ends: [end(1, 50_000), end(2, 7_174)], vlan: None, crc: true }
    }

    /// Those SYNs have no options but the window's scale.
    const NO_MSS: &str = "TCP\tThe SYN packet does not contain a MSS option\tmade by this test\n";

    /// What is told of two connections with the same ports, one behind the other in one capture.
    fn told_of(networks: [u8; 2]) -> Vec<String> {
        let [first, second] = networks;
        let path = std::env::temp_dir().join(format!("fw-judge-{}-{first}-{second}", std::process::id()));
        let mut file = Pcap::create(&path).unwrap();
        let wire = file.interface("device").unwrap();
        let frames = (0..).zip(networks).flat_map(|(nth, network)| connection(nth, network).frames());
        for (n, (_, frame)) in frames.enumerate() {
            file.frame(wire, 1_000 * n as u64, &frame, None).unwrap();
        }
        file.finish().unwrap();
        let summary = tshark::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let list = std::fs::read_to_string(repo::root().join(LIST)).unwrap() + NO_MSS;
        faults(&summary, "vfio-tests", &parse(&list).unwrap())
    }

    #[test]
    fn pairs_of_devices_that_use_the_same_ports_are_told_apart_by_their_networks() {
        assert_eq!(told_of([1, 2]), [""; 0]);
        let told = told_of([1, 1]).join("\n");
        // the second Request is taken for an FPDU
        for due in ["A new tcp session is started with the same ports", "Malformed Packet: IWARP_MPA"] {
            assert!(told.contains(due), "{told}");
        }
    }
}
