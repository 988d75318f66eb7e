// SPDX-License-Identifier: MIT OR Apache-2.0
//! A block in Rust-HDL's own simulator beside its Verilated instance: the same inputs, every output
//! equal in every cycle.
//!
//! ```text
//! run_case("native-skid-w64", Top::BenchW64, 1, |bench| {
//!     let inputs = inputs!(b: Skid<64, 4> => b.clock, b.reset, b.rx.data, b.rx.bytes, b.rx.last, b.rx.err,
//!         b.rx.valid, b.tx.ready).drawn("rx_bytes", |rng| vec![rng.random_range(1..=8)]);
//!     compare(bench, "skid", Skid::default(), &inputs, Plan::default())
//! });
//! ```
use ferrowarp_sim::Bench;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Settling steps a cycle before a block counts as unstable.
const SETTLE: usize = 100;
/// Cycles of reset at the start.
const RESET_CYCLES: u64 = 4;
/// Cycles in which a 1-bit input keeps its bias: long enough to fill and to drain what lies inside.
const PHASE: u64 = 64;

/// A value that an input port can take, from little-endian octets.
pub trait FromOctets {
    /// The value; octets that are missing are 0.
    fn from_octets(octets: &[u8]) -> Self;
}

impl<const N: usize> FromOctets for Bits<N> {
    fn from_octets(octets: &[u8]) -> Self {
        let word = |w: &[u8]| w.iter().rev().fold(0, |v, o| v << 8 | u64::from(*o));
        let place = |v: Self, (i, w): (usize, &[u8])| v | (Self::from(word(w)) << (64 * i as u64));
        octets.chunks(8).take(N.div_ceil(64)).enumerate().fold(Self::default(), place)
    }
}

impl FromOctets for bool {
    fn from_octets(octets: &[u8]) -> Self {
        octets.first().is_some_and(|o| o & 1 == 1)
    }
}

impl FromOctets for Clock {
    fn from_octets(octets: &[u8]) -> Self {
        bool::from_octets(octets).into()
    }
}

/// Sets an input port from little-endian octets.
type Set<B> = fn(&mut B, &[u8]);
/// Draws a value as little-endian octets.
type Draw = fn(&mut ChaCha8Rng) -> Vec<u8>;

/// One input port of a block.
struct Input<B> {
    name: String,
    set: Set<B>,
    draw: Option<Draw>,
}

/// All input ports of a block; made by [`inputs!`](crate::inputs).
pub struct Inputs<B>(Vec<Input<B>>);

impl<B> Inputs<B> {
    /// From the text of each port's place in the block (`b.rx.data`) and a function that sets it.
    pub fn new(ports: &[(&str, Set<B>)]) -> Self {
        let input = |(text, set): &(&str, Set<B>)| {
            let path = text.split_once('.').map_or(*text, |x| x.1);
            let name = path.replace(['.', '['], "_").replace([']', ' '], "");
            Input { name, set: *set, draw: None }
        };
        Self(ports.iter().map(input).collect())
    }

    /// Draws the values of one port otherwise than evenly over all values.
    ///
    /// # Panics
    /// If there is no such port: a misspelt name would leave the port as it was.
    pub fn drawn(mut self, name: &str, draw: Draw) -> Self {
        let input = self.0.iter_mut().find(|i| i.name == name);
        input.unwrap_or_else(|| panic!("the list of inputs has no `{name}`")).draw = Some(draw);
        self
    }
}

/// Lists the input ports of a block of a type:
/// `inputs!(b: Skid<64, 4> => b.clock, b.rx.data, ...)`.
#[macro_export]
macro_rules! inputs {
    ($b:ident: $block:ty => $($port:expr),+ $(,)?) => {
        $crate::native::Inputs::<$block>::new(&[$((
            stringify!($port),
            |$b: &mut $block, octets: &[u8]| $port.next = $crate::native::FromOctets::from_octets(octets),
        )),+])
    };
}

/// How long to compare.
pub struct Plan<'a> {
    /// Cycles after the warm-up.
    pub cycles: u64,
    /// Cycles with random inputs before the first comparison: registers without reset and RAM start
    /// at zero natively and at random values in the model, and must have been written by then.
    pub warm_up: u64,
    /// Outputs that never change. Any other output that never changes is a failure: it would prove
    /// nothing.
    pub constant: &'a [&'a str],
}

impl Default for Plan<'_> {
    fn default() -> Self {
        Self { cycles: 3_000, warm_up: 500, constant: &[] }
    }
}

/// Ports of a block: name, width, and the value if it is an output.
#[derive(Default)]
struct Ports {
    path: Vec<String>,
    inputs: BTreeMap<String, usize>,
    outputs: BTreeMap<String, Vec<u8>>,
}

impl Ports {
    fn of<B: Block>(block: &B) -> Self {
        let mut ports = Self::default();
        block.accept("", &mut ports);
        ports
    }
}

impl Probe for Ports {
    fn visit_start_scope(&mut self, name: &str, _node: &dyn Block) {
        // two levels of scope: the block and what stands inside it, whose ports are not ours
        self.path.push(format!("/{name}"));
    }
    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        self.path.push(name.into());
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        if self.path.iter().filter(|p| p.starts_with('/')).count() != 1 {
            return;
        }
        let parts = self.path.iter().skip(1).map(String::as_str).chain([name]);
        let name = parts.collect::<Vec<_>>().join("_").replace('$', "_");
        match signal.kind() {
            AtomKind::InputParameter => {
                self.inputs.insert(name, signal.bits());
            }
            AtomKind::OutputParameter => {
                self.outputs.insert(name, octets(&signal.vcd()));
            }
            _ => {}
        }
    }
    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        self.path.pop();
    }
    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.path.pop();
    }
}

/// A signal's value as little-endian octets.
fn octets(value: &VCDValue) -> Vec<u8> {
    let mut bits = vec![];
    collect(value, &mut bits);
    bits.chunks(8).map(|c| c.iter().rev().fold(0, |v, b| v << 1 | u8::from(*b))).collect()
}

/// Appends the bits of a value, lowest first; a record's first field is the low bits.
///
/// # Panics
/// On an enum: Rust-HDL shows its name, not its code. No cell has one as a port.
fn collect(value: &VCDValue, bits: &mut Vec<bool>) {
    let VCDValue::Single(one) = VCDValue::from(true) else { unreachable!("a bool is a single value") };
    match value {
        VCDValue::Single(v) => bits.push(*v == one),
        VCDValue::Vector(v) => bits.extend(v.iter().rev().map(|b| *b == one)),
        VCDValue::Composite(fields) => fields.iter().for_each(|f| collect(f, bits)),
        VCDValue::String(name) => panic!("an output port shows the enum value `{name}`: make it Bits"),
    }
}

/// The next value of an input of `width` bits; `odds` of 16 for a single bit to be 1.
fn random_value(rng: &mut ChaCha8Rng, width: usize, odds: u32) -> Vec<u8> {
    if width == 1 {
        return vec![u8::from(rng.random_range(0..16) < odds)];
    }
    let mut value: Vec<u8> = (0..width.div_ceil(8)).map(|_| rng.random()).collect();
    if let (Some(top), 1..) = (value.last_mut(), width % 8) {
        *top &= (1 << (width % 8)) - 1;
    }
    value
}

/// Drives `block` natively and the ports `<instance>_<port>` of the bench with the same random
/// inputs, single bits biased for a while each, now and then a reset, and compares all outputs in
/// every cycle.
///
/// The error names the first output that differs, or an input or output that the comparison does
/// not cover.
pub fn compare<B: Block>(
    bench: &mut Bench,
    instance: &str,
    mut block: B,
    inputs: &Inputs<B>,
    plan: Plan<'_>,
) -> Result<(), String> {
    block.connect_all();
    let ports = Ports::of(&block);
    let listed: BTreeSet<_> = inputs.0.iter().map(|i| i.name.as_str()).collect();
    let there: BTreeSet<_> = ports.inputs.keys().map(String::as_str).collect();
    if listed != there {
        return Err(format!("inputs listed {listed:?}, inputs of the block {there:?}"));
    }
    let drive = |block: &mut B, name: &str, octets: &[u8]| {
        inputs.0.iter().filter(|i| i.name == name).for_each(|i| (i.set)(block, octets));
    };
    let settle = |block: &mut B, cycle: u64| match simulate(block, SETTLE) {
        true => Ok(()),
        false => Err(format!("cycle {cycle}: the native block does not settle in {SETTLE} steps")),
    };
    let mut odds = BTreeMap::new();
    let mut changed = BTreeSet::new();
    let mut before = ports.outputs;
    for cycle in 0..RESET_CYCLES + plan.warm_up + plan.cycles {
        let reset = cycle < RESET_CYCLES || bench.rng().random_ratio(1, 400);
        bench.set("reset", u64::from(reset));
        drive(&mut block, "reset", &[u8::from(reset)]);
        for input in inputs.0.iter().filter(|i| i.name != "clock" && i.name != "reset") {
            if cycle.is_multiple_of(PHASE) {
                odds.insert(&input.name, [1, 8, 15][bench.rng().random_range(0..3)]);
            }
            let value = match input.draw {
                Some(draw) => draw(bench.rng()),
                None => random_value(bench.rng(), ports.inputs[&input.name], odds[&input.name]),
            };
            bench.set_bytes(&format!("{instance}_{}", input.name), &value);
            (input.set)(&mut block, &value);
        }
        bench.settle();
        settle(&mut block, cycle)?;
        let now = Ports::of(&block).outputs;
        for (name, native) in &now {
            let verilated = bench.get_bytes(&format!("{instance}_{name}"));
            if cycle >= RESET_CYCLES + plan.warm_up && verilated != *native {
                return Err(format!(
                    "cycle {cycle}: {instance}_{name} is {verilated:02x?} in the model and {native:02x?} natively"
                ));
            }
            if before[name] != *native {
                changed.insert(name.clone());
            }
        }
        before = now;
        bench.step();
        for level in [1, 0] {
            drive(&mut block, "clock", &[level]);
            settle(&mut block, cycle)?;
        }
    }
    let moves = |name: &&String| changed.contains(*name) != plan.constant.contains(&name.as_str());
    match before.keys().find(|name| !moves(name)) {
        Some(name) if changed.contains(name) => Err(format!("output {name} changes, though named constant")),
        Some(name) => Err(format!("output {name} never changed: the comparison proves nothing about it")),
        None => Ok(()),
    }
}
