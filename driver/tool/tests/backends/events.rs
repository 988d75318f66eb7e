// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completion channels: a thread sleeps until the hardware's event wakes it.
use crate::ends::{options, PORT};
use crate::pair::{both, Pair, PATIENCE};
use ferrowarp::{
    Access, Arm, CompletionChannel, CompletionQueue, Connection, Device, Error, MemoryRegion, QpOptions,
    QueuePair, Status,
};
use std::sync::mpsc::channel;
use std::time::Duration;

/// How long a channel is watched that stays silent.
const SILENT: Duration = Duration::from_millis(300);

/// What an end has.
struct End {
    channel: CompletionChannel,
    cq: CompletionQueue,
    qp: QueuePair,
    region: MemoryRegion,
}

impl End {
    fn new(device: &Device) -> Self {
        let pd = device.protection_domain().unwrap();
        let channel = device.completion_channel().unwrap();
        let cq = device.completion_queue_in(16, &channel).unwrap();
        let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default()).unwrap();
        let region = pd.allocate(64, Access::LOCAL).unwrap();
        Self { channel, cq, qp, region }
    }

    fn receive(&self, wr_id: u64) {
        self.qp.post_recv(wr_id, &[self.region.segment(0, 32).unwrap()]).unwrap();
    }

    /// Sends, and sleeps until it is acknowledged.
    fn send(&self, connection: &Connection, wr_id: u64, solicited: bool) {
        self.cq.arm(Arm::Next).unwrap();
        let segment = [self.region.segment(0, 8).unwrap()];
        let send = connection.queue_pair().send(wr_id, &segment);
        if solicited { send.solicited() } else { send }.post().unwrap();
        assert!(self.channel.wait(PATIENCE).unwrap() == self.cq);
        assert_eq!(self.polled(), [(wr_id, Status::Success)]);
    }

    /// All completions that are there.
    fn polled(&self) -> Vec<(u64, Status)> {
        std::iter::from_fn(|| self.cq.poll().unwrap()).map(|c| (c.wr_id, c.status)).collect()
    }

    fn is_silent(&self) -> bool {
        matches!(self.channel.wait(SILENT), Err(Error::TimedOut { .. }))
    }
}

pub fn a_sleeping_thread_is_woken_for_what_it_armed(pair: &Pair) {
    let [theirs, ours] = &pair.devices;
    let listener = theirs.listen(PORT, 1).unwrap();
    let (sends, sent) = channel();
    let client = || {
        let end = End::new(ours);
        let connection = ours.connect(&end.qp, pair.remote(PORT), options()).unwrap();
        for (wr_id, solicited) in sent {
            end.send(&connection, wr_id, solicited);
        }
        connection.disconnect(PATIENCE)
    };
    let server = || {
        let end = End::new(theirs);
        (1..=5).for_each(|wr_id| end.receive(wr_id));
        let request = listener.next(PATIENCE).unwrap();
        sends.send((1, false)).unwrap();
        end.cq.arm(Arm::Next).unwrap();
        let connection = request.accept(&end.qp, options().into()).unwrap();

        assert!(end.channel.wait(PATIENCE).unwrap() == end.cq, "the next completion");
        assert_eq!(end.polled(), [(1, Status::Success)]);
        // one event an arm
        sends.send((2, false)).unwrap();
        assert!(end.is_silent(), "not armed");
        // a plain Send is there, a solicited one wakes
        end.cq.arm(Arm::Solicited).unwrap();
        sends.send((3, false)).unwrap();
        assert!(end.is_silent(), "armed for a solicited one");
        sends.send((4, true)).unwrap();
        assert!(end.channel.wait(PATIENCE).unwrap() == end.cq, "the solicited one");
        // what came before the arm is told at once
        end.cq.arm(Arm::Next).unwrap();
        assert!(end.channel.wait(PATIENCE).unwrap() == end.cq, "what is there");
        assert_eq!(end.polled(), [2, 3, 4].map(|wr_id| (wr_id, Status::Success)));
        // the end of the stream flushes a receive, which is an error
        end.cq.arm(Arm::Solicited).unwrap();
        drop(sends);
        assert!(end.channel.wait(PATIENCE).unwrap() == end.cq, "a flushed receive");
        assert_eq!(end.polled(), [(5, Status::Flushed)]);
        connection.disconnect(PATIENCE).unwrap();
    };
    both(client, server).0.unwrap();
}
