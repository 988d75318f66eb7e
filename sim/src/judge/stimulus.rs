// SPDX-License-Identifier: MIT OR Apache-2.0
//! A seeded stimulus for any top: frames and items on all of its boundaries at once.
use super::record::{Record, RESET_CYCLES};
use super::shape::{boundaries, Boundary};
use crate::model::{Library, Model, PortError, PortId};
use ferrowarp_hdl::emit::Direction;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// A receiver takes in all but one of this many cycles.
const PAUSES: u32 = 16;
/// A sender begins a frame or an item in one of this many cycles without one.
const BEGINS: u32 = 2;
/// A pin of one bit is high in one of this many cycles.
const PULSES: u32 = 64;
/// A level of several bits stands for about this many cycles.
const STANDS: u32 = 128;
/// Beats of the longest frame.
const BEATS: u32 = 24;
/// Cycles in which nothing is sent after reset: tables are cleared meanwhile, and software waits
/// for that too.
const CLEARING: usize = 160;
/// What the names of outputs end with that are high when a table is clear.
const CLEAR: [&str; 2] = ["scrubbed", "table_ready"];
/// Tags are below this. A block keeps what it asked with in a memory of as many places as it has
/// tags, and a place behind the last one is unknown to Icarus.
const TAGS: u64 = 4;
/// Levels without which nothing moves, whatever else is given: they are high in all but a few
/// cycles.
const ROOM: [&str; 4] = ["np_room", "pcie_np_room", "status_ready", "keep"];
/// What the names of a wire's octets and of its carrier end with (GMII). The carrier is high in all
/// but a few cycles, and octets of a preamble come often.
const WIRE: [&str; 2] = ["_octet", "_carrier"];
/// What the names of further clocks end with. They stand still: two simulators need not agree on
/// what an input is that changes together with a clock.
const CLOCK: &str = "_clock";
/// Boundaries that are pulses and go before all others: one in each of [`PULSES`] cycles without
/// one, so that others move too.
const RARE: [&str; 1] = ["net_rx_undo"];

/// What is set at one input boundary.
struct Sender {
    boundary: Boundary,
    valid: PortId,
    /// Payload ports with their names behind the prefix.
    fields: Vec<(PortId, String)>,
    is_frame: bool,
    /// It begins in one of this many cycles without one.
    begins: u32,
    /// Beats of the frame that are still to be sent, the one that is offered included.
    left: u32,
}

/// Runs `cycles` cycles of a fresh instance, with values drawn from `seed`, and records them.
///
/// # Errors
/// [`PortError`] if the top has no clock or reset.
pub fn drive(library: &Arc<Library>, seed: u64, cycles: usize) -> Result<Record, PortError> {
    let mut model = library.instantiate_zeroed();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut record = Record::new(&model);
    let boundaries = boundaries(&record);
    let mut senders = boundaries
        .iter()
        .filter(|b| b.is_input)
        .map(|b| Sender::new(&model, b))
        .collect::<Result<Vec<_>, _>>()?;
    let (clock, reset) = (model.need("clock")?, model.need("reset")?);
    let readies: Vec<_> = record.inputs().filter(|p| p.name.ends_with("_ready")).map(|p| &p.name).collect();
    let readies = readies.iter().map(|name| model.need(name)).collect::<Result<Vec<_>, _>>()?;
    let taken: Vec<PortId> = senders
        .iter()
        .flat_map(|s| s.fields.iter().map(|f| f.0).chain([s.valid]))
        .chain(readies.clone())
        .collect();
    let others = record.inputs().map(|p| model.need(&p.name)).collect::<Result<Vec<_>, _>>()?;
    let is_other = |p: &PortId| *p != reset && !taken.contains(p) && !model.name(*p).ends_with(CLOCK);
    let others: Vec<_> = others.into_iter().filter(is_other).collect();
    let clear = record.outputs().filter(|p| CLEAR.iter().any(|end| p.name.ends_with(end)));
    let clear = clear.map(|p| model.need(&p.name)).collect::<Result<Vec<_>, _>>()?;
    let mut begun = None;
    model.set_u64(reset, 1)?;
    for _ in 0..RESET_CYCLES {
        edge(&mut model, clock)?;
    }
    model.set_u64(reset, 0)?;
    for _ in 0..cycles {
        model.set_u64(clock, 0)?;
        for &ready in &readies {
            model.set_u64(ready, u64::from(!rng.random_ratio(1, PAUSES)))?;
        }
        let is_clear = record.len() >= CLEARING && clear.iter().all(|&port| model.get_u64(port) == Ok(1));
        if is_clear {
            for &other in &others {
                level(&mut model, other, begun.is_none(), &mut rng)?;
            }
            for sender in &mut senders {
                sender.drive(&mut model, begun.and_then(|_| record.last()), &mut rng)?;
            }
            begun.get_or_insert(record.len());
        }
        model.eval();
        record.take(&model);
        model.set_u64(clock, 1)?;
        model.eval();
    }
    Ok(record)
}

/// A cycle in which no input changes.
fn edge(model: &mut Model, clock: PortId) -> Result<(), PortError> {
    for level in [0, 1] {
        model.set_u64(clock, level)?;
        model.eval();
    }
    Ok(())
}

/// An input that belongs to no boundary: a pin pulses now and then, a level stands for a while.
fn level(model: &mut Model, port: PortId, is_first: bool, rng: &mut ChaCha8Rng) -> Result<(), PortError> {
    let is_wire = |end: &str| model.name(port).ends_with(end);
    if is_wire(WIRE[0]) {
        let octet = [0x55, 0x55, 0x55, 0x55, 0xD5, rng.random::<u8>()][rng.random_range(0..6)];
        return model.set_u64(port, u64::from(octet));
    }
    if model.width(port) > 1 {
        return if is_first || rng.random_ratio(1, STANDS) { random(model, port, rng) } else { Ok(()) };
    }
    let is_room = ROOM.contains(&model.name(port)) || is_wire(WIRE[1]);
    let odd = rng.random_ratio(1, PULSES);
    model.set_u64(port, u64::from(odd != is_room))
}

/// Draws a value. Half of the narrow ones are small, so that numbers of connections and lengths
/// meet again.
fn random(model: &mut Model, port: PortId, rng: &mut ChaCha8Rng) -> Result<(), PortError> {
    let width = model.width(port);
    let mut octets = vec![0; width.div_ceil(8)];
    rng.fill_bytes(&mut octets);
    if let Some(last) = octets.last_mut() {
        *last &= 0xff >> (width.next_multiple_of(8) - width);
    }
    if width > 2 && width <= 64 && rng.random() {
        octets[0] &= 3;
        octets[1..].fill(0);
    }
    model.set_bytes(port, &octets)
}

impl Sender {
    fn new(model: &Model, boundary: &Boundary) -> Result<Self, PortError> {
        let prefix = format!("{}_", boundary.prefix);
        let own = |name: &str| name.strip_prefix(&prefix).map(String::from);
        let longer: Vec<String> = model
            .library()
            .ports()
            .iter()
            .filter_map(|p| Some(format!("{}_", p.name.strip_suffix("_valid")?)))
            .filter(|other| other.len() > prefix.len() && other.starts_with(&prefix))
            .collect();
        let mut fields = vec![];
        for port in model.library().ports().iter().filter(|p| p.direction == Direction::Input) {
            let Some(field) = own(&port.name).filter(|f| f != "valid") else { continue };
            if !longer.iter().any(|l| port.name.starts_with(l)) {
                fields.push((model.need(&port.name)?, field));
            }
        }
        let is_frame = ["bytes", "last"].iter().all(|f| fields.iter().any(|(_, name)| name == f));
        let valid = model.need(&format!("{prefix}valid"))?;
        let begins = if RARE.contains(&boundary.prefix.as_str()) { PULSES } else { BEGINS };
        Ok(Self { boundary: boundary.clone(), valid, fields, is_frame, begins, left: 0 })
    }

    /// Sets this cycle's inputs. A beat that was offered and not taken stays.
    fn drive(
        &mut self,
        model: &mut Model,
        before: Option<&[Vec<u8>]>,
        rng: &mut ChaCha8Rng,
    ) -> Result<(), PortError> {
        let was_offered = before.is_some_and(|values| self.boundary.is_valid(values));
        let was_taken = before.is_some_and(|values| self.boundary.moves(values));
        if was_offered && !was_taken {
            return Ok(());
        }
        if was_taken {
            self.left = self.left.saturating_sub(1);
        }
        if self.left == 0 && rng.random_ratio(1, self.begins) {
            self.left = if self.is_frame { rng.random_range(1..=BEATS) } else { 1 };
        }
        let is_valid = self.left > 0 && !rng.random_ratio(1, PAUSES);
        model.set_u64(self.valid, u64::from(is_valid))?;
        for (port, field) in &self.fields {
            match field.as_str() {
                "tag" => {
                    model.set_u64(*port, rng.random_range(0..TAGS.min(1 << model.width(*port).min(8))))?
                }
                _ => random(model, *port, rng)?,
            }
        }
        if is_valid && self.is_frame {
            self.frame(model, rng)?;
        }
        Ok(())
    }

    /// A beat of a frame: `bytes` is full but for the last one, `err` stands only there.
    fn frame(&self, model: &mut Model, rng: &mut ChaCha8Rng) -> Result<(), PortError> {
        let is_last = self.left == 1;
        let port = |field: &str| self.fields.iter().find(|(_, name)| name == field).map(|(port, _)| *port);
        let full = port("data").map_or(1, |data| model.width(data) as u64 / 8);
        if let Some(bytes) = port("bytes") {
            model.set_u64(bytes, if is_last { rng.random_range(1..=full) } else { full })?;
        }
        if let Some(last) = port("last") {
            model.set_u64(last, is_last.into())?;
        }
        if let Some(err) = port("err") {
            model.set_u64(err, u64::from(is_last && rng.random_ratio(1, PAUSES)))?;
        }
        Ok(())
    }
}
