// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timing diagrams of the READMEs in `hdl/src`: ports of one transfer, from the emitted Verilog.
//!
//! ```text
//! compare("mpa", Top::MpaW64, |bench| {
//!     let tape = tape(bench);
//!     // the transfer
//!     Ok(Diagram::of(&tape, 6).stream("mpa_rx_tx").bits("mpa_rx_stray"))
//! });
//! ```
use crate::record::Record;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::judge::{Record as Ports, Tape};
use ferrowarp_sim::waveform::{self, Cell, Page, Row};
use ferrowarp_sim::{run_case, Bench};
use rust_hdl::prelude::Synth;
use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;

/// Cycles that a tape of a diagram may have.
const CYCLES: usize = 2_000;
/// Set to 1, the tests write the diagrams that differ.
pub const WRITE: &str = "FERROWARP_WRITE_WAVES";
/// The folders of `hdl/src` with a diagram: folder, top, test family.
pub const SHOWN: [(&str, Top, &str); 14] = [
    ("cell", Top::BenchW64, "cell"),
    ("stream", Top::BenchW64, "stream"),
    ("eth", Top::PcieBarW64, "pcie"),
    ("ip", Top::NetRxW64, "net_rx"),
    ("tcp", Top::NetRxW64, "net_rx"),
    ("tcp", Top::TcpTxW64, "tcp_tx"),
    ("mpa", Top::MpaW64, "mpa"),
    ("ddp", Top::DdpRxW64, "ddp_rx"),
    ("rdmap", Top::DdpRxW64, "ddp_rx"),
    ("mr", Top::DdpRxW64, "mr"),
    ("sq", Top::SqW64, "sq"),
    ("queue", Top::QueueW64, "queue"),
    ("host", Top::HostW64, "host"),
    ("mac", Top::MacW64, "mac"),
];
/// Columns of a diagram, at most.
const COLUMNS: usize = 100;
/// Beats of a frame that are shown at its beginning, if its middle is not.
const BEGIN: usize = 2;

/// Begins a tape, with two cycles before the transfer.
pub fn tape(bench: &mut Bench) -> Tape {
    let tape = bench.tape(CYCLES);
    (0..2).for_each(|_| bench.step());
    tape
}

/// Rows of a diagram, and the cycles that they come from.
pub struct Diagram {
    ports: Ports,
    wide: usize,
    rows: Vec<Row>,
    /// For each cycle: something begins or ends.
    events: Vec<bool>,
}

impl Diagram {
    /// No row yet; `wide` characters a cycle. The cycles are those that are on the tape now.
    pub fn of(tape: &Tape, wide: usize) -> Self {
        let ports = tape.record();
        let events = vec![false; ports.len()];
        Self { ports, wide, rows: vec![], events }
    }

    /// A row for each of these ports of one bit, separated by spaces. `port[3]` is a bit of a wide
    /// port.
    pub fn bits(self, ports: &str) -> Self {
        ports.split(' ').fold(self, |diagram, port| {
            let cells = diagram.levels(port).into_iter().map(Cell::Bit).collect();
            diagram.row(port, cells)
        })
    }

    /// `valid` and `ready` of a channel.
    pub fn handshake(self, channel: &str) -> Self {
        self.bits(&format!("{channel}_valid {channel}_ready"))
    }

    /// A stream: `valid`, `ready`, and what [`Diagram::beats`] shows.
    pub fn stream(self, stream: &str) -> Self {
        self.handshake(stream).beats(stream)
    }

    /// `last` and the first octets of each beat of a stream, in the order of the wire, while
    /// `valid` is high.
    pub fn beats(self, stream: &str) -> Self {
        let (last, data) = (self.last(stream), self.octets(stream));
        self.row(&format!("{stream}_last"), last).row(&format!("{stream}_data"), data)
    }

    /// As [`Diagram::beats`]; cycles in which only beats from the middle of a frame pass may be
    /// left out.
    pub fn ends(self, stream: &str) -> Self {
        let data = self.octets(stream);
        self.middle_out(stream).row_with(&format!("{stream}_data"), data, vec![])
    }

    /// As [`Diagram::ends`], with a row for each few octets of a beat until all octets are shown.
    pub fn whole(self, stream: &str) -> Self {
        let octets = self.values(&format!("{stream}_data")).first().map_or(0, Vec::len);
        let most = self.most();
        (0..octets).step_by(most).fold(self.middle_out(stream), |diagram, from| {
            let to = octets.min(from + most);
            let cells = diagram.transfers(stream, &format!("{stream}_data"), |cycle, beat| {
                let count = diagram.count(stream, cycle);
                let octet = |n: usize| if n < count { format!("{:02x}", beat[n]) } else { "--".into() };
                (from..to).map(octet).collect()
            });
            diagram.row_with(&format!("{stream}_data {from}-{}", to - 1), cells, vec![])
        })
    }

    /// The row of `last`. Beats from the middle of a frame are no events.
    fn middle_out(self, stream: &str) -> Self {
        let (last, data) = (self.last(stream), self.octets(stream));
        let mut beats = 0;
        let is_event = |cycle: usize| match (&last[cycle], &data[cycle]) {
            (Cell::Bit(is_last), Cell::Value(_)) => {
                beats += 1;
                let is_shown = beats <= BEGIN || *is_last;
                beats *= usize::from(!is_last);
                is_shown
            }
            _ => data[cycle] == Cell::Nothing && cycle > 0 && data[cycle - 1] != Cell::Nothing,
        };
        let events = (0..data.len()).map(is_event).collect();
        self.row_with(&format!("{stream}_last"), last, events)
    }

    fn last(&self, stream: &str) -> Vec<Cell> {
        let [valid, last] = ["valid", "last"].map(|port| self.levels(&format!("{stream}_{port}")));
        let cell = |(valid, last): (bool, bool)| if valid { Cell::Bit(last) } else { Cell::Nothing };
        valid.into_iter().zip(last).map(cell).collect()
    }

    /// Octets of a beat that find room in a cycle.
    fn most(&self) -> usize {
        (self.wide - 1) / 2
    }

    /// Octets of the beat in a cycle.
    fn count(&self, stream: &str, cycle: usize) -> usize {
        self.ports.port(&format!("{stream}_bytes")).map_or(0, |bytes| usize::from(bytes[cycle][0]))
    }

    /// The first octets of each beat.
    fn octets(&self, stream: &str) -> Vec<Cell> {
        let most = self.most();
        self.transfers(stream, &format!("{stream}_data"), |cycle, beat| {
            let count = self.count(stream, cycle);
            let shown = if count > most { most - 1 } else { count };
            let octets: String = beat[..shown].iter().map(|octet| format!("{octet:02x}")).collect();
            octets + if count > most { ".." } else { "" }
        })
    }

    /// Fields of a channel that are ports of their own, separated by spaces.
    pub fn fields(self, channel: &str, fields: &str) -> Self {
        fields.split(' ').fold(self, |diagram, field| {
            let port = format!("{channel}_{field}");
            let cells = diagram.transfers(channel, &port, |_, value| hex(value));
            diagram.row(&port, cells)
        })
    }

    /// Fields of the record `T` that is a channel's item, separated by spaces.
    pub fn items<T: Synth + 'static>(self, channel: &str, fields: &str) -> Self {
        fields.split(' ').fold(self, |diagram, field| {
            let port = format!("{channel}_item");
            let text = |_, value: &[u8]| format!("{:x}", Record::<T>::of(value).wide(field));
            let cells = diagram.transfers(channel, &port, text);
            diagram.row(&format!("{port}.{field}"), cells)
        })
    }

    /// A port that counts while the port `when`, of one bit, is high.
    pub fn value(self, port: &str, when: &str) -> Self {
        let values = self.values(port).into_iter().zip(self.levels(when));
        let cell = |(value, counts): (Vec<u8>, bool)| match counts {
            true => Cell::Value(hex(&value)),
            false => Cell::Nothing,
        };
        let cells = values.map(cell).collect();
        self.row(port, cells)
    }

    /// A port that counts from the cycle after the first one with `when` high; a new value is shown
    /// where the value changes.
    pub fn level_after(self, port: &str, when: &str) -> Self {
        let values = self.values(port);
        let first = self.levels(when).iter().position(|&is_high| is_high);
        let first = first.map_or(values.len(), |cycle| cycle + 1);
        let cell = |cycle: usize| match cycle {
            _ if cycle < first => Cell::Nothing,
            _ if cycle > first && values[cycle] == values[cycle - 1] => Cell::Held,
            _ => Cell::Value(hex(&values[cycle])),
        };
        let cells = (0..values.len()).map(cell).collect();
        self.row(port, cells)
    }

    /// Cells with a value for each transfer of a channel, from the cycle in which it is offered.
    fn transfers(&self, channel: &str, port: &str, text: impl Fn(usize, &[u8]) -> String) -> Vec<Cell> {
        let values = self.values(port);
        let [valid, ready] = ["valid", "ready"].map(|end| self.levels(&format!("{channel}_{end}")));
        let waited = |cycle: usize| cycle > 0 && valid[cycle - 1] && !ready[cycle - 1];
        let cell = |cycle: usize| match valid[cycle] {
            false => Cell::Nothing,
            true if waited(cycle) => Cell::Held,
            true => Cell::Value(text(cycle, &values[cycle])),
        };
        (0..values.len()).map(cell).collect()
    }

    /// Adds a row. A value is an event, and so is every change but to [`Cell::Held`].
    fn row(self, name: &str, cells: Vec<Cell>) -> Self {
        let is_event = |cycle: usize| match &cells[cycle] {
            Cell::Value(_) => true,
            Cell::Held => false,
            cell => cycle > 0 && cells[cycle - 1] != *cell,
        };
        let events = (0..cells.len()).map(is_event).collect();
        self.row_with(name, cells, events)
    }

    fn row_with(mut self, name: &str, cells: Vec<Cell>, events: Vec<bool>) -> Self {
        self.events.iter_mut().zip(events).for_each(|(all, one)| *all |= one);
        self.rows.push(Row { name: name.into(), cells });
        self
    }

    /// The levels of a port of one bit, or of the bit `port[3]` of a wide port.
    fn levels(&self, name: &str) -> Vec<bool> {
        let (port, bit) = name.trim_end_matches(']').split_once('[').unwrap_or((name, "0"));
        let bit: usize = bit.parse().expect("the number of a bit");
        self.values(port).iter().map(|value| value[bit / 8] >> (bit % 8) & 1 == 1).collect()
    }

    /// The values of a port.
    ///
    /// # Panics
    /// If the top has no such port.
    fn values(&self, port: &str) -> Vec<Vec<u8>> {
        let values = self.ports.port(port).unwrap_or_else(|| panic!("the top has no port `{port}`"));
        values.into_iter().map(<[u8]>::to_vec).collect()
    }

    /// The text.
    fn text(&self) -> Result<String, String> {
        let parts = parts(&self.events);
        let zero = parts.first().ok_or("nothing happens in the cycles of the diagram")?.start + 1;
        let names = self.rows.iter().map(|row| row.name.len()).max().unwrap_or(0) + 1;
        let text = waveform::draw(&Page { names, wide: self.wide, parts, zero }, &self.rows);
        let columns = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        match columns {
            ..=COLUMNS => Ok(text),
            _ => Err(format!("{columns} columns, the limit is {COLUMNS}\n{text}")),
        }
    }
}

/// The cycle before the first event up to the last event, without two cycles or more in a row that
/// have no event.
fn parts(events: &[bool]) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = vec![];
    for cycle in (1..events.len()).filter(|&cycle| events[cycle]) {
        match parts.last_mut() {
            None => parts.push(cycle - 1..cycle + 1),
            Some(part) if cycle <= part.end + 1 => part.end = cycle + 1,
            Some(_) => parts.push(cycle..cycle + 1),
        }
    }
    parts
}

/// Runs `body` on a fresh bench of `top` and compares the diagram with the one in the README of a
/// folder of `hdl/src`, or, if [`WRITE`] is 1, writes the diagram there.
///
/// # Panics
/// As [`run_case`]. If the diagram differs, the text has the diagram and the command that writes
/// the README. Also if the README has no place for the diagram, or the diagram is too wide.
pub fn compare(folder: &str, top: Top, body: impl Fn(&mut Bench) -> Result<Diagram, String>) {
    let drawn = RefCell::new(None);
    run_case(&format!("wave-{folder}"), top, 1, |bench| {
        drawn.replace(Some(body(bench)?));
        Ok(())
    });
    let diagram = drawn.take().expect("a case that ended well has its diagram");
    // outside of the case: a README that differs asks for no waveform of the whole top
    let compared = diagram.text().and_then(|text| compare_text(folder, top, &text));
    compared.unwrap_or_else(|why| panic!("{folder}: {why}"));
}

fn compare_text(folder: &str, top: Top, drawn: &str) -> Result<(), String> {
    let name = top.name();
    if !SHOWN.iter().any(|shown| (shown.0, shown.1) == (folder, top)) {
        return Err(format!("`SHOWN` in tests/src/wave.rs does not have {folder} and {name}"));
    }
    let readme = format!("hdl/src/{folder}/README.md");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&readme);
    let failed = |why: std::io::Error| format!("{}: {why}", path.display());
    let page = std::fs::read_to_string(&path).map_err(failed)?;
    let place = place(&page, name)
        .ok_or_else(|| format!("{readme} has no place for the diagram: add {}", marks(name).join(" ")))?;
    let text = format!("\n```text\n{drawn}\n```\n");
    if page[place.clone()] == text {
        return Ok(());
    }
    if std::env::var(WRITE).as_deref() == Ok("1") {
        let (head, tail) = (&page[..place.start], &page[place.end..]);
        return std::fs::write(&path, format!("{head}{text}{tail}")).map_err(failed);
    }
    Err(format!(
        "{readme} does not show what the ports of {name} do; if the change is meant, run `cargo xtask draw \
         --waves`. The ports now:\n{drawn}"
    ))
}

/// A value as a hexadecimal number, from little-endian octets.
fn hex(value: &[u8]) -> String {
    let digits: String = value.iter().rev().map(|octet| format!("{octet:02x}")).collect();
    match digits.trim_start_matches('0') {
        "" => "0".into(),
        digits => digits.into(),
    }
}

/// The lines around a diagram.
pub fn marks(top: &str) -> [String; 2] {
    [format!("<!-- wave: {top} -->"), "<!-- /wave -->".into()]
}

/// What stands between the marks.
pub fn place(page: &str, top: &str) -> Option<Range<usize>> {
    let [begin, end] = marks(top);
    let from = page.find(&begin)? + begin.len();
    let to = from + page[from..].find(&end)?;
    Some(from..to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagram_stands_between_its_own_marks() {
        let page = "# a\n<!-- wave: x -->\nold\n<!-- /wave -->\n<!-- wave: y -->\n<!-- /wave -->\nend\n";
        assert_eq!(&page[place(page, "x").unwrap()], "\nold\n");
        assert_eq!(&page[place(page, "y").unwrap()], "\n");
        assert_eq!(place(page, "z"), None);
        assert_eq!(place("<!-- wave: x -->\n", "x"), None);
    }

    #[test]
    fn one_cycle_without_an_event_is_shown_and_two_are_not() {
        let events = |shown: &str| shown.chars().map(|event| event == 'x').collect::<Vec<_>>();
        assert_eq!(parts(&events("..xx.x..x..")), [1..6, 8..9]);
        assert_eq!(parts(&events("...")), [] as [Range<usize>; 0]);
    }

    #[test]
    fn a_number_has_no_zeros_in_front() {
        assert_eq!(hex(&[0x0a, 0x20, 0]), "200a");
        assert_eq!(hex(&[0, 0]), "0");
    }
}
