// SPDX-License-Identifier: MIT OR Apache-2.0
//! Send queue on the emitted Verilog: messages that stay in the in-flight ring while gigabytes
//! follow.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::run_case;
use ferrowarp_tests::sq::{Manners, Rig};

/// The queue pair.
const QP: usize = 3;

/// A Read keeps its place until its response has come, and up to 61 messages of 4 GiB may be
/// acknowledged behind it.
#[test]
fn a_read_completes_however_much_was_acknowledged_behind_it() {
    for gigabytes in [1, 2, 3, 4, 5, 255] {
        run_case("sq-far", Top::SqW64, gigabytes, |bench| {
            let mut rig = Rig::new(bench, Manners { acks: false, ..Manners::steady() });
            rig.set_up(bench, QP, 4, 1_454)?;
            let post = rig.read_into(QP, 0x100, 0x1_0000, 100);
            rig.post(bench, QP, &post);
            rig.ring(bench, QP);
            rig.run(bench, 5_000, |_, rig| rig.qps[QP].expected.is_empty())?;
            rig.quiet(bench)?;
            rig.acknowledge_to(bench, QP, gigabytes << 30)?;
            assert_eq!(rig.dones.len(), 0, "{gigabytes} GiB: its response is still to come");
            rig.finish_read(bench, QP)?;
            assert_eq!(rig.dones.len(), 1, "{gigabytes} GiB");
            Ok(())
        });
    }
}
