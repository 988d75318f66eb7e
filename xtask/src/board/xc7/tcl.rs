// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scripts of Vivado, run by `tclsh` with stubs that record the calls.
use crate::{child, repo};
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// The stubs, from the repository's root.
const RECORD: &str = "xtask/src/board/xc7/record.tcl";

/// What `get_property` answers when all is well.
pub const GOOD: &[(&str, &str)] = &[("PROGRESS", "100%"), ("SLACK", "0.100")];

/// A call with its words, the command first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call(pub Vec<String>);

impl Call {
    /// The command.
    pub fn name(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    /// The word behind an option.
    pub fn option(&self, option: &str) -> Option<&str> {
        let at = self.0.iter().position(|word| word == option)?;
        self.0.get(at + 1).map(String::as_str)
    }

    /// Whether an option is there.
    pub fn has(&self, option: &str) -> bool {
        self.0.iter().any(|word| word == option)
    }

    /// The last word: the object.
    pub fn object(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    /// As a file shows the call: a dictionary has a line for each of its pairs.
    pub fn shown(&self) -> String {
        match self.0.iter().position(|word| word == "-dict") {
            Some(at) if at + 1 < self.0.len() => {
                let pairs: Vec<_> = self.0[at + 1].split(' ').collect();
                let lines = pairs.chunks(2).map(|pair| format!("\n    {}", pair.join(" ")));
                format!("{} {}{}", self.0[..=at].join(" "), self.object(), lines.collect::<String>())
            }
            _ => self.0.join(" "),
        }
    }
}

/// What an expression like `[get_ports a b]` asks for with `question`.
pub fn asked<'a>(word: &'a str, question: &str) -> Option<Vec<&'a str>> {
    let inner = word.strip_prefix('[')?.strip_suffix(']')?;
    let names = inner.strip_prefix(question)?.strip_prefix(' ')?;
    Some(names.split(' ').collect())
}

/// Runs the script at `path`, whose questions for properties are answered by `answers`.
///
/// # Errors
/// A command that neither Tcl nor the stubs know, and what the script itself refuses.
pub fn calls(path: &Path, answers: &[(&str, &str)]) -> Result<Vec<Call>> {
    let mut command = Command::new("tclsh");
    command.arg(repo::root().join(RECORD)).arg(repo::root()).arg(path);
    command.args(answers.iter().flat_map(|(property, answer)| [property, answer]));
    let said = child::capture(&mut command).with_context(|| repo::shown(path))?;
    Ok(said.lines().map(|line| Call(line.split('\t').map(str::to_string).collect())).collect())
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The calls of a script.
    pub fn of(name: &str, script: &str) -> Result<Vec<Call>, String> {
        let path = repo::target("xtask-tests").join(format!("{name}-{}.tcl", std::process::id()));
        repo::write(&path, script).unwrap();
        let calls = calls(&path, GOOD).map_err(|e| format!("{e:#}"));
        std::fs::remove_file(path).unwrap();
        calls
    }

    #[test]
    fn calls_are_recorded_with_whom_they_name() {
        let script = "foreach port {a {b[1]}} { set_property PACKAGE_PIN X1 [get_ports $port] }\n\
            if {[get_property SLACK [get_timing_paths]] > 0} { set_property -dict {A 1 B 2} [get_ips ip] }";
        let calls = of("recorded", script).unwrap();
        let shown: Vec<_> = calls.iter().map(Call::shown).collect();
        let pins =
            ["set_property PACKAGE_PIN X1 [get_ports a]", "set_property PACKAGE_PIN X1 [get_ports b[1]]"];
        assert_eq!(shown[..2], pins);
        assert_eq!(shown[2], "get_property SLACK [get_timing_paths]");
        assert_eq!(shown[3], "set_property -dict [get_ips ip]\n    A 1\n    B 2");
        assert_eq!(asked(calls[1].object(), "get_ports"), Some(vec!["b[1]"]));
        assert_eq!(asked(calls[1].object(), "get_cells"), None);
        assert_eq!(calls[3].option("-dict"), Some("A 1 B 2"));
    }

    #[test]
    fn a_command_that_vivado_does_not_have_is_named() {
        let refused = of("unknown", "set_properti top board [current_fileset]").unwrap_err();
        assert!(refused.contains("`set_properti` is no command of Tcl, and none of Vivado"), "{refused}");
        assert!(of("own", "error {no such file}").unwrap_err().contains("no such file"));
    }
}
