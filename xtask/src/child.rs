// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running other programs: their output is shown as it comes, or kept and shown only on failure.
use anyhow::{bail, Context, Result};
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitStatus, Stdio};

/// Lines of a failed program's output that its error shows.
const TAIL_LINES: usize = 60;

/// What is typed to run `command`.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Runs `command`, hands each line of its standard output and error, in the order written, to
/// `line`.
pub fn stream(command: &mut Command, mut line: impl FnMut(&str)) -> Result<ExitStatus> {
    let name = shown(command);
    let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn().with_context(|| format!("cannot start `{name}`"))?;
    // The command holds the pipe's other end; while it does, reading would never end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut reader = BufReader::new(reader);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes)? > 0 {
        line(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']));
        bytes.clear();
    }
    child.wait().with_context(|| format!("cannot wait for `{name}`"))
}

/// Runs `command` and returns all its output; a failure says the command and shows the output's
/// end.
pub fn capture(command: &mut Command) -> Result<String> {
    capture_with(command, |_| ())
}

/// [`capture`], with each line also handed to `line` as it comes. The error begins with the last
/// line, which is where programs say why.
pub fn capture_with(command: &mut Command, mut line: impl FnMut(&str)) -> Result<String> {
    let mut lines = Vec::new();
    let status = stream(command, |l| {
        line(l);
        lines.push(l.to_string());
    })?;
    if !status.success() {
        let skipped = lines.len().saturating_sub(TAIL_LINES);
        let note = if skipped > 0 { format!("[{skipped} lines before]\n") } else { String::new() };
        let last = lines.iter().rfind(|line| !line.trim().is_empty()).map_or("", |line| line.trim());
        bail!("`{}` failed ({status}): {last}\n{note}{}", shown(command), lines[skipped..].join("\n"));
    }
    Ok(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_streams_are_captured_and_a_failure_shows_them() {
        let both = capture(Command::new("sh").args(["-c", "echo out; echo err >&2"])).unwrap();
        assert_eq!(both, "out\nerr");
        let failed =
            capture(Command::new("sh").args(["-c", "echo how; echo why; exit 3"])).unwrap_err().to_string();
        assert!(failed.ends_with("failed (exit status: 3): why\nhow\nwhy"), "{failed}");
        let missing = capture(&mut Command::new("no-such-program-of-ferrowarp")).unwrap_err().to_string();
        assert!(missing.contains("cannot start `no-such-program-of-ferrowarp`"), "{missing}");
    }
}
