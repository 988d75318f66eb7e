// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every generated record and its wiring: against the table and the codec natively, then the
//! emitted Verilog against the native answer (Yosys) and for its form (Verilator).
use crate::emit::emit;
use crate::gen::{each_record, *};
use ferrowarp_abi::codec;
use ferrowarp_abi::table::{Access, Layout};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Random headers a layout is tried with natively; the first [`EVALUATED`] also go through the
/// Verilog.
const VECTORS: usize = 100;
/// Headers that Yosys evaluates.
const EVALUATED: usize = 4;

/// A value that a block of Verilog must show: module, input and its value, output and its value.
struct Expected {
    module: String,
    input: (&'static str, Vec<bool>),
    output: (&'static str, Vec<bool>),
}

/// Bits of `octets`, octet 0 at 7:0, lowest first.
fn lanes(octets: &[u8]) -> Vec<bool> {
    octets.iter().flat_map(|o| (0..8).map(move |b| o >> b & 1 == 1)).collect()
}

/// Bits of a hexadecimal number, lowest first; `width` of them.
fn from_hex(hex: &str, width: usize) -> Vec<bool> {
    let digits = hex.chars().rev().map(|c| c.to_digit(16).unwrap());
    let mut bits: Vec<bool> = digits.flat_map(|d| (0..4).map(move |b| d >> b & 1 == 1)).collect();
    bits.resize(width, false);
    bits
}

/// A binary Verilog literal.
fn literal(bits: &[bool]) -> String {
    let digits: String = bits.iter().rev().map(|&b| if b { '1' } else { '0' }).collect();
    format!("{}'b{digits}", bits.len())
}

/// The record that the table says, as bits, lowest first: the first member is the lowest.
fn record_of(layout: &Layout, octets: &[u8]) -> Vec<bool> {
    let bit = |o: usize| octets[o / 8] >> (7 - o % 8) & 1 == 1;
    layout.members().flat_map(|f| (f.offset..f.end()).rev().map(bit)).collect()
}

/// `N` bits from octets, octet 0 at 7:0.
fn to_bits<const N: usize>(octets: &[u8]) -> Bits<N> {
    octets.iter().rev().fold(Bits::default(), |all, &o| (all << 8) | bit_cast::<N, 8>((o as u64).into()))
}

/// Tries one layout natively, keeps what its Verilog must show, returns its two modules.
macro_rules! check_record {
    ($expected:ident, $rng:ident, $snake:ident, $record:ident, $unpack:ident, $pack:ident, $bits:literal) => {{
        let layout = &codec::$record::LAYOUT;
        assert_eq!(layout.bits(), $bits);
        let members: usize = layout.members().map(|f| f.width).sum();
        let [into, out_of] = ["unpack", "pack"].map(|d| format!("{d}_{}", stringify!($snake)));
        let (mut unpack, mut pack) = ($unpack::default(), $pack::default());
        unpack.connect_all();
        pack.connect_all();
        for i in 0..VECTORS {
            let mut octets = [0; $bits / 8];
            $rng.fill(&mut octets[..]);
            unpack.octets.next = to_bits::<$bits>(&octets);
            assert!(simulate(&mut unpack, 50));
            let record = unpack.record.val();
            let bits: Bits<{ $record::BITS }> = record.into();
            let record_bits = from_hex(&format!("{bits:x}"), members);
            assert_eq!(record_bits, record_of(layout, &octets), "{into}: {octets:02x?} gives {record:x?}");
            pack.record.next = record;
            assert!(simulate(&mut pack, 50));
            let packed = from_hex(&format!("{:x}", pack.octets.val()), $bits);
            let software = codec::$record::parse(&octets).unwrap().octets().unwrap();
            assert_eq!(packed, lanes(&software), "{out_of}: {octets:02x?}");
            if i < EVALUATED {
                let input = ("octets", lanes(&octets));
                let output = ("record", record_bits.clone());
                $expected.push(Expected { module: into.clone(), input, output });
                let (input, output) = (("record", record_bits), ("octets", packed));
                $expected.push(Expected { module: out_of.clone(), input, output });
            }
        }
        [emit(&into, $unpack::default), emit(&out_of, $pack::default)]
    }};
}

#[test]
fn records_their_wiring_and_their_verilog_agree_with_table_and_codec() {
    let mut rng = ChaCha8Rng::seed_from_u64(5041);
    let (mut expected, mut modules, mut layouts) = (vec![], vec![], 0);
    macro_rules! each {
        ($($args:tt)*) => {{
            modules.extend(check_record!(expected, rng, $($args)*));
            layouts += 1;
        }};
    }
    each_record!(each);
    assert_eq!(layouts, ferrowarp_abi::all::layouts().count());
    let verilog: String = modules.into_iter().map(|m| m.unwrap().verilog + "\n").collect();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/gen-test-hdl");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("records.v");
    std::fs::write(&file, verilog).unwrap();
    lint(&file);
    evaluate(&file, &expected);
}

/// Bits of a constant as Yosys prints it: binary digits after a tick, or a decimal number; none if
/// it has another width or undefined bits.
fn from_yosys(value: &str, width: usize) -> Vec<bool> {
    let binary = match value.split_once('\'') {
        Some((bits, digits)) if bits == width.to_string() => digits.to_string(),
        _ => value.parse().map_or(String::new(), |n: u32| format!("{n:0width$b}")),
    };
    let defined = binary.len() == width && binary.chars().all(|c| c == '0' || c == '1');
    binary.chars().rev().filter(|_| defined).map(|c| c == '1').collect()
}

/// Every warning of Verilator but four: widths are the emitter's way of writing literals, an
/// input's reserved bits are unused by design, and the file holds many modules, none of them below
/// another.
fn lint(file: &Path) {
    let mut verilator = Command::new("verilator");
    verilator.args([
        "--lint-only",
        "-Wall",
        "-Wno-WIDTH",
        "-Wno-UNUSED",
        "-Wno-MULTITOP",
        "-Wno-DECLFILENAME",
    ]);
    let out = verilator.arg(file).output().expect("verilator runs; `cargo xtask setup` installs it");
    let words = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && words.is_empty(), "{words}");
}

/// Has Yosys compute every expected output from its input.
fn evaluate(file: &Path, expected: &[Expected]) {
    let mut script = format!("read_verilog {}\nproc\n", file.display());
    for e in expected {
        let (input, value) = (e.input.0, literal(&e.input.1));
        script += &format!("eval -set {input} {value} -show {} {}\n", e.output.0, e.module);
    }
    let path = file.with_extension("ys");
    std::fs::write(&path, script).unwrap();
    let mut yosys = Command::new("yosys");
    let out = yosys.arg("-s").arg(&path).output().expect("yosys runs; `cargo xtask setup` installs it");
    let words = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{words}{}", String::from_utf8_lossy(&out.stderr));
    let shown: Vec<_> = words.lines().filter_map(|l| l.strip_prefix("Eval result: ")).collect();
    assert_eq!(shown.len(), expected.len());
    for (have, e) in shown.iter().zip(expected) {
        let head = format!("\\{} = ", e.output.0);
        let value = have.strip_prefix(&head).and_then(|v| v.strip_suffix('.')).unwrap_or_default();
        let bits = from_yosys(value, e.output.1.len());
        assert_eq!(bits, e.output.1, "{} of {}: {have}", e.module, literal(&e.input.1));
    }
}

#[test]
fn constants_are_those_of_the_tables() {
    use ferrowarp_abi::{consts as software, error::TermError, opcode::OPCODES};
    assert_eq!(consts::ether_type::vlan().val().to_u64(), 0x8100);
    assert_eq!(consts::mpa::key_reply().val().to_u128(), software::mpa::KEY_REPLY);
    assert_eq!(consts::opcode::terminate().val().to_u64(), 7);
    assert_eq!(consts::term_error::mpa_marker().val().to_u64(), u64::from(TermError::MpaMarker.to_bits()));
    let tagged = consts::opcode_set::tagged().val();
    assert!(OPCODES.iter().all(|o| tagged.get_bit(usize::from(o.opcode.to_bits())) == o.tagged));
    assert!(!consts::opcode_set::known().val().get_bit(8));
}

#[test]
fn reserved_bits_are_in_no_record() {
    let reserved = |l: &Layout| l.fields.iter().any(|f| f.access == Access::Reserved);
    assert!(reserved(&codec::TcpHdr::LAYOUT));
    assert_eq!(TcpHdr::BITS, 156);
    assert_eq!(Marker::BITS, 32, "a marker's reserved half is kept");
}
