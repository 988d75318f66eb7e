// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing diagram of `hdl/src/cell/README.md`: a write and two reads of a RAM.
use ferrowarp_hdl::top::Top;
use ferrowarp_tests::wave::{compare, tape, Diagram};

/// A word is read a cycle after it was asked for, and stays until the next word is asked for.
#[test]
fn the_readme_shows_writes_and_reads_of_a_ram() {
    compare("cell", Top::BenchW64, |bench| {
        for port in ["write_enable", "read_enable", "write_address", "read_address", "write_data"] {
            bench.set(&format!("ram_{port}"), 0);
        }
        bench.step();
        let tape = tape(bench);
        for (address, word) in [(2, 0x111), (5, 0xabc)] {
            bench.set("ram_write_enable", 1);
            bench.set("ram_write_address", address);
            bench.set("ram_write_data", word);
            bench.step();
        }
        bench.set("ram_write_enable", 0);
        bench.step();
        for (enable, address) in [(1, 5), (0, 2), (0, 2), (1, 2), (0, 0), (0, 0)] {
            bench.set("ram_read_enable", enable);
            bench.set("ram_read_address", address);
            bench.step();
        }
        let diagram = Diagram::of(&tape, 6).bits("ram_write_enable");
        let diagram = diagram.value("ram_write_address", "ram_write_enable");
        let diagram = diagram.value("ram_write_data", "ram_write_enable").bits("ram_read_enable");
        let diagram = diagram.value("ram_read_address", "ram_read_enable");
        Ok(diagram.level_after("ram_read_data", "ram_read_enable"))
    });
}
