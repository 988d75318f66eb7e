// SPDX-License-Identifier: MIT OR Apache-2.0
//! A packet socket on an interface of this machine (packet(7)), which takes frames of one EtherType
//! beside the kernel's own.
use super::error::{EthError, MAX_FRAME};
use super::port::{check_length, Delivery, EthPort};
use super::tap::is_name;
use ferrowarp_abi::types::MacAddr;
use rustix::io::Errno;
use rustix::net::addr::{SocketAddrArg, SocketAddrLen, SocketAddrOpaque};
use rustix::net::{
    bind, recv, send, socket_with, AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType,
};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::str::FromStr;

/// `AF_PACKET` of linux/socket.h.
const AF_PACKET: u16 = 17;
/// Octets of the longest frame of the carrier, less its Ethernet header.
const LEAST_MTU: u64 = 1_500;

/// `struct sockaddr_ll` of linux/if_packet.h as bind(2) reads it.
#[repr(C)]
struct LinkAddress {
    family: u16,
    /// In network order.
    protocol: u16,
    index: i32,
    /// Type, packet type and octets of the address, and the address: bind(2) ignores them.
    rest: [u8; 12],
}

// SAFETY: the pointer is that of a `LinkAddress`, which is live for the call of `f`. `LinkAddress`
// has the layout of the kernel's `struct sockaddr_ll` (20 octets, no padding) and names its family.
unsafe impl SocketAddrArg for LinkAddress {
    unsafe fn with_sockaddr<R>(&self, f: impl FnOnce(*const SocketAddrOpaque, SocketAddrLen) -> R) -> R {
        f(std::ptr::from_ref(self).cast(), size_of::<Self>() as SocketAddrLen)
    }
}

/// A packet socket.
#[derive(Debug)]
pub struct PacketPort {
    socket: OwnedFd,
    name: String,
    address: MacAddr,
    room: Box<[u8]>,
}

/// What the kernel says of an interface.
fn told<T: FromStr>(name: &str, what: &str) -> Result<T, EthError> {
    let text = std::fs::read_to_string(format!("/sys/class/net/{name}/{what}")).ok();
    text.and_then(|text| text.trim().parse().ok()).ok_or_else(|| EthError::NoInterface(name.into()))
}

/// The address of an interface.
fn address(name: &str) -> Result<MacAddr, EthError> {
    let text: String = told(name, "address")?;
    let octets: Option<Vec<u8>> = text.split(':').map(|octet| u8::from_str_radix(octet, 16).ok()).collect();
    octets
        .and_then(|octets| octets.try_into().ok())
        .map(MacAddr)
        .ok_or_else(|| EthError::NoInterface(name.into()))
}

impl PacketPort {
    /// Takes frames of an EtherType that come to the interface `name`, and sends frames there.
    pub fn open(name: &str, ether_type: u16) -> Result<Self, EthError> {
        let failed =
            |step, source: Errno| EthError::Packet { name: name.into(), step, source: source.into() };
        if !is_name(name) {
            return Err(EthError::NoInterface(name.into()));
        }
        let (index, mtu, address) = (told(name, "ifindex")?, told(name, "mtu")?, address(name)?);
        if mtu < LEAST_MTU {
            return Err(EthError::Mtu { name: name.into(), mtu, least: LEAST_MTU });
        }
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        // without a protocol nothing comes before the socket is bound
        let socket = socket_with(AddressFamily::PACKET, SocketType::RAW, flags, None);
        let socket = socket.map_err(|e| failed("the kernel gives no packet socket", e))?;
        let place = LinkAddress { family: AF_PACKET, protocol: ether_type.to_be(), index, rest: [0; 12] };
        bind(&socket, &place).map_err(|e| failed("the socket cannot be bound", e))?;
        Ok(Self { socket, name: name.into(), address, room: vec![0; MAX_FRAME + 1].into() })
    }

    /// The interface's address.
    pub fn address(&self) -> MacAddr {
        self.address
    }

    fn failed(&self, step: &'static str, source: Errno) -> EthError {
        EthError::Io { port: format!("interface {}", self.name), step, source: io::Error::from(source) }
    }
}

impl EthPort for PacketPort {
    fn send(&mut self, frame: &[u8]) -> Result<Delivery, EthError> {
        check_length(frame)?;
        let give = || send(&self.socket, frame, SendFlags::empty());
        // the kernel tells once that the interface was down, although the interface is up again
        let given = give().or_else(|e| if e == Errno::NETDOWN { give() } else { Err(e) });
        match given {
            Ok(_) => Ok(Delivery::Sent),
            Err(Errno::AGAIN | Errno::INTR | Errno::NOBUFS) => Ok(Delivery::Busy),
            // the interface is down
            Err(Errno::NETDOWN) => Ok(Delivery::Unplugged),
            Err(e) => Err(self.failed("a frame is not sent", e)),
        }
    }

    fn receive(&mut self) -> Result<Option<Vec<u8>>, EthError> {
        loop {
            return match recv(&self.socket, &mut self.room[..], RecvFlags::empty()) {
                Ok((octets, _)) if check_length(&self.room[..octets]).is_err() => continue,
                Ok((octets, _)) => Ok(Some(self.room[..octets].to_vec())),
                Err(Errno::AGAIN) => Ok(None),
                // told once when the interface goes down
                Err(Errno::INTR | Errno::NETDOWN) => continue,
                Err(e) => Err(self.failed("no frame can be received", e)),
            };
        }
    }

    fn poll_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
