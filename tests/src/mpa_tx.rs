// SPDX-License-Identifier: MIT OR Apache-2.0
//! Orders to the MPA transmit stage of a bench top, and what must come of them.
use crate::mpa_model::fpdu;
use crate::record::Record;
use ferrowarp_hdl::record::{TxAnswer, TxCommand};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, ChanSinkId, ChanSrcId, Frame, Item, Pattern, SinkId, SourceId};
use rand::seq::IndexedRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Runs a body without pauses at 64 and at 256 bits.
pub fn both_widths(name: &str, body: impl Fn(&mut Bench, &Sender) -> Result<(), String>) {
    for top in [Top::BenchW64, Top::BenchW256] {
        run_case(&format!("mpa_tx-{name}-{}", top.name()), top, 1, |bench| {
            let sender = Sender::new(bench);
            body(bench, &sender)
        });
    }
}

/// Largest ULPDU that MPA may send (RFC 5044 section 4.5).
pub const LONGEST: usize = 64_768;

/// One command and its ULPDU.
#[derive(Clone, Debug)]
pub struct Order {
    /// What goes into the stage.
    pub ulpdu: Vec<u8>,
    /// It goes in with `err`.
    pub err: bool,
    /// What the command says of its length; [`Order::new`] says the truth.
    pub length: usize,
    /// Stream offset of the FPDU.
    pub offset: u64,
    /// Markers are inserted.
    pub markers: bool,
    /// The CRC field is filled.
    pub crc: bool,
    /// The first octet wanted.
    pub from: usize,
    /// Octets wanted; `None` stands for all from there on.
    pub octets: Option<usize>,
}

impl Order {
    /// The whole FPDU of `ulpdu` at `offset` into the stream, with CRC.
    pub fn new(ulpdu: impl Into<Vec<u8>>, offset: u64, markers: bool) -> Self {
        let ulpdu = ulpdu.into();
        let length = ulpdu.len();
        Self { ulpdu, err: false, length, offset, markers, crc: true, from: 0, octets: None }
    }

    /// This, but only octets [from, to).
    #[must_use]
    pub fn cut(self, from: usize, to: usize) -> Self {
        Self { from, octets: Some(to - from), ..self }
    }

    /// All octets of the FPDU.
    pub fn wire(&self) -> Vec<u8> {
        fpdu(&self.ulpdu, self.offset, self.markers, self.crc)
    }

    /// The octets wanted.
    pub fn wanted(&self) -> Vec<u8> {
        let wire = self.wire();
        wire[self.from..self.from + self.octets()].to_vec()
    }

    /// How many octets leave.
    pub fn octets(&self) -> usize {
        // the FPDU of the length that the command says, which its ULPDU need not have
        self.octets.unwrap_or_else(|| {
            fpdu(&vec![0; self.length], self.offset, self.markers, self.crc).len() - self.from
        })
    }

    fn command(&self) -> Item {
        Record::<TxCommand>::new()
            .with("length", self.length)
            .with("phase", self.offset % 512)
            .with("markers", self.markers)
            .with("crc", self.crc)
            .with("from", self.from)
            .with("octets", self.octets())
            .item()
    }
}

/// A ULPDU of `length` random octets.
pub fn random_ulpdu(rng: &mut ChaCha8Rng, length: usize) -> Vec<u8> {
    (0..length).map(|_| rng.random()).collect()
}

/// What the stage says of a command.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Answer {
    /// Octets of the whole FPDU.
    pub total: usize,
    /// The command was impossible.
    pub refused: bool,
}

impl From<&Item> for Answer {
    fn from(item: &Item) -> Self {
        let answer = Record::<TxAnswer>::of_item(item);
        Self { total: answer.get("total") as usize, refused: answer.is("refused") }
    }
}

/// Pulses of the stage's counters.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Faults {
    /// Commands refused.
    pub refused: u64,
    /// ULPDUs shorter than their command says.
    pub too_short: u64,
    /// ULPDUs longer than their command says.
    pub too_long: u64,
    /// ULPDUs of the right length with `err`.
    pub spoilt: u64,
}

impl Faults {
    fn count(&mut self, bench: &Bench) {
        self.refused += bench.get("mpa_tx_refused");
        self.too_short += bench.get("mpa_tx_too_short");
        self.too_long += bench.get("mpa_tx_too_long");
        self.spoilt += bench.get("mpa_tx_spoilt");
    }
}

/// What came of some orders.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// One an order.
    pub answers: Vec<Answer>,
    /// One an order that was not refused.
    pub frames: Vec<Frame>,
    /// Pulses counted.
    pub faults: Faults,
}

/// The agents on the stage.
#[derive(Copy, Clone, Debug)]
pub struct Sender {
    commands: ChanSrcId,
    answers: ChanSinkId,
    /// Where the ULPDUs go in.
    pub ulpdus: SourceId,
    /// Where the FPDUs come out.
    pub fpdus: SinkId,
}

impl Sender {
    /// Agents that never pause.
    pub fn new(bench: &mut Bench) -> Self {
        Self::with(bench, [Pattern::None; 4])
    }

    /// Agents with patterns drawn from the case's random generator.
    pub fn random(bench: &mut Bench) -> Self {
        let patterns = [(); 4].map(|()| *Pattern::ALL.choose(bench.rng()).unwrap_or(&Pattern::None));
        Self::with(bench, patterns)
    }

    fn with(bench: &mut Bench, patterns: [Pattern; 4]) -> Self {
        Self {
            commands: bench.channel_source("mpa_tx_cmd", patterns[0]),
            answers: bench.channel_sink("mpa_tx_ans", patterns[1]),
            ulpdus: bench.source("mpa_tx_rx", patterns[2]),
            fpdus: bench.sink("mpa_tx_tx", patterns[3]),
        }
    }

    /// Queues an order.
    pub fn offer(&self, bench: &mut Bench, order: &Order) {
        bench.put(self.commands, order.command());
        bench.send(self.ulpdus, Frame { data: order.ulpdu.clone(), err: order.err });
    }

    /// Gives the orders, waits for `frames` frames and all answers, and lets what is left settle.
    pub fn give(&self, bench: &mut Bench, orders: &[Order], frames: usize) -> Result<Outcome, String> {
        bench.restart_rates();
        for order in orders {
            self.offer(bench, order);
        }
        bench.expect(self.fpdus, frames as u64);
        bench.expect_items(self.answers, orders.len() as u64);
        let mut faults = Faults::default();
        // one octet a cycle is slower than anything here; a deadlock is found much earlier
        let octets: usize = orders.iter().map(|o| o.ulpdu.len().max(o.length) + 200).sum();
        bench.run_until(8 * octets as u64 + 1_000, |b| {
            faults.count(b);
            let all = b.sent_all(self.ulpdus) && b.put_all(self.commands);
            all && b.waiting(self.fpdus) >= frames && b.waiting_items(self.answers) >= orders.len()
        })?;
        // a frame too many would show now
        for _ in 0..64 {
            bench.step();
            faults.count(bench);
        }
        let answers = bench.taken(self.answers).iter().map(Answer::from).collect();
        Ok(Outcome { answers, frames: bench.received(self.fpdus), faults })
    }

    /// Gives orders that are good and compares frames and answers with the model.
    pub fn check(&self, bench: &mut Bench, orders: &[Order]) -> Result<Vec<Frame>, String> {
        let Outcome { answers, frames, faults } = self.give(bench, orders, orders.len())?;
        let n = orders.len();
        if (answers.len(), frames.len(), faults) != (n, n, Faults::default()) {
            let (a, f) = (answers.len(), frames.len());
            return Err(format!("{n} good orders gave {a} answers, {f} frames, {faults:?}"));
        }
        for (i, order) in orders.iter().enumerate() {
            let wanted = order.wanted();
            let expected = Answer { total: order.wire().len(), refused: false };
            if answers[i] != expected {
                return Err(format!("answer {i} is {:?}, not {expected:?}", answers[i]));
            }
            let good = Frame::good(wanted);
            if frames[i] != good {
                let at = good.data.iter().zip(&frames[i].data).position(|(a, b)| a != b);
                let Order { length, offset, markers, crc, from, .. } = order;
                return Err(format!(
                    "frame {i} (length {length}, offset {offset}, markers {markers}, crc {crc}, from {from}) \
                     differs, first octet {at:?}\n  expected {good}\n  received {}",
                    frames[i]
                ));
            }
        }
        Ok(frames)
    }
}
