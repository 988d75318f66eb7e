// SPDX-License-Identifier: MIT OR Apache-2.0
//! A packet socket on a TAP device of the kernel.
use ferrowarp_sim::eth::{Delivery, EthError, EthPort, PacketPort, TapPort};
use ferrowarp_sim::skip::skip;
use std::process::Command;
use std::time::{Duration, Instant};

const CARRIER: u16 = 0x88B5;

fn set(name: &str, args: &[&str]) {
    let all = [&["link", "set", name], args].concat();
    assert!(Command::new("ip").args(&all).status().unwrap().success(), "{all:?}");
}

/// A frame between two stations.
fn frame(to: [u8; 6], from: [u8; 6], ether_type: u16, octets: usize) -> Vec<u8> {
    let mut frame = [&to[..], &from, &ether_type.to_be_bytes()].concat();
    frame.resize(octets, 0xA5);
    frame
}

/// The next frame of the EtherType, within two seconds.
fn next(port: &mut dyn EthPort) -> Vec<u8> {
    let end = Instant::now() + Duration::from_secs(2);
    loop {
        match port.receive().unwrap() {
            Some(frame) if frame[12..14] == CARRIER.to_be_bytes() => return frame,
            Some(_) => {}
            None => assert!(Instant::now() < end, "no frame came"),
        }
    }
}

#[test]
fn a_packet_socket_takes_one_ether_type_or_says_what_it_needs() {
    let name = format!("fwp{}", std::process::id());
    let Ok(mut cable) = TapPort::open(&name) else {
        let told = PacketPort::open("lo", CARRIER).map(drop).unwrap_err().to_string();
        assert!(told.contains("CAP_NET_RAW"), "{told}");
        return skip("a TAP device needs root and /dev/net/tun");
    };
    let mut port = PacketPort::open(&name, CARRIER).unwrap();
    let (device, host) = ([2, 0x46, 0x57, 0, 0, 1], port.address().0);
    assert_eq!(
        port.send(&frame(device, host, CARRIER, 60)).unwrap(),
        Delivery::Unplugged,
        "it is not up yet"
    );
    set(&name, &["up"]);
    for octets in [60, 61, 1_514] {
        let sent = frame(device, host, CARRIER, octets);
        assert_eq!(port.send(&sent).unwrap(), Delivery::Sent);
        assert_eq!(next(&mut cable), sent);
        let came = frame(host, device, CARRIER, octets);
        // the kernel's own, and neither comes to the socket
        cable.send(&frame(host, device, 0x0806, 60)).unwrap();
        cable.send(&frame(host, device, 0x88B6, 60)).unwrap();
        cable.send(&came).unwrap();
        assert_eq!(next(&mut port), came);
        assert_eq!(port.receive().unwrap(), None, "what the socket sent does not come back");
    }
    set(&name, &["down"]);
    assert_eq!(port.receive().unwrap(), None);
    assert_eq!(port.send(&frame(device, host, CARRIER, 60)).unwrap(), Delivery::Unplugged);
    set(&name, &["up"]);
    cable.send(&frame(host, device, CARRIER, 60)).unwrap();
    assert_eq!(next(&mut port).len(), 60, "it comes back with the interface");
    set(&name, &["mtu", "1499"]);
    let narrow = PacketPort::open(&name, CARRIER).map(drop).unwrap_err();
    assert!(matches!(narrow, EthError::Mtu { mtu: 1_499, .. }), "{narrow}");
    assert!(narrow.to_string().contains(&format!("ip link set {name} mtu 1500")), "{narrow}");
}

#[test]
fn an_interface_that_is_not_there_is_named() {
    for name in ["nonesuch0", "", "..", "a/b", "a23456789012345x"] {
        let told = PacketPort::open(name, CARRIER).map(drop).unwrap_err().to_string();
        assert!(
            told.contains(&format!("no Ethernet interface `{name}`")) && told.contains("ip link"),
            "{told}"
        );
    }
}
