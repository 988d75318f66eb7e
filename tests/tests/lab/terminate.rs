// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a peer refuses, between two simulated devices whose Ethernet is a pair of sockets: hardware
//! finds the fault and keeps the headers, firmware composes the Terminate that quotes them,
//! hardware sends it, and the other end's application is told what of its own was refused. `tshark`
//! reads it.
use ferrowarp::{AcceptOptions, Access, ConnectOptions, Device, Error, Listener, QpOptions, Remote, Status};
use ferrowarp_abi::error::TermError;
use ferrowarp_abi::opcode::Opcode;
use ferrowarp_abi::terminate::QuotedDdp;
use ferrowarp_abi::types::{STag, TaggedOffset};
use ferrowarp_firmware::terminate::Received;
use ferrowarp_tests::proves::proves_rows;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Two models on a busy machine take some ten thousand cycles a second.
const PATIENCE: Duration = Duration::from_secs(120);
/// The server's port.
const PORT: u16 = 7174;
/// An STag that nobody has.
const NOBODYS: STag = STag(0x00C0_FF33);

/// A folder for sockets and captures, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(deed: Deed) -> Self {
        let name = format!("ferrowarp-terminate-{deed:?}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
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

/// Each Terminate in a capture by Wireshark's dissector: layer, type, code, M, D and R; and the
/// octets of its segment.
fn terminates(capture: &Path) -> Vec<(String, String)> {
    let codes = "term_layer term_etype_rdma term_etype_ddp term_errcode_rdma term_errcode_ddp_tagged \
                 term_errcode_ddp_untagged term_hdrct_m hdrct_d hdrct_r";
    let mut tshark = Command::new("tshark");
    tshark.arg("-r").arg(capture).args(["-Y", "iwarp_rdma.term_ctrl", "-T", "fields"]);
    for field in codes.split_whitespace() {
        tshark.args(["-e", &format!("iwarp_rdma.{field}")]);
    }
    let output = tshark.args(["-e", "tcp.payload"]).output();
    let output = output.expect("tshark is installed by `cargo xtask setup`");
    let split = |line: &str| {
        // fields of other layers are empty
        let mut fields: Vec<_> = line.split('\t').filter(|field| !field.is_empty()).collect();
        let octets = fields.pop().expect("the octets").to_string();
        let number = |field: &&str| {
            let hex = field.strip_prefix("0x").map(|hex| u32::from_str_radix(hex, 16).unwrap().to_string());
            hex.unwrap_or(field.to_string())
        };
        (fields.iter().map(number).collect::<Vec<_>>().join(" "), octets)
    };
    String::from_utf8(output.stdout).unwrap().lines().map(split).collect()
}

/// The connection of a capture ended in order, by Wireshark's dissector: each end sent one FIN,
/// which the other one acknowledged, and none a reset.
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

/// What the client does to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    /// An RDMA Write of 1,000 octets to an STag that nobody has.
    Write,
    /// A Send of 100 octets to a receive of 64.
    Send,
    /// An RDMA Read of 8 octets from an STag that nobody has.
    Read,
}

/// What came of it.
struct Seen {
    /// The client's application was told of it.
    told: Received,
    /// Terminates on the client's wire: fields of the dissector, octets of the segment.
    wire: Vec<(String, String)>,
}

/// Waits until `found` finds something.
fn until<R>(what: &str, mut found: impl FnMut() -> Option<R>) -> R {
    let begun = Instant::now();
    loop {
        match found() {
            Some(found) => return found,
            None if begun.elapsed() > PATIENCE => panic!("{what} did not come"),
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Sends once, then does it; what the peer's Terminate says.
fn client(ours: &Device, deed: Deed) -> Received {
    let pd = ours.protection_domain().unwrap();
    let cq = ours.completion_queue(16).unwrap();
    let qp = ours.queue_pair(&pd, [&cq, &cq], QpOptions::default()).unwrap();
    let region = pd.allocate(1_000, Access::ALL).unwrap();
    let part = |octets| region.segment(0, octets).unwrap();
    qp.post_recv(7, &[part(64)]).unwrap();
    let connection = ours.connect(&qp, ([10, 0, 0, 1], PORT).into(), ConnectOptions::default()).unwrap();
    let connected = connection.queue_pair();
    connected.send(8, &[part(8)]).post().unwrap();
    let sent = cq.wait(PATIENCE).unwrap();
    assert_eq!((sent.wr_id, sent.status), (8, Status::Success));
    let nowhere = Remote { stag: NOBODYS, to: TaggedOffset(0x1_0000_0007) };
    match deed {
        Deed::Write => connected.write(9, &[part(1_000)], nowhere).post().unwrap(),
        Deed::Send => connected.send(9, &[part(100)]).post().unwrap(),
        Deed::Read => connected.read(9, part(8), nowhere).post().unwrap(),
    }
    // TCP delivered a Write or Send; what became of it comes with the Terminate. The rest is
    // flushed
    let of_deed = if deed == Deed::Read { Status::Flushed } else { Status::Success };
    let mut ends: Vec<_> =
        (0..2).map(|_| cq.wait(PATIENCE).unwrap()).map(|wc| (wc.wr_id, wc.status)).collect();
    ends.sort_by_key(|end| end.0);
    assert_eq!(ends, [(7, Status::Flushed), (9, of_deed)]);
    let told = until("the Terminate", || connection.terminated());
    drop(connection.disconnect(PATIENCE));
    told
}

/// Takes one Send; what the peer does then is refused.
fn server(theirs: &Device, listener: &Listener, deed: Deed) {
    let pd = theirs.protection_domain().unwrap();
    let cq = theirs.completion_queue(16).unwrap();
    let qp = theirs.queue_pair(&pd, [&cq, &cq], QpOptions::default()).unwrap();
    let region = pd.allocate(64, Access::ALL).unwrap();
    for wr_id in [1, 2] {
        qp.post_recv(wr_id, &[region.segment(0, 64).unwrap()]).unwrap();
    }
    let request = listener.next(PATIENCE).unwrap();
    let connection = request.accept(&qp, AcceptOptions::default()).unwrap();
    let first = cq.wait(PATIENCE).unwrap();
    let second = cq.wait(PATIENCE).unwrap();
    // it ends by itself, behind the Terminate
    until("the end", || connection.is_closed().then_some(()));
    std::thread::sleep(Duration::from_secs(1));
    drop(connection.disconnect(PATIENCE));
    assert_eq!((first.wr_id, first.status), (1, Status::Success));
    let status = if deed == Deed::Send { Status::LocalLength } else { Status::Flushed };
    assert_eq!((second.wr_id, second.status), (2, status), "{second:?}");
}

/// Does it between two devices.
fn run(deed: Deed) -> Seen {
    let folder = Folder::new(deed);
    let (ours, theirs) = (device(&folder, 2, 1).unwrap(), device(&folder, 1, 2).unwrap());
    let listener = theirs.listen(PORT, 1).unwrap();
    let served = std::thread::spawn(move || server(&theirs, &listener, deed));
    let told = client(&ours, deed);
    served.join().unwrap();
    drop(ours);
    closed(&folder.capture(2));
    Seen { told, wire: terminates(&folder.capture(2)) }
}

/// What came of each deed; each is done once for all tests.
fn seen(deed: Deed) -> &'static Seen {
    static SEEN: [OnceLock<Seen>; 3] = [const { OnceLock::new() }; 3];
    SEEN[deed as usize].get_or_init(|| run(deed))
}

/// The one Terminate on the wire: fields, ULPDU in hexadecimal.
fn one(deed: Deed) -> (&'static str, &'static str) {
    let [(fields, octets)] = &seen(deed).wire[..] else { panic!("one Terminate: {:?}", seen(deed).wire) };
    let length = usize::from_str_radix(&octets[..4], 16).unwrap();
    assert_eq!(octets.len(), 2 * ((2 + length).next_multiple_of(4) + 4), "ULPDU_Length, ULPDU, pad, CRC");
    (fields, &octets[4..4 + 2 * length])
}

/// Its octets without blanks.
fn hex(octets: &str) -> String {
    octets.replace(' ', "")
}

/// The DDP header of a Terminate.
const HEAD: &str = "4147 00000000 00000002 00000001 00000000";

#[test]
fn a_refused_write_is_answered_by_a_terminate() {
    let _proof = proves_rows(&["RDMAP-4.8-44", "RDMAP-3.1-09", "RDMAP-7.1-07"]);
    let (fields, ulpdu) = one(Deed::Write);
    // DDP, tagged buffer, invalid STag; M and D, not R
    assert_eq!(fields, "1 1 0 1 1 0");
    // 14 octets of header and 1,000 of payload
    let quoted = "1100c000 03f6 c140 00c0ff33 0000000100000007";
    assert_eq!(ulpdu, hex(&[HEAD, quoted].concat()));
}

#[test]
fn headers_are_quoted_as_they_came() {
    let _proof = proves_rows(&["RDMAP-4.8-47", "RDMAP-4.8-49", "RDMAP-4.8-50"]);
    let (fields, send) = one(Deed::Send);
    // DDP, untagged buffer, message too long; the second message of queue 0
    assert_eq!(fields, "1 2 5 1 1 0");
    let quoted = "1205c000 0076 4143 00000000 00000000 00000002 00000000";
    assert_eq!(send, hex(&[HEAD, quoted].concat()));
    let lengths = [Deed::Write, Deed::Send, Deed::Read].map(|deed| one(deed).1.len() / 2);
    assert_eq!(lengths, [38, 42, 70], "a header of 14 octets, one of 18, one of 18 and a Read Request");
}

#[test]
fn a_refused_read_is_quoted_whole() {
    let _proof = proves_rows(&["RDMAP-4.8-51", "RDMAP-4.8-52", "RDMAP-7.1-05"]);
    let (fields, ulpdu) = one(Deed::Read);
    // RDMAP, remote protection, invalid STag
    assert_eq!(fields, "0 1 0 1 1 1");
    let told = &seen(Deed::Read).told;
    let read = told.refused().and_then(|refused| refused.read_request).expect("its header");
    // the first message of queue 1
    let quoted = "0100e000 002e 4141 00000000 00000001 00000001 00000000";
    let sink = format!("{:08x}{:016x}", read.sink_stag.0, read.sink_offset.0);
    let request = [HEAD, quoted, &sink, "00000008 00c0ff33 0000000100000007"].concat();
    assert_eq!(ulpdu, hex(&request));
    assert_eq!((told.layer, told.etype, told.code), (0, 1, 0));
}

#[test]
fn the_application_hears_what_was_refused() {
    let _proof = proves_rows(&["RDMAP-3.2-05", "RDMAP-3.2-11", "DDP-7.1-26"]);
    let names = |deed| seen(deed).told.error.map(|error| error.info().error);
    assert_eq!(names(Deed::Send), Some(TermError::DdpTooLong));
    assert_eq!(names(Deed::Read), Some(TermError::RdmapInvalidStag));
    let write = &seen(Deed::Write).told;
    let refused = write.refused().expect("our segment");
    assert_eq!((refused.opcode, refused.length), (Some(Opcode::RdmaWrite), Some(1_014)));
    let QuotedDdp::Tagged(header) = refused.ddp else { panic!("{refused:?}") };
    assert_eq!((header.stag, header.tagged_offset), (NOBODYS, TaggedOffset(0x1_0000_0007)));
    let text = write.to_string();
    assert!(text.ends_with("our RDMA Write, 1014 octets, STag 0x00c0ff33, TO 0x100000007"), "{text}");
    let text = seen(Deed::Send).told.to_string();
    assert!(text.ends_with("our Send, 118 octets, MSN 2, MO 0"), "{text}");
    let text = seen(Deed::Read).told.to_string();
    let read = "our RDMA Read Request, 46 octets, MSN 1, MO 0, 8 octets from STag 0x00c0ff33, TO 0x100000007";
    assert!(text.ends_with(read), "{text}");
}

#[test]
fn a_terminate_is_the_first_message_of_queue_2() {
    let _proof = proves_rows(&["RDMAP-A.6-02", "RDMAP-A.6-03", "RDMAP-A.6-04"]);
    for deed in [Deed::Write, Deed::Send, Deed::Read] {
        let ulpdu = one(deed).1;
        assert_eq!(&ulpdu[4..12], "00000000", "{deed:?}: reserved for the ULP");
        assert_eq!((&ulpdu[12..20], &ulpdu[20..28]), ("00000002", "00000001"), "{deed:?}: QN, MSN");
    }
}

#[test]
fn a_terminate_is_one_segment_without_reserved_bits() {
    let _proof = proves_rows(&["RDMAP-A.6-05", "RDMAP-4.8-42", "RDMAP-1.2-10"]);
    for deed in [Deed::Write, Deed::Send, Deed::Read] {
        let ulpdu = one(deed).1;
        assert_eq!(&ulpdu[..4], "4147", "{deed:?}: untagged, last, opcode 7");
        assert_eq!(&ulpdu[28..36], "00000000", "{deed:?}: MO");
        let word = u32::from_str_radix(&ulpdu[36..44], 16).unwrap();
        assert_eq!(word & 0x1FFF, 0, "{deed:?}");
    }
}

#[test]
fn what_is_quoted_has_its_place() {
    let _proof = proves_rows(&["RDMAP-A.6-07", "RDMAP-A.6-08", "RDMAP-A.6-09"]);
    let octets = |deed, from: usize, to: usize| &one(deed).1[2 * from..2 * to];
    assert_eq!(
        [Deed::Write, Deed::Send, Deed::Read].map(|deed| octets(deed, 22, 24)),
        ["03f6", "0076", "002e"]
    );
    assert_eq!(octets(Deed::Write, 24, 38), hex("c140 00c0ff33 0000000100000007"));
    assert_eq!(octets(Deed::Send, 24, 42), hex("4143 00000000 00000000 00000002 00000000"));
    assert_eq!(octets(Deed::Read, 24, 42), hex("4141 00000000 00000001 00000001 00000000"));
    assert_eq!(octets(Deed::Read, 54, 70), hex("00000008 00c0ff33 0000000100000007"));
    // the other device read them there too
    assert!([Deed::Write, Deed::Send, Deed::Read].iter().all(|&deed| seen(deed).told.refused().is_some()));
    assert!(seen(Deed::Read).told.quoted.read_request.is_some());
}
