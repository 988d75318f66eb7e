// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events, their messages, masks and moderation.
use super::*;

/// An event's octets: kind, number.
pub(super) fn event(kind: u8, number: u16) -> Vec<u8> {
    let [n0, n1] = number.to_be_bytes();
    let mut octets = vec![0; 16];
    (octets[0], octets[2], octets[3], octets[15]) = (kind, n0, n1, 1);
    octets
}

/// The device's event ring and the posted FIFO, played by the test.
pub(super) struct Interrupts {
    pub(super) events: ferrowarp_sim::SourceId,
    event_cmds: ferrowarp_sim::ChanSrcId,
    writes: ferrowarp_sim::SinkId,
    cmds: ferrowarp_sim::ChanSinkId,
}

impl Interrupts {
    pub(super) fn new(bench: &mut Bench, stall: Pattern) -> Self {
        Self {
            events: bench.source("evt", Pattern::None),
            event_cmds: bench.channel_source("evt_cmd", Pattern::None),
            writes: bench.sink("wr", stall),
            cmds: bench.channel_sink("wr_cmd", stall),
        }
    }

    pub(super) fn event(&self, bench: &mut Bench, kind: u8, number: u16) {
        bench.put(self.event_cmds, Item::new().with("addr", 0x7000).with("length", 16));
        bench.send(self.events, Frame::good(event(kind, number)));
    }

    /// What was written so far: addresses and octets.
    pub(super) fn writes(&self, bench: &mut Bench) -> Vec<(u64, Vec<u8>)> {
        (0..100).for_each(|_| bench.step());
        let frames = bench.received(self.writes);
        let cmds = bench.taken(self.cmds);
        assert_eq!(frames.len(), cmds.len());
        let pair = |(c, f): (Item, Frame)| {
            assert_eq!(c.u64("length"), Some(f.data.len() as u64));
            (c.u64("addr").unwrap_or(0), f.data)
        };
        cmds.into_iter().zip(frames).map(pair).collect()
    }
}

/// MSI-X Enable, Function Mask of the configuration record; id, two sizes and the master bit stand
/// below.
pub(super) const ENABLED: u64 = 1 << 23;
pub(super) const MASKED: u64 = 1 << 24;

/// The message of a vector as the tests set it up.
fn message(vector: u8) -> (u64, Vec<u8>) {
    (0x1_fee0_0000 + 16 * u64::from(vector), vec![vector, 0x44, 0, 0])
}

/// Writes the entries of all vectors; they stay masked.
fn set_up(bench: &mut Bench, host: &Host) -> Result<(), String> {
    for vector in 0..16_u8 {
        let (addr, data) = message(vector);
        host.put(bench, BAR4, 16 * u64::from(vector), &addr.to_le_bytes())?;
        host.put(bench, BAR4, 16 * u64::from(vector) + 8, &data)?;
    }
    Ok(())
}

fn unmask(bench: &mut Bench, host: &Host, vector: u64, masked: u8) -> Result<(), String> {
    host.put(bench, BAR4, 16 * vector + 12, &[masked, 0, 0, 0])
}

#[test]
fn a_message_follows_its_event() {
    for seed in seeds(0..2, 0..20) {
        run_case("pcie-bar-msix", Top::PcieBarW64, seed, |bench| {
            let host = Host::new(bench, Pattern::None, Pattern::None);
            let lines = Interrupts::new(bench, Pattern::Random);
            set_up(bench, &host)?;
            for vector in 0..16 {
                unmask(bench, &host, vector, 0)?;
                host.set(bench, 0x100 + 4 * vector, 15 - vector as u32)?;
            }
            bench.set("msix_cfg", ENABLED);
            for _ in 0..30 {
                let (kind, number) =
                    (bench.rng().random_range(1..=10_u8), bench.rng().random_range(0..16_u16));
                lines.event(bench, kind, number);
                let vector = if kind == 1 { 15 - number as u8 } else { 0 };
                assert_eq!(lines.writes(bench), [(0x7000, event(kind, number)), message(vector)]);
            }
            Ok(())
        });
    }
}

#[test]
fn a_masked_vector_is_pending() {
    run_case("pcie-bar-msix-masks", Top::PcieBarW64, 1, |bench| {
        let mut host = Host::new(bench, Pattern::None, Pattern::None);
        let lines = Interrupts::new(bench, Pattern::None);
        set_up(bench, &host)?;
        host.set(bench, 0x100 + 4 * 7, 5)?;
        // off, then the function masked, then the vector
        lines.event(bench, 1, 7);
        assert_eq!(lines.writes(bench), [(0x7000, event(1, 7))]);
        assert_eq!(host.ask(bench, BAR4, 0x800, 2)?, [1 << 5, 0]);
        unmask(bench, &host, 5, 0)?;
        assert_eq!(lines.writes(bench), []);
        bench.set("msix_cfg", ENABLED | MASKED);
        assert_eq!(lines.writes(bench), []);
        bench.set("msix_cfg", ENABLED);
        assert_eq!(lines.writes(bench), [message(5)]);
        assert_eq!(host.ask(bench, BAR4, 0x800, 2)?, [0, 0]);
        unmask(bench, &host, 5, 1)?;
        for _ in 0..3 {
            lines.event(bench, 1, 7);
            lines.event(bench, 2, 7);
        }
        assert_eq!(lines.writes(bench).len(), 6);
        assert_eq!(host.ask(bench, BAR4, 0x800, 2)?, [1 << 5 | 1, 0]);
        // any number of events: one message
        unmask(bench, &host, 5, 0)?;
        unmask(bench, &host, 0, 0)?;
        assert_eq!(lines.writes(bench), [message(5), message(0)]);
        assert_eq!(host.ask(bench, BAR4, 0x800, 2)?, [0, 0]);
        Ok(())
    });
}

#[test]
fn no_message_comes_behind_the_completion_that_shows_its_mask() {
    run_widths("pcie-bar-msix-flush", 1, |bench| {
        let mut host = Host::new(bench, Pattern::None, Pattern::None);
        let lines = Interrupts::new(bench, Pattern::None);
        set_up(bench, &host)?;
        unmask(bench, &host, 0, 0)?;
        lines.event(bench, 2, 1);
        assert_eq!(lines.writes(bench), [(0x7000, event(2, 1))]);
        // the message is begun and finds the posted FIFO full
        bench.hold_sink(lines.writes, true);
        bench.hold_channel_sink(lines.cmds, true);
        bench.set("msix_cfg", ENABLED | u64::from(DEVICE));
        (0..10).for_each(|_| bench.step());
        // masked, and read back; then any other register
        unmask(bench, &host, 0, 1)?;
        for (bar, offset, tag) in [(BAR4, 12, 1), (BAR0, 0, 2)] {
            host.send(bench, bar, &header(false, place(bar, offset), 1, 0x0f, tag))?;
        }
        (0..600).for_each(|_| bench.step());
        assert_eq!(bench.waiting(host.cpl), 0, "a completion passes the message");
        bench.hold_sink(lines.writes, false);
        bench.hold_channel_sink(lines.cmds, false);
        assert_eq!(lines.writes(bench), [message(0)]);
        let shown = bench.received(host.cpl);
        assert_eq!(shown.iter().map(|f| dwords(f)[2] >> 8 & 0xff).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(dwords(&shown[0])[3], 1_u32.swap_bytes());
        lines.event(bench, 2, 1);
        assert_eq!(lines.writes(bench), [(0x7000, event(2, 1))]);
        assert_eq!(host.ask(bench, BAR4, 0x800, 2)?, [1, 0]);
        Ok(())
    });
}

#[test]
fn messages_without_end_do_not_hold_completions() {
    run_widths("pcie-bar-msix-many", 1, |bench| {
        let mut host = Host::new(bench, Pattern::None, Pattern::None);
        let lines = Interrupts::new(bench, Pattern::None);
        set_up(bench, &host)?;
        for vector in 0..16 {
            unmask(bench, &host, vector, 0)?;
            host.set(bench, 0x100 + 4 * vector, vector as u32)?;
        }
        bench.set("msix_cfg", ENABLED | u64::from(DEVICE));
        for n in 0..400 {
            bench.put(lines.event_cmds, Item::new().with("addr", 0x7000).with("length", 16));
            bench.send(lines.events, Frame::good(event(1, n % 16)));
        }
        for _ in 0..20 {
            assert_eq!(host.get(bench, 0x104)?, 1);
        }
        assert!(!bench.sent_all(lines.events), "the messages are over: nothing is proved");
        Ok(())
    });
}

#[test]
fn moderation_keeps_messages_apart() {
    run_case("pcie-bar-msix-moderation", Top::PcieBarW64, 1, |bench| {
        let host = Host::new(bench, Pattern::None, Pattern::None);
        let lines = Interrupts::new(bench, Pattern::None);
        set_up(bench, &host)?;
        unmask(bench, &host, 0, 0)?;
        host.set(bench, 0x600, 3)?;
        bench.set("msix_cfg", ENABLED);
        let tick = |bench: &mut Bench| {
            bench.set("msix_tick", 1);
            bench.step();
            bench.set("msix_tick", 0);
        };
        lines.event(bench, 2, 1);
        assert_eq!(lines.writes(bench).len(), 2);
        for left in (0..3).rev() {
            lines.event(bench, 2, 1);
            assert_eq!(lines.writes(bench), [(0x7000, event(2, 1))], "{left} ticks are left");
            tick(bench);
        }
        assert_eq!(lines.writes(bench), [message(0)]);
        (0..3).for_each(|_| tick(bench));
        assert_eq!(lines.writes(bench), []);
        lines.event(bench, 2, 1);
        assert_eq!(lines.writes(bench).len(), 2);
        Ok(())
    });
}
