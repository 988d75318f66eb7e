// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names that a field cannot have.

/// Words of IEEE 1364-2005 and IEEE 1800-2017, each between two spaces: Verilator reads every file
/// as SystemVerilog, and the synthesis tools of the boards take one or the other.
const VERILOG: &str = " \
    accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before \
    begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class \
    clocking cmos config const constraint context continue cover covergroup coverpoint cross deassign \
    default defparam design disable dist do edge else end endcase endchecker endclass endclocking endconfig \
    endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram endproperty \
    endsequence endspecify endtable endtask enum event eventually expect export extends extern final \
    first_match for force foreach forever fork forkjoin function generate genvar global highz0 highz1 if iff \
    ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input inside \
    instance int integer interconnect interface intersect join join_any join_none large let liblist library \
    local localparam logic longint macromodule matches medium modport module nand negedge nettype new \
    nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge \
    primitive priority program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect \
    pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg reject_on release \
    repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until \
    s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve specify \
    specparam static string strong strong0 strong1 struct super supply0 supply1 sync_accept_on \
    sync_reject_on table tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri \
    tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned until until_with untyped use \
    uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire with within \
    wor xnor xor ";

/// Words of Rust that are none of Verilog, and `next`, which Rust-HDL's kernel macro takes for its
/// own.
const OTHERS: &str = " \
    abstract as async await become box crate dyn false fn impl in loop macro match mod move mut next \
    override priv pub self trait true try typeof unsafe unsized where yield ";

/// Whether Verilog keeps `name` for itself.
pub const fn is_verilog_word(name: &str) -> bool {
    holds(VERILOG, name)
}

/// Whether a field, signal or instance of this name would break generated Rust or emitted Verilog.
pub const fn is_reserved_word(name: &str) -> bool {
    name.is_empty() || is_verilog_word(name) || holds(OTHERS, name)
}

/// Whether `words`, each between two spaces, holds `name`.
const fn holds(words: &str, name: &str) -> bool {
    let (words, name) = (words.as_bytes(), name.as_bytes());
    let mut start = 0;
    let mut i = 0;
    while i < words.len() {
        if words[i] == b' ' {
            if i > start && equal(words, start, i, name) {
                return true;
            }
            start = i + 1;
        }
        i += 1;
    }
    false
}

/// String equality that the compiler can evaluate.
pub(super) const fn same(a: &str, b: &str) -> bool {
    equal(a.as_bytes(), 0, a.len(), b.as_bytes())
}

const fn equal(text: &[u8], from: usize, to: usize, word: &[u8]) -> bool {
    if to - from != word.len() {
        return false;
    }
    let mut i = 0;
    while i < word.len() {
        if text[from + i] != word[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{is_reserved_word, is_verilog_word};

    #[test]
    fn words_are_found_whole_only() {
        for word in
            ["accept_on", "tagged", "next", "sequence", "yield", "cell", "context", "become", "unique0", ""]
        {
            assert!(is_reserved_word(word), "{word}");
        }
        for name in ["tag", "sequence_number", "last", "is_tagged", "kind", "ed"] {
            assert!(!is_reserved_word(name), "{name}");
        }
        assert!(is_verilog_word("xor") && !is_verilog_word("yield") && !is_verilog_word("become"));
    }
}
