// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stage whose counters begin elsewhere: what a stream reaches behind 2^32 messages stands at its
//! start.
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::emit::Emitted;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{emitted, model_of, run_case_on, Bench};

/// The MSN at which the streams of [`ddp_rx`] and [`sq`] begin, on queues 0 and 1.
pub const FIRST: u32 = 0xFFFF_FFFE;

/// Runs a body on `top` of which these constants have another value: the text of their declarations
/// and the text instead. The logic is the emitted one.
fn run(name: &str, top: Top, constants: &[(&str, &str)], body: impl Fn(&mut Bench) -> Result<(), String>) {
    let emitted = emitted(top, &Config::profile(Profile::Tiny)).expect("the top is emitted");
    let mut verilog = emitted.verilog.clone();
    for (from, to) in constants {
        assert_eq!(verilog.matches(from).count(), 1, "`{from}` stands once in the text of {}", top.name());
        verilog = verilog.replace(from, to);
    }
    let library = model_of(&Emitted { verilog, ..emitted }).unwrap_or_else(|why| panic!("{name}: {why}"));
    run_case_on(name, &library, 1, body);
}

/// The receive side, whose new streams have `FIRST - 1` messages behind them: the two constants are
/// what `rx_columns` reads of a row that no message has written.
pub fn ddp_rx(name: &str, body: impl Fn(&mut Bench) -> Result<(), String>) {
    let begins =
        |none: u32| format!("localparam  none = 32'h{none:x};\n    localparam  no_reads = 74'h{none:x};");
    run(name, Top::DdpRxW64, &[(&begins(0), &begins(FIRST - 1))], body);
}

/// The send queue, whose new streams go on with `FIRST`: the constant is the row of a new stream,
/// and has the two MSNs in its low bits.
pub fn sq(name: &str, body: impl Fn(&mut Bench) -> Result<(), String>) {
    let row = |msn: u32| format!("localparam  blank = 203'h{:x};", u64::from(msn) << 32 | u64::from(msn));
    run(name, Top::SqW64, &[(&row(1), &row(FIRST))], body);
}
