// SPDX-License-Identifier: MIT OR Apache-2.0
//! The register map: its constants, and `docs/registers.md`.
use super::model::{literal, paragraph, Entry, Family, Group};
use ferrowarp_abi::constants::FAMILIES;
use ferrowarp_abi::host::counters::{Counter, COUNTERS, QP_COUNTERS, QP_PLACES};
use ferrowarp_abi::host::csr::{Each, Reach, BAR0_OCTETS, MOST_QUEUES, REGISTERS};
use std::fmt::Write;

const SOURCE: &str = "Ferrowarp";

fn entry(name: String, width: usize, value: u32, hex: bool, doc: &str) -> Entry {
    Entry { name, width, value: value.into(), hex, source: SOURCE.into(), doc: doc.into() }
}

/// Places, fields, reset values, counters.
pub fn family() -> Family {
    let group = |name: &str, doc: &str, constants| Group { name: name.into(), doc: doc.into(), constants };
    let place = REGISTERS.iter().map(|r| entry(r.name.into(), 12, r.offset as u32, true, r.doc));
    let mask = REGISTERS.iter().flat_map(|r| {
        r.parts.iter().map(|p| entry(format!("{}_{}", r.name, p.name), 32, p.mask(), true, p.doc))
    });
    let reset = REGISTERS
        .iter()
        .filter(|r| r.reach == Reach::ReadWrite)
        .map(|r| entry(r.name.into(), 32, r.reset, false, r.doc));
    let places = |counters: &[Counter]| {
        counters.iter().enumerate().map(|(i, c)| entry(c.name.into(), 8, i as u32, false, c.doc)).collect()
    };
    let groups = vec![
        group("csr", "Places of the registers: octets from the start of BAR0.", place.collect()),
        group("csr_mask", "Fields of the registers: the bits that they have.", mask.collect()),
        group("csr_reset", "Values of the registers after reset.", reset.collect()),
        group("counter", "Places of the counters behind register `counter`.", places(COUNTERS)),
        group(
            "qp_counter",
            "Places of a queue pair's counters among its eight behind register `qp_counter`.",
            places(QP_COUNTERS),
        ),
    ];
    Family { name: "registers".into(), doc: "the register map".into(), groups }
}

/// `docs/registers.md`.
pub fn page() -> String {
    let mut out = String::from(HEAD);
    // writing to a string does not fail
    let _ = writeln!(out, "## BAR0: registers ({BAR0_OCTETS} octets)\n");
    let _ = writeln!(out, "| at | register | software may | reset | meaning |\n|---|---|---|---|---|");
    for r in REGISTERS {
        let times = match (r.each, r.count) {
            (Each::Device, 1) => String::new(),
            (Each::Device, n) => format!(" x {n}"),
            (Each::QueuePair, n) => format!(" x {} x queue pairs", n / MOST_QUEUES),
            (Each::CompletionQueue, _) => " x completion queues".into(),
        };
        let _ = writeln!(
            out,
            "| {:#05x}{times} | `{}` | {} | {} | {} |",
            r.offset,
            r.name,
            r.reach.name(),
            r.reset,
            r.doc
        );
    }
    for r in REGISTERS.iter().filter(|r| !r.parts.is_empty()) {
        let _ = writeln!(out, "\n### {}\n\n| bits | field | meaning |\n|---|---|---|", r.name);
        for p in r.parts {
            let bits = match p.width {
                1 => p.lsb.to_string(),
                n => format!("{}:{}", p.lsb + n - 1, p.lsb),
            };
            let _ = writeln!(out, "| {bits} | `{}` | {} |", p.name, p.doc);
        }
    }
    for (name, counters) in [("counter", COUNTERS), ("qp_counter", QP_COUNTERS)] {
        let first = REGISTERS.iter().find(|r| r.name == name).map_or(0, |r| r.offset);
        let more =
            if name == "counter" { String::new() } else { format!(" + {} x queue pair", 4 * QP_PLACES) };
        let _ = writeln!(out, "\n### {name}\n\n| at | counter | counts |\n|---|---|---|");
        for (i, c) in counters.iter().enumerate() {
            let _ = writeln!(out, "| {:#05x}{more} | `{}` | {} |", first + 4 * i, c.name, c.doc);
        }
    }
    out += OTHERS;
    for g in FAMILIES.iter().filter(|f| f.name == "edge").flat_map(|f| f.groups) {
        let _ = writeln!(
            out,
            "\n### {}\n\n{}\n\n| name | value | meaning |\n|---|---|---|",
            g.name,
            paragraph(g.doc)
        );
        for c in g.constants {
            let value = literal(&entry(c.name.into(), c.width, c.value as u32, c.hex, c.doc));
            let _ = writeln!(out, "| `{}` | {value} | {} |", c.name, c.doc);
        }
    }
    out
}

const HEAD: &str = "\
<!-- written by `cargo xtask gen` from abi/src/host/{csr,counters}.rs, abi/src/constants/csr.rs -->
# Registers

The content of the BARs. Registers are dwords in little-endian order. A request reads or writes one
aligned dword, or two in one aligned quadword. A write of a part of a dword is dropped and counted.
Reserved places read 0; a read or write of a reserved place is counted. A read of another length is
answered with Completer Abort, a write of another length is dropped. `error_what` has both.

";

const OTHERS: &str = "
## BAR2: doorbells

Each queue pair has a page of 4096 octets. The completion queue of the same number shares the page.
One more page serves the device's own rings (`event_consumer`, `raw_rx_consumer`, `raw_rx_arm`,
`raw_tx_producer`). A doorbell is a write of the 8 octets of a `Doorbell` (`docs/abi.md`) at the
beginning of its page in one request. A page takes only doorbells of its own number. Reads give 0.

## BAR4: MSI-X

The table at 0: 16 octets a vector (address low, address high, data, control with its mask in bit
0), as in the PCI specification. Pending bits at 0x800.

## Constants
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_counter_has_its_place() {
        let counters = REGISTERS.iter().find(|r| r.name == "counter").map(|r| r.count);
        assert!(counters.is_some_and(|n| COUNTERS.len() <= n));
        let places = REGISTERS.iter().find(|r| r.name == "qp_counter").map(|r| r.there(16, 1));
        assert!(QP_COUNTERS.len() <= QP_PLACES && places == Some(16 * QP_PLACES));
    }

    #[test]
    fn names_are_unique() {
        for g in family().groups {
            let mut names: Vec<_> = g.constants.iter().map(|c| &c.name).collect();
            let all = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), all, "{}", g.name);
        }
    }
}
