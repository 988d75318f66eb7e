// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing diagram of `hdl/src/host/README.md`: an admin command visits its stages.
use ferrowarp_abi::codec::CqRow;
use ferrowarp_abi::consts::admin_opcode;
use ferrowarp_hdl::host::step;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{Frame, Pattern};
use ferrowarp_tests::wave::{compare, tape, Diagram};

/// Each step is offered until its stage is ready, and the answer comes behind the last one.
#[test]
fn the_readme_shows_a_command_of_two_steps() {
    compare("host", Top::HostW64, |bench| {
        for port in ["ready", "inserted", "cap_ready", "capd_valid", "mrr_ready", "mrd_valid", "dead"] {
            bench.set(&format!("admin_{port}"), 0);
        }
        bench.set("admin_usable", 0xffff);
        let commands = bench.source("admin_rx", Pattern::None);
        let answers = bench.sink("admin_tx", Pattern::None);
        // the store of rows is blank by then
        (0..600).for_each(|_| bench.step());
        let tape = tape(bench);
        let row = CqRow { base: 0x3000, log2: 4, is_valid: true };
        let head = [admin_opcode::CQ_WRITE, 0, 0, 3, 0, 0, 0, 0];
        let row = row.octets().map_err(|why| why.to_string())?;
        bench.send(commands, Frame::good([&head[..], &row].concat()));
        let mut offered = 0_u64;
        for _ in 0..100 {
            // a stage is ready in the second cycle of its step
            let steps = bench.get("admin_valid");
            offered = if steps == 0 { 0 } else { offered + 1 };
            let is_ready = offered == 2;
            bench.set("admin_ready", if is_ready { steps } else { 0 });
            offered *= u64::from(!is_ready);
            bench.step();
            if bench.waiting(answers) == 1 {
                break;
            }
        }
        assert_eq!(bench.received(answers).len(), 1, "the answer");
        let step = |name: &str, step: usize| format!("admin_{name}[{step}]");
        let steps = [step::CQ_WRITE, step::WRITTEN].map(|s| [step("valid", s), step("ready", s)].join(" "));
        let diagram = Diagram::of(&tape, 6).stream("admin_rx").bits(&steps[0]);
        let diagram = diagram.value("admin_cq", &step("valid", step::CQ_WRITE)).bits(&steps[1]);
        Ok(diagram.stream("admin_tx"))
    });
}
