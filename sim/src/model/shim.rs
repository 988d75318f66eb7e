//! The C++ between Verilator's class and Rust: a table of ports, and no names across the border.
use ferrowarp_hdl::emit::Port;
use std::fmt::Write;

/// The shim of a model whose class is `Vdut`. `ffi.rs` is the other side: both must name the same functions
/// and the same layout of `FwPort`.
///
/// Random initial values are drawn while the instance is made and evaluated for the first time. Verilator 5.006
/// keeps the state of that generator per thread and restarts it when any thread seeds, so this part is under
/// a lock: equal seeds must give equal models whatever else runs.
pub(super) fn shim(ports: &[Port]) -> String {
    let mut table = String::new();
    for p in ports {
        let n = &p.name;
        // writing to a String cannot fail
        let _ = writeln!(table, "    *p++ = {{(void *)&d->top->{n}, (uint32_t)sizeof(d->top->{n})}};");
    }
    let count = ports.len();
    format!("{HEAD}{PORTS}    if (room != {count}) return 0;\n    FwPort *p = out;\n{table}    return {count};\n}}\n{TAIL}")
}

const HEAD: &str = r#"#include "Vdut.h"
#include "verilated.h"
#include "verilated_fst_c.h"
#include <cstdint>
#include <mutex>

#define FW_EXPORT extern "C" __attribute__((visibility("default")))

struct FwPort { void *storage; uint32_t octets; };
struct FwDut {
    VerilatedContext ctx;
    Vdut *top = nullptr;
    VerilatedFstC *fst = nullptr;
};

static std::mutex making;

FW_EXPORT FwDut *fw_new(uint32_t seed) {
    std::lock_guard<std::mutex> lock(making);
    FwDut *d = new FwDut;
    Verilated::threadContextp(&d->ctx);
    d->ctx.randReset(2);
    d->ctx.randSeed((int)seed);
    d->ctx.traceEverOn(true);
    d->top = new Vdut(&d->ctx);
    d->top->clock = 0;
    d->top->eval();
    return d;
}

FW_EXPORT void fw_trace_close(FwDut *d) {
    if (!d->fst) return;
    d->fst->close();
    delete d->fst;
    d->fst = nullptr;
}

FW_EXPORT void fw_free(FwDut *d) {
    fw_trace_close(d);
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
    if (d->fst) d->fst->dump(d->ctx.time());
    d->ctx.timeInc(1);
}

FW_EXPORT uint32_t fw_trace_open(FwDut *d, const char *path) {
    fw_trace_close(d);
    Verilated::threadContextp(&d->ctx);
    d->fst = new VerilatedFstC;
    d->top->trace(d->fst, 99);
    d->fst->open(path);
    return d->fst->isOpen() ? 1 : 0;
}
"#;
