// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two simulated devices behind vfio-user sockets, and a queue pair of C on each. The driver makes
//! the connection.
use crate::config::VARIABLE;
use crate::context::Context;
use crate::devices::{all, Entry};
use crate::gen::*;
use crate::live::find;
use crate::open::open;
use crate::qp::Qp;
use ferrowarp::{AcceptOptions, ConnectOptions, Connection};
use std::ffi::{c_int, c_void};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long anything may take.
pub const MOST: Duration = Duration::from_secs(120);

/// One test at a time has the devices.
static TURN: Mutex<()> = Mutex::new(());

// The functions of libibverbs, as a program calls them.
extern "C" {
    pub fn ibv_alloc_pd(context: *mut ibv_context) -> *mut ibv_pd;
    pub fn ibv_dealloc_pd(pd: *mut ibv_pd) -> c_int;
    pub fn ibv_reg_mr(pd: *mut ibv_pd, address: *mut c_void, length: usize, flags: c_int) -> *mut ibv_mr;
    pub fn ibv_dereg_mr(mr: *mut ibv_mr) -> c_int;
    pub fn ibv_create_comp_channel(context: *mut ibv_context) -> *mut ibv_comp_channel;
    pub fn ibv_destroy_comp_channel(channel: *mut ibv_comp_channel) -> c_int;
    pub fn ibv_create_cq(
        context: *mut ibv_context,
        cqe: c_int,
        value: *mut c_void,
        channel: *mut ibv_comp_channel,
        vector: c_int,
    ) -> *mut ibv_cq;
    pub fn ibv_destroy_cq(cq: *mut ibv_cq) -> c_int;
    pub fn ibv_get_cq_event(
        channel: *mut ibv_comp_channel,
        cq: *mut *mut ibv_cq,
        value: *mut *mut c_void,
    ) -> c_int;
    pub fn ibv_ack_cq_events(cq: *mut ibv_cq, count: u32);
    pub fn ibv_create_qp(pd: *mut ibv_pd, attr: *mut ibv_qp_init_attr) -> *mut ibv_qp;
    pub fn ibv_destroy_qp(qp: *mut ibv_qp) -> c_int;
    pub fn ibv_modify_qp(qp: *mut ibv_qp, attr: *mut ibv_qp_attr, mask: c_int) -> c_int;
    pub fn ibv_close_device(context: *mut ibv_context) -> c_int;
}

/// What a program makes on one device.
pub struct End {
    pub context: *mut ibv_context,
    pub pd: *mut ibv_pd,
    pub channel: *mut ibv_comp_channel,
    pub cq: *mut ibv_cq,
    pub qp: *mut ibv_qp,
    pub mr: *mut ibv_mr,
    pub memory: Box<[u8; 8192]>,
    pub connection: Option<Connection>,
}

/// Starts `ferrowarp-sim` with two devices, and names them to the library. The simulator ends with
/// this process.
fn serve() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/debug/ferrowarp-sim");
    let place = |n: u8| std::env::temp_dir().join(format!("fw-dropin-{}-{n}", std::process::id()));
    let mut command = Command::new(program);
    for n in [1, 2] {
        let socket = format!("vfio-user:{}", place(n).display());
        command.args(["--device", &socket, "--eth", &format!("link:{}", 2 - n)]);
    }
    // SAFETY: the child calls one function of the kernel, which takes numbers alone.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        })
    };
    // the child would end with the thread that has started it
    std::thread::spawn(move || {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
        let ended = child.expect("`cargo build -p ferrowarp-sim --bins` makes the program").wait();
        panic!("ferrowarp-sim has ended: {ended:?}");
    });
    let start = Instant::now();
    while ![1, 2].iter().all(|&n| place(n).exists()) {
        assert!(start.elapsed() < MOST, "ferrowarp-sim serves no device");
        std::thread::sleep(Duration::from_millis(20));
    }
    let url = |n: u8| format!("vfio-user:{};ip=10.0.0.{n}/24", place(n).display());
    std::env::set_var(VARIABLE, format!("{},{}", url(1), url(2)));
}

/// Runs a test on two ends that are connected, and gives everything up. The variable
/// FERROWARP_DEVICES may name other devices than those of a simulator of the test's own.
pub fn with_pair(body: impl FnOnce(&mut [End; 2])) {
    with_devices(|entries| {
        let mut ends = [&entries[0], &entries[1]].map(End::new);
        connect(&mut ends, true);
        body(&mut ends);
        ends.into_iter().for_each(End::end);
    });
}

/// Runs a test on the devices, none of which is open.
pub fn with_devices(body: impl FnOnce(&'static [Entry])) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    if std::env::var_os(VARIABLE).is_none() {
        serve();
    }
    body(all());
}

impl End {
    /// What a program makes before it connects.
    pub fn new(entry: &'static Entry) -> Self {
        let null = std::ptr::null_mut();
        let mut memory = Box::new([0_u8; 8192]);
        // SAFETY: each call gets what an earlier one gave.
        unsafe {
            let context = open(entry).unwrap();
            let (pd, channel) = (ibv_alloc_pd(context), ibv_create_comp_channel(context));
            let cq = ibv_create_cq(context, 64, null, channel, 0);
            let mut attr = attributes(cq);
            let qp = ibv_create_qp(pd, &mut attr);
            assert!(attr.cap.max_send_wr >= 16 && attr.cap.max_inline_data >= 64, "less than was asked for");
            let rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
            let mr = ibv_reg_mr(pd, memory.as_mut_ptr().cast(), memory.len(), rights as c_int);
            assert!(
                ![pd.is_null(), channel.is_null(), cq.is_null(), qp.is_null(), mr.is_null()].contains(&true)
            );
            Self { context, pd, channel, cq, qp, mr, memory, connection: None }
        }
    }

    /// Segments of its memory.
    pub fn sge(&self, at: usize, length: u32) -> ibv_sge {
        let addr = self.memory.as_ptr().addr() as u64 + at as u64;
        // SAFETY: the region is there.
        ibv_sge { addr, length, lkey: unsafe { (*self.mr).lkey } }
    }

    /// The next completion.
    pub fn completion(&self) -> ibv_wc {
        let (mut wc, start) = (ibv_wc::default(), Instant::now());
        loop {
            // SAFETY: a queue of the library, and room for one completion.
            match unsafe { (*self.context).ops.poll_cq.unwrap()(self.cq, 1, &mut wc) } {
                0 => assert!(start.elapsed() < MOST, "no completion"),
                1 => return wc,
                other => panic!("{other}"),
            }
        }
    }

    /// Posts requests to the send queue: what the call gives, and the request that was refused.
    pub fn post(&self, wr: *mut ibv_send_wr) -> (c_int, *mut ibv_send_wr) {
        let mut bad = std::ptr::null_mut();
        // SAFETY: a queue pair of the library, and requests of the test.
        (unsafe { (*self.context).ops.post_send.unwrap()(self.qp, wr, &mut bad) }, bad)
    }

    /// Posts a receive.
    pub fn receive(&self, wr_id: u64, mut sge: ibv_sge) {
        let next = std::ptr::null_mut();
        let (mut wr, mut bad) = (ibv_recv_wr { wr_id, next, sg_list: &mut sge, num_sge: 1 }, next);
        // SAFETY: as above.
        assert_eq!(unsafe { (*self.context).ops.post_recv.unwrap()(self.qp, &mut wr, &mut bad) }, 0);
    }

    /// Gives everything up.
    pub fn end(mut self) {
        drop(self.connection.take());
        // SAFETY: each object is given up once, those that need others first.
        unsafe {
            assert_eq!(ibv_dealloc_pd(self.pd), libc::EBUSY, "a queue pair and a region are left");
            assert_eq!(ibv_destroy_cq(self.cq), libc::EBUSY, "a queue pair is left");
            assert_eq!(ibv_destroy_qp(self.qp), 0);
            assert_eq!(ibv_destroy_qp(self.qp), libc::EINVAL, "destroyed twice");
            assert_eq!((ibv_dereg_mr(self.mr), ibv_destroy_cq(self.cq)), (0, 0));
            assert_eq!((ibv_destroy_comp_channel(self.channel), ibv_close_device(self.context)), (0, -1));
            assert_eq!((ibv_dealloc_pd(self.pd), ibv_close_device(self.context)), (0, 0));
        }
    }
}

/// A queue pair with one completion queue.
pub fn attributes(cq: *mut ibv_cq) -> ibv_qp_init_attr {
    let cap = ibv_qp_cap {
        max_send_wr: 16,
        max_recv_wr: 16,
        max_send_sge: 2,
        max_recv_sge: 1,
        max_inline_data: 64,
    };
    ibv_qp_init_attr { send_cq: cq, recv_cq: cq, cap, qp_type: IBV_QPT_RC, ..Default::default() }
}

/// The second end connects to the first one. Unless either may send first, the initiator has sent
/// nothing.
pub fn connect(ends: &mut [End; 2], either_first: bool) {
    let device = |end: &End| find::<Context>(end.context).unwrap().opened.device.clone();
    let pair = |end: &End| find::<Qp>(end.qp).unwrap().pair().unwrap();
    let listener = device(&ends[0]).listen(7000, 1).unwrap();
    let accepting = pair(&ends[0]);
    let accepted = std::thread::spawn(move || {
        let request = listener.next(MOST).unwrap();
        request.accept(&accepting, AcceptOptions::default().early(!either_first).patience(MOST)).unwrap()
    });
    let to = ([10, 0, 0, 1], 7000).into();
    let options = ConnectOptions::default().peer_to_peer(either_first).patience(MOST);
    ends[1].connection = Some(device(&ends[1]).connect(&pair(&ends[1]), to, options).unwrap());
    ends[0].connection = Some(accepted.join().unwrap());
}
