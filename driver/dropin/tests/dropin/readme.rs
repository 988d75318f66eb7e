// SPDX-License-Identifier: MIT OR Apache-2.0
//! What README.md says of functions that are not supported.
#[path = "../../table.rs"]
#[allow(dead_code)]
mod table;

use std::collections::BTreeSet;

#[test]
fn the_readme_names_each_function_that_is_not_supported_and_no_other() {
    let text = include_str!("../../symbols.tsv");
    let symbols = table::symbols(text).unwrap();
    let due: BTreeSet<&str> = symbols.iter().filter(|s| s.answer != "written").map(|s| s.name).collect();
    let readme = include_str!("../../README.md");
    let section = readme.split("## Not supported").nth(1).and_then(|rest| rest.split("\n\nPrograms").next());
    let rows = section.expect("the section").lines().filter(|line| line.starts_with('|'));
    let named: BTreeSet<&str> = rows.flat_map(|row| row.split('`').skip(1).step_by(2)).collect();
    let missing: Vec<_> = due.difference(&named).collect();
    let strange: Vec<_> = named.difference(&due).collect();
    assert!(missing.is_empty() && strange.is_empty(), "not named: {missing:?}; written: {strange:?}");
}
