//! A simulated device behind its socket without the driver: registers, memory, an interrupt, resets, in the words of VFIO.
use ferrowarp_abi::codec::{AdminAnswer, AdminCommand, CqRow, Doorbell, QpRow, Ring};
use ferrowarp_abi::consts::{admin_opcode, admin_status, csr, csr_mask, doorbell_kind, qp_state};
use ferrowarp_sim::eth::{JoinedPort, Wire};
use ferrowarp_tests::device::Wire as Connected;
use ferrowarp_tests::served::served;
use rustix::event::{eventfd, poll, EventfdFlags, PollFd, PollFlags, Timespec};
use rustix::fs::{memfd_create, MemfdFlags};
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};
use vfio_user::Client;

/// Regions in VFIO's order, and its number for MSI-X.
const CONFIG: u32 = 7;
const MSIX: u32 = 2;
/// `SET_IRQS` with descriptors that are to be triggered.
const EVENTFD: u32 = 4 | 32;
/// Offset of the command register; memory and bus master.
const COMMAND: u64 = 4;
const MEMORY: u16 = 2;
const MASTER: u16 = 4;
/// Device Control of the capability PCI Express, which this function has at 0x50; its bit for Function Level Reset.
const DEVICE_CONTROL: u64 = 0x58;
const FLR: u16 = 1 << 15;
/// Where memory is on the bus, and where in it things are.
const IOVA: u64 = 0x4000_0000;
const EVENTS: u64 = 0;
const CQS: u64 = 0x1000;
const SQ: u64 = 0x3000;
const RQ: u64 = 0x4000;
const OCTETS: u64 = 0x5000;
const LOG2: u8 = 4;
const QP: u16 = 5;
const PATIENCE: Duration = Duration::from_secs(60);

/// A host program with nothing but the protocol.
struct Host {
    client: Client,
    memory: File,
    event: OwnedFd,
}

impl Host {
    fn word(&mut self, register: u16) -> u32 {
        let mut octets = [0; 4];
        self.client.region_read(0, register.into(), &mut octets).unwrap();
        u32::from_le_bytes(octets)
    }

    fn put(&mut self, at: u64, octets: &[u8]) {
        for (n, word) in octets.chunks(4).enumerate() {
            self.client.region_write(0, at + 4 * n as u64, word).unwrap();
        }
    }

    fn configure(&mut self, at: u64, value: u16) {
        self.client.region_write(CONFIG, at, &value.to_le_bytes()).unwrap();
    }

    fn await_bit(&mut self, register: u16, mask: u32) -> u32 {
        let end = Instant::now() + PATIENCE;
        loop {
            let word = self.word(register);
            if word != u32::MAX && word & mask != 0 {
                return word;
            }
            assert!(Instant::now() < end, "register {register:#x} stays {word:#x}");
        }
    }

    /// Gives a command; its answer without the head.
    fn ask(&mut self, command: AdminCommand, row: &[u8]) -> Vec<u8> {
        let octets = [&command.octets().unwrap()[..], row].concat();
        self.put(csr::ADMIN_COMMAND.into(), &octets);
        self.put(csr::ADMIN_GO.into(), &(octets.len() as u32).to_le_bytes());
        let status = self.await_bit(csr::ADMIN_STATUS, csr_mask::ADMIN_STATUS_DONE);
        let words: Vec<_> = (0..status >> 18).map(|n| self.word(csr::ADMIN_ANSWER + 4 * n as u16)).collect();
        let answer: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        assert_eq!(AdminAnswer::parse(&answer).unwrap().status, admin_status::DONE, "{command:?}");
        answer[AdminAnswer::LEN..].to_vec()
    }

    fn command(&mut self, opcode: u8, index: u16, row: &[u8]) {
        self.ask(AdminCommand { opcode, index, ..Default::default() }, row);
    }

    /// Rings and queues, and a connection with nobody at its other end.
    fn set_up(&mut self) {
        self.configure(COMMAND, MEMORY | MASTER);
        self.await_bit(csr::STATUS, csr_mask::STATUS_READY);
        let ring = Ring { base: IOVA + EVENTS, log2: LOG2, is_valid: true };
        self.command(admin_opcode::EVENT_RING, 0, &ring.octets().unwrap());
        for cq in [3, 4] {
            let base = IOVA + CQS + 0x1000 * u64::from(cq - 3);
            let row = CqRow { base, log2: LOG2, is_valid: true };
            self.command(admin_opcode::CQ_WRITE, cq, &row.octets().unwrap());
        }
        let row = QpRow {
            state: qp_state::READY,
            send_cq: 3,
            recv_cq: 4,
            sq_base: IOVA + SQ,
            rq_base: IOVA + RQ,
            sq_log2: LOG2,
            rq_log2: LOG2,
            ..Default::default()
        };
        self.command(admin_opcode::QP_WRITE, QP, &row.octets().unwrap());
        self.command(admin_opcode::CONN_INSERT, QP, &Connected::plain(1, 1_500, 14).row(0).octets().unwrap());
    }

    /// Posts a work request of no kind: its queue pair stops, by an event.
    fn spoil(&mut self) {
        let mut slot = [0; 128];
        slot[0] = 15;
        self.memory.write_all_at(&slot, SQ).unwrap();
        let doorbell = Doorbell { kind: doorbell_kind::SQ, number: QP, value: 1, ..Default::default() };
        let page = u64::from(QP) * 4096;
        self.client.region_write(2, page, &doorbell.octets().unwrap()).unwrap();
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

    fn event(&self) -> [u8; 16] {
        let mut octets = [0; 16];
        self.memory.read_exact_at(&mut octets, EVENTS).unwrap();
        octets
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
        host.memory.write_all_at(&[0; 16], EVENTS).unwrap();
        host.set_up();
        assert_eq!(host.interrupts(Duration::ZERO), 0, "after {reset}");
        host.spoil();
        assert_eq!(host.interrupts(PATIENCE), 1, "after {reset}");
        // the message comes behind its event
        let event = host.event();
        assert_eq!((event[0], &event[2..4], event[15] & 1), (3, &QP.to_be_bytes()[..], 1), "{event:02x?}");
        match round {
            0 => host.client.reset().unwrap(),
            _ => host.configure(DEVICE_CONTROL, FLR),
        }
        assert_eq!(host.word(csr::MAGIC), u32::MAX, "the command register is as after power-up");
    }

    // no bus master, no access: the work is not fetched, and its reads fail in their time
    host.memory.write_all_at(&[0; 16], EVENTS).unwrap();
    host.set_up();
    host.configure(COMMAND, MEMORY);
    host.spoil();
    assert_eq!(host.interrupts(Duration::from_millis(500)), 0);
    assert_eq!(host.event(), [0; 16]);

    // unmapped memory is not written, and the refusal is counted
    host.client.reset().unwrap();
    host.set_up();
    host.client.dma_unmap(IOVA, OCTETS).unwrap();
    host.spoil();
    assert_eq!(host.interrupts(PATIENCE), 1, "the message tells of an event that found no memory");
    assert_eq!(host.event(), [0; 16]);
    drop(host);
    let stats = served.finish().unwrap();
    assert!(stats.refused > 0 && stats.sent == 0, "{stats:?}");
}
