// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames on an open connection that change nothing of its stream: what they bring is old, far,
//! spoilt or not TCP.
use crate::tcp_judge::flag;
use ferrowarp_sim::wire::{Ethernet, Ip, Tcp, SHORTEST, TCP};
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;

/// Octets that a receiver may take at most beyond what it has: the largest window.
const FAR: u32 = 70_000;

/// A frame of junk. `tcp` is the header of the first octet that is not acknowledged; up to `ahead`
/// octets from there on may be due.
pub fn frame(rng: &mut ChaCha8Rng, around: &(Ethernet, Ip), tcp: Tcp, ahead: u32) -> Vec<u8> {
    let (ethernet, ip) = around;
    let mut data = vec![0; rng.random_range(0..200)];
    rng.fill_bytes(&mut data);
    let octets = data.len() as u32;
    let whole = |tcp: &Tcp, data: &[u8]| ethernet.tcp(ip, tcp, data);
    // wholly before what is due
    let old = Tcp { seq: tcp.seq.wrapping_sub(octets + rng.random_range(0..3_000)), ..tcp.clone() };
    let far = Tcp { seq: tcp.seq.wrapping_add(rng.random_range(FAR..1 << 30)), ..tcp.clone() };
    match rng.random_range(0..16) {
        0 => whole(&old, &data),
        1 => whole(&far, &data),
        // octets that come too soon: a gap is before them
        2 => {
            let seq = tcp.seq.wrapping_add(ahead + rng.random_range(1..2_000));
            whole(&Tcp { seq, ..tcp }, &data)
        }
        // acknowledgments of what was never sent, and of long ago
        3 => {
            let ack = tcp.ack.wrapping_add(rng.random_range(1..1 << 30));
            whole(&Tcp { ack, ..old }, &data)
        }
        4 => {
            let ack = tcp.ack.wrapping_sub(rng.random_range(100_000..1 << 30));
            whole(&Tcp { ack, ..old }, &data)
        }
        // a reset, or a SYN, that is not where it has to be
        5 => {
            let flags = [flag::RST, flag::RST | flag::ACK][rng.random_range(0..2)];
            whole(&Tcp { flags, ..[old, far][rng.random_range(0..2)].clone() }, &[])
        }
        6 => {
            let flags = [flag::SYN, flag::SYN | flag::ACK][rng.random_range(0..2)];
            whole(&Tcp { flags, ..old }, &data)
        }
        // without ACK
        7 => whole(&Tcp { flags: [0, flag::FIN][rng.random_range(0..2)], ..tcp }, &data),
        // any flags and options, far away
        8 => {
            let options = vec![rng.random(); 4 * rng.random_range(0..=10)];
            let flags = rng.random::<u8>() & !flag::RST;
            whole(&Tcp { flags, options, urgent: rng.random(), ..far }, &data)
        }
        // an octet of the segment that its checksum does not know
        9 => {
            let mut segment = tcp.segment(ip, &[&data[..], &[0]].concat());
            let at = rng.random_range(0..segment.len());
            segment[at] ^= 1 << rng.random_range(0..8);
            ethernet.frame(ip.ethertype(), &ip.packet(TCP, &segment), 0)
        }
        // an impossible data offset, which the checksum knows
        10 => {
            let mut segment = far.segment(ip, &data);
            let words = [0, 1, 4, 15][rng.random_range(0..4)];
            segment[12] = words << 4;
            ethernet.frame(ip.ethertype(), &ip.packet(TCP, &segment), 0)
        }
        // an IP header that is wrong in one octet
        11 => {
            let mut packet = ip.packet(TCP, &far.segment(ip, &data));
            let header = if ip.ethertype() == ferrowarp_sim::wire::IPV4 { 20 } else { 40 };
            packet[rng.random_range(0..header)] ^= 1 << rng.random_range(0..8);
            ethernet.frame(ip.ethertype(), &packet, 0)
        }
        // a packet whose end is cut off
        12 => {
            let packet = ip.packet(TCP, &tcp.segment(ip, &[&data[..], &[7; 60]].concat()));
            let upto = rng.random_range(0..packet.len());
            ethernet.frame(ip.ethertype(), &packet[..upto.min(packet.len() - 55)], 0)
        }
        // another protocol, a fragment, another EtherType
        13 => ethernet.frame(ip.ethertype(), &ip.packet(rng.random_range(7..255), &data), 0),
        14 => {
            let fragment = [0x2000, 0x2001, 0x0001, 0x1FFF][rng.random_range(0..4)];
            let cut = Ip { fragment, ..ip.clone() };
            ethernet.frame(ip.ethertype(), &cut.packet(TCP, &far.segment(ip, &data)), 0)
        }
        _ => {
            let mut octets = vec![0; SHORTEST.max(data.len())];
            rng.fill_bytes(&mut octets);
            octets[..6].copy_from_slice(&ethernet.destination);
            // no IP
            octets[12] |= 0x90;
            octets
        }
    }
}
