// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a body does with a bench: attach agents, send, receive, set and get ports.
use super::agent::{Sink, Source, Watch};
use super::{must, Bench, ChanSinkId, ChanSrcId, Frame, Item, Pattern, Rate, SinkId, SourceId};
use crate::check::{Beat, Fields, Violation};

/// Frame streams: ports `<prefix>_{data,bytes,last,err,valid,ready}`.
impl Bench {
    /// A source that drives the stream `prefix`.
    pub fn source(&mut self, prefix: &str, idle: Pattern) -> SourceId {
        self.agents.sources.push(must(Source::new(&self.model, prefix, idle)));
        SourceId(self.agents.sources.len() - 1)
    }

    /// A sink that takes frames from the stream `prefix`.
    pub fn sink(&mut self, prefix: &str, stall: Pattern) -> SinkId {
        self.agents.sinks.push(must(Sink::new(&self.model, prefix, stall)));
        SinkId(self.agents.sinks.len() - 1)
    }

    /// Queues a frame; it has at least one octet.
    pub fn send(&mut self, source: SourceId, frame: Frame) {
        must(self.agents.sources[source.0].send(&frame, &mut self.rng));
    }

    /// Takes what the sink has received so far.
    pub fn received(&mut self, sink: SinkId) -> Vec<Frame> {
        std::mem::take(&mut self.agents.sinks[sink.0].received)
    }

    /// Frames that the sink has received and nobody has taken.
    pub fn waiting(&self, sink: SinkId) -> usize {
        self.agents.sinks[sink.0].received.len()
    }

    /// Says that `frames` more must come out of this sink: as long as they do not, work is pending,
    /// and a standstill is a failure.
    pub fn expect(&mut self, sink: SinkId, frames: u64) {
        self.agents.sinks[sink.0].expected += frames;
    }

    /// Every queued frame has been transferred.
    pub fn sent_all(&self, source: SourceId) -> bool {
        self.agents.sources[source.0].is_empty()
    }

    /// While held the source starts no beat; one that is offered stays.
    pub fn hold_source(&mut self, source: SourceId, held: bool) {
        self.agents.sources[source.0].gate.held = held;
    }

    /// While held the sink is never ready.
    pub fn hold_sink(&mut self, sink: SinkId, held: bool) {
        self.agents.sinks[sink.0].gate.held = held;
    }

    /// Transfers out of a source.
    pub fn source_rate(&self, source: SourceId) -> Rate {
        self.agents.sources[source.0].boundary.rate
    }

    /// Transfers into a sink.
    pub fn sink_rate(&self, sink: SinkId) -> Rate {
        self.agents.sinks[sink.0].boundary.rate
    }

    /// Begins the rates of all frame sources and sinks anew.
    pub fn restart_rates(&mut self) {
        self.agents.sources.iter_mut().for_each(|a| a.boundary.rate = Rate::default());
        self.agents.sinks.iter_mut().for_each(|a| a.boundary.rate = Rate::default());
    }

    /// Only watches the stream `prefix`, which the hardware drives on both sides or a body by hand.
    pub fn monitor(&mut self, prefix: &str) {
        let watch = must(Watch::<Beat>::new(&self.model, prefix));
        self.agents.others.push(Box::new(watch));
    }
}

/// Channels: ports `<prefix>_{valid,ready}` and any other fields `<prefix>_<field>`.
impl Bench {
    /// A source that drives the channel `prefix`.
    pub fn channel_source(&mut self, prefix: &str, idle: Pattern) -> ChanSrcId {
        self.agents.chan_sources.push(must(Source::new(&self.model, prefix, idle)));
        ChanSrcId(self.agents.chan_sources.len() - 1)
    }

    /// A sink that takes items from the channel `prefix`.
    pub fn channel_sink(&mut self, prefix: &str, stall: Pattern) -> ChanSinkId {
        self.agents.chan_sinks.push(must(Sink::new(&self.model, prefix, stall)));
        ChanSinkId(self.agents.chan_sinks.len() - 1)
    }

    /// Queues an item, which must name every field.
    pub fn put(&mut self, source: ChanSrcId, item: Item) {
        must(self.agents.chan_sources[source.0].send(&item, &mut self.rng));
    }

    /// Takes what the channel sink has received so far.
    pub fn taken(&mut self, sink: ChanSinkId) -> Vec<Item> {
        std::mem::take(&mut self.agents.chan_sinks[sink.0].received)
    }

    /// Items that the channel sink has received and nobody has taken.
    pub fn waiting_items(&self, sink: ChanSinkId) -> usize {
        self.agents.chan_sinks[sink.0].received.len()
    }

    /// Says that `items` more must come out of this channel sink, as [`Bench::expect`] does for
    /// frames.
    pub fn expect_items(&mut self, sink: ChanSinkId, items: u64) {
        self.agents.chan_sinks[sink.0].expected += items;
    }

    /// Every queued item has been transferred.
    pub fn put_all(&self, source: ChanSrcId) -> bool {
        self.agents.chan_sources[source.0].is_empty()
    }

    /// While held the channel source offers nothing new.
    pub fn hold_channel_source(&mut self, source: ChanSrcId, held: bool) {
        self.agents.chan_sources[source.0].gate.held = held;
    }

    /// While held the channel sink is never ready.
    pub fn hold_channel_sink(&mut self, sink: ChanSinkId, held: bool) {
        self.agents.chan_sinks[sink.0].gate.held = held;
    }

    /// Transfers out of a channel source.
    pub fn channel_source_rate(&self, source: ChanSrcId) -> Rate {
        self.agents.chan_sources[source.0].boundary.rate
    }

    /// Transfers into a channel sink.
    pub fn channel_sink_rate(&self, sink: ChanSinkId) -> Rate {
        self.agents.chan_sinks[sink.0].boundary.rate
    }

    /// Only watches the channel `prefix`.
    pub fn monitor_channel(&mut self, prefix: &str) {
        let watch = must(Watch::<Fields>::new(&self.model, prefix));
        self.agents.others.push(Box::new(watch));
    }
}

/// Single ports, by name.
impl Bench {
    /// Sets an input; it holds until it is set again.
    pub fn set(&mut self, port: &str, value: u64) {
        self.still.ends();
        let id = must(self.model.need(port));
        must(self.model.set_u64(id, value));
    }

    /// Sets an input to little-endian octets; missing ones are 0.
    pub fn set_bytes(&mut self, port: &str, value: &[u8]) {
        self.still.ends();
        let id = must(self.model.need(port));
        must(self.model.set_bytes(id, value));
    }

    /// A port of up to 64 bits: after [`Bench::step`] as it stands after the rising edge with the
    /// inputs of that cycle, after [`Bench::settle`] as it stands before the next edge.
    pub fn get(&self, port: &str) -> u64 {
        must(self.model.get_u64(must(self.model.need(port))))
    }

    /// A port as little-endian octets.
    pub fn get_bytes(&self, port: &str) -> Vec<u8> {
        self.model.get_bytes(must(self.model.need(port))).to_vec()
    }

    /// Whether the top has this port.
    pub fn has(&self, port: &str) -> bool {
        self.model.port(port).is_some()
    }

    /// Refuses a combinational path from the input `from` (a `valid`) to the output `to` (the
    /// `ready` of the same port). Sources and sinks do this by themselves at random cycles.
    pub fn check_no_comb_path(&mut self, from: &str, to: &str) -> Result<(), String> {
        let ids = (must(self.model.need(from)), must(self.model.need(to)));
        self.settle();
        if must(self.model.follows(ids.0, ids.1)) {
            return Err(Violation::CombPath { from: from.into(), to: to.into() }.to_string());
        }
        Ok(())
    }
}
