//! TLPs as the PCI Express block of the 7 series gives them at 128 bits: one may begin where another ends.
use crate::bench::Item;
use rand::RngCore;
use rand_chacha::ChaCha8Rng;

/// Octets of half a beat and of a beat.
const HALF: usize = 8;
const BEAT: usize = 16;
/// A TLP begins or ends in the beat; the low bits say in which octet.
const HERE: u64 = 0x10;

/// A beat under way.
#[derive(Debug, Clone)]
struct Open {
    lanes: Vec<u8>,
    sof: u64,
    eof: u64,
    bar_hit: u8,
    err: bool,
}

impl Open {
    /// As fields of the channel; lanes that belong to nobody have any value.
    fn close(mut self, rng: &mut ChaCha8Rng) -> Item {
        let own = self.lanes.len();
        self.lanes.resize(BEAT, 0);
        rng.fill_bytes(&mut self.lanes[own..]);
        Item::new()
            .with_bytes("data", &self.lanes)
            .with("is_sof", self.sof)
            .with("is_eof", self.eof)
            .with("bar_hit", self.bar_hit.into())
            .with("err", self.err.into())
    }
}

/// Puts TLPs into beats one behind the other (PG054, receive interface of 128 bits): where one ends in the lower half of a beat, the
/// next one begins in its upper half.
#[derive(Debug, Clone, Default)]
pub struct Straddle {
    open: Option<Open>,
}

impl Straddle {
    /// The beats that are complete with a TLP, which has at least three dwords. `lanes` are its dwords as numbers, the low octet first; `err`
    /// says that the block gives it up. If it ends in a lower half, that beat waits for the next TLP or [`Self::flush`].
    pub fn add(&mut self, lanes: &[u8], bar_hit: u8, err: bool, rng: &mut ChaCha8Rng) -> Vec<Item> {
        let mut beats = vec![];
        let (mut rest, mut sof) = (lanes, HERE);
        if let Some(mut open) = self.open.take() {
            let (first, more) = rest.split_at(HALF);
            let own = open.lanes.len();
            open.lanes.resize(HALF, 0);
            rng.fill_bytes(&mut open.lanes[own..]);
            open.lanes.extend(first);
            (open.sof, open.bar_hit) = (HERE | HALF as u64, bar_hit);
            beats.push(open.close(rng));
            (rest, sof) = (more, 0);
        }
        let last = rest.len().div_ceil(BEAT) - 1;
        for (n, chunk) in rest.chunks(BEAT).enumerate() {
            let mut beat = Open { lanes: chunk.into(), sof, eof: 0, bar_hit, err: false };
            sof = 0;
            if n == last {
                (beat.eof, beat.err) = (HERE | (chunk.len() - 1) as u64, err);
            }
            if n == last && chunk.len() <= HALF {
                self.open = Some(beat);
            } else {
                beats.push(beat.close(rng));
            }
        }
        beats
    }

    /// A beat waits for the next TLP.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The beat that waits, if there is one: nothing begins in it.
    pub fn flush(&mut self, rng: &mut ChaCha8Rng) -> Option<Item> {
        self.open.take().map(|open| open.close(rng))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn a_tlp_begins_where_another_ends() {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let mut block = Straddle::default();
        let five: Vec<u8> = (0..20).collect();
        let three: Vec<u8> = (100..112).collect();
        let mut beats = block.add(&five, 1, true, rng);
        assert_eq!(beats.len(), 1);
        beats.extend(block.add(&three, 4, false, rng));
        assert_eq!(beats.len(), 2);
        beats.extend(block.add(&five, 2, false, rng));
        beats.extend(block.flush(rng));
        let marks = |b: &Item| ["is_sof", "is_eof", "bar_hit", "err"].map(|f| b.u64(f).unwrap());
        let want = [[0x10, 0, 1, 0], [0x18, 0x13, 4, 1], [0x18, 0x13, 2, 0], [0, 0x1B, 2, 0]];
        assert_eq!(beats.iter().map(marks).collect::<Vec<_>>(), want);
        let half = |b: &Item, high: bool| b.bytes("data").unwrap()[if high { 8..16 } else { 0..8 }].to_vec();
        assert_eq!(half(&beats[0], false), five[..8]);
        assert_eq!(half(&beats[1], false)[..4], five[16..]);
        assert_eq!(half(&beats[1], true), three[..8]);
        assert_eq!(half(&beats[2], false)[..4], three[8..]);
        assert_eq!([half(&beats[2], true), half(&beats[3], false)].concat(), five[..16]);
        assert!(block.flush(rng).is_none());
    }
}
