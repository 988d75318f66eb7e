// SPDX-License-Identifier: MIT OR Apache-2.0
//! smoltcp's own stack as the peer: its neighbour discovery and its TCP sockets judge ours.
use super::bench::DUT_MAC;
use super::peer::MAC;
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpCidr};
use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};

#[derive(Default)]
struct Wire {
    incoming: VecDeque<Vec<u8>>,
    outgoing: Vec<Vec<u8>>,
}

struct In(Vec<u8>);
struct Out<'a>(&'a mut Vec<Vec<u8>>);

impl RxToken for In {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

impl TxToken for Out<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, f: F) -> R {
        let mut octets = vec![0; length];
        let result = f(&mut octets);
        self.0.push(octets);
        result
    }
}

impl Device for Wire {
    type RxToken<'a> = In;
    type TxToken<'a> = Out<'a>;

    fn receive(&mut self, _: Instant) -> Option<(In, Out<'_>)> {
        Some((In(self.incoming.pop_front()?), Out(&mut self.outgoing)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Out<'_>> {
        Some(Out(&mut self.outgoing))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        (capabilities.medium, capabilities.max_transmission_unit) = (Medium::Ethernet, 1_514);
        capabilities
    }
}

/// A host with smoltcp's stack.
pub struct Host {
    wire: Wire,
    interface: Interface,
    sockets: SocketSet<'static>,
    ip: IpAddr,
}

impl Host {
    /// At this address, on a /24 or /64.
    pub fn new(ip: IpAddr) -> Self {
        let mut wire = Wire::default();
        let station = HardwareAddress::Ethernet(EthernetAddress(MAC));
        let mut interface = Interface::new(Config::new(station), &mut wire, Instant::ZERO);
        let prefix = if ip.is_ipv4() { 24 } else { 64 };
        interface.update_ip_addrs(|addresses| {
            addresses.push(IpCidr::new(ip.into(), prefix)).expect("room for one address");
        });
        Self { wire, interface, sockets: SocketSet::new(vec![]), ip }
    }

    fn socket(&mut self) -> SocketHandle {
        let buffer = || tcp::SocketBuffer::new(vec![0; 8_192]);
        let mut socket = tcp::Socket::new(buffer(), buffer());
        socket.set_nagle_enabled(false);
        self.sockets.add(socket)
    }

    /// A socket that listens.
    pub fn listen(&mut self, port: u16) -> SocketHandle {
        let handle = self.socket();
        self.get(handle).listen(port).expect("a free port");
        handle
    }

    /// A socket that connects.
    pub fn connect(&mut self, remote: SocketAddr, port: u16) -> SocketHandle {
        let handle = self.socket();
        let (remote, local) = ((remote.ip(), remote.port()), (self.ip, port));
        let socket = self.sockets.get_mut::<tcp::Socket<'_>>(handle);
        socket.connect(self.interface.context(), remote, local).expect("a possible connection");
        handle
    }

    /// A socket.
    pub fn get(&mut self, handle: SocketHandle) -> &mut tcp::Socket<'static> {
        self.sockets.get_mut(handle)
    }

    /// A frame arrives.
    pub fn deliver(&mut self, frame: Vec<u8>) {
        let to = &frame[..6];
        if to == MAC || to[0] & 1 == 1 {
            self.wire.incoming.push_back(frame);
        }
    }

    /// Does what there is to do at this millisecond; the frames that leave.
    pub fn poll(&mut self, now: u64) -> Vec<Vec<u8>> {
        let now = Instant::from_millis(now as i64);
        while !matches!(
            self.interface.poll(now, &mut self.wire, &mut self.sockets),
            smoltcp::iface::PollResult::None
        ) {}
        let frames = std::mem::take(&mut self.wire.outgoing);
        assert!(frames.iter().all(|f| f[..6] == DUT_MAC || f[0] & 1 == 1), "a frame for nobody");
        frames
    }
}
