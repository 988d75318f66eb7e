// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of librdmacm and rsockets. A letter names a parameter, as in [`super::values`]:
//!
//! | letter | parameter |
//! |---|---|
//! | `C` `E` `F` `G` `v` | identifier, event channel, descriptor of an rsocket, answer of `rdma_getaddrinfo`, event: any pointer, or any number |
//! | `D` | null, or a list of contexts |
//! | `B` `I` | flags; a number below 20 |
//! | `f` `s` `T` | family, kind of a socket, port space |
//! | `N` `S` | octets of an address; an address |
//! | `J` `W` `Y` | octets that there is room for; level and name of an option |
//! | `H` `P` `R` `U` `X` | null, or hints, parameters of a connection, descriptors of `rpoll`, a number as text, extended attributes |
use super::values::Values;
use crate::gen::*;
use std::ffi::c_int;

/// Ports, some of which are listened at.
const PORTS: [u16; 5] = [0, 7_100, 7_101, 7_102, 7_103];
/// The devices' addresses, any address, one of no device, and one that nobody has.
const IPS: [[u8; 4]; 8] = [
    [10, 0, 0, 1],
    [10, 0, 0, 1],
    [10, 0, 0, 2],
    [10, 0, 0, 2],
    [10, 0, 0, 2],
    [0, 0, 0, 0],
    [127, 0, 0, 1],
    [10, 0, 0, 9],
];

impl Values {
    fn any<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn address(&mut self) -> *mut sockaddr {
        let room = self.room();
        let family = self.any(&[libc::AF_INET, libc::AF_INET, libc::AF_INET, libc::AF_INET6, 77]);
        let (port, ip) = (self.any(&PORTS), self.any(&IPS));
        let octets = room.cast::<u8>();
        let is_mapped = self.below(2) == 0;
        // SAFETY: the room is far longer than an address of either family.
        unsafe {
            room.cast::<u16>().write(family as u16);
            room.cast::<u16>().add(1).write(port.to_be());
            if family == libc::AF_INET6 && is_mapped {
                let mapped = std::net::Ipv4Addr::from(ip).to_ipv6_mapped().octets();
                octets.add(8).copy_from_nonoverlapping(mapped.as_ptr(), mapped.len());
            }
            if family == libc::AF_INET {
                octets.add(4).copy_from_nonoverlapping(ip.as_ptr(), ip.len());
            }
        }
        room.cast()
    }

    fn param(&mut self) -> *mut rdma_conn_param {
        let private_data =
            if self.below(4) == 0 { std::ptr::null() } else { self.room().cast_const().cast() };
        let mut octet = || self.any(&[0, 1, 1, 2, 8, 16, 200, 255]);
        let (private_data_len, responder_resources, initiator_depth) = (octet(), octet(), octet());
        let qp_num = self.below(20) as u32;
        self.put(rdma_conn_param {
            private_data,
            private_data_len,
            responder_resources,
            initiator_depth,
            qp_num,
            ..Default::default()
        })
    }

    fn hints(&mut self) -> *mut rdma_addrinfo {
        let ai_src_addr = if self.below(2) == 0 { std::ptr::null_mut() } else { self.address() };
        let ai_dst_addr = if self.below(4) == 0 { std::ptr::null_mut() } else { self.address() };
        let (ai_src_len, ai_dst_len) = (self.below(2) as u32 * 16, self.below(2) as u32 * 16);
        // names are not looked up: a server of names may be slow
        let ai_flags = (self.below(16) as u32 | RAI_NUMERICHOST) as c_int;
        let ai_family = self.any(&[0, 0, libc::AF_INET, libc::AF_INET6, 77]);
        let ai_qp_type = self.any(&[0, IBV_QPT_RC as c_int, 4]);
        let ai_port_space = self.any(&[0, RDMA_PS_TCP as c_int, RDMA_PS_TCP as c_int, 7]);
        self.put(rdma_addrinfo {
            ai_flags,
            ai_family,
            ai_qp_type,
            ai_port_space,
            ai_src_len,
            ai_dst_len,
            ai_src_addr,
            ai_dst_addr,
            ..Default::default()
        })
    }

    fn polls(&mut self) -> *mut u64 {
        let sockets = self.objects('F');
        let room = self.room();
        for nth in 0..64 {
            let fd =
                if self.below(4) == 0 { self.number() } else { self.one_of(&sockets).unwrap_or(0) as c_int };
            let events = self.next() as i16;
            // SAFETY: an entry has eight octets, and the room has 512 times as many.
            unsafe { room.cast::<libc::pollfd>().add(nth).write(libc::pollfd { fd, events, revents: 0 }) };
        }
        room
    }

    fn extended(&mut self) -> *mut ibv_qp_init_attr_ex {
        // SAFETY: attributes of this call.
        let plain = unsafe { *self.init() };
        let pd = std::ptr::with_exposed_provenance_mut(self.pointer('p'));
        let comp_mask = self.any(&[0, 1, 1, 1, 4, 0x41, 0xFFFF]);
        let send_ops_flags = if self.below(4) == 0 { self.next() } else { self.next() & 0xF };
        let ibv_qp_init_attr { send_cq, recv_cq, srq, cap, qp_type, .. } = plain;
        self.put(ibv_qp_init_attr_ex {
            send_cq,
            recv_cq,
            srq,
            cap,
            qp_type,
            comp_mask,
            pd,
            send_ops_flags,
            ..Default::default()
        })
    }

    fn digits(&mut self) -> usize {
        let texts = [c"10.0.0.1", c"10.0.0.2", c"7100", c"0", c"::1", c"0x7f.1"];
        let nth = self.below(texts.len() + 2);
        texts.get(nth).map_or(0, |text| text.as_ptr().expose_provenance())
    }

    fn length(&mut self) -> *mut u32 {
        let octets = self.below(129) as u32;
        self.put(octets)
    }

    /// The argument of a letter of this module.
    pub fn argument_of_cm(&mut self, letter: char) -> usize {
        match letter {
            'D' => {
                let own = self.objects('D');
                self.one_of(&own).unwrap_or(0)
            }
            'F' => {
                let own = self.objects('F');
                let other = self.number() as usize;
                if self.below(8) == 0 {
                    other
                } else {
                    self.one_of(&own).unwrap_or(other)
                }
            }
            'B' => {
                let other = self.number() as usize;
                self.any(&[0, 0, 0, 1, 2, libc::MSG_DONTWAIT as usize, other])
            }
            'I' => self.below(20),
            'f' => self.any(&[libc::AF_INET, libc::AF_INET, libc::AF_INET6, 1]) as usize,
            's' => self.any(&[libc::SOCK_STREAM, libc::SOCK_STREAM, libc::SOCK_DGRAM, 77]) as usize,
            'T' => self.any(&[RDMA_PS_TCP, RDMA_PS_TCP, RDMA_PS_TCP, 0x111, 0]) as usize,
            'N' => self.any(&[16, 16, 16, 28, 28, 128, 2, 0]),
            'S' => self.null_or(Self::address),
            'J' => self.null_or(Self::length),
            'W' => self.any(&[libc::SOL_SOCKET as usize, 0x10000, 6, 41, 0, 77]),
            'Y' => self.below(30),
            'H' => self.null_or(Self::hints),
            'P' => self.null_or(Self::param),
            'R' => self.null_or(Self::polls),
            'U' => self.digits(),
            'X' => self.null_or(Self::extended),
            kind => self.pointer(kind),
        }
    }
}
