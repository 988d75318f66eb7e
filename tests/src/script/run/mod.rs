// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a script: each step is done or waited for, and what a step has checked is proved.
mod app;
mod half;
mod peer;
mod segments;
mod startup;
mod tcp;
mod wire;

use super::device::{Application, Heard, Wire};
use super::parse::{Script, Step};
use super::text::ScriptError;
use super::value::{Names, Octets, Sum};
use crate::fw::wire::Seg;
pub use half::Half;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// Between two looks.
const LOOK: Duration = Duration::from_micros(500);

/// What a step comes to; the text says what was expected and seen.
type Outcome<T = ()> = Result<T, String>;

/// The state of one connection.
#[derive(Debug, Default)]
struct Flow {
    /// Octets of the device that steps have read.
    read: usize,
    /// Octets of the device before full operation.
    before: usize,
    /// Octets that the peer has sent in full operation; `None` before.
    sent: Option<u64>,
    /// Who asked for markers: the peer, the device.
    markers: [bool; 2],
    /// Who asked for CRCs: the peer, the device.
    crc: [bool; 2],
    /// Segments that were looked at.
    looked: usize,
    /// Segments that wait for their release.
    held: BTreeMap<String, Vec<Seg>>,
    /// The peer's message of a script about TCP, and the number of its first octet.
    message: Vec<u8>,
    first: u32,
    /// Octets of the peer that leave with those of the next step.
    waiting: Vec<u8>,
    /// What the application was told and no step has taken.
    heard: VecDeque<Heard>,
}

/// A run.
pub struct Run<'a> {
    half: Option<Half>,
    wire: &'a mut dyn Wire,
    app: &'a mut dyn Application,
    names: Names,
    flows: BTreeMap<usize, Flow>,
    number: usize,
    listens: bool,
    /// A habit of siw that the step has met.
    habit: Option<String>,
}

/// Runs it; one about TCP needs a half. The result has the rows that were proved; the error names
/// the step that does not hold. `noted` gets the steps that hold but for a habit of siw.
pub fn run(
    script: &Script,
    half: Option<Half>,
    wire: &mut dyn Wire,
    app: &mut dyn Application,
    noted: &mut Vec<ScriptError>,
) -> Result<BTreeSet<String>, ScriptError> {
    let (names, flows) = Default::default();
    let mut run = Run { half, wire, app, names, flows, number: 0, listens: false, habit: None };
    let mut proved = BTreeSet::new();
    // what the application is never told proves nothing
    let tells = |run: &Run<'_>, step: &Step| {
        let (subject, verb) = step.statement.words;
        subject != "app" || run.app.tells(verb)
    };
    for step in &script.steps {
        if !tells(&run, step) {
            continue;
        }
        let at = |why| ScriptError { script: format!("{}.iw", script.name), line: step.line, why };
        run.step(step).map_err(at)?;
        match run.habit.take() {
            Some(why) => noted.push(at(why)),
            None => proved.extend(step.rows.iter().cloned()),
        }
    }
    // a row has to hold wherever it is named
    let is_noted = |step: &&Step| noted.iter().any(|noted| noted.line == step.line);
    for row in script.steps.iter().filter(is_noted).flat_map(|step| &step.rows) {
        proved.remove(row);
    }
    Ok(proved)
}

impl Run<'_> {
    fn step(&mut self, step: &Step) -> Outcome {
        self.count();
        match step.statement.words {
            ("app", verb) => self.application(verb, step),
            ("peer", verb) => self.says(verb, step),
            ("wire", verb) => self.sees(verb, step),
            ("on", _) => {
                self.number = self.number_at(step, 0)? as usize;
                self.wire.choose(self.number);
                Ok(())
            }
            ("tcp", verb) => self.tcp(verb, step),
            ("set", _) => {
                let value = self.number_at(step, 1)?;
                self.names.insert(step.words[0].clone(), value);
                Ok(())
            }
            (_, role) => self.establish(role, step),
        }
    }

    /// Both ends agree on a connection, without anything special.
    fn establish(&mut self, role: &str, step: &Step) -> Outcome {
        let flag = |flag: &str| step.has(flag);
        let depth = |name: &str| step.field(name).unwrap_or("4").to_string();
        let (ird, ord) = (depth("ird"), depth("ord"));
        // markers that go in are those that the device asks for
        let asks = if flag("markers-in") { "markers" } else { "" };
        let m = u8::from(flag("markers-out"));
        let frame = |kind| format!("peer {kind} m={m} ird={ird} ord={ord}");
        let text = match role {
            "initiator" => {
                format!(
                    "app connect ird={ord} ord={ird} {asks}\nwire request\n{}\napp connected",
                    frame("reply")
                )
            }
            _ => {
                let listen = if self.listens { "" } else { "app listen" };
                format!(
                    "{listen}\npeer syn\n{}\napp requested\napp accept ird={ord} ord={ird} {asks}\n\
                     wire reply\npeer fpdu write\napp connected",
                    frame("request")
                )
            }
        };
        let script = Script::parse("established", &format!("# {role}\n{text}")).map_err(|why| why.why)?;
        script.steps.iter().try_for_each(|part| self.step(part))
    }

    fn flow(&mut self) -> &mut Flow {
        self.flows.entry(self.number).or_default()
    }

    /// Waits until something is so; `what` and the error of the last look are told if it never is.
    fn until<T>(&mut self, what: &str, look: impl FnMut(&mut Self) -> Outcome<Option<T>>) -> Outcome<T> {
        let patience = self.wire.patience();
        self.until_within(patience, what, look)
    }

    /// The same, for at most so long.
    fn until_within<T>(
        &mut self,
        most: Duration,
        what: &str,
        mut look: impl FnMut(&mut Self) -> Outcome<Option<T>>,
    ) -> Outcome<T> {
        let end = Instant::now() + most;
        loop {
            if let Some(found) = look(self)? {
                return Ok(found);
            }
            if Instant::now() > end {
                return Err(format!("{what}: not within {most:?}; {}", self.seen()));
            }
            self.wire.pump(LOOK)?;
            self.listen()?;
        }
    }

    /// The wire works for so long.
    fn wait(&mut self, time: Duration) -> Outcome {
        let end = Instant::now() + time;
        while Instant::now() < end {
            self.wire.pump(LOOK)?;
            self.listen()?;
        }
        Ok(())
    }

    /// Takes what the application was told.
    fn listen(&mut self) -> Outcome {
        while let Some(heard) = self.app.hear(self.number)? {
            if let Heard::Region { name, stag, to } = &heard {
                self.names.insert(format!("{name}.stag"), u64::from(*stag));
                self.names.insert(format!("{name}.to"), *to);
            } else {
                self.flow().heard.push_back(heard);
            }
        }
        Ok(())
    }

    /// What is there that nobody has looked at.
    fn seen(&mut self) -> String {
        let (read, heard) = (self.flow().read, format!("{:?}", self.flow().heard));
        let peer = self.wire.peer();
        let rest = hexed(peer.inbox.get(read..).unwrap_or_default());
        let last = peer.log.last().map_or_else(|| "nothing".into(), |seg| format!("{:?}", flags_of(seg)));
        format!(
            "on the wire there are the octets {rest}, FIN {}, RST {}, last came {last}; the application \
             heard {heard}",
            peer.fin, peer.rst
        )
    }

    /// The next numbers of both ends, as names.
    fn count(&mut self) {
        let peer = self.wire.peer();
        let irs = peer.log.iter().find(|seg| seg.syn).map_or(0, |seg| seg.seq);
        let (ours, theirs) = (peer.snd_nxt.wrapping_sub(peer.iss), peer.rcv_nxt.wrapping_sub(irs));
        self.names.insert("peer.nxt".into(), u64::from(ours));
        self.names.insert("dev.nxt".into(), u64::from(theirs));
    }

    fn number_at(&self, step: &Step, at: usize) -> Outcome<u64> {
        Sum::parse(&step.words[at])?.of(&self.names)
    }

    fn number_of(&self, step: &Step, name: &str) -> Outcome<Option<u64>> {
        step.field(name).map(|value| Sum::parse(value)?.of(&self.names)).transpose()
    }

    fn octets_of(&self, step: &Step, name: &str) -> Outcome<Option<Vec<u8>>> {
        step.field(name).map(|value| Octets::parse(value)?.of(&self.names)).transpose()
    }
}

/// Octets as digits, at most 64 of them.
fn hexed(octets: &[u8]) -> String {
    let digits: String = octets.iter().take(64).map(|octet| format!("{octet:02x}")).collect();
    match octets.len() {
        0 => "(none)".into(),
        1..=64 => digits,
        all => format!("{digits}... ({all})"),
    }
}

/// Flags of a segment as scripts write them.
fn flags_of(seg: &Seg) -> String {
    let letters = [(seg.syn, 'S'), (seg.fin, 'F'), (seg.rst, 'R'), (seg.ack.is_some(), 'A')];
    letters.iter().filter(|(set, _)| *set).map(|(_, letter)| letter).collect()
}
