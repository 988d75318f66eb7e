// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sinks that are held while a connection beside them streams.
use super::{library, link, Scene, Shape};
use ferrowarp_sim::link::{Fate, Sent};
use ferrowarp_sim::{run_pair_on, Pair};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Decides what becomes of each frame of the bad connection.
pub type FrameHook = Box<dyn FnMut(&Sent<'_>) -> Fate + Send>;

/// Something that takes from the devices, or does not: what is done to it before and while the good
/// connection streams, and what must have come of it.
pub trait Sink {
    /// How the connections look.
    fn shape(&self) -> Shape {
        Shape::default()
    }

    /// What becomes of the bad connection's frames.
    fn hook(&self) -> FrameHook {
        Box::new(|_| Fate::Deliver)
    }

    /// Cycles of the wire that the bad connection's own messages take while the good connection
    /// streams.
    fn load(&self) -> u64 {
        0
    }

    /// Before the good connection's messages.
    fn fill(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String>;

    /// In each cycle of them.
    fn every(&mut self, _scene: &mut Scene, _pair: &mut Pair) -> Result<(), String> {
        Ok(())
    }

    /// Behind them.
    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String>;
}

/// Nothing is done.
struct Nothing(Shape);

impl Sink for Nothing {
    fn shape(&self) -> Shape {
        self.0
    }

    fn fill(&mut self, _: &mut Scene, _: &mut Pair) -> Result<(), String> {
        Ok(())
    }

    fn judge(&mut self, scene: &mut Scene, pair: &mut Pair) -> Result<(), String> {
        scene.check(pair, None)
    }
}

/// Cycles that the good connection's messages take when nothing is done beside them.
pub fn alone(shape: Shape) -> u64 {
    static ALONE: Mutex<BTreeMap<Shape, u64>> = Mutex::new(BTreeMap::new());
    let mut alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    *alone.entry(shape).or_insert_with(|| stream_under("alone", u64::MAX, || Nothing(shape)))
}

/// Runs the good connection's messages beside a sink and compares their time with that of a run
/// without. Both have three hundredths to differ: the wire and the memories carry what is done to
/// the sink too. With memories that draw their times it is twelve: one ACK more makes them draw
/// others.
///
/// # Panics
/// As [`stream_under`].
pub fn held<S: Sink>(name: &str, make: impl Fn() -> S) {
    let (shape, load) = (make().shape(), make().load());
    let hundredths = if shape.is_rough { 112 } else { 103 };
    stream_under(name, alone(shape) * hundredths / 100 + load, make);
}

/// Runs the good connection's messages beside a sink; the cycles that they took, which may be
/// `most`.
///
/// # Panics
/// As [`run_pair_on`], with the line that repeats the case.
pub fn stream_under<S: Sink>(name: &str, most: u64, make: impl Fn() -> S) -> u64 {
    let library = library().expect("the device's model");
    let cycles = Mutex::new(0);
    run_pair_on(name, &library, link(), 0, |pair| {
        let mut sink = make();
        let mut scene = Scene::shaped(pair, sink.shape(), sink.hook())?;
        sink.fill(&mut scene, pair)?;
        scene.stream(pair, &mut |scene, pair| sink.every(scene, pair))?;
        sink.judge(&mut scene, pair)?;
        if scene.cycles > most {
            return Err(format!("the good connection took {} cycles; {most} are allowed", scene.cycles));
        }
        *cycles.lock().map_err(|e| e.to_string())? = scene.cycles;
        Ok(())
    });
    cycles.into_inner().expect("the case did not panic")
}

/// The frame, of TCP over IPv4 without VLAN and options, with another word at the even octet `at`
/// of its TCP segment's, and with the checksum that belongs to it (RFC 1624, equation 3).
pub fn rewrite(frame: &[u8], at: usize, word: u16) -> Vec<u8> {
    // 14 of Ethernet, 20 of IPv4, the checksum at 16 of TCP
    let sum = 14 + 20 + 16;
    let old = |i: usize| u16::from_be_bytes([frame[i], frame[i + 1]]);
    let mut total = u32::from(!old(sum)) + u32::from(!old(at)) + u32::from(word);
    total = (total & 0xFFFF) + (total >> 16);
    total = (total & 0xFFFF) + (total >> 16);
    let mut other = frame.to_vec();
    other[at..at + 2].copy_from_slice(&word.to_be_bytes());
    other[sum..sum + 2].copy_from_slice(&(!total as u16).to_be_bytes());
    other
}
