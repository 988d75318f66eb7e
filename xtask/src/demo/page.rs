// SPDX-License-Identifier: MIT OR Apache-2.0
//! The demo as one static page: `demo --html`. The page loads nothing.
use super::latency::Passed;
use super::visit::{self, Visit, HEADS, WIRE};
use crate::html::{escaped, page};
use ferrowarp_sim::pcap::listing::Packet;

/// Ids of the sections, in their order.
pub const SECTIONS: [&str; 4] = ["operations", "latency", "waveform", "packets"];

/// What the page shows.
pub struct Page<'a> {
    pub visit: &'a Visit,
    /// Of one Write, in the order of time.
    pub passed: &'a [Passed],
    /// Picoseconds of a cycle.
    pub clock_ps: u64,
    /// The text of the waveform.
    pub diagram: &'a str,
    pub packets: &'a [Packet],
    /// Octets of the Write that the last three are of.
    pub octets: usize,
    /// Sentences about capture and Verilog.
    pub facts: &'a [String],
}

impl Page<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let facts = self.facts.iter().map(|fact| format!("<p class=\"facts\">{}</p>\n", escaped(fact)));
        let octets = self.octets;
        let sections = [
            section(
                SECTIONS[0],
                "Operations",
                "Two applications, two simulated RNICs behind vfio-user, one wire of 10 Gb/s. Simulated time runs from posting \
                 to completion.",
                &self.operations(),
            ),
            section(
                SECTIONS[1],
                "Where the time goes",
                &format!(
                    "The first RDMA Write of {octets} octets, at the ports of the device that sends it. Time counts from the \
                     doorbell."
                ),
                &self.latency(),
            ),
            section(
                SECTIONS[2],
                "On the wires",
                "The Ethernet transmitter while the first frame of this Write leaves. Octets stand in the order of the wire.",
                &format!("<pre>{}</pre>", escaped(self.diagram)),
            ),
            section(
                SECTIONS[3],
                "Packets",
                &format!("What tshark reads in the capture of the client's device, in the run with {octets} octets."),
                &self.packets(),
            ),
        ];
        let body = format!(
            "<h1>Ferrowarp: the demo</h1>\n<p>An open iWARP RNIC in Rust-HDL. This page was written by \
             <code>cargo xtask demo --html</code>.</p>\n{}{}",
            sections.concat(),
            facts.collect::<String>()
        );
        page("Ferrowarp: the demo", &body)
    }

    fn operations(&self) -> String {
        let head =
            HEADS.iter().enumerate().map(|(n, head)| cell("th", if n > 0 { "number" } else { "" }, head));
        let row = |cells: [String; 6]| {
            let cells = cells.iter().enumerate();
            cells.map(|(n, text)| cell("td", if n > 0 { "number" } else { "" }, text)).collect::<String>()
        };
        let rows: String = self.visit.shown.iter().map(|shown| tr("", &row(shown.cells(WIRE)))).collect();
        let more = [visit::memory(self.visit), format!("Terminate: {}", self.visit.terminate)];
        let more: String =
            more.iter().map(|text| tr("", &format!("<td colspan=\"6\">{}</td>", escaped(text)))).collect();
        format!("<table>\n{}{rows}{more}</table>", tr("", &head.collect::<String>()))
    }

    fn latency(&self) -> String {
        let begin = self.passed.first().map_or(0, |passed| passed.cycle);
        let whole = self.passed.last().map_or(1, |passed| passed.cycle - begin).max(1);
        let ns = |cycles: usize| format!("{:.0}", cycles as f64 * self.clock_ps as f64 / 1000.0);
        let mut before = begin;
        let row = |passed: &Passed| {
            let (since, step) = (passed.cycle - begin, passed.cycle - before);
            let (left, width) =
                (100.0 * (before - begin) as f64 / whole as f64, 100.0 * step as f64 / whole as f64);
            before = passed.cycle;
            let cells = [
                cell("td", "", passed.what),
                cell("td", "code", passed.port),
                cell("td", "number", &since.to_string()),
                cell("td", "number", &ns(since)),
                cell("td", "number", &if step > 0 { format!("+{}", ns(step)) } else { "-".into() }),
            ];
            let bar = format!(
                "<td class=\"bar\"><span style=\"margin-left:{left:.2}%;width:{width:.2}%\"></span></td>"
            );
            tr("", &(cells.concat() + &bar))
        };
        let rows: String = self.passed.iter().map(row).collect();
        let heads = [
            ("", "what passes"),
            ("", "port"),
            ("number", "cycle"),
            ("number", "ns"),
            ("number", "step, ns"),
            ("", ""),
        ];
        let head: String = heads.iter().map(|(class, text)| cell("th", class, text)).collect();
        format!("<table>\n{}{rows}</table>", tr("", &head))
    }

    fn packets(&self) -> String {
        let heads = [
            ("number", "no."),
            ("number", "us"),
            ("", "from"),
            ("", "to"),
            ("", "protocol"),
            ("number", "octets"),
            ("", "what"),
        ];
        let head: String = heads.iter().map(|(class, text)| cell("th", class, text)).collect();
        let row = |packet: &Packet| {
            let cells = [
                cell("td", "number", &packet.number.to_string()),
                cell("td", "number", &format!("{:.2}", packet.seconds * 1e6)),
                cell("td", "code", &packet.from),
                cell("td", "code", &packet.to),
                cell("td", "word", &packet.protocol),
                cell("td", "number", &packet.octets.to_string()),
                cell("td", "", &packet.what),
            ];
            tr(if packet.protocol.contains("RDMA") { "rdma" } else { "" }, &cells.concat())
        };
        let rows: String = self.packets.iter().map(row).collect();
        format!("<table class=\"packets\">\n{}{rows}</table>", tr("", &head))
    }
}

fn section(id: &str, title: &str, about: &str, body: &str) -> String {
    format!(
        "<section id=\"{id}\">\n<h2>{title}</h2>\n<p>{}</p>\n<div class=\"panel\">\n{body}\n</div>\n</section>\n",
        escaped(about)
    )
}

fn tr(class: &str, cells: &str) -> String {
    format!("<tr{}>{cells}</tr>\n", attribute(class))
}

fn cell(tag: &str, class: &str, text: &str) -> String {
    format!("<{tag}{}>{}</{tag}>", attribute(class), escaped(text))
}

fn attribute(class: &str) -> String {
    if class.is_empty() {
        String::new()
    } else {
        format!(" class=\"{class}\"")
    }
}
