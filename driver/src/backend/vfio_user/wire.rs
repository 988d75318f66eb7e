// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets of the vfio-user protocol as a client has them: messages, and what an answer must be.
//!
//! Numbers are in the host's order, as the specification of vfio-user says: both ends are on one
//! machine.
use std::ops::RangeInclusive;

/// Octets of a message's head.
pub(super) const HEAD: usize = 16;
/// Flags of a head: the type, a reply, a refusal.
const TYPE_MASK: u32 = 0xf;
const REPLY: u32 = 1;
const REFUSAL: u32 = 1 << 5;

/// Flags of a mapping: the device may read the memory, or write it, too.
pub(super) const DMA_READ: u32 = 1;
pub(super) const DMA_READ_WRITE: u32 = 3;

/// Commands that this client gives, with their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Version = 1,
    DmaMap = 2,
    DmaUnmap = 3,
    DeviceGetInfo = 4,
    SetIrqs = 8,
    RegionRead = 9,
    RegionWrite = 10,
    DeviceReset = 13,
}

/// A message to the server: head, words of 64 bits, octets behind them.
pub(super) fn message(id: u16, command: Command, words: &[u64], data: &[u8]) -> Vec<u8> {
    let size = (HEAD + 8 * words.len() + data.len()) as u32;
    let mut octets = Vec::with_capacity(size as usize);
    octets.extend(id.to_ne_bytes());
    octets.extend((command as u16).to_ne_bytes());
    octets.extend(size.to_ne_bytes());
    // no flags, no errno
    octets.extend([0; 8]);
    octets.extend(words.iter().flat_map(|word| word.to_ne_bytes()));
    octets.extend(data);
    octets
}

/// Two words of 32 bits as one of 64, the first one in front.
pub(super) fn pair(first: u32, second: u32) -> u64 {
    let [[a, b, c, d], [e, f, g, h]] = [first.to_ne_bytes(), second.to_ne_bytes()];
    u64::from_ne_bytes([a, b, c, d, e, f, g, h])
}

/// A word of 32 bits of a body. Octets that are missing read as zero: who reads has looked at the
/// length.
pub(super) fn word(body: &[u8], at: usize) -> u32 {
    body.get(at..at + 4).and_then(|octets| octets.try_into().ok()).map_or(0, u32::from_ne_bytes)
}

/// What the head of an answer says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The command was done; octets of the whole message.
    Done(usize),
    /// The server refuses with this errno; octets of the whole message.
    Refused(i32, usize),
}

/// Reads the head of the answer to a command. `body` is how many octets its body may have; that of
/// a refusal may have fewer. The error says what the head should have been.
pub(super) fn answered(
    head: &[u8; HEAD],
    id: u16,
    command: Command,
    body: &RangeInclusive<usize>,
) -> Result<Answer, String> {
    let half = |at: usize| u16::from_ne_bytes([head[at], head[at + 1]]);
    let [size, flags, errno] = [4, 8, 12].map(|at| word(head, at));
    if flags & TYPE_MASK != REPLY {
        return Err(format!("a message with flags {flags:#x} is no answer to {command:?}"));
    }
    for (what, is, due) in [("id", half(0), id), ("command", half(2), command as u16)] {
        if is != due {
            return Err(format!("the answer to {command:?} has the {what} {is}, {due} is due"));
        }
    }
    let is_refusal = flags & REFUSAL != 0;
    let (least, most) = (if is_refusal { 0 } else { *body.start() }, *body.end());
    let octets = size as usize;
    if !(HEAD + least..=HEAD + most).contains(&octets) {
        let due = format!("{} to {} are due", HEAD + least, HEAD + most);
        return Err(format!("the answer to {command:?} has {size} octets, {due}"));
    }
    match is_refusal {
        true => Ok(Answer::Refused(errno as i32, octets)),
        false => Ok(Answer::Done(octets)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_a_head_and_a_body() {
        let octets = message(0x107, Command::RegionWrite, &[5, pair(2, 4)], &[1, 2, 3, 4]);
        assert_eq!(
            [u16::from_ne_bytes([octets[0], octets[1]]), u16::from_ne_bytes([octets[2], octets[3]])],
            [0x107, 10]
        );
        assert_eq!([4, 8, 12, 16, 20, 24, 28].map(|at| word(&octets, at)), [36, 0, 0, 5, 0, 2, 4]);
        assert_eq!((octets.len(), &octets[32..], word(&octets, 34)), (36, &[1, 2, 3, 4][..], 0));
    }

    #[test]
    fn only_the_answer_that_is_due_is_one() {
        let answer = |id: u16, command: u16, words: [u32; 3]| {
            let words = words.iter().flat_map(|word| word.to_ne_bytes());
            let octets: Vec<_> =
                id.to_ne_bytes().into_iter().chain(command.to_ne_bytes()).chain(words).collect();
            answered(&octets.try_into().unwrap(), 7, Command::RegionRead, &(16..=20))
        };
        assert_eq!(answer(7, 9, [36, 1, 0]), Ok(Answer::Done(36)));
        assert_eq!(answer(7, 9, [32, 1, 99]), Ok(Answer::Done(32)), "an errno without its flag");
        assert_eq!(answer(7, 9, [16, 0x21, 13]), Ok(Answer::Refused(13, 16)));
        assert_eq!(answer(7, 9, [36, 0x21, 0]), Ok(Answer::Refused(0, 36)));
        for (wrong, why) in [
            (answer(8, 9, [36, 1, 0]), "has the id 8, 7 is due"),
            (answer(7, 10, [36, 1, 0]), "has the command 10, 9 is due"),
            (answer(7, 9, [36, 0, 0]), "flags 0x0 is no answer"),
            (answer(7, 9, [31, 1, 0]), "31 octets, 32 to 36 are due"),
            (answer(7, 9, [37, 1, 0]), "37 octets"),
            (answer(7, 9, [u32::MAX, 0x21, 13]), "4294967295 octets, 16 to 36 are due"),
            (answer(7, 9, [15, 0x21, 13]), "15 octets"),
        ] {
            let told = wrong.unwrap_err();
            assert!(told.contains(why) && told.contains("RegionRead"), "{told}");
        }
    }
}
