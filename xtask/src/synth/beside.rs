// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stand-in of known size that is placed beside the device, to see what room is left.
use anyhow::{bail, Context, Result};
use std::str::FromStr;

/// Cells of an FPGA beside the device.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// LUT4, each with a flip-flop.
    luts: usize,
    /// Block RAMs of 1,024 words of 18 bits.
    ebrs: usize,
}

/// Bits of a block RAM's word.
const WORD: usize = 18;
/// Bits of its address.
const ADDRESS: usize = 10;
/// How far the inputs of a LUT reach back in the chain.
const REACH: [usize; 3] = [3, 17, 61];

impl FromStr for Beside {
    type Err = anyhow::Error;

    /// `LUT4,EBR`, such as `5000,20`.
    fn from_str(text: &str) -> Result<Self> {
        let (luts, ebrs) = text
            .split_once(',')
            .with_context(|| format!("`{text}` is not LUT4,EBR: give two numbers, such as 5000,20"))?;
        let number = |what: &str, digits: &str| -> Result<usize> {
            digits.parse().with_context(|| format!("`{digits}` is not a number of {what}"))
        };
        let beside = Self { luts: number("LUT4", luts)?, ebrs: number("EBR", ebrs)? };
        let least = (WORD * beside.ebrs).max(100);
        if !(least..=50_000).contains(&beside.luts) {
            bail!("{luts} LUT4 beside {ebrs} EBR: give {least} to 50000 LUT4, 18 for each EBR at least");
        }
        Ok(beside)
    }
}

impl Beside {
    /// What the files of its run are called.
    pub fn name(&self) -> String {
        format!("beside-{}-{}", self.luts, self.ebrs)
    }

    /// The shell with the stand-in in it, whose chain lies in front of the shell's output.
    pub fn add_to(&self, shell: &str) -> String {
        let with = shell.replacen("assign so = shift[0];", "wire aside;\nassign so = aside;", 1).replacen(
            "\nendmodule\n",
            "\nbeside beside(.clock(clock), .si(shift[0]), .so(aside));\nendmodule\n",
            1,
        );
        format!("{with}{}", self.verilog())
    }

    /// A chain of LUTs whose inputs come from nearby, with the RAMs along it.
    fn verilog(&self) -> String {
        let Self { luts, ebrs } = self;
        let bits = WORD * ebrs;
        let back = REACH.map(|n| format!("s[(i + {}) % {luts}]", luts - n));
        let (top, most) = (luts - 1, bits.max(1) - 1);
        format!(
            "module beside(input clock, input si, output so);\n\
             reg [{top}:0] s;\nreg [{most}:0] read;\nassign so = s[{top}];\n\
             genvar i, e;\ngenerate\n\
             for (e = 0; e < {ebrs}; e = e + 1) begin : ram\n    \
             localparam at = e * {step};\n    (* no_rw_check *) reg [{w}:0] words [0:{last}];\n    \
             always @(posedge clock) begin\n        \
             if (s[at + 40]) words[s[at + 20 +: {ADDRESS}]] <= s[at +: {WORD}];\n        \
             read[{WORD} * e +: {WORD}] <= words[s[at + 30 +: {ADDRESS}]];\n    end\nend\n\
             for (i = 0; i < {luts}; i = i + 1) begin : lut\n    \
             wire last = {last_in};\n    \
             always @(posedge clock) s[i] <= (i == 0 ? si : s[(i + {top}) % {luts}]) ^ ({b0} & {b1}) ^ last;\nend\n\
             endgenerate\nendmodule\n",
            step = (luts - 64) / ebrs.max(&1),
            w = WORD - 1,
            last = (1 << ADDRESS) - 1,
            last_in = if *ebrs == 0 {
                back[2].clone()
            } else {
                format!("i < {bits} ? read[i % {bits}] : {}", back[2])
            },
            b0 = back[0],
            b1 = back[1],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::place::shell;
    use super::*;
    use ferrowarp_hdl::emit::{Direction, Port};

    #[test]
    fn a_stand_in_is_two_numbers() {
        let beside: Beside = "5000,20".parse().unwrap();
        assert_eq!((beside, beside.name().as_str()), (Beside { luts: 5_000, ebrs: 20 }, "beside-5000-20"));
        for (bad, why) in [
            ("5000", "LUT4,EBR"),
            ("x,20", "`x` is not a number of LUT4"),
            ("5000,", "`` is not a number of EBR"),
            ("300,20", "give 360 to 50000 LUT4"),
            ("60000,0", "give 100 to 50000 LUT4"),
        ] {
            let told = format!("{:#}", bad.parse::<Beside>().unwrap_err());
            assert!(told.contains(why), "{bad}: {told}");
        }
    }

    #[test]
    fn the_shell_has_the_stand_in_in_front_of_its_output() {
        let port = |name: &str, direction| Port { name: name.into(), width: 1, direction };
        let shell = shell("top", &[port("a", Direction::Input), port("q", Direction::Output)]);
        let text = "200,2".parse::<Beside>().unwrap().add_to(&shell);
        assert!(!text.contains("assign so = shift[0]"), "{text}");
        for line in [
            "assign so = aside;",
            "beside beside(.clock(clock), .si(shift[0]), .so(aside));\nendmodule\nmodule beside(",
            "reg [199:0] s;",
            "for (e = 0; e < 2; e = e + 1)",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
    }
}
