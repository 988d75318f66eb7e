// SPDX-License-Identifier: MIT OR Apache-2.0
//! A client's session: its commands in order.
use super::asked::{AskedRange, Asker};
use super::door::Files;
use super::end::End;
use super::function::{PciFunction, Refusal, CONFIG_REGION, IRQS, MSIX_IRQ, REGIONS};
use super::hand::{Hand, HandRange};
use super::outgoing::{Open, Outgoing};
use super::shared::{is_eventfd, Access, FileRange, Identity};
use super::socket::{Connection, Message};
use super::strange::{is_memory, Descriptors};
use super::wire::{body, Body, Command, MOST_DATA, MOST_FDS};
use crate::memory::Octets;
use std::collections::BTreeMap;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::mpsc::{sync_channel, Receiver};
use std::sync::Arc;
use std::thread;

/// Major and minor number of the protocol.
const VERSION: [u16; 2] = [0, 1];
/// Commands that wait while one is carried out; more stay in the socket.
const MOST_WAITING: usize = 16;
/// Most ranges of memory of one client: each is a page behind an IOMMU. QEMU refuses a server that
/// offers more.
const MOST_RANGES: usize = 65_535;

/// Flags of a device: it can be reset, it is a PCI device.
const DEVICE_FLAGS: u32 = 1 | 2;
/// Flags of a region: it may be read and written.
const REGION_FLAGS: u32 = 1 | 2;
/// Flags of an interrupt: by eventfd, and vectors cannot be added later.
const IRQ_FLAGS: u32 = 1 | 8;
/// Flags of `SET_IRQS`: what its data are, and what is wanted.
const DATA_NONE: u32 = 1;
const DATA_EVENTFD: u32 = 4;
const ACTION_TRIGGER: u32 = 32;
/// Flags of a mapping.
const MAP_READ: u32 = 1;
const MAP_WRITE: u32 = 2;
/// Flag of `DMA_UNMAP`: all.
const UNMAP_ALL: u32 = 2;

/// A client's session.
struct Session<'a> {
    function: &'a mut dyn PciFunction,
    /// The versions were exchanged.
    is_agreed: bool,
    /// Reaches memory without a descriptor.
    asker: Arc<Asker>,
    /// Ranges that are mapped: first address, octets.
    ranges: BTreeMap<u64, u64>,
    /// What they are of.
    files: Files,
    /// Touches files that are not in memory.
    hand: Arc<Hand>,
}

/// Ends the session in any case: the thread that reads the connection must not stay behind.
struct Ending<'a>(&'a Outgoing);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Serves a client until it goes; the function's own failure is an error. The connection is read by
/// a thread of its own: while the function carries a command out, it may wait for memory that the
/// client has to answer for. The connection ends when the function accesses no memory of the client
/// any more.
pub(super) fn serve(
    connection: &Connection<'_>,
    out: &Arc<Outgoing>,
    function: &mut dyn PciFunction,
) -> Result<End, Refusal> {
    let asker = Arc::new(Asker::new(out.clone()));
    let (queue, commands) = sync_channel(MOST_WAITING);
    thread::scope(|scope| {
        let open = Arc::new(Open(out.clone()));
        let ending = Ending(out);
        let mut session = Session {
            function,
            is_agreed: false,
            asker: asker.clone(),
            ranges: BTreeMap::new(),
            files: Files::default(),
            hand: Arc::new(Hand::new(&open)),
        };
        let reads = || connection.read_all(&queue, &asker);
        let reader = thread::Builder::new().name("ferrowarp-vfio-in".into()).spawn_scoped(scope, reads);
        let ended = match reader {
            Ok(_) => session.run(&commands, connection),
            Err(why) => End::Io(why),
        };
        // who reads may wait for room in the queue
        drop((commands, ending));
        asker.close();
        session.leave()?;
        Ok(ended)
    })
}

impl Session<'_> {
    /// Obeys until the connection ends; why it does.
    fn run(&mut self, commands: &Receiver<Result<Message, End>>, connection: &Connection<'_>) -> End {
        loop {
            let done = match commands.recv() {
                Ok(command) => command.and_then(|command| self.obey(command, connection)),
                Err(_) => Err(End::Closed),
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    /// Does a command and answers it.
    fn obey(&mut self, message: Message, connection: &Connection<'_>) -> Result<(), End> {
        let head = message.head;
        let command = Command::of(head.command);
        let done = match command {
            // the version comes once and first
            Some(command) if well_formed(command, &message) => {
                match (command == Command::Version) == self.is_agreed {
                    true => Err(Refusal::Invalid("versions are exchanged once, before all else".into())),
                    false => {
                        self.asker.command(true);
                        let done = self.perform(command, message);
                        self.asker.command(false);
                        done
                    }
                }
            }
            _ => Err(Refusal::Invalid("no command, or not of that form".into())),
        };
        let answer = match done {
            Ok(answer) => head.answer(&answer),
            // a client that does not look at the number would wait for ever for what cannot come
            Err(gone @ Refusal::Gone(_)) => return Err(End::Function(gone)),
            Err(why) => {
                tracing::debug!(command = head.command, %why, "a vfio-user command is refused");
                head.refusal(why.errno())
            }
        };
        // who wants no answer looks for none: a refusal would be taken for the answer to something
        // else
        match head.is_silent() {
            true => Ok(()),
            false => connection.out.answer(&answer, connection.stop),
        }
    }

    fn perform(&mut self, command: Command, message: Message) -> Result<Vec<u8>, Refusal> {
        let Message { body: octets, fds, .. } = message;
        let mut input = Body(&octets);
        match command {
            Command::Version => self.agree(&mut input),
            Command::DmaMap => self.map(&mut input, fds),
            Command::DmaUnmap => self.unmap(&mut input, &octets),
            Command::GetInfo => Ok(body(&[16, DEVICE_FLAGS, REGIONS as u32, IRQS as u32], &[])),
            Command::GetRegionInfo => self.region_info(&mut input),
            Command::GetIrqInfo => self.irq_info(&mut input),
            Command::SetIrqs => self.set_irqs(&mut input, fds),
            Command::RegionRead => self.read(&mut input, &octets),
            Command::RegionWrite => self.write(&mut input, &octets),
            Command::Reset => self.function.reset().map(|()| vec![]),
        }
    }

    fn agree(&mut self, input: &mut Body<'_>) -> Result<Vec<u8>, Refusal> {
        let [major, minor] = [input.u16(), input.u16()];
        let text = input.rest();
        let text = text.strip_suffix(&[0]).unwrap_or(text);
        let no_json = |e| Refusal::Invalid(format!("the version text is no JSON: {e}"));
        let told: serde_json::Value = match text {
            [] => serde_json::Value::Null,
            text => serde_json::from_slice(text).map_err(no_json)?,
        };
        let most = told["capabilities"]["max_data_xfer_size"].as_u64();
        // what nobody says is a mebibyte
        let most = most.map_or(1 << 20, |most| usize::try_from(most).unwrap_or(usize::MAX));
        if most == 0 {
            return Err(Refusal::Invalid(
                "a client that takes no octets; max_data_xfer_size is at least 1".into(),
            ));
        }
        if major != VERSION[0] {
            return Err(Refusal::Invalid(format!("version {major}.{minor} is not served, 0.1 is")));
        }
        self.is_agreed = true;
        self.asker.limit(most);
        let capabilities = serde_json::json!({
            "max_msg_fds": MOST_FDS, "max_data_xfer_size": MOST_DATA, "max_dma_maps": MOST_RANGES,
        });
        let mut answer: Vec<u8> =
            [VERSION[0], VERSION[1].min(minor)].into_iter().flat_map(u16::to_le_bytes).collect();
        answer.extend(serde_json::json!({ "capabilities": capabilities }).to_string().into_bytes());
        answer.push(0);
        Ok(answer)
    }

    fn map(&mut self, input: &mut Body<'_>, mut fds: Descriptors) -> Result<Vec<u8>, Refusal> {
        let [_argsz, flags] = [input.u32(), input.u32()];
        let [offset, iova, octets] = [input.u64(), input.u64(), input.u64()];
        let [readable, writable] = [MAP_READ, MAP_WRITE].map(|flag| flags & flag != 0);
        if octets == 0 || iova.checked_add(octets - 1).is_none() {
            return Err(Refusal::Invalid(format!("{octets} octets from {iova:#x} on cannot be mapped")));
        }
        if flags & !(MAP_READ | MAP_WRITE) != 0 || fds.0.len() > 1 {
            return Err(Refusal::Invalid(format!(
                "a mapping with flags {flags:#x} and {} descriptors",
                fds.0.len()
            )));
        }
        if self.ranges.len() >= MOST_RANGES {
            return Err(Refusal::Invalid(format!("{MOST_RANGES} ranges are mapped already")));
        }
        let memory: Arc<dyn Octets> = match fds.0.pop() {
            Some(fd) => self.place(fd, (offset, octets), Access { readable, writable })?,
            None => Arc::new(AskedRange { asker: self.asker.clone(), iova, octets, readable }),
        };
        self.function.map(iova, memory, writable)?;
        self.ranges.insert(iova, octets);
        Ok(vec![])
    }

    /// The range of a descriptor's file: of one in memory, or of another process's memory.
    fn place(&mut self, fd: OwnedFd, range: (u64, u64), access: Access) -> Result<Arc<dyn Octets>, Refusal> {
        if is_memory(&fd) {
            let identity = Identity::of(&fd)?;
            let file = self.files.keep(fd, &identity)?;
            return Ok(Arc::new(FileRange::of(file, &identity, range, access)?));
        }
        let (fd, identity) = self.hand.identify(fd)?;
        let file = self.files.keep(fd, &identity)?;
        let there = FileRange::of(file, &identity, range, access)?;
        Ok(Arc::new(HandRange { hand: self.hand.clone(), range: Arc::new(there) }))
    }

    /// Takes away what lies inside the range, as the kernel's VFIO does: mappings whole, never a
    /// part of one.
    fn unmap(&mut self, input: &mut Body<'_>, fixed: &[u8]) -> Result<Vec<u8>, Refusal> {
        let [_argsz, flags] = [input.u32(), input.u32()];
        let [iova, octets] = [input.u64(), input.u64()];
        if flags & !UNMAP_ALL != 0 {
            return Err(Refusal::Invalid(format!("an unmapping with flags {flags:#x}")));
        }
        if flags & UNMAP_ALL != 0 {
            self.function.unmap_all()?;
            self.ranges.clear();
            return Ok(fixed.to_vec());
        }
        let last = octets.checked_sub(1).and_then(|more| iova.checked_add(more));
        let last = last.ok_or_else(|| Refusal::Invalid(format!("{octets} octets from {iova:#x} on")))?;
        let before = self.ranges.range(..iova).next_back();
        let cuts_front = before.is_some_and(|(&at, &len)| at + (len - 1) >= iova);
        let inside: Vec<_> = self.ranges.range(iova..=last).map(|(&at, &len)| (at, len)).collect();
        if cuts_front || inside.last().is_some_and(|&(at, len)| at + (len - 1) > last) {
            return Err(Refusal::Invalid(format!("{octets} octets from {iova:#x} on cut a mapping")));
        }
        for (at, len) in inside {
            self.function.unmap(at, len)?;
            self.ranges.remove(&at);
        }
        Ok(fixed.to_vec())
    }

    fn region_info(&mut self, input: &mut Body<'_>) -> Result<Vec<u8>, Refusal> {
        let [_argsz, _flags, index] = [input.u32(), input.u32(), input.u32()];
        let octets = self.function.regions().get(index as usize).copied();
        let octets = octets.ok_or_else(|| Refusal::Invalid(format!("region {index} of {REGIONS}")))?;
        let flags = if octets == 0 { 0 } else { REGION_FLAGS };
        Ok(body(&[32, flags, index, 0], &[octets, 0]))
    }

    fn vectors(&self, index: u32) -> Result<u32, Refusal> {
        match index as usize {
            MSIX_IRQ => Ok(self.function.vectors().into()),
            index if index < IRQS => Ok(0),
            _ => Err(Refusal::Invalid(format!("interrupt {index} of {IRQS}"))),
        }
    }

    fn irq_info(&mut self, input: &mut Body<'_>) -> Result<Vec<u8>, Refusal> {
        let [_argsz, _flags, index] = [input.u32(), input.u32(), input.u32()];
        let count = self.vectors(index)?;
        Ok(body(&[16, if count > 0 { IRQ_FLAGS } else { 0 }, index, count], &[]))
    }

    fn set_irqs(&mut self, input: &mut Body<'_>, mut fds: Descriptors) -> Result<Vec<u8>, Refusal> {
        let [_argsz, flags, index] = [input.u32(), input.u32(), input.u32()];
        let [start, count] = [input.u32(), input.u32()];
        let vectors = self.vectors(index)?;
        if start.checked_add(count).is_none_or(|end| end > vectors) {
            return Err(Refusal::Invalid(format!("vectors {start} and {count} more of {vectors}")));
        }
        // masking is the function's own, in its table
        let range = match (flags, count) {
            (f, 0) if f == DATA_NONE | ACTION_TRIGGER => 0..vectors,
            (f, _) if f == DATA_EVENTFD | ACTION_TRIGGER && fds.0.len() <= count as usize => {
                start..start + count
            }
            _ => {
                return Err(Refusal::Invalid(format!(
                    "flags {flags:#x} of {count} vectors, {} descriptors",
                    fds.0.len()
                )))
            }
        };
        if let Some(fd) = fds.0.iter().find(|fd| !is_eventfd(fd)) {
            let why = format!("descriptor {} is no eventfd: writing it might never end", fd.as_raw_fd());
            return Err(Refusal::Access(why));
        }
        let mut fds = std::mem::take(&mut fds.0).into_iter();
        for vector in range {
            self.function.set_vector(vector as u16, fds.next())?;
        }
        Ok(vec![])
    }

    /// Region, offset and count of an access, inside of the region.
    fn range(&self, input: &mut Body<'_>) -> Result<(usize, u64, usize), Refusal> {
        let offset = input.u64();
        let [region, count] = [input.u32(), input.u32()];
        let (index, octets) = (region as usize, count as usize);
        let size = self.function.regions().get(index).copied().unwrap_or(0);
        let fits = offset.checked_add(count.into()).is_some_and(|end| end <= size);
        // registers and doorbells are reached by one load or store
        let is_plain = matches!(octets, 1 | 2 | 4 | 8) && offset.is_multiple_of(count.max(1).into());
        let is_config = index == CONFIG_REGION && (1..=MOST_DATA).contains(&octets);
        if !fits || !(is_plain || is_config) {
            let why = format!("{count} octets from {offset:#x} on of region {region}, which has {size}");
            return Err(Refusal::Invalid(why));
        }
        Ok((index, offset, octets))
    }

    fn read(&mut self, input: &mut Body<'_>, fixed: &[u8]) -> Result<Vec<u8>, Refusal> {
        let (region, offset, octets) = self.range(input)?;
        let mut answer = fixed.to_vec();
        answer.resize(fixed.len() + octets, 0);
        self.function.read(region, offset, &mut answer[fixed.len()..])?;
        Ok(answer)
    }

    fn write(&mut self, input: &mut Body<'_>, octets: &[u8]) -> Result<Vec<u8>, Refusal> {
        let (region, offset, count) = self.range(input)?;
        let data = input.rest();
        if data.len() != count {
            return Err(Refusal::Invalid(format!("{} octets of data for a write of {count}", data.len())));
        }
        self.function.write(region, offset, data)?;
        Ok(octets[..octets.len() - count].to_vec())
    }

    /// The client is gone: nothing of it is reached or told any more, and the next one finds a
    /// device as after power-up.
    fn leave(&mut self) -> Result<(), Refusal> {
        self.function.reset()?;
        self.function.unmap_all()?;
        (0..self.function.vectors()).try_for_each(|vector| self.function.set_vector(vector, None))
    }
}

/// A command whose body is as long as its form says.
fn well_formed(command: Command, message: &Message) -> bool {
    let (octets, fixed) = (message.body.len(), command.fixed());
    message.head.is_command() && (octets == fixed || (octets > fixed && command.has_data()))
}
