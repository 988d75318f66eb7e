// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures of the devices at the ends of a link, in simulated time.
use crate::link::{Captured, Link, Side};
use crate::pcap::{CaptureError, Interface, Pcap};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// A device's file.
struct Ends {
    side: Side,
    file: Pcap<BufWriter<File>>,
    /// What the device sent, and what came to it.
    ends: [Interface; 2],
    /// Frames that are not written yet, by when they passed the device's port, the end that sent
    /// them, and their order.
    waiting: BTreeMap<(u64, Side, u64), Captured>,
}

/// What passes a link, as the devices at its ends see it.
pub(super) struct Capture {
    link: Link,
    delay_ps: u64,
    files: Vec<Ends>,
    count: u64,
}

impl Capture {
    pub(super) fn new(link: Link) -> Self {
        link.capture();
        let delay_ps = link.config().delay_ns * 1_000;
        Self { link, delay_ps, files: vec![], count: 0 }
    }

    pub(super) fn link(&self) -> &Link {
        &self.link
    }

    /// Writes a file of the device at this end.
    pub(super) fn add(&mut self, side: Side, path: &Path) -> Result<(), CaptureError> {
        let mut file = Pcap::create(path)?;
        let ends = [file.interface("device")?, file.interface("peer")?];
        self.files.push(Ends { side, file, ends, waiting: BTreeMap::new() });
        Ok(())
    }

    /// Writes what has passed by `until_ps`, where all devices stand.
    pub(super) fn write(&mut self, until_ps: u64) -> Result<(), CaptureError> {
        for frame in self.link.take_captured() {
            self.count += 1;
            for Ends { side, waiting, .. } in &mut self.files {
                let delay_ps = if frame.from == *side { 0 } else { self.delay_ps };
                waiting.insert((frame.at_ps + delay_ps, frame.from, self.count), frame.clone());
            }
        }
        self.files.iter_mut().try_for_each(|file| file.write(until_ps))
    }

    /// Writes the rest and ends the files.
    pub(super) fn finish(mut self) -> Result<(), CaptureError> {
        self.write(u64::MAX)?;
        self.files.into_iter().try_for_each(|ends| ends.file.finish().map(drop))
    }
}

impl Ends {
    fn write(&mut self, until_ps: u64) -> Result<(), CaptureError> {
        while let Some(first) = self.waiting.first_entry().filter(|first| first.key().0 <= until_ps) {
            let ((at_ps, from, _), Captured { data, note, .. }) = first.remove_entry();
            let interface = self.ends[usize::from(from != self.side)];
            self.file.frame(interface, at_ps / 1_000, &data, note.as_deref())?;
        }
        Ok(())
    }
}
