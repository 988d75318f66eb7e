//! What tshark says of a capture, against the list of what may be said.
use crate::repo;
use anyhow::{bail, ensure, Context, Result};
use ferrowarp_sim::pcap::tshark::{self, Expert, Severity, Summary};
use std::path::Path;

/// The list, below the repository.
const LIST: &str = "tests/interop/tshark-allowed.tsv";

/// A remark that may stand in a capture of a clean run.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Allowed {
    /// Wireshark's name of the protocol that says it: `TCP`.
    protocol: String,
    /// How its text begins.
    start: String,
}

impl Allowed {
    fn covers(&self, expert: &Expert) -> bool {
        expert.protocol == self.protocol && expert.message.starts_with(&self.start)
    }
}

/// Reads a capture. The error lists what the allow-list does not cover: malformed layers, bad checksums and CRCs never;
/// of remarks all errors and warnings, and TCP's notes, among them everything that was sent twice.
pub fn judge(capture: &Path) -> Result<Summary> {
    let path = repo::root().join(LIST);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {LIST}"))?;
    let summary = tshark::read(capture)?;
    let faults = faults(&summary, &parse(&text)?);
    ensure!(faults.is_empty(), "tshark, of {}:\n{}", repo::shown(capture), faults.join("\n"));
    Ok(summary)
}

/// Lines `protocol TAB start of the remark TAB reason`; empty ones and those that begin with `#` are none.
fn parse(text: &str) -> Result<Vec<Allowed>> {
    let lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
    let entry = |(nth, line): (usize, &str)| {
        let columns: Vec<_> = line.split('\t').map(str::trim).collect();
        match columns[..] {
            [protocol, start, reason] if columns.iter().all(|c| !c.is_empty()) && reason.len() > 10 => {
                Ok(Allowed { protocol: protocol.into(), start: start.into() })
            }
            _ => bail!("{LIST}:{}: not `protocol TAB remark TAB reason`: {line}", nth + 1),
        }
    };
    lines.map(entry).collect()
}

/// What is not covered, a line each.
fn faults(summary: &Summary, allowed: &[Allowed]) -> Vec<String> {
    let matters =
        |e: &&Expert| e.severity >= Severity::Warn || (e.severity == Severity::Note && e.protocol == "TCP");
    let experts = summary.experts.iter().filter(matters);
    let experts = experts.filter(|e| !allowed.iter().any(|a| a.covers(e))).map(ToString::to_string);
    summary.complaints.iter().map(ToString::to_string).chain(experts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrowarp_sim::pcap::tshark::Complaint;

    fn expert(severity: Severity, protocol: &str, message: &str) -> Expert {
        let (protocol, message) = (protocol.into(), message.into());
        Expert { severity, group: "Sequence".into(), protocol, message, count: 1 }
    }

    #[test]
    fn only_what_the_list_names_passes() {
        let list = parse("# text\n\nTCP\tThis frame init\tthe end of a connection\n").unwrap();
        let mut summary = Summary {
            experts: vec![
                expert(Severity::Note, "TCP", "This frame initiates the connection closing"),
                expert(Severity::Chat, "TCP", "Connection finish (FIN)"),
                expert(Severity::Note, "ICMPv6", "whatever"),
            ],
            ..Summary::default()
        };
        assert_eq!(faults(&summary, &list), [""; 0]);
        summary.experts.push(expert(Severity::Note, "TCP", "This frame is a (suspected) retransmission"));
        summary.experts.push(expert(Severity::Warn, "IWARP_MPA", "This frame init"));
        summary.complaints.push(Complaint { frame: 3, what: "bad checksum of tcp".into() });
        let told = faults(&summary, &list);
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told[0].contains("frame 3") && told[1].contains("retransmission"), "{told:?}");
    }

    #[test]
    fn an_entry_without_a_reason_is_refused_and_the_committed_list_is_not() {
        for wrong in ["TCP\tx", "TCP\tx\t", "TCP\tx\tshort", "\tx\ta reason that is long"] {
            assert!(parse(wrong).unwrap_err().to_string().contains(":1: not `protocol"), "{wrong}");
        }
        let text = std::fs::read_to_string(repo::root().join(LIST)).unwrap();
        assert!(!parse(&text).unwrap().is_empty());
    }
}
