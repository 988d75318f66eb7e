// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same cycles in Icarus: a testbench that reads the inputs from a file and writes the outputs
//! to another.
use super::initial::zeroed;
use super::quiet::quiet;
use super::record::{Record, RESET_CYCLES};
use super::verdict::JudgeError;
use crate::file_error::io;
use std::fmt::Write;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Name of the testbench's module.
const NAME: &str = "ferrowarp_judge";
/// Longest run of a program of Icarus, and how often its end is looked for.
const MOST: Duration = Duration::from_secs(900);
const ASK: Duration = Duration::from_millis(20);
/// Files in the working folder.
const STIMULUS: &str = "inputs.bits";
const ANSWERS: &str = "outputs.bits";

/// The testbench of a top. Clock low, inputs set, settled, outputs written, clock high: as a bench
/// steps a Verilated model.
pub(super) fn text(top: &str, record: &Record) -> String {
    let mut declared = String::new();
    let mut joined = vec!["        .clock(clock)".to_string()];
    for (ports, kind) in [(record.inputs().collect::<Vec<_>>(), "reg "), (record.outputs().collect(), "wire")]
    {
        for p in ports {
            // writing to a String cannot fail
            let _ = writeln!(declared, "    {kind} [{}:0] {};", p.width - 1, p.name);
            joined.push(format!("        .{0}({0})", p.name));
        }
    }
    let names = |ports: &mut dyn Iterator<Item = &ferrowarp_hdl::emit::Port>| {
        ports.map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let (inputs, outputs) = (names(&mut record.inputs()), names(&mut record.outputs()));
    let bits: usize = record.inputs().map(|p| p.width).sum();
    let last = record.len().saturating_sub(1);
    let joined = joined.join(",\n");
    format!(
        "`timescale 1ns/1ns
module {NAME};
    reg clock;
{declared}    reg [{high}:0] given [0:{last}];
    integer n;
    integer answers;
    {top} dut(
{joined}
    );
    initial begin
        $readmemb(\"{STIMULUS}\", given);
        answers = $fopen(\"{ANSWERS}\", \"w\");
        #10 clock = 0;
        {{{inputs}}} = {bits}'d0;
        reset = 1;
        for (n = 0; n < {RESET_CYCLES}; n = n + 1) begin
            clock = 0;
            #1 clock = 1;
            #1;
        end
        for (n = 0; n <= {last}; n = n + 1) begin
            clock = 0;
            {{{inputs}}} = given[n];
            #1 $fwrite(answers, \"%b\\n\", {{{outputs}}});
            clock = 1;
            #1;
        end
        $fclose(answers);
        $finish;
    end
endmodule
",
        high = bits - 1,
    )
}

/// Version of Icarus, for the cache and for messages.
pub(super) fn version() -> Result<String, JudgeError> {
    let mut ask = Command::new("iverilog");
    let said = ask.arg("-V").output().map_err(|source| JudgeError::NoIcarus { source })?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    Ok(said.lines().next().unwrap_or_default().trim().to_string())
}

/// The text of a top as Icarus gets it.
pub(super) fn prepared(text: &str) -> String {
    zeroed(&quiet(text))
}

/// Runs a prepared text in `folder` on the vectors `given`, a line a cycle; the answers of each
/// cycle as digits `0`, `1`, `x` and `z`, the first output's first.
pub(super) fn run(
    top: &str,
    text: &str,
    testbench: &str,
    given: &str,
    folder: &Path,
) -> Result<Vec<String>, JudgeError> {
    for (name, octets) in [(STIMULUS, given), ("top.v", text), ("testbench.v", testbench)] {
        let path = folder.join(name);
        std::fs::write(&path, octets).map_err(io("write", &path))?;
    }
    let mut compile = Command::new("iverilog");
    compile.args(["-g2005", "-s", NAME, "-o", "judge.vvp", "testbench.v", "top.v"]);
    finished(top, &mut compile, folder)?;
    finished(top, Command::new("vvp").args(["-n", "judge.vvp"]), folder)?;
    let path = folder.join(ANSWERS);
    let said = std::fs::read_to_string(&path).map_err(io("read", &path))?;
    let lines: Vec<String> = said.lines().map(String::from).collect();
    let cycles = given.lines().count();
    if lines.len() != cycles {
        let why = format!("the run ended after {} of {cycles} cycles", lines.len());
        return Err(JudgeError::Refused { top: top.into(), why });
    }
    Ok(lines)
}

/// Runs a program of Icarus to its end; what it says becomes the error. Blocks that wake each other
/// for ever would never end.
fn finished(top: &str, command: &mut Command, folder: &Path) -> Result<(), JudgeError> {
    let path = folder.join("said");
    let said = File::create(&path).map_err(io("create", &path))?;
    let also = said.try_clone().map_err(io("create", &path))?;
    command.current_dir(folder).stdin(Stdio::null()).stdout(said).stderr(also);
    let no_icarus = |source| JudgeError::NoIcarus { source };
    let mut child = command.spawn().map_err(no_icarus)?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(no_icarus)? {
            break status;
        }
        if start.elapsed() > MOST {
            // it may have ended meanwhile
            drop(child.kill());
            drop(child.wait());
            let why = format!("no end within {} s; the testbench is in {}", MOST.as_secs(), folder.display());
            return Err(JudgeError::Refused { top: top.into(), why });
        }
        std::thread::sleep(ASK);
    };
    if status.success() {
        return Ok(());
    }
    let why = std::fs::read_to_string(&path).map_err(io("read", &path))?;
    Err(JudgeError::Refused { top: top.into(), why })
}
