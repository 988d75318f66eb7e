//! What a peer refuses, between two simulated devices whose Ethernet is a pair of sockets: hardware finds the fault,
//! firmware composes the Terminate, hardware sends it, and the other end's application is told. `tshark` reads it.
use ferrowarp::{Access, ConnectOptions, Device, Error, QpOptions, Remote, SendOptions, Status, WcOpcode};
use ferrowarp_abi::types::{STag, TaggedOffset};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Two models on a busy machine take some ten thousand cycles a second.
const PATIENCE: Duration = Duration::from_secs(120);
/// The server's port.
const PORT: u16 = 7174;
/// An STag that nobody has.
const NOBODYS: STag = STag(0x00C0_FF33);

/// A folder for sockets and captures, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("ferrowarp-terminate-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Where device `number` records its frames.
    fn capture(&self, number: u8) -> PathBuf {
        self.0.join(format!("{number}.pcapng"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// The device of address 10.0.0.`own`, whose cable leads to that of 10.0.0.`peer`.
fn device(folder: &Folder, own: u8, peer: u8) -> Result<Device, Error> {
    let socket = |n: u8| folder.0.join(format!("{n}.sock")).display().to_string();
    let (local, remote, pcap) = (socket(own), socket(peer), folder.capture(own));
    let url = format!("sim:eth=qemu-dgram:{local},{remote};ip=10.0.0.{own}/24;pcap={}", pcap.display());
    Device::open(&url)
}

/// Layer, type and code of each Terminate in a capture, by Wireshark's dissector.
fn terminates(capture: &Path) -> Vec<String> {
    let fields = ["term_layer", "term_etype_ddp", "term_errcode_ddp_tagged"];
    let mut tshark = Command::new("tshark");
    tshark.arg("-r").arg(capture).args(["-Y", "iwarp_rdma.term_ctrl", "-T", "fields"]);
    for field in fields {
        tshark.args(["-e", &format!("iwarp_rdma.{field}")]);
    }
    let output = tshark.output().expect("tshark is installed by `cargo xtask setup`");
    String::from_utf8(output.stdout).unwrap().lines().map(String::from).collect()
}

/// The connection of a capture ended in order, by Wireshark's dissector: each end sent one FIN, which the other one
/// acknowledged, and none a reset.
fn closed(capture: &Path) {
    let mut tshark = Command::new("tshark");
    tshark.arg("-r").arg(capture).args(["-o", "tcp.relative_sequence_numbers:FALSE"]);
    tshark.args(["-Y", "tcp", "-T", "fields"]);
    for field in ["ip.src", "tcp.flags.fin", "tcp.flags.reset", "tcp.nxtseq", "tcp.ack"] {
        tshark.args(["-e", field]);
    }
    let output = tshark.output().expect("tshark is installed by `cargo xtask setup`");
    let text = String::from_utf8(output.stdout).unwrap();
    let segments: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    assert!(segments.iter().all(|s| s[2] == "0"), "a reset:\n{text}");
    for end in ["10.0.0.1", "10.0.0.2"] {
        let fins: Vec<_> = segments.iter().filter(|s| s[0] == end && s[1] == "1").collect();
        assert_eq!(fins.len(), 1, "FINs of {end}:\n{text}");
        let last = segments.iter().rfind(|s| s[0] != end).map(|s| s[4]);
        assert_eq!(last, Some(fins[0][3]), "the last acknowledgment of the FIN of {end}:\n{text}");
    }
}

/// Sends once, then writes to an STag that nobody has.
fn write_nowhere(ours: &Device) {
    let pd = ours.protection_domain().unwrap();
    let cq = ours.completion_queue(16).unwrap();
    let qp = ours.queue_pair(&pd, [&cq, &cq], QpOptions::default()).unwrap();
    let region = pd.allocate(64, Access::ALL).unwrap();
    qp.post_recv(7, &[region.segment(0, 64).unwrap()]).unwrap();
    let connection = ours.connect(&qp, ([10, 0, 0, 1], PORT).into(), ConnectOptions::default()).unwrap();
    qp.post_send(8, &[region.segment(0, 8).unwrap()], SendOptions::default()).unwrap();
    let sent = cq.wait(PATIENCE).unwrap();
    assert_eq!((sent.wr_id, sent.status), (8, Status::Success));
    let nowhere = Remote { stag: NOBODYS, to: TaggedOffset(0) };
    qp.post_write(9, &[region.segment(0, 8).unwrap()], nowhere, true).unwrap();
    // TCP delivered the Write; what became of it comes with the Terminate
    let written = cq.wait(PATIENCE).unwrap();
    assert_eq!((written.wr_id, written.opcode, written.status), (9, WcOpcode::Write, Status::Success));
    // what is left of both queues is flushed
    let left = cq.wait(PATIENCE).unwrap();
    assert_eq!((left.wr_id, left.status), (7, Status::Flushed), "{left:?}");
    drop(connection.disconnect(PATIENCE));
}

#[test]
fn a_refused_write_is_answered_by_a_terminate() {
    let folder = Folder::new();
    let (ours, theirs) = (device(&folder, 2, 1).unwrap(), device(&folder, 1, 2).unwrap());
    let listener = theirs.listen(PORT, 1).unwrap();
    let served = std::thread::spawn(move || {
        let pd = theirs.protection_domain().unwrap();
        let cq = theirs.completion_queue(16).unwrap();
        let qp = theirs.queue_pair(&pd, [&cq, &cq], QpOptions::default()).unwrap();
        let region = pd.allocate(64, Access::ALL).unwrap();
        qp.post_recv(1, &[region.segment(0, 64).unwrap()]).unwrap();
        qp.post_recv(2, &[region.segment(0, 64).unwrap()]).unwrap();
        let request = listener.next(PATIENCE).unwrap();
        let connection = request.accept(&qp, ConnectOptions::default()).unwrap();
        // the Send comes; the Write is refused, and what is left is flushed
        let first = cq.wait(PATIENCE).unwrap();
        let second = cq.wait(PATIENCE).unwrap();
        // it ends by itself, behind the Terminate
        while !connection.is_closed() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_secs(1));
        drop(connection.disconnect(PATIENCE));
        (first, second)
    });
    write_nowhere(&ours);
    let (first, second) = served.join().unwrap();
    assert_eq!((first.wr_id, first.status), (1, Status::Success));
    assert_eq!((second.wr_id, second.status), (2, Status::Flushed), "{second:?}");
    drop(ours);
    let told = terminates(&folder.capture(2));
    assert_eq!(told, ["0x01\t0x01\t0x00"], "one Terminate: DDP, tagged buffer, invalid STag");
    closed(&folder.capture(2));
}
