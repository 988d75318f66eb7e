// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ethernet ports against plain sockets and, where this is root, the kernel's own TAP; a bridge on
//! a top of plain wires.
mod common;

use common::top;
use ferrowarp_hdl::emit::Direction;
use ferrowarp_sim::eth::{
    Bridge, BridgeConfig, BridgeStats, Delivery, DgramPort, EthAddress, EthError, EthPort,
};
use ferrowarp_sim::eth::{JoinedPort, StreamPort, TapPort, MAX_FRAME};
use ferrowarp_sim::link::MIN_FRAME;
use ferrowarp_sim::skip::skip;
use ferrowarp_sim::{model_of, Bench, Frame, Library, LinkConfig, Pattern};
use std::io::{Read, Write};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A folder with a short path that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ferrowarp-eth-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn frame(first: u8, octets: usize) -> Vec<u8> {
    (0..octets).map(|i| first.wrapping_add(i as u8)).collect()
}

/// The next frame, within two seconds.
fn wait_for(port: &mut dyn EthPort) -> Vec<u8> {
    let end = Instant::now() + Duration::from_secs(2);
    loop {
        match port.receive().unwrap() {
            Some(frame) => return frame,
            None if Instant::now() > end => panic!("no frame came"),
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

#[test]
fn a_datagram_is_a_frame_each_way() {
    let folder = Folder::new("dgram");
    let (ours, theirs) = (folder.at("ours"), folder.at("theirs"));
    let address: EthAddress = format!("qemu-dgram:{},{}", ours.display(), theirs.display()).parse().unwrap();
    let mut port = address.open().unwrap();
    assert_eq!(port.send(&frame(1, 60)).unwrap(), Delivery::Unplugged, "nobody is there yet");
    let peer = UnixDatagram::bind(&theirs).unwrap();
    assert_eq!(port.send(&frame(2, 1514)).unwrap(), Delivery::Sent);
    let mut room = [0; 2000];
    let octets = peer.recv(&mut room).unwrap();
    assert_eq!(room[..octets], frame(2, 1514));
    assert_eq!(port.receive().unwrap(), None);
    // what is no frame is passed over
    for octets in [42, 13, MAX_FRAME + 1, 60] {
        peer.send_to(&frame(9, octets), &ours).unwrap();
    }
    assert_eq!(wait_for(&mut *port), frame(9, 42));
    assert_eq!(wait_for(&mut *port), frame(9, 60));
    // a peer that takes nothing: the kernel keeps a few, then there is no room
    let full = (0..1_000).find(|_| port.send(&frame(3, 60)).unwrap() == Delivery::Busy);
    assert!(full.is_some());
    peer.recv(&mut room).unwrap();
    assert_eq!(port.send(&frame(3, 60)).unwrap(), Delivery::Sent);
    // the peer goes and another one comes
    drop(peer);
    // the kernel may call a socket that was full busy for a moment after it is gone
    let gone = (0..1_000).map(|_| port.send(&frame(4, 60)).unwrap()).find(|delivery| {
        std::thread::sleep(Duration::from_millis(1));
        *delivery != Delivery::Busy
    });
    assert_eq!(gone, Some(Delivery::Unplugged));
    std::fs::remove_file(&theirs).unwrap();
    let peer = UnixDatagram::bind(&theirs).unwrap();
    assert_eq!(port.send(&frame(5, 60)).unwrap(), Delivery::Sent);
    assert_eq!(peer.recv(&mut room).unwrap(), 60);
    drop(port);
    assert!(!ours.exists(), "the socket's file stays behind");
}

#[test]
fn lengths_stand_before_frames_in_a_stream_and_a_peer_may_come_again() {
    let folder = Folder::new("stream");
    let path = folder.at("s");
    let mut port = format!("qemu-stream:{}", path.display()).parse::<EthAddress>().unwrap().open().unwrap();
    assert_eq!(port.send(&frame(1, 60)).unwrap(), Delivery::Unplugged);
    for round in 0..2 {
        let mut peer = UnixStream::connect(&path).unwrap();
        assert_eq!(port.send(&frame(round, 61)).unwrap(), Delivery::Sent);
        let mut got = [0; 65];
        peer.read_exact(&mut got).unwrap();
        assert_eq!((&got[..4], &got[4..]), (&[0, 0, 0, 61][..], &frame(round, 61)[..]));
        // three frames in pieces that end anywhere; the one of 5 octets is none
        let mut octets = vec![];
        for length in [60, 5, 1514, 42] {
            octets.extend((length as u32).to_be_bytes());
            octets.extend(frame(round, length));
        }
        for piece in octets.chunks(7) {
            peer.write_all(piece).unwrap();
        }
        for length in [60, 1514, 42] {
            assert_eq!(wait_for(&mut *port), frame(round, length));
        }
        drop(peer);
        assert_eq!(port.receive().unwrap(), None);
        assert_eq!(port.send(&frame(1, 60)).unwrap(), Delivery::Unplugged);
    }
    // a length that no frame has ends the connection, not the port
    let mut peer = UnixStream::connect(&path).unwrap();
    peer.write_all(&[0xff; 8]).unwrap();
    while port.receive().unwrap().is_none() && port.send(&frame(1, 60)).unwrap() != Delivery::Unplugged {}
    peer.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    let mut rest = vec![];
    peer.read_to_end(&mut rest).expect("the connection is closed");
    // a peer that reads nothing: what does not fit waits whole
    let mut peer = UnixStream::connect(&path).unwrap();
    let sent = (0..10_000).take_while(|_| port.send(&frame(6, 1514)).unwrap() == Delivery::Sent).count();
    assert!((1..10_000).contains(&sent), "{sent}");
    for n in 0..sent {
        let mut got = vec![0; 4 + 1514];
        if n + 1 == sent {
            assert_eq!(port.receive().unwrap(), None, "it only sends what is left");
        }
        peer.read_exact(&mut got).unwrap();
        assert_eq!(got[4..], frame(6, 1514), "frame {n}");
    }
}

#[test]
fn sockets_of_the_living_and_other_files_are_left_alone() {
    let folder = Folder::new("paths");
    let (socket, other, dead) = (folder.at("socket"), folder.at("file"), folder.at("dead"));
    let first = StreamPort::listen(&socket).unwrap();
    assert!(matches!(StreamPort::listen(&socket), Err(EthError::InUse(p)) if p == socket));
    assert!(matches!(DgramPort::bind(&socket, &other), Err(EthError::InUse(p)) if p == socket));
    drop(first);
    std::fs::write(&other, "precious").unwrap();
    assert!(matches!(DgramPort::bind(&other, &socket), Err(EthError::NotASocket(p)) if p == other));
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious");
    // a process that was killed leaves its file
    drop(UnixDatagram::bind(&dead).unwrap());
    assert!(dead.exists());
    DgramPort::bind(&dead, &other).unwrap();
    let missing = DgramPort::bind(Path::new("/nowhere/a"), &other).unwrap_err().to_string();
    assert!(missing.contains("/nowhere/a") && missing.contains("make its folder"), "{missing}");
    let long = Path::new("/tmp").join("x".repeat(120));
    for result in [DgramPort::bind(&long, &other), DgramPort::bind(&dead, &long)] {
        assert!(matches!(result, Err(EthError::LongPath { octets: 125, most: 107, .. })));
    }
}

#[test]
fn what_is_no_frame_is_not_sent() {
    let folder = Folder::new("length");
    let mut port = DgramPort::bind(&folder.at("a"), &folder.at("b")).unwrap();
    for octets in [0, 13, MAX_FRAME + 1] {
        let told = port.send(&vec![0; octets]).unwrap_err().to_string();
        assert!(told.contains(&format!("{octets} octets")), "{told}");
    }
}

fn is_root() -> bool {
    std::fs::read_to_string("/proc/self/status").unwrap().contains("\nUid:\t0\t0\t")
}

/// The kernel answers an ARP request through the device; without privilege the error says what to
/// do.
#[test]
fn a_tap_reaches_the_kernel_or_says_what_it_needs() {
    let name = format!("fwt{}", std::process::id());
    let mut port = match TapPort::open(&name) {
        Ok(port) => port,
        Err(e) => {
            let told = e.to_string();
            assert!(told.contains(&name) && told.contains("ip tuntap add dev"), "{told}");
            assert!(!is_root() || !Path::new("/dev/net/tun").exists(), "root gets none: {told}");
            return skip("a TAP device needs root and /dev/net/tun");
        }
    };
    assert_eq!(port.send(&frame(1, 60)).unwrap(), Delivery::Unplugged, "it is not up yet");
    for args in [vec!["addr", "add", "198.18.73.1/30", "dev", &name], vec!["link", "set", &name, "up"]] {
        assert!(Command::new("ip").args(&args).status().unwrap().success(), "{args:?}");
    }
    // RFC 826: who has 198.18.73.1, tell 198.18.73.2; RFC 2544 keeps these addresses for tests
    let ours = [2, 0, 0, 0, 0, 9];
    let mut ask = [&[0xff; 6][..], &ours, &[8, 6, 0, 1, 8, 0, 6, 4, 0, 1], &ours, &[198, 18, 73, 2]].concat();
    ask.extend([0, 0, 0, 0, 0, 0, 198, 18, 73, 1]);
    assert_eq!(port.send(&ask).unwrap(), Delivery::Sent);
    let answer = loop {
        let frame = wait_for(&mut port);
        if frame[12..14] == [8, 6] && frame[20..22] == [0, 2] {
            break frame;
        }
    };
    assert_eq!(answer[..6], ours);
    assert_eq!(answer[28..42], [&[198, 18, 73, 1][..], &ours, &[198, 18, 73, 2]].concat());
    drop(port);
    let left = Path::new("/sys/class/net").join(&name);
    assert!(!left.exists(), "the device stays behind");
}

const STREAM: [(&str, usize); 4] = [("data", 64), ("bytes", 4), ("last", 1), ("err", 1)];
/// Line rate of a 64-bit stream at 156.25 MHz.
const LINK: LinkConfig = LinkConfig { rate_bps: 10_000_000_000, clock_ps: 6_400, delay_ns: 0 };

/// Wires from the test's ports (`t_...`) to the device's, and a counter of ticks.
fn library() -> Arc<Library> {
    static LIBRARY: OnceLock<Arc<Library>> = OnceLock::new();
    let build = || {
        let (mut ports, mut body) = (vec![], String::new());
        for (from, to) in [("t_tx", "tx"), ("rx", "t_rx")] {
            for (field, width) in STREAM.iter().chain([&("valid", 1)]) {
                body += &format!("    assign {to}_{field} = {from}_{field};\n");
                ports.push((format!("{from}_{field}"), *width, Direction::Input));
                ports.push((format!("{to}_{field}"), *width, Direction::Output));
            }
            body += &format!("    assign {from}_ready = {to}_ready;\n");
            ports.push((format!("{to}_ready"), 1, Direction::Input));
            ports.push((format!("{from}_ready"), 1, Direction::Output));
        }
        body += "    reg [31:0] count;\n    assign ticks = count;\n    always @(posedge clock)\n        \
                 count <= reset ? 0 : count + {31'b0, tick_pin & tick_use_pin};\n";
        ports.push(("ticks".into(), 32, Direction::Output));
        ports.extend(["tick_pin", "tick_use_pin"].map(|p| (p.to_string(), 1, Direction::Input)));
        model_of(&top("bridged", ports, &body)).unwrap()
    };
    Arc::clone(LIBRARY.get_or_init(build))
}

#[test]
fn a_bridge_carries_padded_frames_both_ways_and_ticks_with_the_wall() {
    let folder = Folder::new("bridge");
    let (ours, theirs, pcap) = (folder.at("ours"), folder.at("theirs"), folder.at("both.pcapng"));
    let mut bench = Bench::live(&library(), 1).unwrap();
    let (send, take) = (bench.source("t_tx", Pattern::None), bench.sink("t_rx", Pattern::None));
    let port = Box::new(DgramPort::bind(&ours, &theirs).unwrap());
    let mut bridge = Bridge::attach(&mut bench, port, BridgeConfig::device(LINK));
    bridge.capture(&pcap).unwrap();
    let start = Instant::now();

    // nobody is there: the frame is lost like on a cable that is not plugged in
    bench.send(send, Frame::good(frame(1, 60)));
    while bridge.stats().unplugged == 0 {
        bridge.step(&mut bench).unwrap();
    }
    let peer = UnixDatagram::bind(&theirs).unwrap();
    peer.set_nonblocking(true).unwrap();
    // more than the kernel keeps for a peer that is slow, and one with a bad FCS, which no peer
    // ever sees
    let lengths: Vec<_> = (0..40).map(|n| 60 + n * 37).collect();
    for &octets in &lengths {
        bench.send(send, Frame::good(frame(2, octets)));
    }
    bench.send(send, Frame { data: frame(3, 100), err: true });
    let (mut got, mut room) = (vec![], [0; 2000]);
    for step in 0.. {
        bridge.step(&mut bench).unwrap();
        let read = (step % 50 == 0).then(|| peer.recv(&mut room));
        if let Some(Ok(octets)) = read {
            got.push(room[..octets].to_vec());
        }
        if got.len() == lengths.len() && bench.sent_all(send) && bridge.is_idle() {
            break;
        }
    }
    assert!(got.iter().zip(&lengths).all(|(got, &octets)| *got == frame(2, octets)));

    // into the device: an ARP of 42 octets arrives padded with zeros
    for octets in [42, 1514, 61] {
        peer.send_to(&frame(5, octets), &ours).unwrap();
    }
    while bench.waiting(take) < 3 {
        bridge.step(&mut bench).unwrap();
    }
    let mut short = frame(5, 42);
    short.resize(MIN_FRAME as usize, 0);
    let want = [short, frame(5, 1514), frame(5, 61)].map(Frame::good);
    assert_eq!(bench.received(take), want);

    // nothing to do: it sleeps, and no tick of the time is lost
    (0..64).for_each(|_| bridge.step(&mut bench).unwrap());
    let (slept, before, mut rests) = (Instant::now(), bench.get("ticks"), 0);
    while slept.elapsed() < Duration::from_millis(50) {
        while !bridge.is_idle() {
            bridge.step(&mut bench).unwrap();
        }
        // several ticks at a time
        bridge.rest(bridge.until_tick() + Duration::from_millis(3), None).unwrap();
        (0..64).for_each(|_| bridge.step(&mut bench).unwrap());
        rests += 1;
    }
    let (ticks, passed) = (bench.get("ticks"), start.elapsed().as_millis() as u64);
    assert!(ticks >= before + 4 * rests, "{ticks} ticks, {before} before {rests} rests");
    // and there are no more than milliseconds, however many cycles
    (0..100_000).for_each(|_| bridge.step(&mut bench).unwrap());
    let (more, now) = (bench.get("ticks"), start.elapsed().as_millis() as u64);
    assert!(
        ticks <= passed + 1 && more >= ticks && more <= now + 1,
        "{ticks} ticks in {passed} ms, {more} in {now}"
    );

    let stats = bridge.finish().unwrap();
    assert_eq!(stats, BridgeStats { sent: 40, received: 3, unplugged: 1, dropped: 0, bad: 1, wire_lost: 0 });
    let tshark = ferrowarp_sim::pcap::tshark::read(&pcap).unwrap();
    assert_eq!(tshark.frames, 44);
}

#[test]
fn a_frame_that_the_wire_spoilt_reaches_the_device_with_err() {
    let folder = Folder::new("spoilt");
    let pcap = folder.at("spoilt.pcapng");
    let mut bench = Bench::live(&library(), 1).unwrap();
    let take = bench.sink("t_rx", Pattern::None);
    let [mut peer, port] = JoinedPort::pair(&"corrupt=1".parse().unwrap()).unwrap();
    let mut bridge = Bridge::attach(&mut bench, Box::new(port), BridgeConfig::device(LINK));
    bridge.capture(&pcap).unwrap();
    assert_eq!(peer.send(&frame(7, 100)).unwrap(), Delivery::Sent);
    while bench.waiting(take) < 1 {
        bridge.step(&mut bench).unwrap();
    }
    let [got] = bench.received(take).try_into().unwrap();
    let turned: u32 = got.data.iter().zip(frame(7, 100)).map(|(a, b)| (a ^ b).count_ones()).sum();
    assert_eq!((got.err, got.data.len(), turned), (true, 100, 1));
    assert_eq!(bridge.finish().unwrap().received, 1);
    let octets = std::fs::read(&pcap).unwrap();
    assert!(octets.windows(7).any(|text| text == b"bad FCS"), "the capture says so");
}

#[test]
fn a_tick_may_be_a_number_of_cycles() {
    let folder = Folder::new("cycles");
    let mut bench = Bench::live(&library(), 1).unwrap();
    bench.sink("t_rx", Pattern::None);
    let port = Box::new(DgramPort::bind(&folder.at("ours"), &folder.at("theirs")).unwrap());
    let config = BridgeConfig { tick: "cycles:10".parse().unwrap(), ..BridgeConfig::device(LINK) };
    let mut bridge = Bridge::attach(&mut bench, port, config);
    let before = bench.get("ticks");
    (0..1_000).for_each(|_| bridge.step(&mut bench).unwrap());
    assert_eq!(bench.get("ticks") - before, 100);
}

#[test]
fn a_frame_wakes_a_bridge_that_rests() {
    let folder = Folder::new("rest");
    let (ours, theirs) = (folder.at("ours"), folder.at("theirs"));
    let mut bench = Bench::live(&library(), 1).unwrap();
    bench.sink("t_rx", Pattern::None);
    let port = Box::new(DgramPort::bind(&ours, &theirs).unwrap());
    let mut bridge = Bridge::attach(&mut bench, port, BridgeConfig::device(LINK));
    let start = Instant::now();
    bridge.rest(Duration::from_millis(30), None).unwrap();
    assert!(start.elapsed() >= Duration::from_millis(30));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            UnixDatagram::unbound().unwrap().send_to(&frame(1, 60), &ours).unwrap();
        });
        bridge.rest(Duration::from_secs(60), None).unwrap();
    });
    assert!(start.elapsed() < Duration::from_secs(30));
}
