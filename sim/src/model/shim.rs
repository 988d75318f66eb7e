// SPDX-License-Identifier: MIT OR Apache-2.0
//! The C++ between Verilator's class and Rust: a table of ports, and no names across the border.
use super::time::TimePart;
use super::Kind;
use ferrowarp_hdl::emit::Port;
use std::fmt::Write;

/// The shim of a model whose class is `Vdut`. `ffi.rs` is the other side: both must name the same
/// functions and the same layout of `FwPort`.
///
/// Random initial values are drawn while the instance is made and evaluated for the first time.
/// Verilator 5.006 keeps the state of that generator per thread and restarts it when any thread
/// seeds, so this part is under a lock: equal seeds must give equal models whatever else runs.
///
/// The seed 0 stands for no random values: everything starts at 0.
///
/// Only that of a traced model has `fw_trace_open` and `fw_trace_close`, only that of a top with a
/// part that counts time `fw_state` and `fw_time`, only that of a model that counts coverage
/// `fw_counters`.
pub(super) fn shim(ports: &[Port], kind: Kind, time: Option<&TimePart>) -> String {
    let mut table = String::new();
    for p in ports {
        let n = &p.name;
        // writing to a String cannot fail
        let _ = writeln!(table, "    *p++ = {{(void *)&d->top->{n}, (uint32_t)sizeof(d->top->{n})}};");
    }
    let count = ports.len();
    let (root, state) = time.map_or_else(Default::default, state);
    let (wave, trace) = match kind {
        Kind::Plain => (PLAIN, String::new()),
        Kind::Traced => (TRACED, TRACE.into()),
        Kind::Covered => (PLAIN, format!("\n{COUNTERS}")),
    };
    let making = match kind {
        Kind::Covered => MAKING.replace(MADE, &format!("{MADE}{ZEROED}")),
        _ => MAKING.into(),
    };
    format!(
        "{root}{HEAD}{wave}{DUT}{trace}{making}{state}{PORTS}    if (room != {count}) return 0;\n    FwPort *p = out;\n{table}    return {count};\n}}\n{TAIL}"
    )
}

/// What shows all that evaluation reads and writes, and within it the register of time; and what
/// that takes at the beginning.
fn state(time: &TimePart) -> (&'static str, String) {
    let variable = &time.variable;
    let text = format!(
        "FW_EXPORT void fw_state(FwDut *d, FwPort *out) {{\n    *out = {{(void *)d->top->rootp, (uint32_t)sizeof(*d->top->rootp)}};\n}}\n\n\
         FW_EXPORT void fw_time(FwDut *d, FwPort *out) {{\n    auto &time = d->top->rootp->{variable};\n    \
         *out = {{(void *)&time, (uint32_t)sizeof(time)}};\n}}\n\n"
    );
    ("#include \"Vdut___024root.h\"\n", text)
}

const HEAD: &str = r#"#include "Vdut.h"
#include "verilated.h"
#include <cstdint>
#include <mutex>

#define FW_EXPORT extern "C" __attribute__((visibility("default")))

struct FwPort { void *storage; uint32_t octets; };
"#;

/// What the rest says to a waveform, where there is none.
const PLAIN: &str = r#"
struct FwWave {
    void begin(VerilatedContext &) {}
    void dump(uint64_t) {}
    void end() {}
};
"#;

const TRACED: &str = r#"#include "verilated_fst_c.h"

struct FwWave {
    VerilatedFstC *fst = nullptr;
    void begin(VerilatedContext &ctx) { ctx.traceEverOn(true); }
    void dump(uint64_t time) { if (fst) fst->dump(time); }
    void end() {
        if (!fst) return;
        fst->close();
        delete fst;
        fst = nullptr;
    }
};
"#;

const DUT: &str = r#"struct FwDut {
    VerilatedContext ctx;
    Vdut *top = nullptr;
    FwWave wave;
};
"#;

const TRACE: &str = r#"
FW_EXPORT void fw_trace_close(FwDut *d) {
    d->wave.end();
}

FW_EXPORT uint32_t fw_trace_open(FwDut *d, const char *path) {
    d->wave.end();
    Verilated::threadContextp(&d->ctx);
    d->wave.fst = new VerilatedFstC;
    d->top->trace(d->wave.fst, 99);
    d->wave.fst->open(path);
    return d->wave.fst->isOpen() ? 1 : 0;
}
"#;

/// The counters of coverage, each of 32 bits, which Verilator keeps beside the model's root.
const COUNTERS: &str = r#"#include "Vdut__Syms.h"

FW_EXPORT void fw_counters(FwDut *d, FwPort *out) {
    auto &counters = d->top->rootp->vlSymsp->__Vcoverage;
    *out = {(void *)counters, (uint32_t)sizeof(counters)};
}
"#;

/// The line of [`MAKING`] behind which the counters are zeroed: who names no counter zeroes none.
const MADE: &str = "    d->top = new Vdut(&d->ctx);\n";
const ZEROED: &str = "    for (uint32_t &counter : d->top->rootp->vlSymsp->__Vcoverage) counter = 0;\n";

const MAKING: &str = r#"
static std::mutex making;

FW_EXPORT FwDut *fw_new(uint32_t seed) {
    std::lock_guard<std::mutex> lock(making);
    FwDut *d = new FwDut;
    Verilated::threadContextp(&d->ctx);
    d->ctx.randReset(seed ? 2 : 0);
    if (seed) d->ctx.randSeed((int)seed);
    d->wave.begin(d->ctx);
    d->top = new Vdut(&d->ctx);
    d->top->clock = 0;
    d->top->eval();
    return d;
}

FW_EXPORT void fw_free(FwDut *d) {
    // scopes of public variables leave the context of this thread
    Verilated::threadContextp(&d->ctx);
    d->wave.end();
    d->top->final();
    delete d->top;
    delete d;
}

"#;

const PORTS: &str = r#"FW_EXPORT uint32_t fw_ports(FwDut *d, FwPort *out, uint32_t room) {
"#;

const TAIL: &str = r#"
FW_EXPORT void fw_eval(FwDut *d) {
    Verilated::threadContextp(&d->ctx);
    d->top->eval();
}

FW_EXPORT void fw_advance(FwDut *d) {
    d->wave.dump(d->ctx.time());
    d->ctx.timeInc(1);
}
"#;
