// SPDX-License-Identifier: MIT OR Apache-2.0
//! The process that makes the calls.
use super::exports::{all, Call, Export, Fails};
use super::values::Values;
use crate::devices::Entry;
use crate::errno::Errno;
use crate::gen::*;
use crate::open::open;
use crate::tests::pair::*;
use std::ffi::c_int;
use std::fmt::Write as _;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Functions that make an object, and the letter of its kind.
const MAKES: [(&str, char); 9] = [
    ("ibv_alloc_pd", 'p'),
    ("ibv_create_comp_channel", 'h'),
    ("ibv_create_cq", 'k'),
    ("ibv_create_qp", 'q'),
    ("ibv_get_device_list", 'l'),
    ("ibv_open_device", 'c'),
    ("ibv_reg_mr", 'm'),
    ("ibv_reg_mr_iova", 'm'),
    ("ibv_reg_mr_iova2", 'm'),
];
/// Functions that destroy one, those that need others first.
const ENDS: [(&str, char); 7] = [
    ("ibv_destroy_qp", 'q'),
    ("ibv_dereg_mr", 'm'),
    ("ibv_destroy_cq", 'k'),
    ("ibv_destroy_comp_channel", 'h'),
    ("ibv_dealloc_pd", 'p'),
    ("ibv_close_device", 'c'),
    ("ibv_free_device_list", 'l'),
];
/// Octets of a line of the trace: a shorter one leaves nothing of a longer one.
const LINE: usize = 400;

/// Makes the calls, gives everything up, and uses the devices as programs do.
pub fn run(seed: u64, calls: u64, trace: &Path) {
    let trace = File::options().write(true).open(trace).unwrap();
    with_devices(|entries| {
        // the devices stay open
        let kept = [&entries[0], &entries[1]].map(|entry| open(entry).unwrap());
        let exports = functions(kept[0]);
        let mut values = Values::new(seed);
        entries.iter().for_each(|entry| values.enter('d', entry.pointer().expose_provenance()));
        for nth in 0..calls {
            let export = exports[values.below(exports.len())];
            let Some(words) = values.arguments(export.takes) else { continue };
            tell(&trace, nth, &export, &words);
            crate::errno::set(Errno(0));
            // SAFETY: the letters of the function draw arguments that a program may give.
            let answer = unsafe { invoke(export.call, words) };
            judge(&export, answer);
            follow(&mut values, &export, words, answer);
        }
        end(&mut values, &exports);
        serves(entries);
        for context in kept {
            // SAFETY: nothing of the context is left.
            assert_eq!(unsafe { ibv_close_device(context) }, 0);
        }
    });
}

/// All exports, and the functions of a context.
fn functions(context: *mut ibv_context) -> Vec<Export> {
    // SAFETY: the context is open; its functions take words, as the letters have them.
    let of_context = unsafe {
        let ops = &(*context).ops;
        let call = |address: usize| std::mem::transmute::<usize, Call>(address);
        [
            ("post_send", call(ops.post_send.unwrap() as usize), "Zwo", Fails::Number),
            ("post_recv", call(ops.post_recv.unwrap() as usize), "Zro", Fails::Number),
            ("poll_cq", call(ops.poll_cq.unwrap() as usize), "KyO", Fails::Negative),
            ("req_notify_cq", call(ops.req_notify_cq.unwrap() as usize), "Ki", Fails::Number),
        ]
    };
    let export = |(name, call, takes, fails)| Export { name, call, takes, fails };
    all().into_iter().chain(of_context.map(export)).collect()
}

unsafe fn invoke(call: Call, [a, b, c, d, e, f, g, h]: [usize; 8]) -> usize {
    // SAFETY: the caller has the arguments.
    unsafe { call(a, b, c, d, e, f, g, h) }
}

fn tell(trace: &File, nth: u64, export: &Export, words: &[usize; 8]) {
    let mut line = format!("number {nth}, {}(", export.name);
    words.iter().take(export.takes.len()).for_each(|word| write!(line, "{word:#x}, ").unwrap());
    line.push(')');
    trace.write_all_at(format!("{line:LINE$}").as_bytes(), 0).unwrap();
}

/// A failure sets errno.
fn judge(export: &Export, answer: usize) {
    let number = answer as c_int;
    let has_failed = match export.fails {
        Fails::Null => answer == 0,
        Fails::Negative => number < 0,
        Fails::Number => number != 0,
        Fails::Never => false,
    };
    assert!(!has_failed || Errno::last() != Errno(0), "{} fails with {answer:#x} and no errno", export.name);
    assert_ne!(Errno::last(), Errno(libc::EIO), "{}: EIO is a panic, or a device that is gone", export.name);
}

/// What the answer means for the objects.
fn follow(values: &mut Values, export: &Export, words: [usize; 8], answer: usize) {
    let of = |table: &[(&str, char)]| table.iter().find(|line| line.0 == export.name).map(|line| line.1);
    if let Some(kind) = of(&MAKES).filter(|_| answer != 0 && of(&ENDS).is_none()) {
        values.enter(kind, answer);
        never_waits(kind, answer);
    }
    let is_done = answer as c_int == 0 || export.fails == Fails::Never;
    if let Some(kind) = of(&ENDS).filter(|_| is_done && words[0] != 0) {
        values.leave(kind, words[0]);
    }
    let pointer = std::ptr::with_exposed_provenance_mut::<usize>;
    match export.name {
        // SAFETY: the call has written a queue that lives.
        "ibv_get_cq_event" if is_done => unsafe {
            ibv_ack_cq_events(*pointer(words[1]).cast::<*mut ibv_cq>(), 1);
        },
        // SAFETY: the call has written an event.
        "ibv_get_async_event" if is_done => unsafe { ibv_ack_async_event(pointer(words[1]).cast()) },
        _ => {}
    }
}

extern "C" {
    fn ibv_ack_async_event(event: *mut ibv_async_event);
}

/// Nobody else would end a call that waits.
fn never_waits(kind: char, object: usize) {
    let pointer = std::ptr::with_exposed_provenance::<u8>(object);
    // SAFETY: an object that the library has just made; its descriptor is open.
    unsafe {
        let fd = match kind {
            'c' => (*pointer.cast::<ibv_context>()).async_fd,
            'h' => (*pointer.cast::<ibv_comp_channel>()).fd,
            _ => return,
        };
        assert_eq!(libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK), 0);
    }
}

/// Everything that lives is given up.
fn end(values: &mut Values, exports: &[Export]) {
    for (name, kind) in ENDS {
        let export = exports.iter().find(|export| export.name == name).unwrap();
        for object in values.objects(kind) {
            // SAFETY: an object that lives, which nothing needs any more.
            let done = unsafe { invoke(export.call, [object, 0, 0, 0, 0, 0, 0, 0]) } as c_int;
            assert!(done == 0 || export.fails == Fails::Never, "{name}: {done}");
        }
    }
}

/// A connection with a Send on the same devices.
fn serves(entries: &'static [Entry]) {
    let mut ends = [&entries[0], &entries[1]].map(End::new);
    connect(&mut ends, true);
    let [left, right] = ends;
    right.receive(5, right.sge(0, 64));
    let mut sge = left.sge(0, 5);
    let (opcode, send_flags) = (IBV_WR_SEND, IBV_SEND_SIGNALED);
    let mut wr =
        ibv_send_wr { wr_id: 1, opcode, send_flags, sg_list: &mut sge, num_sge: 1, ..Default::default() };
    assert_eq!(left.post(&mut wr).0, 0);
    assert_eq!((left.completion().wr_id, right.completion().byte_len), (1, 5));
    [left, right].into_iter().for_each(End::end);
}
