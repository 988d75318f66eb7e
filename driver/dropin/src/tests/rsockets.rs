// SPDX-License-Identifier: MIT OR Apache-2.0
//! rsockets between two devices of this process.
use super::pair::{with_pair, MOST};
use crate::devices::all;
use crate::rs::wire::{Greeting, Place, Word};
use ferrowarp::{AcceptOptions, Access, ConnectOptions, QpOptions};
use libc::{c_int, nfds_t, pollfd, sockaddr, sockaddr_in, socklen_t};
use std::ffi::c_void;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;

// The functions of librdmacm, as a program calls them.
extern "C" {
    fn rsocket(domain: c_int, kind: c_int, protocol: c_int) -> c_int;
    fn rbind(socket: c_int, at: *const sockaddr, len: socklen_t) -> c_int;
    fn rlisten(socket: c_int, backlog: c_int) -> c_int;
    fn raccept(socket: c_int, at: *mut sockaddr, len: *mut socklen_t) -> c_int;
    fn rconnect(socket: c_int, to: *const sockaddr, len: socklen_t) -> c_int;
    fn rshutdown(socket: c_int, how: c_int) -> c_int;
    fn rclose(socket: c_int) -> c_int;
    fn rsend(socket: c_int, from: *const c_void, len: usize, flags: c_int) -> isize;
    fn rrecv(socket: c_int, to: *mut c_void, len: usize, flags: c_int) -> isize;
    fn rpoll(fds: *mut pollfd, count: nfds_t, timeout: c_int) -> c_int;
    fn rfcntl(socket: c_int, command: c_int, argument: c_int) -> c_int;
    fn rsetsockopt(socket: c_int, level: c_int, name: c_int, value: *const c_void, len: socklen_t) -> c_int;
    fn riomap(socket: c_int, at: *mut c_void, len: usize, rights: c_int, flags: c_int, offset: i64) -> i64;
    fn riounmap(socket: c_int, at: *mut c_void, len: usize) -> c_int;
    fn riowrite(socket: c_int, from: *const c_void, len: usize, offset: i64, flags: c_int) -> usize;
}

/// What errno says.
fn errno() -> Option<c_int> {
    std::io::Error::last_os_error().raw_os_error()
}

/// A call that must succeed.
#[track_caller]
fn done(answer: c_int) -> c_int {
    assert!(answer >= 0, "{}", std::io::Error::last_os_error());
    answer
}

/// A call that must fail, and why it does.
#[track_caller]
fn fails(answer: impl Into<i64>) -> c_int {
    let why = errno();
    assert_eq!(answer.into(), -1);
    why.unwrap()
}

/// Calls `body` with an address of a device: the first or the second.
fn at(device: u8, port: u16, body: impl FnOnce(*const sockaddr, socklen_t) -> c_int) -> c_int {
    let address = sockaddr_in {
        sin_family: libc::AF_INET as u16,
        sin_port: port.to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes([10, 0, 0, device]) },
        sin_zero: [0; 8],
    };
    body((&raw const address).cast(), size_of::<sockaddr_in>() as socklen_t)
}

/// A socket of a device.
fn socket(device: u8, port: u16) -> c_int {
    // SAFETY: the address lives during the call.
    unsafe {
        let socket = done(rsocket(libc::AF_INET, libc::SOCK_STREAM, 0));
        done(at(device, port, |at, len| rbind(socket, at, len)));
        socket
    }
}

fn listening(port: u16) -> c_int {
    let socket = socket(1, port);
    // SAFETY: numbers alone.
    done(unsafe { rlisten(socket, 4) });
    socket
}

fn accept(listener: c_int) -> c_int {
    let null = std::ptr::null_mut();
    // SAFETY: the program asks for no address.
    done(unsafe { raccept(listener, null, null.cast()) })
}

fn connect(socket: c_int, port: u16) -> c_int {
    // SAFETY: the address lives during the call.
    at(1, port, |at, len| unsafe { rconnect(socket, at, len) })
}

fn send(socket: c_int, octets: &[u8]) -> isize {
    // SAFETY: octets of the test's own.
    unsafe { rsend(socket, octets.as_ptr().cast(), octets.len(), 0) }
}

fn receive(socket: c_int, into: &mut [u8], flags: c_int) -> isize {
    // SAFETY: as above.
    unsafe { rrecv(socket, into.as_mut_ptr().cast(), into.len(), flags) }
}

fn close(socket: c_int) {
    // SAFETY: numbers alone.
    done(unsafe { rclose(socket) });
}

/// What is ready of a socket, which is waited for.
fn ready(socket: c_int, events: i16) -> i16 {
    let mut fd = pollfd { fd: socket, events, revents: 0 };
    // SAFETY: one entry of the test's own.
    done(unsafe { rpoll(&mut fd, 1, MOST.as_millis() as c_int) });
    fd.revents
}

#[test]
fn octets_arrive_in_order_and_the_peer_reads_the_end_of_the_stream() {
    with_pair(|_| {
        let sent: Vec<u8> = (0..300_000_u32).map(|n| ((n * 7) >> 3) as u8).collect();
        let listener = listening(7101);
        std::thread::scope(|scope| {
            let server = scope.spawn(|| {
                let (socket, mut came, mut part) = (accept(listener), vec![], [0; 5000]);
                while let len @ 1.. = receive(socket, &mut part, 0) {
                    came.extend_from_slice(&part[..len as usize]);
                }
                assert_eq!(send(socket, &came.len().to_le_bytes()), 8, "the other direction is open");
                close(socket);
                came
            });
            let (client, mut count) = (socket(2, 0), [0; 8]);
            assert_eq!(connect(client, 7101), 0);
            assert_eq!(send(client, &sent), sent.len() as isize);
            // SAFETY: numbers alone.
            done(unsafe { rshutdown(client, libc::SHUT_WR) });
            assert_eq!(fails(send(client, &[1]) as i64), libc::EPIPE);
            assert_eq!(receive(client, &mut count, libc::MSG_WAITALL), 8);
            assert_eq!((usize::from_le_bytes(count), receive(client, &mut count, 0)), (sent.len(), 0));
            close(client);
            assert!(server.join().unwrap() == sent);
        });
        close(listener);
    });
}

#[test]
fn a_nonblocking_socket_is_waited_for_beside_a_plain_descriptor() {
    with_pair(|_| {
        let listener = listening(7102);
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        let client = socket(2, 0);
        // SAFETY: numbers alone.
        done(unsafe { rfcntl(client, libc::F_SETFL, libc::O_NONBLOCK) });
        assert_eq!(fails(connect(client, 7102)), libc::EINPROGRESS);
        assert_eq!(ready(listener, libc::POLLIN), libc::POLLIN);
        let server = accept(listener);
        assert_eq!(ready(client, libc::POLLOUT), libc::POLLOUT);
        let mut octets = [0; 8];
        assert_eq!(fails(receive(client, &mut octets, 0) as i64), libc::EAGAIN);
        let mut fds = [client, reader.as_raw_fd()].map(|fd| pollfd { fd, events: libc::POLLIN, revents: 0 });
        // SAFETY: two entries of the test's own.
        let mut poll = |timeout| (unsafe { rpoll(fds.as_mut_ptr(), 2, timeout) }, fds.map(|fd| fd.revents));
        assert_eq!(poll(20), (0, [0, 0]));
        writer.write_all(b"x").unwrap();
        assert_eq!(poll(-1), (1, [0, libc::POLLIN]));
        reader.read_exact(&mut octets[..1]).unwrap();
        assert_eq!(send(server, b"hello"), 5);
        assert_eq!(poll(-1), (1, [libc::POLLIN, 0]));
        assert_eq!((receive(client, &mut octets, libc::MSG_PEEK), receive(client, &mut octets, 0)), (5, 5));
        // a peer that takes nothing: the buffers of both ends fill
        let much = vec![7; 1 << 20];
        let sent = send(client, &much);
        assert!((1..1 << 20).contains(&sent), "{sent}");
        [client, server, listener].into_iter().for_each(close);
    });
}

#[test]
fn mapped_memory_is_written_before_the_octets_behind_it_are_received() {
    with_pair(|_| {
        let listener = listening(7103);
        let client = socket(2, 0);
        let one: c_int = 1;
        // SAFETY: a number of the test's own.
        done(unsafe { rsetsockopt(client, 0x10000, 3, (&raw const one).cast(), 4) });
        let mut memory = vec![0_u8; 4096];
        let place: *mut c_void = memory.as_mut_ptr().cast();
        std::thread::scope(|scope| {
            let server = scope.spawn(|| accept(listener));
            assert_eq!(connect(client, 7103), 0);
            let server = server.join().unwrap();
            let mut octets = [0; 1];
            // SAFETY: memory of the test's own, which is read when the peer has told of it.
            unsafe {
                assert_eq!(riomap(server, place, 4096, libc::PROT_WRITE, 0, 512), 512);
                assert_eq!(fails(riomap(server, place, 64, libc::PROT_WRITE, 0, -1)), libc::ENOMEM);
                assert_eq!(send(server, b"m"), 1);
                assert_eq!(receive(client, &mut octets, 0), 1);
                assert_eq!(riowrite(client, b"into".as_ptr().cast(), 4, 612, 0), 4);
                assert_eq!(riowrite(client, b"x".as_ptr().cast(), 1, 511, 0), usize::MAX);
                assert_eq!(errno(), Some(libc::EINVAL));
                assert_eq!((send(client, b"w"), receive(server, &mut octets, 0)), (1, 1));
                assert_eq!(place.cast::<[u8; 4]>().byte_add(100).read(), *b"into");
                assert_eq!(riounmap(server, place, 4096), 0);
                assert_eq!(fails(riounmap(server, place, 4096)), libc::EINVAL);
            }
            [client, server, listener].into_iter().for_each(close);
        });
    });
}

#[test]
fn calls_that_cannot_be_fail_as_those_of_bsd_sockets() {
    with_pair(|_| {
        // SAFETY: numbers, and addresses that live during the call.
        unsafe {
            assert_eq!(fails(rsocket(libc::AF_INET, libc::SOCK_DGRAM, 0)), libc::EOPNOTSUPP);
            assert_eq!(fails(rsocket(libc::AF_UNIX, libc::SOCK_STREAM, 0)), libc::EAFNOSUPPORT);
            assert_eq!(fails(rclose(0)), libc::EBADF);
            let first = socket(1, 7104);
            let second = done(rsocket(libc::AF_INET, libc::SOCK_STREAM, 0));
            assert_eq!(fails(at(1, 7104, |at, len| rbind(second, at, len))), libc::EADDRINUSE);
            assert_eq!(fails(at(9, 7104, |at, len| rbind(second, at, len))), libc::EADDRNOTAVAIL);
            assert_eq!(fails(send(first, &[1]) as i64), libc::ENOTCONN);
            assert_eq!(fails(rshutdown(first, libc::SHUT_WR)), libc::ENOTCONN);
            let client = socket(2, 0);
            assert_eq!(fails(connect(client, 7105)), libc::ECONNREFUSED);
            [first, second, client].into_iter().for_each(close);
        }
    });
}

#[test]
fn a_peer_of_another_protocol_is_refused_and_an_unknown_word_is_eproto() {
    with_pair(|_| {
        let opened = all()[1].open().unwrap();
        let device = &opened.device;
        let (pd, cq) = (device.protection_domain().unwrap(), device.completion_queue(64).unwrap());
        let pair =
            || device.queue_pair(&pd, [&cq, &cq], QpOptions::default().sends(16).receives(16)).unwrap();
        let region = pd.allocate(4096, Access::ALL).unwrap();
        let place = |len| Place::of(&region, 0, len);
        let greeting = Greeting { credits: 4, maps: 0, table: place(2), buffer: place(2048) };
        let listener = listening(7106);
        let options =
            |data: &[u8]| ConnectOptions::default().peer_to_peer(true).patience(MOST).private_data(data);
        std::thread::scope(|scope| {
            let server = scope.spawn(|| accept(listener));
            let to = ([10, 0, 0, 1], 7106).into();
            let refused = device.connect(&pair(), to, options(b"another protocol")).unwrap_err();
            assert!(matches!(refused, ferrowarp::Error::Rejected { .. }), "{refused}");
            let qp = pair();
            (0..8).for_each(|n| qp.post_recv(n, &[region.segment(3000, 4).unwrap()]).unwrap());
            let connection = device.connect(&qp, to, options(&greeting.to_bytes())).unwrap();
            let (server, mut octets) = (server.join().unwrap(), [0; 4]);
            // data beyond what the peer may write
            let word = Word::Data(1 << 20).to_bytes();
            connection.queue_pair().send_inline(1, &word).post().unwrap();
            assert_eq!(fails(receive(server, &mut octets, 0) as i64), libc::EPROTO);
            assert_eq!(
                (receive(server, &mut octets, 0), fails(send(server, &octets) as i64)),
                (0, libc::EPIPE)
            );
            [server, listener].into_iter().for_each(close);
        });
        // the same of a Reply
        let listener = device.listen(7107, 1).unwrap();
        std::thread::scope(|scope| {
            let serves = scope.spawn(|| {
                let request = listener.next(MOST).unwrap();
                assert_eq!(Greeting::from_bytes(request.private_data()).unwrap().table.len, 2);
                let options = AcceptOptions::default().private_data("no rsocket").patience(MOST);
                let qp = pair();
                let accepted = request.accept(&qp, options);
                (qp, accepted)
            });
            let client = socket(1, 0);
            // SAFETY: the address lives during the call.
            let connected = at(2, 7107, |at, len| unsafe { rconnect(client, at, len) });
            assert_eq!(fails(connected), libc::EPROTO);
            close(client);
            // a reset before the look at the Reply would be another error
            drop(serves.join().unwrap());
        });
    });
}
