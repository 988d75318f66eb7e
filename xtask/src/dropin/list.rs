// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pairs of programs that `cargo xtask dropin --try` runs. `PEER` stands for the server's
//! address, `FOLDER` for a folder of the run.

/// A server, its client, and a text that the client's output has.
pub struct Pair {
    /// The server's words, which spaces part.
    pub server: &'static str,
    /// The client's words.
    pub client: &'static str,
    /// What the client says if all went well.
    pub says: &'static str,
    /// The server goes on when its client has ended, and a signal ends the server.
    pub serves_on: bool,
    /// The client copies the file FOLDER/from to FOLDER/to.
    pub copies: bool,
    /// The programs also speak over TCP: the devices have addresses of the machine's network.
    pub is_beside_tcp: bool,
    /// FERROWARP_FULL=1 asks for the pair.
    pub is_extra: bool,
}

/// A server that ends with its client.
const fn pair(server: &'static str, client: &'static str, says: &'static str) -> Pair {
    let (serves_on, copies, is_beside_tcp, is_extra) = (false, false, false, false);
    Pair { server, client, says, serves_on, copies, is_beside_tcp, is_extra }
}

/// A pair of FERROWARP_FULL=1.
const fn extra(server: &'static str, client: &'static str, says: &'static str) -> Pair {
    Pair { is_extra: true, ..pair(server, client, says) }
}

/// rping with pings of some octets.
macro_rules! rping {
    ($make:ident $octets:literal) => {
        $make(
            concat!("rping -s -V -C 10 -S ", $octets),
            concat!("rping -c -v -V -C 10 -S ", $octets, " -a PEER"),
            "ping data: rdma-ping-9",
        )
    };
}

/// A program of perftest, with messages of some octets, their number, and more options. A line of
/// the result begins with both numbers.
macro_rules! perftest {
    ($make:ident $program:literal $octets:literal $count:literal $($more:literal)?) => {
        $make(
            concat!($program, " -R -F -s ", $octets, " -n ", $count $(, " ", $more)?),
            concat!($program, " -R -F -s ", $octets, " -n ", $count $(, " ", $more)?, " PEER"),
            concat!(" ", $octets, " ", $count, " "),
        )
    };
}

/// perftest on four queue pairs, 50 messages of 4,096 octets on each.
macro_rules! four {
    ($program:literal) => {
        extra(
            concat!($program, " -R -F -s 4096 -n 50 -q 4"),
            concat!($program, " -R -F -s 4096 -n 50 -q 4 PEER"),
            " 4096 200 ",
        )
    };
}

/// A test of qperf, which is the server's last. The client closes behind 1,024 messages.
macro_rules! qperf {
    ($test:literal $says:literal) => {
        Pair {
            is_beside_tcp: true,
            ..extra("qperf", concat!("qperf -t 1 -cm 1 -m 64 PEER ", $test, " quit"), $says)
        }
    };
}

/// What is run. Octets and numbers are such that a pair takes some ten seconds on two cores that do
/// nothing else.
pub const PAIRS: &[Pair] = &[
    rping!(pair 1000),
    rping!(pair 60000),
    rping!(extra 100),
    rping!(extra 8000),
    pair("rdma_server", "rdma_client -s PEER", "rdma_client: end 0"),
    pair("ucmatose -c 10", "ucmatose -c 10 -s PEER", "return status 0"),
    Pair { serves_on: true, ..pair("cmtime -c 10", "cmtime -c 10 -s PEER", "destroy : ") },
    Pair { serves_on: true, copies: true, ..pair("rcopy", "rcopy FOLDER/from PEER:FOLDER/to", "bytes in") },
    pair("rstream -S 4096 -C 50", "rstream -S 4096 -C 50 -s PEER", "4k"),
    pair("riostream -S 4096 -C 50", "riostream -S 4096 -C 50 -s PEER", "4k"),
    perftest!(pair "ib_write_bw" 4096 100),
    perftest!(pair "ib_read_bw" 4096 100),
    perftest!(extra "ib_send_bw" 4096 100),
    perftest!(pair "ib_write_lat" 64 200),
    // events of completions; perftest's client sleeps for ever if no Send of a window is signaled
    perftest!(pair "ib_send_bw" 4096 100 "-e -Q 1"),
    perftest!(pair "ib_send_lat" 64 200 "-e"),
    perftest!(extra "ib_read_bw" 4096 100 "-e"),
    perftest!(extra "ib_read_lat" 64 200 "-e"),
    perftest!(extra "ib_write_bw" 64 100),
    perftest!(extra "ib_write_bw" 65536 10),
    perftest!(extra "ib_read_bw" 64 100),
    perftest!(extra "ib_read_bw" 65536 10),
    perftest!(extra "ib_send_bw" 64 100),
    perftest!(extra "ib_send_bw" 65536 10),
    perftest!(extra "ib_write_lat" 4096 25),
    perftest!(extra "ib_write_lat" 65536 5),
    perftest!(extra "ib_read_lat" 64 200),
    perftest!(extra "ib_read_lat" 4096 25),
    perftest!(extra "ib_read_lat" 65536 5),
    perftest!(extra "ib_send_lat" 64 200),
    perftest!(extra "ib_send_lat" 4096 25),
    perftest!(extra "ib_send_lat" 65536 5),
    four!("ib_write_bw"),
    four!("ib_read_bw"),
    four!("ib_send_bw"),
    perftest!(extra "ib_write_bw" 64 100 "--inline_size 64"),
    perftest!(extra "ib_send_bw" 64 100 "--inline_size 64"),
    perftest!(extra "ib_write_lat" 64 100 "--inline_size 64"),
    perftest!(extra "ib_send_lat" 64 100 "--inline_size 64"),
    qperf!("rc_lat" "latency ="),
    qperf!("rc_bw" "bw ="),
    qperf!("rc_rdma_read_lat" "latency ="),
    qperf!("rc_rdma_read_bw" "bw ="),
];
