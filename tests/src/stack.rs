// SPDX-License-Identifier: MIT OR Apache-2.0
//! RDMA Writes through the whole stack: verbs, registers and doorbells, Verilog, wire, Verilog, the
//! peer's memory.
//!
//! [`lock_step`] has both devices on one clock, which is held while software works: posting costs
//! no simulated time, and a run takes the same cycles each time. [`vfio_user()`] has both behind
//! sockets, in one time that runs by itself.
use crate::device::{clock_ps, of_limit};
use crate::served::joined_at;
use ferrowarp::backend::PciBackend;
use ferrowarp::cm::{ConnectOptions, Connection};
use ferrowarp::url::NetUrl;
use ferrowarp::{
    Access, CompletionQueue, Connected, Device, Error, MemoryRegion, ProtectionDomain, QpOptions, QueuePair,
    Remote, Status,
};
use ferrowarp_abi::types::{MacAddr, TaggedOffset};
use ferrowarp_firmware::config::Address;
use ferrowarp_sim::eth::Tick;
use ferrowarp_sim::rnic::{Clock, Held, PairConfig};
use ferrowarp_sim::Side;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::net::Ipv4Addr;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

/// Octets of a Write.
pub const OCTETS: usize = 64 << 10;
/// Port of the passive side.
const PORT: u16 = 7_000;
/// How long a step may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
/// Octets of the Write that goes before the measured ones, and the octets at the end of one that
/// are looked for.
const SMALL: usize = 8;
/// Cycles between two looks.
const LOOK_EVERY: u64 = 16;
/// Cycles of a tick: 10 us, as in `cargo xtask demo`. A millisecond of simulation takes seconds,
/// and closing a connection some ticks.
pub const TICK: NonZeroU64 = NonZeroU64::new(1_562).expect("not 0");

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Payload octets over their time, over the wire's limit.
    pub goodput_ratio: f64,
    /// Cycles of the first device's clock from the doorbells to the last octet in memory.
    pub cycles: u64,
}

/// A connection, memory at both ends, and what must outlive them.
pub(crate) struct Joined {
    ours: Device,
    theirs: Device,
    /// Ours, and theirs.
    cqs: [CompletionQueue; 2],
    connection: Connection,
    accepted: Connection,
    source: MemoryRegion,
    sink: MemoryRegion,
    _kept: ProtectionDomain,
}

/// The addresses of device `n`: 10.0.0.n and the MAC address that goes with it.
pub fn net(n: u8) -> NetUrl {
    let ip = Ipv4Addr::new(10, 0, 0, n).into();
    let (mac, addresses) = (MacAddr([2, 0, 10, 0, 0, n]), vec![Address { ip, prefix: 24 }]);
    NetUrl::new(mac, addresses)
}

/// Posts a Write of a part of the source to the same place of the sink.
fn write(
    qp: &QueuePair<Connected>,
    [source, sink]: [&MemoryRegion; 2],
    at: usize,
    octets: usize,
) -> Result<(), Error> {
    let remote = Remote { stag: sink.stag(), to: TaggedOffset(sink.to_base().0 + at as u64) };
    qp.write(at as u64, &[source.segment(at, octets)?], remote).post()
}

impl Joined {
    /// Connects two devices and writes a few octets behind the `octets` that are to be measured.
    pub(crate) fn new([ours, theirs]: [Device; 2], octets: usize) -> Result<Self, Error> {
        let end = |device: &Device, access| -> Result<_, Error> {
            let pd = device.protection_domain()?;
            let cq = device.completion_queue(64)?;
            let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default().sends(32).receives(1))?;
            let region = pd.allocate(octets + SMALL, access)?;
            Ok((pd, cq, qp, region))
        };
        let (pd, cq, qp, source) = end(&ours, Access::ALL)?;
        let (_, their_cq, their_qp, sink) = end(&theirs, Access::ALL)?;
        let mut random = vec![0; octets + SMALL];
        ChaCha8Rng::seed_from_u64(1).fill_bytes(&mut random);
        source.memory().write(0, &random)?;
        let listener = theirs.listen(PORT, 1)?;
        let options = || ConnectOptions::default().patience(PATIENCE);
        // the passive side waits for the first FPDU before it says that there is a connection
        let (connection, accepted) = std::thread::scope(|scope| {
            let accepted = scope.spawn(|| listener.next(PATIENCE)?.accept(&their_qp, options().into()));
            let connection = ours.connect(&qp, (Ipv4Addr::new(10, 0, 0, 2), PORT).into(), options())?;
            write(connection.queue_pair(), [&source, &sink], octets, SMALL)?;
            Ok::<_, Error>((connection, accepted.join().expect("no panic while it accepts")?))
        })?;
        let (cqs, _kept) = ([cq, their_cq], pd);
        let joined = Self { ours, theirs, cqs, connection, accepted, source, sink, _kept };
        let done = joined.cqs[0].wait(PATIENCE)?;
        assert_eq!(done.status, Status::Success, "{done:?}");
        // what the event of the first FPDU makes the driver do is done
        for device in [&joined.ours, &joined.theirs, &joined.ours, &joined.theirs] {
            while device.audit()?.commands > 0 {}
        }
        Ok(joined)
    }

    pub(crate) fn write(&self, nth: usize) -> Result<(), Error> {
        self.write_part(nth * OCTETS, OCTETS)
    }

    /// A Write of `octets` octets from `at` on.
    pub(crate) fn write_part(&self, at: usize, octets: usize) -> Result<(), Error> {
        write(self.connection.queue_pair(), [&self.source, &self.sink], at, octets)
    }

    /// The same from their end to ours.
    pub(crate) fn write_back(&self, nth: usize) -> Result<(), Error> {
        write(self.accepted.queue_pair(), [&self.sink, &self.source], nth * OCTETS, OCTETS)
    }

    /// The last octets of what is measured are in memory.
    pub(crate) fn is_placed(&self, octets: usize) -> Result<bool, Error> {
        let last = |region: &MemoryRegion| region.memory().copy(octets - SMALL, SMALL);
        Ok(last(&self.sink)? == last(&self.source)?)
    }

    /// Our device, and theirs.
    pub(crate) fn devices(&self) -> [&Device; 2] {
        [&self.ours, &self.theirs]
    }

    /// Completions that came at our end (0) or theirs (1); the error is one that is none of a Write
    /// that succeeded.
    pub(crate) fn completed(&self, end: usize) -> Result<usize, String> {
        let mut done = vec![];
        let count = self.cqs[end].poll_into(&mut done, 64).map_err(|e| e.to_string())?;
        match done.iter().find(|done| done.status != Status::Success) {
            Some(done) => Err(format!("a Write failed: {done:?}")),
            None => Ok(count),
        }
    }

    /// Every octet is there; the connection is closed.
    pub(crate) fn finish(self) -> Result<(), String> {
        let all = |region: &MemoryRegion| region.memory().copy(0, region.memory().len());
        let told = |e: ferrowarp::dma::DmaError| e.to_string();
        if all(&self.sink).map_err(told)? != all(&self.source).map_err(told)? {
            return Err("the peer's memory has other octets".into());
        }
        self.close()
    }

    /// The connection is closed.
    pub(crate) fn close(self) -> Result<(), String> {
        let Self { connection, accepted, .. } = self;
        let closed = std::thread::scope(|scope| {
            let theirs = scope.spawn(move || accepted.disconnect(PATIENCE));
            connection.disconnect(PATIENCE).and(theirs.join().expect("no panic while it closes"))
        });
        closed.map_err(|e| e.to_string())
    }
}

/// `writes` Writes of 64 KiB between two devices in lock-step, without delay. As [`on_one_clock`].
pub fn lock_step(writes: usize) -> Result<Figures, String> {
    on_one_clock(writes, PairConfig::of(TICK))
}

/// `writes` Writes of 64 KiB between two devices on one clock. The time is that from the first
/// octet of preamble to the last octet in the peer's memory, to be seen at every sixteenth cycle.
pub fn on_one_clock(writes: usize, pair: PairConfig) -> Result<Figures, String> {
    let told = |e: Error| e.to_string();
    let (backends, mut clock) = PciBackend::pair(pair).map_err(|e| e.to_string())?;
    let [ours, theirs] = backends.map(Arc::new);
    let devices = [Device::new(ours, &net(1)).map_err(told)?, Device::new(theirs, &net(2)).map_err(told)?];
    let octets = writes * OCTETS;
    let joined = Joined::new(devices, octets).map_err(told)?;
    let figures = measure(&joined, &mut clock, writes)?;
    paced(&mut clock, || joined.finish())?;
    Ok(figures)
}

/// Does something of software while simulated time goes on by a tick in a millisecond of the wall:
/// a busy machine has the time that firmware's timers give. `work` may close the devices.
///
/// # Panics
/// If `work` panics.
pub fn paced<R: Send>(clock: &mut Clock, work: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let work = scope.spawn(work);
        if let Ok(mut held) = clock.hold() {
            while !work.is_finished() && run(&mut held, TICK.get()).is_ok() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        work.join().expect("no panic in software")
    })
}

fn measure(joined: &Joined, clock: &mut Clock, writes: usize) -> Result<Figures, String> {
    let (octets, link) = (writes * OCTETS, clock.link().clone());
    let mut held = clock.hold().map_err(|e| e.to_string())?;
    // timers walk with the tick: each run begins at the same distance from one
    let left = TICK.get() - held.cycle() % TICK.get();
    run(&mut held, left)?;
    let begun = held.cycle();
    for n in 0..writes {
        joined.write(n).map_err(|e| e.to_string())?;
    }
    let most = begun + 10_000 + octets as u64 / 2;
    let mut wire_ps = None;
    while !joined.is_placed(octets).map_err(|e| e.to_string())? {
        let now = run(&mut held, LOOK_EVERY)?;
        let newest = link.stats(Side::A).newest_ps;
        wire_ps = wire_ps.or((newest >= begun * clock_ps()).then_some(newest));
        if now > most {
            return Err(format!("the last octet is not in memory after {} cycles", now - begun));
        }
    }
    let placed = held.cycle();
    let mut completed = 0;
    while completed < writes {
        completed += joined.completed(0)?;
        if run(&mut held, LOOK_EVERY)? > most {
            return Err(format!("{completed} of {writes} Writes are completed"));
        }
    }
    let wire_ps = wire_ps.ok_or("nothing was sent")?;
    Ok(Figures { goodput_ratio: of_limit(octets, placed * clock_ps() - wire_ps), cycles: placed - begun })
}

pub(crate) fn run(held: &mut Held<'_>, cycles: u64) -> Result<u64, String> {
    held.run(cycles).map_err(|e| e.to_string())
}

/// The same between two devices behind vfio-user sockets, by the first one's clock from before the
/// doorbells to when the completion of the last Write was seen: software and sockets are in it.
pub fn vfio_user(writes: usize) -> Result<Figures, String> {
    let told = |e: Error| e.to_string();
    let served = joined_at("stack", Tick::Cycles(TICK));
    let open = |(n, path): (u8, &std::path::Path)| -> Result<Device, Error> {
        Device::new(Arc::new(PciBackend::vfio_user(path)?), &net(n))
    };
    let [(ours, _), (theirs, _)] = &served;
    let devices = [open((1, ours)).map_err(told)?, open((2, theirs)).map_err(told)?];
    let octets = writes * OCTETS;
    let joined = Joined::new(devices, octets).map_err(told)?;
    let now = || joined.ours.clock_ns().ok_or("the device has no clock".to_string());
    let begun = now()?;
    for n in 0..writes {
        joined.write(n).map_err(told)?;
    }
    for _ in 0..writes {
        let done = joined.cqs[0].wait(PATIENCE).map_err(told)?;
        if done.status != Status::Success {
            return Err(format!("a Write failed: {done:?}"));
        }
    }
    let ps = ((now()? - begun) * 1_000.0) as u64;
    joined.finish()?;
    Ok(Figures { goodput_ratio: of_limit(octets, ps), cycles: ps / clock_ps() })
}
