//! Sinks that are held while a connection beside them streams.
use super::{library, link, Scene};
use ferrowarp_sim::link::{Fate, Sent};
use ferrowarp_sim::{run_pair_on, Pair};
use std::sync::Mutex;

/// Decides what becomes of each frame of the bad connection.
pub type FrameHook = Box<dyn FnMut(&Sent<'_>) -> Fate + Send>;

/// Something that takes from the devices, or does not: what is done to it before and while the good connection streams,
/// and what must have come of it.
pub trait Sink {
    /// What becomes of the bad connection's frames.
    fn hook(&self) -> FrameHook {
        Box::new(|_| Fate::Deliver)
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

/// Runs the good connection's messages beside a sink; the cycles that they took.
///
/// # Panics
/// As [`run_pair_on`], with the line that repeats the case.
pub fn stream_under<S: Sink>(name: &str, make: impl Fn() -> S) -> u64 {
    let library = library().expect("the device's model");
    let cycles = Mutex::new(0);
    run_pair_on(name, &library, link(), 0, |pair| {
        let mut sink = make();
        let mut scene = Scene::new(pair, sink.hook())?;
        sink.fill(&mut scene, pair)?;
        scene.stream(pair, &mut |scene, pair| sink.every(scene, pair))?;
        sink.judge(&mut scene, pair)?;
        *cycles.lock().map_err(|e| e.to_string())? = scene.cycles;
        Ok(())
    });
    cycles.into_inner().expect("the case did not panic")
}

/// The frame, of TCP over IPv4 without VLAN and options, with another word at the even octet `at` of its TCP segment's, and
/// with the checksum that belongs to it (RFC 1624, equation 3).
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
