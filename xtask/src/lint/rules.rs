// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every rule: its name, what to write instead, and why it stands.

/// One rule of the linter.
#[derive(Debug)]
pub struct Rule {
    /// Name printed with each finding and taken by `--explain`.
    pub name: &'static str,
    /// What to write instead.
    pub instead: &'static str,
    /// What goes wrong when it is not kept.
    pub why: &'static str,
}

macro_rules! rules {
    ($($id:ident: $name:literal, $instead:literal, $why:literal;)*) => {
        $(pub const $id: &Rule = &Rule { name: $name, instead: $instead, why: $why };)*
        /// All rules, in the order in which the linter looks for them.
        pub const ALL: &[&Rule] = &[$($id),*];
    };
}

rules! {
    ARITH_IN_COMPARE: "arith-in-compare",
        "give the result of + - * ! << a Signal<Local> of its own width and compare that",
        "Verilog widens both sides of a comparison to the wider one (a literal has 32 bits), so the carry of a sum \
         and the high ones of a negation are kept: `a + 1 == b` on 8 bits never holds for a = 255, b = 0.";
    ARITH_IN_CAST: "arith-in-cast",
        "give the result of + - * ! << a Signal<Local> of its own width and cast that",
        "A cast is emitted as a mask around its operand, and `.into()`, `.to_bits()` vanish: the operand is computed \
         at the new width, so carry and inverted high bits appear.";
    ARITH_IN_INDEX: "arith-in-index",
        "give the result a Signal<Local> of its own width and index by that; arithmetic on loop variables is free",
        "An index is computed at the width of its widest operand, and a literal has 32 bits: it does not wrap.";
    ARITH_IN_SHIFT: "arith-in-shift",
        "give the result of + - * ! << a Signal<Local> of its own width and shift that",
        "The bits above the operand's width, which Rust-HDL drops, are shifted back in; a shift amount made with \
         a literal does not wrap either.";
    ARITH_IN_REDUCTION: "arith-in-reduction",
        "give the result a Signal<Local> of its own width and reduce that",
        "any, all and xor work on the widened operand, with its carry and its inverted high bits.";
    ARITH_IN_MATCH: "arith-in-match",
        "give the result a Signal<Local> of its own width and match on that",
        "The case expression is widened to its widest label.";
    SLICE_OF_EXPRESSION: "slice-of-expression",
        "give the expression a Signal<Local> and take the bits of that",
        "`(a + b).get_bits::<4>(0)` is emitted as `(a + b)[(0)+:(4)]`, which is no Verilog; the same holds for the \
         bits of a cast and of another slice.";
    MIXED_OPERATORS: "mixed-operators",
        "parenthesise the inner operation; only a comparison inside && or || may stand bare",
        "The text is copied as it stands, but Rust binds & ^ | tighter than == and <, Verilog looser.";
    MATCH_GUARD: "match-guard",
        "put an `if` inside the arm",
        "The guard is dropped: the arm is always taken.";
    MATCH_DEFAULT: "match-default",
        "end the match with `_ => {}` and assign every output above it",
        "Without a default a match over fewer than 2^n values infers a latch, which Verilator does not report.";
    MATCH_PATTERN: "match-pattern",
        "match on variants written `St::Run`; for a Bit write an `if`",
        "A bare name or a bool is emitted as an undeclared name, and a binding never binds.";
    LOST_UPDATE: "lost-update",
        "let a Signal<Local> start from `q`, change that in turn, and assign it to `d` once; or use if and else",
        "The last assignment wins: when both conditions hold in one cycle, what the first one changed is lost, \
         such as the bit of one connection that is cleared while that of another is set.";
    INCLUSIVE_RANGE: "inclusive-range",
        "write the end as an exclusive bound, `0..4`",
        "`0..=3` is unrolled as `0..3`: the last pass is missing.";
    LOOP_SHADOW: "loop-shadow",
        "give the inner loop variable another name",
        "Loop variables are replaced by name, outermost first: the inner loop reads the outer value.";
    BARE_CONST: "bare-const",
        "write `lit::<WIDTH>(VALUE)`, or put a value that new() computes into a Const field; type arguments and loop \
         bounds are free",
        "A const item or const generic is emitted as its name, which Verilog does not know.";
    LONG_PATH: "long-path",
        "import the enum and write `St::Run`",
        "`a::St::Run` is emitted as the undeclared `a$St$Run`.";
    KERNEL_ASSERT: "kernel-assert",
        "assert in new(), or raise an error output that a test watches",
        "`assert!` in a kernel becomes a Verilog comment.";
    LITERAL_WIDTH: "literal-width",
        "widen the signal or write a literal that fits",
        "A literal has 32 bits in Verilog and is truncated without a warning where it is assigned.";
    VERILOG_WORD: "verilog-word",
        "rename the field; inside a LogicInterface the word is safe, since the bundle's name is put before it",
        "Fields of a block become Verilog ports, instances and registers under their own name.";
    FIELD_NEXT: "field-next",
        "rename the field",
        "The kernel macro takes every `.next` for the write side of a signal.";
    UNPARSED: "unparsed",
        "make the file compile",
        "A file that does not parse was not judged.";
    FILE_SIZE: "file-size",
        "split the file by purpose",
        "A reader holds about 300 lines at once; 400 beside the licence line is the limit.";
    PROSE_WIDTH: "prose-width",
        "break the line between two words; tables, code blocks and a lone link may be wider",
        "Two texts side by side, a terminal and a review page show 100 columns of prose.";
    LONG_SENTENCE: "long-sentence",
        "write two sentences, one fact each; put a list of more than three things into a table or items",
        "A reader who has to find the verb of a long sentence reads the sentence twice.";
    FILE_LENGTH: "file-length",
        "split the file by purpose",
        "No handwritten Rust file is to have more than 400 lines; until none has, their number may not grow.";
    FILE_CIRCLE: "file-circle",
        "move what both need into a file below them, or what one needs up into the other",
        "Files that import each other can only be read, tested and moved together.";
    FOLDER_PAIR: "folder-pair",
        "move the record or block that both need into a folder of its own",
        "Octets go one way through the stages; a stage that imports its follower cannot be read before it.";
    PORT_COMMENT: "port-comment",
        "say the unit, when the value is valid and who drives it, or say it once of the channel",
        "`Taken.` above a port says nothing that the port's name does not say.";
    DECISION: "decision",
        "name a decision that docs/decisions.md has, or add it there with its anchor",
        "A reader cannot look up an undefined number.";
    DEAD_LINK: "dead-link",
        "correct the path or the anchor; an anchor is the heading in small letters with `-` for blanks",
        "A reader stops at a link without a target.";
    COMMIT_SUBJECT: "commit-subject",
        "reword it as `area: imperative`, with 72 characters at most and no full stop",
        "A log of one line a commit shows 72 characters; the area is what a reader looks for.";
    LICENSE_LINE: "license-line",
        "run `cargo xtask lint --fix`",
        "A file that is copied alone takes its licence along only if the file names it.";
    LINT_DEBT: "lint-debt",
        "mend the place that is new, or write the lower count into .ci/lint-debt.toml",
        "A count that may only fall ends at 0; an unrecorded count does not fall.";
    ONE_FSM: "one-fsm",
        "move the second state machine to a file of its own",
        "Two LogicState enums in a file are two stories; two of one name in a module are a duplicate declaration.";
    STAGE_README: "stage-readme",
        "write README.md with the heads Purpose, Ports and contract, Latency and throughput, Errors and counters, Requirements",
        "A stage without a README cannot be reviewed from its folder.";
    UNFINISHED: "unfinished",
        "finish it, or open an issue and remove the mark",
        "What is landed is whole.";
    TWIN_TESTS: "twin-tests",
        "rename one of the files",
        "Outcomes and proves(..) are filed by the name of the test binary: two of one name cannot be told apart.";
    IGNORED_TEST: "ignored-test",
        "make the test run, or remove it",
        "A test that does not run proves nothing; an allowed skip stands in .ci/allowed-skips with its reason.";
    CUSTOM_PLACE: "custom-place",
        "write a kernel, or move the leaf to hdl/src/cell",
        "Handwritten Verilog escapes Rust-HDL's checks; it lives where each cell is compared with its update().";
    CUSTOM_CLOCKED: "custom-clocked",
        "keep the leaf combinational and put Reg, Flop or Sdp around it",
        "Clocked state stands only in register and RAM cells, so that reset and start values are decided once.";
    CUSTOM_SIZE: "custom-size",
        "split the cell, or write most of it as a kernel",
        "A handwritten cell has at most 80 emitted lines.";
    CUSTOM_SHARE: "custom-share",
        "write a cell as a kernel, or merge cells of one kind",
        "Handwritten cells are at most 5 % of the whole device's emitted lines.";
    EMITTED_INITIAL: "emitted-initial",
        "use cell::Reg or cell::Flop instead of Rust-HDL's DFF and RAM",
        "`initial` hides a missing reset from simulation with random start values, and ASIC-like flows ignore it.";
    TOP_PORT_NAME: "top-port-name",
        "rename the port or the top",
        "Verilator refuses a top module that has a port of its own name.";
    VERILATOR_LINT: "verilator-lint",
        "cure the warning in the block that emitted the line",
        "Verilator -Wall finds unused, undriven and doubly driven signals; only the warnings that Rust-HDL's style makes are allowed.";
    YOSYS_CHECK: "yosys-check",
        "assign every output and local at the top of the kernel, once",
        "A latch or a second driver simulates one way and is built another.";
}

/// The rule of a name.
pub fn by_name(name: &str) -> Option<&'static Rule> {
    ALL.iter().find(|r| r.name == name).copied()
}
