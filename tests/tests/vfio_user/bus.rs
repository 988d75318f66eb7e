// SPDX-License-Identifier: MIT OR Apache-2.0
//! A simulated device behind its socket without the driver: registers, memory, an interrupt,
//! resets, in the words of VFIO.
use ferrowarp_abi::consts::{csr, event_kind};
use ferrowarp_sim::eth::{JoinedPort, Wire};
use ferrowarp_tests::bus::{spoilt, Bus, COMMAND, EVENTS, IOVA, MEMORY, OCTETS, PATIENCE, QP, RING, SQ};
use ferrowarp_tests::served::served;
use rustix::event::{eventfd, poll, EventfdFlags, PollFd, PollFlags, Timespec};
use rustix::fs::{memfd_create, MemfdFlags};
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::time::Duration;
use vfio_user::Client;

/// MSI-X in VFIO's order.
const MSIX: u32 = 2;
/// `SET_IRQS` with descriptors that are to be triggered.
const EVENTFD: u32 = 4 | 32;
/// Device Control of the capability PCI Express, which this function has at 0x50; its bit for
/// Function Level Reset.
const DEVICE_CONTROL: u64 = 0x58;
const FLR: u16 = 1 << 15;
/// A host program with nothing but the protocol.
struct Host {
    client: Client,
    memory: File,
    event: OwnedFd,
}

impl Bus for Host {
    fn read(&mut self, region: u32, offset: u64, into: &mut [u8]) {
        self.client.region_read(region, offset, into).unwrap();
    }

    fn write(&mut self, region: u32, offset: u64, octets: &[u8]) {
        self.client.region_write(region, offset, octets).unwrap();
    }
}

impl Host {
    fn spoil(&mut self) {
        self.memory.write_all_at(&spoilt(), SQ).unwrap();
        self.ring();
    }

    /// Messages since the last call; waits for one.
    fn interrupts(&self, most: Duration) -> u64 {
        let mut polled = [PollFd::new(&self.event, PollFlags::IN)];
        let most = Timespec::try_from(most).unwrap();
        if poll(&mut polled, Some(&most)).unwrap() == 0 {
            return 0;
        }
        let mut count = [0; 8];
        rustix::io::read(&self.event, &mut count).unwrap();
        u64::from_ne_bytes(count)
    }

    /// An entry of the event ring.
    fn event(&self, nth: u64) -> [u8; 16] {
        let mut octets = [0; 16];
        self.memory.read_exact_at(&mut octets, EVENTS + 16 * nth).unwrap();
        octets
    }

    /// Sets the device up, whose first event is that of the Ethernet link.
    fn begin(&mut self) {
        self.memory.write_all_at(&[0; 32], EVENTS).unwrap();
        self.set_up();
        assert_eq!(self.interrupts(PATIENCE), 1, "the link is up");
        assert_eq!((self.event(0)[0], self.event(0)[15] & 1), (event_kind::LINK_UP, 1));
    }
}

#[test]
fn a_program_without_a_driver_reaches_registers_and_is_interrupted_and_resets() {
    let [port, _cable] = JoinedPort::pair(&Wire::default()).unwrap();
    let (path, served) = served("bus", port);

    let memory = File::from(memfd_create("host", MemfdFlags::CLOEXEC).unwrap());
    memory.set_len(OCTETS).unwrap();
    let mut client = Client::new(&path).unwrap();
    client.dma_map(0, IOVA, OCTETS, memory.as_raw_fd()).unwrap();
    let event = eventfd(0, EventfdFlags::NONBLOCK).unwrap();
    client.set_irqs(MSIX, EVENTFD, 0, 1, &[event.as_raw_fd()]).unwrap();
    let mut host = Host { client, memory, event };

    assert_eq!(host.word(csr::MAGIC), u32::MAX, "memory space is not enabled");
    for (round, reset) in ["power-up", "VFIO's reset", "the reset of configuration space"].iter().enumerate()
    {
        host.begin();
        assert_eq!(host.interrupts(Duration::ZERO), 0, "after {reset}");
        host.spoil();
        assert_eq!(host.interrupts(PATIENCE), 1, "after {reset}");
        // the message comes behind its event
        let event = host.event(1);
        assert_eq!((event[0], &event[2..4], event[15] & 1), (3, &QP.to_be_bytes()[..], 1), "{event:02x?}");
        match round {
            0 => host.client.reset().unwrap(),
            _ => host.configure(DEVICE_CONTROL, FLR),
        }
        assert_eq!(host.word(csr::MAGIC), u32::MAX, "the command register is as after power-up");
    }

    // no bus master, no access: the work is not fetched, and its reads fail in their time
    host.begin();
    host.configure(COMMAND, MEMORY);
    host.spoil();
    assert_eq!(host.interrupts(Duration::from_millis(500)), 0);
    assert_eq!(host.event(1), [0; 16]);

    // unmapped memory is not written, and the refusal is counted
    host.client.reset().unwrap();
    host.begin();
    host.client.dma_unmap(IOVA, OCTETS).unwrap();
    host.spoil();
    // The fault and the errors of the bus that its refused events are. Such events fill half of the
    // ring at most.
    let mut messages = 0;
    while messages < 2 {
        match host.interrupts(PATIENCE) {
            0 => break,
            more => messages += more,
        }
    }
    loop {
        match host.interrupts(Duration::from_millis(500)) {
            0 => break,
            more => messages += more,
        }
    }
    assert!((2..=RING / 2).contains(&messages), "{messages} messages tell of events that found no memory");
    assert_eq!(host.event(1), [0; 16]);
    drop(host);
    let stats = served.finish().unwrap();
    assert!(stats.refused > 0 && stats.sent == 0, "{stats:?}");
}
