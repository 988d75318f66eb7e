// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks side by side under one top: what a bench of many cells is.
use super::lines::under;
use super::part::Part;
use super::ports::{ports_of, Direction};
use super::raw_part::With;
use super::{finish, on_thread, EmitError, Emitted};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Elaborates each part alone and puts one instance of each into a module `top` without any logic
/// of its own. Port `x` of a part becomes the top's port `<name>_x`, its instance is `cell_<name>`;
/// `clock` and `reset` are shared by all.
///
/// A Rust-HDL block that held all of them would say the same, but Rust-HDL 0.46 takes time with the
/// cube of the ports of one module: half a minute for what takes a tenth of a second here.
pub fn emit_beside(top: &str, parts: Vec<Part>) -> Result<Emitted, EmitError> {
    let names: BTreeSet<_> = parts.iter().map(Part::name).collect();
    if names.len() != parts.len() {
        return Err(EmitError::Elaboration { top: top.into(), why: "two parts have one name".into() });
    }
    let text = on_thread(top, move || {
        let raws: Result<Vec<_>, String> =
            parts.into_iter().map(|part| Ok((part.name(), part.raw(With::Text)?.text))).collect();
        Ok::<_, String>(beside(&raws?))
    })?;
    finish(top, &text.map_err(|why| EmitError::Elaboration { top: top.into(), why })?)
}

/// The raw text of the parts, their modules renamed from `top..` to `top$<name>..`, and that of
/// their top.
fn beside(parts: &[(&str, String)]) -> String {
    let (mut modules, mut args, mut declared, mut instances) =
        (String::new(), BTreeSet::new(), String::new(), String::new());
    let mut order = vec![];
    for (name, raw) in parts {
        let mut wires = vec![];
        for port in ports_of(raw, "top") {
            let shared = matches!(port.name.as_str(), "clock" | "reset");
            let outer = if shared { port.name.clone() } else { format!("{name}${}", port.name) };
            wires.push(format!("        .{}({outer})", port.name));
            if args.insert(outer.clone()) {
                let way = if port.direction == Direction::Input { "input" } else { "output" };
                let range = if port.width == 1 { String::new() } else { format!("[{}:0] ", port.width - 1) };
                // writing to a string does not fail
                let _ = writeln!(declared, "    {way} wire {range}{outer};");
                order.push(outer);
            }
        }
        let _ = writeln!(instances, "    top${name} cell_{name}(\n{}\n    );", wires.join(",\n"));
        modules.push_str(&under(raw, name));
    }
    format!("module top({});\n{declared}{instances}endmodule\n{modules}", order.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Skid;

    #[test]
    fn parts_share_clock_reset_and_modules() {
        let part = |name| Part::new(name, Skid::<64, 4>::default);
        let two = emit_beside("pair", vec![part("a"), part("b")]).unwrap();
        let one = crate::emit::emit("alone", Skid::<64, 4>::default).unwrap();
        assert_eq!(two.modules, one.modules + 1);
        assert_eq!(two.modules_before, 2 * one.modules_before + 1);
        let names: Vec<_> = two.ports.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names.len(), 2 + 2 * (one.ports.len() - 2));
        for name in ["clock", "reset", "a_rx_data", "b_rx_data", "b_tx_valid"] {
            assert!(names.contains(&name), "{name} is not among {names:?}");
        }
        let port = |e: &Emitted, name: &str| e.ports.iter().find(|p| p.name == name).cloned().unwrap();
        let (inner, outer) = (port(&one, "tx_data"), port(&two, "b_tx_data"));
        assert_eq!((inner.width, inner.direction), (outer.width, outer.direction));
    }

    #[test]
    fn names_are_unique() {
        let part = |_| Part::new("a", Skid::<64, 4>::default);
        assert!(emit_beside("pair", (0..2).map(part).collect())
            .unwrap_err()
            .to_string()
            .contains("one name"));
    }
}
