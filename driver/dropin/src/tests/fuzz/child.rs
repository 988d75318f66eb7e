// SPDX-License-Identifier: MIT OR Apache-2.0
//! The process that makes the calls.
use super::exports::{all, Call, Export, Fails};
use super::objects::{before, end, follow, invoke};
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
            if !before(&values, &export, &words) {
                continue;
            }
            tell(&trace, nth, &export, &words);
            crate::errno::set(Errno(0));
            // SAFETY: the letters of the function draw arguments that a program may give.
            let answer = unsafe { invoke(export.call, words) };
            judge(&export, answer);
            follow(&mut values, &export, words, answer);
        }
        end(&values, &exports);
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
        Fails::Long => answer.cast_signed() < 0,
        Fails::Never => false,
    };
    assert!(!has_failed || Errno::last() != Errno(0), "{} fails with {answer:#x} and no errno", export.name);
    assert_ne!(Errno::last(), Errno(libc::EIO), "{}: EIO is a panic, or a device that is gone", export.name);
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
