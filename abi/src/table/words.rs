//! Names that a field cannot have.

/// Words of Verilog-2005 and SystemVerilog that Verilator refuses as names, words of Rust, and the names that
/// Rust-HDL's kernel macro treats in its own way; each between two spaces.
const WORDS: &str = " \
    accept_on alias always always_comb always_ff always_latch and as assert assign assume async automatic \
    await become before begin bind bins binsof bit bool box break buf bufif0 bufif1 byte case casex casez \
    cell chandle char checker class clocking cmos config const constraint context continue cover covergroup \
    coverpoint crate cross deassign default defparam design disable dist do dyn edge else end endcase \
    endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule \
    endpackage endprimitive endprogram endproperty endsequence endspecify endtable endtask enum event \
    eventually expect export extends extern false final first_match fn for force foreach forever fork \
    forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins impl \
    implements implies import in incdir include initial inout input inside instance int integer interconnect \
    interface intersect join join_any join_none large let liblist library local localparam logic longint \
    loop macro macromodule match matches medium mod modport module move mut nand negedge nettype new next \
    nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge \
    primitive priority priv program property protected pub pull0 pull1 pulldown pullup pulsestyle_ondetect \
    pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg reject_on release \
    repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until \
    s_until_with scalared self sequence shortint shortreal showcancelled signed small soft solve specify \
    specparam static str string strong strong0 strong1 struct super supply0 supply1 sync_accept_on \
    sync_reject_on table tagged task this throughout time timeprecision timeunit trait tran tranif0 tranif1 \
    tri tri0 tri1 triand trior trireg true try type typedef typeof union unique unsafe unsigned unsized \
    until until_with untyped use uwire val var vectored virtual void wait wait_order wand weak weak0 weak1 \
    where while wildcard wire with within wor xnor xor yield ";

/// Whether a field, signal or instance of this name would break generated Rust or emitted Verilog.
pub const fn is_reserved_word(name: &str) -> bool {
    let (words, name) = (WORDS.as_bytes(), name.as_bytes());
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
    name.is_empty()
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
    use super::is_reserved_word;

    #[test]
    fn words_are_found_whole_only() {
        for word in
            ["accept_on", "tagged", "next", "sequence", "yield", "cell", "context", "become", "char", ""]
        {
            assert!(is_reserved_word(word), "{word}");
        }
        for name in ["tag", "sequence_number", "last", "is_tagged", "kind", "ed"] {
            assert!(!is_reserved_word(name), "{name}");
        }
    }
}
