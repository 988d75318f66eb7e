// SPDX-License-Identifier: MIT OR Apache-2.0
//! What comes from the port: frames, answers, events; and the hand-overs that they complete.
use super::flow::{Ending, Flow, Phase};
use super::handover::{Caught, Side};
use super::path::Path;
use super::running::{Do, Running};
use super::{Manager, Purpose};
use crate::error::ConnError;
use crate::mpa::fpdu;
use crate::net::{icmp::TcpNotice, Ingress};
use crate::port::{Answer, DeviceEvent, RawFrame, RawReason, Refusal};
use crate::tcp::segment::{within, Segment, Tuple};
use crate::tcp::stray;
use crate::tcp::time_wait::Verdict;
use crate::terminate;
use alloc::boxed::Box;
use alloc::vec::Vec;
use ferrowarp_abi::error::TermError;
use ferrowarp_abi::types::{MacAddr, SeqNum};

impl Manager {
    pub(super) fn frame(&mut self, frame: &RawFrame) {
        match self.net.receive(&frame.octets, self.now) {
            Ingress::Tcp { tuple, segment, source } => self.segment(tuple, &segment, source, frame.reason),
            Ingress::Notice(notice) => self.path_mtu(&notice),
            Ingress::Done => {}
        }
    }

    fn segment(&mut self, tuple: Tuple, segment: &Segment, station: MacAddr, reason: RawReason) {
        if let Some(flow) = self.tuples.get(&tuple).and_then(|id| self.flows.remove(id)) {
            return self.of_flow(flow, segment, reason);
        }
        match self.time_wait.segment(&tuple, segment, self.now) {
            Some(Verdict::Answer(answer)) => return self.net.reply(station, &tuple, &answer),
            Some(Verdict::Ignore) => return,
            Some(Verdict::Reopen) | None => {}
        }
        if segment.syn && segment.ack.is_none() && self.passive_open(tuple, segment, None) {
            return;
        }
        if self.passive_open_again(tuple, segment) {
            if let Some(flow) = self.tuples.get(&tuple).and_then(|id| self.flows.remove(id)) {
                self.of_flow(flow, segment, reason);
            }
            return;
        }
        if let Some(reset) = stray::answer(segment).filter(|_| self.may_reset()) {
            self.counters.strays += 1;
            self.net.reply(station, &tuple, &reset);
        }
    }

    fn of_flow(&mut self, mut flow: Flow, segment: &Segment, reason: RawReason) {
        let window = self.config.window;
        match &mut flow.phase {
            Phase::HandOver(handover) if !handover.is_draining() => {
                handover.segment(&flow.tcp, segment, window);
            }
            // the hardware judged it and tells by events
            Phase::Running(_) if reason == RawReason::Connection => self.counters.late += 1,
            Phase::Running(running) => {
                // it was looked up before the row was visible, so the row's numbers are still the
                // ones to judge by
                self.counters.late += 1;
                let mut caught = Caught::default();
                caught.segment(&flow.tcp, segment, window);
                let todo = if caught.is_reset() {
                    running.remove(ConnError::Reset)
                } else {
                    running.pass_on(caught.commands(running.qp(), &flow.tcp))
                };
                self.perform(flow.id, todo);
            }
            _ => {
                let (signal, reset) = flow.tcp.segment(segment, self.now);
                if let Some(reset) = reset.filter(|_| self.may_reset()) {
                    self.net.send(&flow.tcp.tuple, &reset, self.now);
                }
                return self.advance(flow, signal);
            }
        }
        self.keep(flow);
    }

    fn path_mtu(&mut self, notice: &TcpNotice) {
        // 576 is the next plateau below what a router may leave out (RFC 1191 section 7)
        let least = if notice.tuple.remote.is_ipv6() { 1_280 } else { 576 };
        let mtu = notice.mtu.clamp(least, 0xFFFF) as u16;
        let emss = mtu - notice.tuple.headers();
        let Some(flow) = self.tuples.get(&notice.tuple).and_then(|id| self.flows.get_mut(id)) else { return };
        let id = flow.id;
        if let Phase::Running(running) = &mut flow.phase {
            let todo = running.path_mtu(emss, notice.seq, self.now);
            self.perform(id, todo);
            return;
        }
        let (una, nxt) = (flow.tcp.sender().una(), flow.tcp.sender().nxt());
        if una != nxt && within(una, notice.seq, SeqNum(nxt.0.wrapping_sub(1))) {
            flow.tcp.lower_emss(emss, self.now.after(self.config.timing.path_mtu));
        }
    }

    pub(super) fn device_event(&mut self, event: DeviceEvent) {
        let qp = event.qp();
        let handed = |flow: &&mut Flow| !flow.speaks_tcp() && flow.phase.qp() == Some(qp);
        let Some(flow) = self.flows.values_mut().find(handed) else {
            self.counters.orphans += 1;
            return;
        };
        let id = flow.id;
        match &mut flow.phase {
            Phase::HandOver(handover) => handover.event(event),
            Phase::Running(running) => {
                let todo = running.event(event, self.now);
                self.perform(id, todo);
            }
            _ => {}
        }
    }

    pub(super) fn answered(&mut self, answer: Answer) {
        let Some((id, purpose)) = self.pending.pop_front() else {
            self.counters.orphans += 1;
            return;
        };
        // a connection that ended in the meantime left commands that change nothing
        let Some(mut flow) = self.flows.remove(&id) else { return };
        match (&mut flow.phase, purpose, answer) {
            (Phase::HandOver(handover), Purpose::Insert, Answer::Inserted { raw_index }) => {
                handover.inserted(raw_index);
            }
            (Phase::HandOver(handover), Purpose::Insert, Answer::Refused(why)) => {
                let doom = handover.doom();
                return self.not_inserted(flow, doom, why);
            }
            (Phase::Running(running), Purpose::Remove, Answer::Removed { snd_una, snd_nxt, rcv_nxt }) => {
                if running.keeps_time_wait() {
                    self.time_wait.insert(flow.tcp.tuple, snd_nxt, rcv_nxt, self.now);
                }
                let outcome = running.outcome_at(snd_una, snd_nxt);
                return self.removed(flow, outcome);
            }
            // a row that the hardware does not have is out of it
            (Phase::Running(running), Purpose::Remove, _) => {
                let outcome = running.outcome();
                return self.removed(flow, outcome);
            }
            (Phase::Running(running), Purpose::Hint, Answer::Acknowledged { snd_una, snd_nxt }) => {
                let todo = running.acknowledged(snd_una, snd_nxt, self.now);
                self.perform(id, todo);
            }
            (_, Purpose::Hint, _) => {}
            (Phase::Running(running), purpose, answer) => {
                let todo = match answer {
                    Answer::Refused(why) => running.abort(why.into()),
                    _ if purpose == Purpose::Begin => running.done(),
                    _ => Vec::new(),
                };
                self.perform(id, todo);
            }
            (Phase::HandOver(handover), _, Answer::Refused(why)) => handover.cancel(why.into()),
            (_, _, Answer::Refused(why)) => return self.end(flow, why.into(), super::ends::End::Reset),
            _ => {}
        }
        self.keep(flow);
    }

    fn removed(&mut self, mut flow: Flow, outcome: Result<(), ConnError>) {
        self.tell_end(&mut flow, outcome);
        self.forget(&flow);
    }

    /// The hardware did not take the row: firmware still has TCP. The initiator tells the peer (RFC
    /// 6581 section 9.3); the responder may not send an FPDU.
    fn not_inserted(&mut self, mut flow: Flow, doom: Option<ConnError>, why: Refusal) {
        let Phase::HandOver(handover) = &flow.phase else { return self.keep(flow) };
        let (is_initiator, terms) = (handover.is_initiator(), *handover.terms());
        self.tell_end(&mut flow, Err(doom.unwrap_or(why.into())));
        if !is_initiator {
            return self.reset(flow);
        }
        let ulpdu = terminate::bare(TermError::MpaLocalCatastrophic).unwrap_or_default();
        flow.tcp.push(&fpdu::first(&ulpdu, terms.tx_markers, terms.crc));
        self.close_tcp(&mut flow, Ending::ResetWhenAcked);
        self.keep(flow);
    }

    /// Gives the row of every connection whose TCP is quiet to the hardware.
    pub(super) fn start_hand_overs(&mut self) {
        let (mtu, ours, vlan) = (self.config.mtu, self.config.mac, self.config.vlan_tci);
        let tick_us = self.config.timing.tick_us;
        for (&id, flow) in &mut self.flows {
            let Phase::HandOver(handover) = &mut flow.phase else { continue };
            if !handover.is_draining() {
                continue;
            }
            if let Some(hop) = self.net.station(flow.tcp.tuple.remote.ip(), self.now) {
                let commands = handover.start(&mut flow.tcp, mtu, tick_us, ours, hop, vlan);
                self.commands.extend(commands.into_iter().map(|command| (id, command)));
            }
        }
    }

    /// Hand-overs whose part of the raw ring is consumed: the hardware goes on alone.
    pub(super) fn complete_hand_overs(&mut self) {
        let next = self.next_frame;
        let complete = |flow: &&Flow| matches!(&flow.phase, Phase::HandOver(h) if h.is_complete(next));
        let ids: Vec<_> = self.flows.values().filter(complete).map(|flow| flow.id).collect();
        for id in ids {
            if let Some(flow) = self.flows.remove(&id) {
                self.complete(flow);
            }
        }
    }

    fn complete(&mut self, mut flow: Flow) {
        let Phase::HandOver(handover) = core::mem::replace(&mut flow.phase, Phase::Streaming) else { return };
        let (id, qp, doom) = (flow.id, handover.qp(), handover.doom());
        let watch = handover.liveness().watch(self.config.timing.tick_us, self.now);
        let (side, words, caught, early) = handover.into_parts();
        let timing = self.config.timing;
        let path = Path::new(flow.tcp.full_emss(), flow.tcp.emss(), &timing, self.now);
        let passed_on = caught.commands(qp, &flow.tcp);
        let (running, todo) = match (doom, side) {
            (Some(why), _) => Running::doomed(id, qp, words, path, why),
            (None, Side::Initiator(_)) => {
                self.perform(id, passed_on.into_iter().map(Do::Command));
                Running::initiator(id, qp, words, path, timing.close)
            }
            (None, Side::Responder { reply, early }) => {
                self.perform(id, passed_on.into_iter().map(Do::Command));
                let until = self.now.after(timing.first_fpdu);
                Running::responder(id, qp, words, path, timing.close, (reply, early, until))
            }
        };
        let mut running = running.watched(watch);
        self.perform(id, todo);
        for event in early {
            let todo = running.event(event, self.now);
            self.perform(id, todo);
        }
        flow.deadline = None;
        flow.phase = Phase::Running(Box::new(running));
        self.keep(flow);
    }
}
