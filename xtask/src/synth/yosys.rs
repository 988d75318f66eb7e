// SPDX-License-Identifier: MIT OR Apache-2.0
//! Yosys runs: a quick look for latches and double drivers, and the two mappings that are measured.
use super::netlist::{Counts, Netlist, Path as LongPath};
use crate::{child, repo};
use anyhow::{bail, Context, Result};
use std::path::Path;
use std::process::Command;

/// What Yosys says, without failing, about hardware that nobody meant.
const FAULTS: [&str; 2] = ["Latch inferred", "multiple conflicting drivers"];

/// Reads the file, refuses what has no driver, two drivers or a loop.
const CHECK: &str = "read_verilog {file}; hierarchy -check -top {top}; proc; check -assert";

/// LUT4, flip-flops and block RAMs as an ECP5 has them.
const ECP5: &str = "synth_ecp5 -top {top}; write_json {json}";

/// LUT6 of a Xilinx 7 series. Without wide multiplexers every function of more than six inputs is
/// more than one LUT deep and so more than one level; pads and clock buffers are the board's.
/// Lattice's attribute for memories does not count.
const XILINX: &str = "setattr -unset syn_ramstyle m:*; synth_xilinx -flatten -nowidelut -noiopad -noclkbuf -top {top}; write_json {json}";

/// How a part of the device is mapped for each family. Registers are no state machines for Yosys:
/// its search for them recurses without end in `sq`.
const PART: &str = "proc; flatten; opt_clean; setattr -set fsm_encoding \"none\" w:*";

/// Parts that hold the longest paths of the placed device: docs/placement.md has the runs.
const DELAY: &[&str] = &["sq", "ddp"];

/// What Yosys says of an ABC that aborted. Yosys then takes the netlist that ABC wrote before.
const ABC_FAILED: &str = "ABC: execution of command";

/// How ABC maps a part.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Script {
    /// ABC9's script for area.
    Area,
    /// ABC9's script for delay.
    Delay,
    /// ABC as Yosys calls it.
    Plain,
}

impl Script {
    /// Of a part, by its name in the device.
    pub fn of(part: &str, family: Family) -> Self {
        match family {
            Family::Ecp5 if DELAY.contains(&part) => Self::Delay,
            Family::Ecp5 => Self::Area,
            Family::Xc7 | Family::Xcup => Self::Plain,
        }
    }

    /// As in the record.
    pub fn name(self) -> &'static str {
        match self {
            Self::Area => "area",
            Self::Delay => "delay",
            Self::Plain => "plain",
        }
    }
}

/// A family of devices that the whole device is mapped for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Family {
    /// Lattice ECP5.
    Ecp5,
    /// Xilinx 7 series.
    Xc7,
    /// Xilinx UltraScale+.
    Xcup,
}

impl Family {
    /// As in keys and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Family::Ecp5 => "ecp5",
            Family::Xc7 => "xc7",
            Family::Xcup => "xcup",
        }
    }

    fn mapping(self) -> &'static str {
        match self {
            Family::Ecp5 => "synth_ecp5 -abc9 -dff -top {top}",
            // Lattice's attribute says nothing to a tool of Xilinx; without ABC9, which ends in an
            // exception of Yosys 0.23 at Xilinx's LUT RAM
            Family::Xc7 => "setattr -unset syn_ramstyle m:*; synth_xilinx -family xc7 -flatten -nowidelut -noiopad -noclkbuf -top {top}",
            Family::Xcup => "setattr -unset syn_ramstyle m:*; synth_xilinx -family xcup -flatten -nowidelut -noiopad -noclkbuf -top {top}",
        }
    }

    /// What is run after the reading of a part; shown with its results. `-dff` is ABC9's: registers
    /// that are always equal or constant go.
    pub fn script(self, script: Script) -> String {
        let chosen = match script {
            Script::Area => "scratchpad -copy abc9.script.default.area abc9.script; ",
            Script::Delay | Script::Plain => "",
        };
        format!("{PART}; {chosen}{}", self.mapping())
    }
}

/// Address space that one run may take, KiB.
const MEMORY: u64 = 9_000_000;

/// Changes whenever the same netlist would be counted differently.
const COUNTED_AS: &str = "3: an output of LUT RAM depends on the address of its own read";

/// All that decides a result besides the Verilog: part of the key under which it is kept.
pub fn recipe() -> Result<String> {
    let version = child::capture(Command::new("yosys").arg("-V"))?;
    Ok([version.trim(), CHECK, ECP5, XILINX, COUNTED_AS].join("\n"))
}

/// As [`recipe`], for a part of the whole device.
pub fn part_recipe(family: Family, script: Script) -> Result<String> {
    let version = child::capture(Command::new("yosys").arg("-V"))?;
    Ok([version.trim(), CHECK, &family.script(script), COUNTED_AS].join("\n"))
}

/// Fails if module `top` of a Verilog file has a latch, two drivers of one net, a net without
/// driver or a combinational loop.
pub fn check(file: &Path, top: &str) -> Result<()> {
    run(file, top, CHECK, &file.with_extension("unused")).map(drop)
}

/// Maps `top` for both families: ECP5's cells, Xilinx's cells, Xilinx's longest path.
pub fn map(file: &Path, top: &str) -> Result<(Counts, Counts, LongPath)> {
    let netlist = |script: &str, tag: &str| -> Result<Netlist> {
        let json = file.with_extension(format!("{tag}.json"));
        run(file, top, &format!("{CHECK}; {script}"), &json)?;
        let text =
            std::fs::read_to_string(&json).with_context(|| format!("cannot read {}", json.display()))?;
        std::fs::remove_file(&json).with_context(|| format!("cannot remove {}", json.display()))?;
        Netlist::parse(&text, top)
    };
    // Each takes minutes for the widest units, and the machines have two cores.
    let (ecp5, xilinx) = std::thread::scope(|s| {
        let ecp5 = s.spawn(|| netlist(ECP5, "ecp5"));
        let xilinx = netlist(XILINX, "xilinx");
        (ecp5.join(), xilinx)
    });
    let ecp5 = ecp5.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let xilinx = xilinx?;
    Ok((ecp5?.counts()?, xilinx.counts()?, xilinx.longest_path()?))
}

/// Maps module `top` of the Verilog `file` for `family`, to a netlist in `json`. False if ABC
/// aborted: the netlist is right, but without what ABC's last passes save.
pub fn map_part(file: &Path, top: &str, family: Family, script: Script, json: &Path) -> Result<bool> {
    let said = run(file, top, &format!("{CHECK}; {}; write_json {{json}}", family.script(script)), json)?;
    Ok(is_whole(&said))
}

/// Whether ABC came to its end, by what Yosys said.
fn is_whole(said: &str) -> bool {
    !said.contains(ABC_FAILED)
}

/// Runs a script in `folder`.
pub fn script(folder: &Path, script: &str) -> Result<String> {
    let limited = format!("ulimit -v {MEMORY}; exec yosys -p \"$0\"");
    child::capture(Command::new("sh").args(["-c", &limited, script]).current_dir(folder))
}

fn run(file: &Path, top: &str, script: &str, json: &Path) -> Result<String> {
    let folder = file.parent().context("the Verilog is in no folder")?;
    // Yosys splits its commands at blanks, so it is given bare names and started in the folder.
    let bare = |p: &Path| p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let script = script.replace("{file}", &bare(file)).replace("{top}", top).replace("{json}", &bare(json));
    let out = self::script(folder, &script)?;
    refuse_faults(&out).with_context(|| format!("module `{top}` in {}", repo::shown(file)))?;
    Ok(out)
}

/// Fails if Yosys told of hardware that nobody meant.
pub fn refuse_faults(output: &str) -> Result<()> {
    let faults: Vec<_> = output.lines().filter(|l| FAULTS.iter().any(|f| l.contains(f))).collect();
    if !faults.is_empty() {
        bail!("Yosys says:\n{}", faults.join("\n"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(name: &str, verilog: &str) -> Result<()> {
        let file = repo::target("xtask-tests").join(format!("{name}-{}.v", std::process::id()));
        repo::write(&file, verilog)?;
        let result = check(&file, "t");
        std::fs::remove_file(&file)?;
        result
    }

    #[test]
    fn a_latch_a_double_driver_and_a_loop_are_refused() {
        let said = |name, body: &str| {
            let verilog = format!("module t(input e, input d, input c, output reg q);\n{body}\nendmodule\n");
            checked(name, &verilog).map_err(|e| format!("{e:#}"))
        };
        assert_eq!(said("flop", "always @(posedge c) q <= d;"), Ok(()));
        assert!(said("latch", "always @(*) if (e) q = d;").unwrap_err().contains("Latch inferred"));
        let twice = "always @(posedge c) q <= d;\nalways @(posedge c) q <= e;";
        assert!(said("twice", twice).unwrap_err().contains("multiple conflicting drivers"));
        assert!(said("loop", "wire w; assign w = ~w ^ d; always @(posedge c) q <= w;").is_err());
        assert!(said("open", "wire w; always @(posedge c) q <= w;").is_err());
    }

    #[test]
    fn an_abc_that_aborted_is_told() {
        let aborted =
            "Warning: ABC: execution of command \"berkeley-abc -s -f x 2>&1\" failed: return code 134.";
        assert!(!is_whole(aborted) && is_whole("ABC: + &write -n x/output.aig"));
    }

    #[test]
    fn a_part_has_a_script_of_its_own_for_ecp5_alone() {
        assert_eq!(Script::of("sq", Family::Ecp5), Script::Delay);
        assert_eq!(Script::of("csr", Family::Ecp5), Script::Area);
        assert_eq!(Script::of("sq", Family::Xc7), Script::Plain);
        let texts = [Script::Area, Script::Delay].map(|script| Family::Ecp5.script(script));
        assert!(texts[0].contains("default.area") && !texts[1].contains("scratchpad"), "{texts:?}");
    }

    #[test]
    fn both_mappings_are_counted() {
        let file = repo::target("xtask-tests").join(format!("xor-{}.v", std::process::id()));
        let body =
            "module t(input c, input [3:0] a, output reg q);\nalways @(posedge c) q <= ^a;\nendmodule\n";
        repo::write(&file, body).unwrap();
        let (ecp5, xilinx, path) = map(&file, "t").unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(xilinx, Counts { luts: 1, ffs: 1, ..Counts::default() });
        assert_eq!(ecp5, Counts { luts: 1, ffs: 1, ..Counts::default() });
        assert_eq!((path.levels, path.to.as_str()), (1, "q (register)"));
    }
}
