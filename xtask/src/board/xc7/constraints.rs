// SPDX-License-Identifier: MIT OR Apache-2.0
//! The calls of a board's constraints against its Verilog: pins, standards, clocks, FIFOs, names.
use super::file::{Board, TRANSCEIVER};
use super::netlist::{Fifo, Netlist, Source};
use super::tcl::{asked, Call};
use anyhow::{bail, Context, Result};
use std::collections::BTreeMap;

/// Judges the calls of all files of constraints of `board`.
///
/// # Errors
/// The first fault, with the port, clock, FIFO or name.
pub fn judge(calls: &[Call], netlist: &Netlist, board: &Board) -> Result<()> {
    pins(calls, netlist)?;
    standards(calls, netlist, board)?;
    clocks(calls, netlist, board)?;
    netlist.fifos.iter().try_for_each(|fifo| crossing(calls, fifo, board))?;
    calls.iter().try_for_each(|call| known(call, netlist).with_context(|| call.shown()))
}

/// Values of a property by port.
fn property<'a>(calls: &'a [Call], key: &str) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut values: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for call in
        calls.iter().filter(|call| call.name() == "set_property" && call.0.get(1).is_some_and(|k| k == key))
    {
        for port in asked(call.object(), "get_ports").unwrap_or_default() {
            values.entry(port).or_default().push(call.0[2].as_str());
        }
    }
    values
}

/// Each port has one pin, and no pin is that of two ports.
fn pins(calls: &[Call], netlist: &Netlist) -> Result<()> {
    let pins = property(calls, "PACKAGE_PIN");
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for port in &netlist.ports {
        match pins.get(port.as_str()).map(Vec::as_slice) {
            Some([pin]) => {
                if let Some(other) = owners.insert(pin, port) {
                    bail!(
                        "pin {pin} is that of port `{other}` and of port `{port}`: one of the two is wrong"
                    );
                }
            }
            Some(several) => bail!("port `{port}` has the pins {}: name one", several.join(", ")),
            None => bail!("port `{port}` has no PACKAGE_PIN: name its pins in a [[port]] of board.toml"),
        }
    }
    if let Some(stranger) = pins.keys().find(|name| !netlist.ports.contains(**name)) {
        bail!("`{stranger}` has a pin and is no port of the Verilog");
    }
    Ok(())
}

/// Each port has one IO standard; a pin of a transceiver has none.
fn standards(calls: &[Call], netlist: &Netlist, board: &Board) -> Result<()> {
    let standards = property(calls, "IOSTANDARD");
    for port in &netlist.ports {
        let name = port.split('[').next().unwrap_or(port);
        let has_none = board.ports.iter().any(|p| p.name == name && p.io == TRANSCEIVER);
        match (standards.get(port.as_str()).map(Vec::as_slice), has_none) {
            (Some([_]), false) | (None, true) => {}
            (None, false) => bail!("port `{port}` has no IOSTANDARD"),
            (Some(_), true) => {
                bail!("port `{port}` is a pin of a transceiver ({TRANSCEIVER}) and has an IOSTANDARD")
            }
            (Some(several), false) => bail!("port `{port}` has the standards {}", several.join(", ")),
        }
    }
    Ok(())
}

/// kHz of a clock.
fn khz(source: &Source, board: &Board) -> Option<u64> {
    match source {
        Source::Port(name) => board.clocks.get(name).copied(),
        Source::Pin(name) => board.made.get(name).copied(),
    }
}

/// Each clock that comes in has one period; each other clock is made by a cell that board.toml
/// names.
fn clocks(calls: &[Call], netlist: &Netlist, board: &Board) -> Result<()> {
    for (source, cells) in &netlist.clocks {
        let section = if matches!(source, Source::Port(_)) { "clocks" } else { "made" };
        let khz = khz(source, board).with_context(|| {
            format!("clock `{source}` of {cells} cells has no frequency: name its kHz in [{section}] of board.toml")
        })?;
        let Source::Port(port) = source else { continue };
        let periods: Vec<_> = calls
            .iter()
            .filter(|call| call.name() == "create_clock")
            .filter(|call| asked(call.object(), "get_ports").is_some_and(|ports| ports == [port]))
            .map(|call| call.option("-period").unwrap_or_default())
            .collect();
        let [period] = periods[..] else {
            bail!("clock `{source}` of {cells} cells has {} create_clock and needs one", periods.len());
        };
        let wanted = 1e6 / khz as f64;
        if period.parse::<f64>().map_or(true, |given| (given - wanted).abs() > 0.001) {
            bail!("clock `{source}` has a period of `{period}` ns, and board.toml says {wanted:.3} ns ({khz} kHz)");
        }
    }
    let idle = |name: &str| netlist.clocks.keys().all(|source| source.to_string() != name);
    if let Some(name) = board.clocks.keys().chain(board.made.keys()).find(|name| idle(name)) {
        bail!("board.toml names the clock `{name}`, which clocks nothing");
    }
    Ok(())
}

/// Each path between the clocks of a FIFO has a bound: both pointers, and the words.
fn crossing(calls: &[Call], fifo: &Fifo, board: &Board) -> Result<()> {
    let path = &fifo.path;
    let rates: Option<Vec<_>> = fifo.clocks.iter().map(|clock| khz(clock, board)).collect();
    let fastest = rates.filter(|rates| rates.len() == 2).and_then(|rates| rates.into_iter().max());
    let fastest = fastest.with_context(|| format!("FIFO `{path}`: its two clocks are not known"))?;
    let period = 1e6 / fastest as f64;
    let cells = |names: String| format!("[get_cells {path}/{names}]");
    let pointer =
        |name: &str| (cells(format!("{name}_gray_reg[*]")), Some(cells(format!("{name}_near_reg[*]"))));
    for (from, to) in [pointer("written"), pointer("read"), (cells("words_reg*".into()), None)] {
        let bounds = calls.iter().find(|call| {
            call.name() == "set_max_delay"
                && call.has("-datapath_only")
                && call.option("-from") == Some(from.as_str())
                && call.option("-to") == to.as_deref()
        });
        let ends = to.map(|to| format!(" -to {to}")).unwrap_or_default();
        let call = bounds.with_context(|| {
            format!("FIFO `{path}` between two clocks lacks: set_max_delay -datapath_only -from {from}{ends} {period:.3}")
        })?;
        if !call.object().parse::<f64>().is_ok_and(|ns| ns > 0.0 && ns <= period + 0.001) {
            bail!("FIFO `{path}`: {} is not in a period of the faster clock, {period:.3} ns", call.shown());
        }
    }
    Ok(())
}

/// Refuses a port, cell or pin that the Verilog does not have: Vivado would go on without the
/// constraint.
fn known(call: &Call, netlist: &Netlist) -> Result<()> {
    for word in &call.0 {
        for port in asked(word, "get_ports").unwrap_or_default() {
            let head = port.strip_suffix("[*]");
            let is_there = match head {
                Some(head) => netlist.ports.contains(&format!("{head}[0]")),
                None => netlist.ports.contains(port),
            };
            if !is_there {
                bail!("`{port}` is no port of the Verilog");
            }
        }
        for cell in asked(word, "get_cells").unwrap_or_default() {
            if !is_cell(cell, netlist) {
                bail!("`{cell}` is no cell of the Verilog");
            }
        }
        for pin in asked(word, "get_pins").unwrap_or_default() {
            if !pin.rsplit_once('/').is_some_and(|(cell, _)| is_cell(cell, netlist)) {
                bail!("`{pin}` is no pin of a cell of the Verilog");
            }
        }
    }
    Ok(())
}

/// An instance, or the registers of a net. Vivado makes its registers' names of the nets' names.
fn is_cell(name: &str, netlist: &Netlist) -> bool {
    let register = ["_reg[*]", "_reg*", "_reg"].iter().find_map(|end| name.strip_suffix(end));
    netlist.names.contains(register.unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::super::file::tests::{parsed, TEXT};
    use super::super::netlist::tests::JSON;
    use super::super::xdc;
    use super::*;

    const TIMING: &str = "set_max_delay -datapath_only -from [get_cells mac/in/written_gray_reg[*]] -to [get_cells mac/in/written_near_reg[*]] 8.000
        set_max_delay -datapath_only -from [get_cells mac/in/read_gray_reg[*]] -to [get_cells mac/in/read_near_reg[*]] 8.000
        set_max_delay -datapath_only -from [get_cells mac/in/words_reg*] 8.000
        set_false_path -to [get_ports led[*]]
        set_false_path -from [get_pins ip/clk_out]";

    /// Words of a line, those in brackets together.
    fn call(line: &str) -> Call {
        let mut words: Vec<String> = vec![];
        let mut depth = 0;
        for word in line.replace(['{', '}'], "").split_whitespace() {
            match words.last_mut().filter(|_| depth > 0) {
                Some(last) => *last += &format!(" {word}"),
                None => words.push(word.into()),
            }
            depth += word.matches('[').count();
            depth -= word.matches(']').count();
        }
        Call(words)
    }

    fn judged(from: &str, to: &str) -> Result<(), String> {
        let json = JSON.replace(
            r#""netnames": {"#,
            r#""netnames": {"mac.in.read_gray": {"bits": []}, "mac.in.read_near": {"bits": []}, "mac.in.words": {"bits": []}, "#,
        );
        let board = parsed(TEXT).unwrap();
        let text = format!("{}{TIMING}", xdc::pins(&board));
        assert!(text.contains(from), "{from} in {text}");
        let calls: Vec<_> =
            text.replace(from, to).lines().filter(|line| !line.starts_with('#')).map(call).collect();
        judge(&calls, &Netlist::parse(&json, "board").unwrap(), &board).map_err(|e| format!("{e:#}"))
    }

    #[test]
    fn each_fault_of_a_boards_constraints_is_named() {
        assert_eq!(judged("", ""), Ok(()));
        for (from, to, why) in [
            ("PACKAGE_PIN B2", "PACKAGE_PIN B1", "pin B1 is that of port `led[0]` and of port `led[1]`"),
            ("set_property PACKAGE_PIN B2 [get_ports {led[1]}]\n", "", "port `led[1]` has no PACKAGE_PIN"),
            ("PACKAGE_PIN B2 [get_ports {led[1]}]", "PACKAGE_PIN B2 [get_ports {led[0]}]", "port `led[0]` has the pins B1, B2"),
            ("PACKAGE_PIN C1 [get_ports {lane}]", "PACKAGE_PIN C1 [get_ports {lane lamp}]", "`lamp` has a pin and is no port"),
            ("set_property IOSTANDARD LVCMOS25 [get_ports {clk}]\n", "", "port `clk` has no IOSTANDARD"),
            ("IOSTANDARD LVCMOS25 [get_ports {clk}]", "IOSTANDARD LVCMOS25 [get_ports {clk lane}]", "port `lane` is a pin of a transceiver"),
            ("create_clock -name clk", "create_generated_clock -name clk", "clock `clk` of 1 cells has 0 create_clock"),
            ("-period 8.000", "-period 10.000", "clock `clk` has a period of `10.000` ns, and board.toml says 8.000 ns"),
            ("-datapath_only -from [get_cells mac/in/read_gray", "-from [get_cells mac/in/read_gray", "FIFO `mac/in` between two clocks lacks: set_max_delay -datapath_only -from [get_cells mac/in/read_gray_reg[*]] -to [get_cells mac/in/read_near_reg[*]] 8.000"),
            ("words_reg*] 8.000", "words_reg*] 9.000", "is not in a period of the faster clock, 8.000 ns"),
            ("led[*]", "lamp[*]", "`lamp[*]` is no port of the Verilog"),
            ("get_pins ip/clk_out", "get_pins id/clk_out", "`id/clk_out` is no pin of a cell"),
            ("set_false_path -from [get_pins ip/clk_out]", "set_false_path -from [get_cells mac/out_reg]", "`mac/out_reg` is no cell"),
        ] {
            let refused = judged(from, to).unwrap_err();
            assert!(refused.contains(why), "{from} -> {to}: {refused}");
        }
    }

    #[test]
    fn a_clock_without_frequency_is_named_and_so_is_one_that_clocks_nothing() {
        let netlist = Netlist::parse(JSON, "board").unwrap();
        let judged = |from: &str, to: &str| {
            assert!(TEXT.contains(from), "{from}");
            let board = parsed(&TEXT.replace(from, to)).unwrap();
            let calls: Vec<_> = xdc::pins(&board).lines().skip(1).map(call).collect();
            clocks(&calls, &netlist, &board).unwrap_err().to_string()
        };
        let made = r#""ip/clk_out" = 62500"#;
        assert!(judged(made, r#""ip/other" = 62500"#)
            .contains("clock `ip/clk_out` of 1 cells has no frequency: name its kHz in [made]"));
        assert!(judged("clocks = { clk = 125000 }", "clocks = {}")
            .contains("clock `clk` of 1 cells has no frequency: name its kHz in [clocks]"));
        let idle = judged("{ clk = 125000 }", "{ clk = 125000, led = 1 }");
        assert!(idle.contains("names the clock `led`, which clocks nothing"), "{idle}");
    }
}
