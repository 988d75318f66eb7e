// SPDX-License-Identifier: MIT OR Apache-2.0
//! What calls mean for the objects: which call makes one, which one ends it, and what a program has
//! to do before and behind a call, so that no call waits for somebody else.
use super::exports::{Call, Export, Fails};
use super::values::Values;
use crate::errno::Errno;
use crate::gen::*;
use std::ffi::c_int;

/// Functions whose answer is a new object, and the letter of its kind.
const MAKES: [(&str, char); 13] = [
    ("ibv_alloc_pd", 'p'),
    ("ibv_create_comp_channel", 'h'),
    ("ibv_create_cq", 'k'),
    ("ibv_create_qp", 'q'),
    ("ibv_get_device_list", 'l'),
    ("ibv_open_device", 'c'),
    ("ibv_reg_mr", 'm'),
    ("ibv_reg_mr_iova", 'm'),
    ("ibv_reg_mr_iova2", 'm'),
    ("raccept", 'F'),
    ("rdma_create_event_channel", 'E'),
    ("rdma_get_devices", 'D'),
    ("rsocket", 'F'),
];
/// Functions that write a new object to the place that one of their arguments names.
const WRITES: [(&str, usize, char); 4] = [
    ("rdma_create_ep", 0, 'C'),
    ("rdma_create_id", 1, 'C'),
    ("rdma_get_request", 1, 'C'),
    ("rdma_getaddrinfo", 3, 'G'),
];
/// Functions that end one, those that need others first.
const ENDS: [(&str, char); 13] = [
    ("rclose", 'F'),
    ("rdma_destroy_id", 'C'),
    ("rdma_destroy_ep", 'C'),
    ("rdma_destroy_event_channel", 'E'),
    ("rdma_freeaddrinfo", 'G'),
    ("rdma_free_devices", 'D'),
    ("ibv_destroy_qp", 'q'),
    ("ibv_dereg_mr", 'm'),
    ("ibv_destroy_cq", 'k'),
    ("ibv_destroy_comp_channel", 'h'),
    ("ibv_dealloc_pd", 'p'),
    ("ibv_close_device", 'c'),
    ("ibv_free_device_list", 'l'),
];

extern "C" {
    fn ibv_ack_async_event(event: *mut ibv_async_event);
    fn ibv_ack_cq_events(cq: *mut ibv_cq, count: u32);
    fn rdma_ack_cm_event(event: *mut rdma_cm_event) -> c_int;
    fn rdma_destroy_qp(id: *mut rdma_cm_id);
    fn rdma_get_dst_port(id: *mut rdma_cm_id) -> u16;
    fn rdma_notify(id: *mut rdma_cm_id, event: ibv_event_type) -> c_int;
    fn rsetsockopt(fd: c_int, level: c_int, name: c_int, value: *const [c_int; 2], octets: u32) -> c_int;
}

fn pointer<T>(address: usize) -> *mut T {
    std::ptr::with_exposed_provenance_mut(address)
}

/// Calls a function with its arguments.
///
/// # Safety
/// A program may give the arguments.
pub unsafe fn invoke(call: Call, [a, b, c, d, e, f, g, h]: [usize; 8]) -> usize {
    // SAFETY: the caller has the arguments.
    unsafe { call(a, b, c, d, e, f, g, h) }
}

/// What a program does before a call. The answer is whether it makes the call at all: nobody would
/// answer a synchronous `rdma_connect` of the only thread.
pub fn before(values: &Values, export: &Export, words: &[usize; 8]) -> bool {
    let lives = |kind| values.objects(kind).contains(&words[0]);
    match export.name {
        "rdma_connect" if lives('C') => {
            let id = pointer::<rdma_cm_id>(words[0]);
            // SAFETY: an identifier that lives.
            let (channel, port) = unsafe { ((*id).channel.addr(), rdma_get_dst_port(id)) };
            values.objects('E').contains(&channel) || port == 0
        }
        "rdma_destroy_id" if lives('C') => {
            // SAFETY: as above; nobody else would end the queue pair.
            unsafe { rdma_destroy_qp(pointer(words[0])) };
            true
        }
        "rclose" if lives('F') => {
            lingers(words[0]);
            true
        }
        _ => true,
    }
}

/// What the answer means for the objects.
pub fn follow(values: &mut Values, export: &Export, words: [usize; 8], answer: usize) {
    let is_done = match export.fails {
        Fails::Null => answer != 0,
        Fails::Number => answer as c_int == 0,
        Fails::Negative => answer as c_int >= 0,
        Fails::Long => answer.cast_signed() >= 0,
        Fails::Never => Errno::last() == Errno(0),
    };
    if let Some((_, kind)) = ENDS.iter().find(|line| line.0 == export.name) {
        if values.objects(*kind).contains(&words[0]) && is_gone(*kind, words[0]).unwrap_or(is_done) {
            values.leave(*kind, words[0]);
        }
    }
    if !is_done {
        return;
    }
    if let Some((_, kind)) = MAKES.iter().find(|line| line.0 == export.name) {
        values.enter(*kind, answer);
        never_waits(*kind, answer);
    }
    if let Some((_, at, kind)) = WRITES.iter().find(|line| line.0 == export.name) {
        // SAFETY: the call has written an object there.
        let object = unsafe { *pointer::<usize>(words[*at]) };
        values.enter(*kind, object);
        never_waits(*kind, object);
    }
    match export.name {
        // SAFETY: the call has written a queue that lives.
        "ibv_get_cq_event" => unsafe { ibv_ack_cq_events(*pointer::<*mut ibv_cq>(words[1]), 1) },
        // SAFETY: the call has written an event.
        "ibv_get_async_event" => unsafe { ibv_ack_async_event(pointer(words[1])) },
        // SAFETY: as above.
        "rdma_get_cm_event" => told(values, unsafe { *pointer::<*mut rdma_cm_event>(words[1]) }),
        "rdma_migrate_id" => never_waits('C', words[0]),
        "rfcntl" => never_waits('F', words[0]),
        _ => {}
    }
}

/// An event of a channel: a request has a new identifier.
fn told(values: &mut Values, event: *mut rdma_cm_event) {
    // SAFETY: the call has given the event, which is acknowledged once.
    unsafe {
        if (*event).event == RDMA_CM_EVENT_CONNECT_REQUEST {
            values.enter('C', (*event).id.expose_provenance());
        }
        assert_eq!(rdma_ack_cm_event(event), 0);
    }
    values.leave('v', event.addr());
}

/// Whether a call has ended an identifier: `rdma_destroy_ep` does not say so.
fn is_gone(kind: char, object: usize) -> Option<bool> {
    // SAFETY: the function looks the pointer up.
    (kind == 'C').then(|| unsafe { rdma_notify(pointer(object), 0) } != 0)
}

/// Nobody else would end a call that waits.
fn never_waits(kind: char, object: usize) {
    // SAFETY: an object that the library has just made, and its descriptor is open.
    unsafe {
        let fd = match kind {
            'c' => (*pointer::<ibv_context>(object)).async_fd,
            'h' => (*pointer::<ibv_comp_channel>(object)).fd,
            'C' => (*(*pointer::<rdma_cm_id>(object)).channel).fd,
            'E' => (*pointer::<rdma_event_channel>(object)).fd,
            'F' => object as c_int,
            _ => return,
        };
        assert_eq!(libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK), 0);
    }
}

/// A socket whose peer reads nothing ends after a second.
fn lingers(socket: usize) {
    let (level, name) = (libc::SOL_SOCKET, libc::SO_LINGER);
    // SAFETY: two numbers of this frame.
    assert_eq!(unsafe { rsetsockopt(socket as c_int, level, name, &[1, 1], 8) }, 0);
}

/// Everything that lives is given up.
pub fn end(values: &Values, exports: &[Export]) {
    for (name, kind) in ENDS.into_iter().filter(|line| line.0 != "rdma_destroy_ep") {
        let export = exports.iter().find(|export| export.name == name).expect("an export");
        for object in values.objects(kind) {
            let words = [object, 0, 0, 0, 0, 0, 0, 0];
            before(values, export, &words);
            crate::errno::set(Errno(0));
            // SAFETY: an object that lives, which nothing needs any more.
            let done = unsafe { invoke(export.call, words) } as c_int;
            assert!(done == 0 || export.fails == Fails::Never, "{name}: {done}, {:?}", Errno::last());
        }
    }
}
