// SPDX-License-Identifier: MIT OR Apache-2.0
//! The judge judged: equal hardware passes, and each difference is named with top, cycle and port.
use ferrowarp_hdl::emit::{emit, Emitted};
use ferrowarp_hdl::stream::Skid;
use ferrowarp_sim::judge::{drive, judge, Difference, JudgeError, Record};
use ferrowarp_sim::model_of;

/// Cycles of these tests.
const CYCLES: usize = 600;

fn skid(name: &str) -> (Emitted, Record) {
    let emitted = emit(name, Skid::<64, 4>::default).unwrap();
    let record = drive(&model_of(&emitted).unwrap(), 7, CYCLES).unwrap();
    (emitted, record)
}

/// The difference that the judge finds in a text.
fn difference(top: &str, text: &str, record: &Record) -> Difference {
    match judge(top, text, record) {
        Err(JudgeError::Differs { difference, folder }) => {
            assert!(folder.join("testbench.v").is_file());
            std::fs::remove_dir_all(&folder).unwrap();
            *difference
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_same_text_gives_the_same_outputs() {
    let (emitted, record) = skid("judged_skid");
    let (verdict, _) = judge("judged_skid", &emitted.verilog, &record).unwrap();
    assert_eq!((verdict.cycles, verdict.unknown.len()), (CYCLES, 0));
    let moved: Vec<_> = verdict.moved.iter().map(|m| (m.prefix.as_str(), m.is_input)).collect();
    assert_eq!(moved, [("rx", true), ("tx", false)]);
    assert!(verdict.moved.iter().all(|m| m.transfers > CYCLES / 4), "{:?}", verdict.moved);
    assert!(verdict.equal > 64 * CYCLES as u64 / 4, "{verdict:?}");
    // the second time Icarus does not run
    assert!(judge("judged_skid", &emitted.verilog, &record).unwrap().1);
}

/// What Verilator computed stands in the record; a text with another operator is what a wrong
/// simulator would make of the text.
#[test]
fn one_changed_operator_is_named_with_top_cycle_and_port() {
    let (emitted, record) = skid("changed_skid");
    let places: Vec<_> = emitted.verilog.match_indices(" && ").map(|(at, _)| at).collect();
    assert!(!places.is_empty());
    for at in places {
        let mut text = emitted.verilog.clone();
        text.replace_range(at..at + 4, " || ");
        let found = difference("changed_skid", &text, &record);
        let said = found.to_string();
        let port = emitted.ports.iter().find(|p| p.name == found.port).unwrap();
        assert_eq!((found.verilator.len(), found.cycle < CYCLES), (port.width, true), "{said}");
        for wanted in
            ["`changed_skid`", &format!("cycle {} ", found.cycle), &format!("port `{}`", found.port)]
        {
            assert!(said.contains(wanted), "`{wanted}` is not in {said}");
        }
    }
}

/// A flag that nobody can know is a difference, whatever Verilator says.
#[test]
fn an_unknown_flag_is_a_difference() {
    let (emitted, record) = skid("unknown_skid");
    let driven = "assign tx_valid = main_valid_q;";
    assert_eq!(emitted.verilog.matches(driven).count(), 1, "{}", emitted.verilog);
    let text = emitted.verilog.replace(driven, "assign tx_valid = 1'bx;");
    let found = difference("unknown_skid", &text, &record);
    assert_eq!((found.cycle, found.port.as_str(), found.icarus.as_str()), (0, "tx_valid", "x"));
}

#[test]
fn a_stimulus_that_moves_nothing_is_refused() {
    let emitted = emit("still_skid", Skid::<64, 4>::default).unwrap();
    let record = drive(&model_of(&emitted).unwrap(), 7, 20).unwrap();
    let text = judge("still_skid", &emitted.verilog, &record).unwrap_err().to_string();
    assert!(text.contains("`still_skid`") && text.contains("20 cycles moved nothing into it: rx"), "{text}");
}
