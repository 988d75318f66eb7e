//! Parts under one top, joined by a netlist: what the device is.
use super::beside::{raw_parts, under, Part};
use super::ports::{ports_of, Direction, Port};
use super::{finish, on_thread, EmitError, Emitted};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// One line of a netlist. Ports are named `part.port`; a name stands for that port and for every port that begins with
/// it and an underscore, so `a.tx` is a whole stream.
#[derive(Copy, Clone, Debug)]
pub enum Net {
    /// Port by port, the one's output drives the other's input; both have the same ports under their names.
    Join(&'static str, &'static str),
    /// The ports become ports of the top, under another name.
    Export(&'static str, &'static str),
    /// An input has this value for ever.
    Tie(&'static str, u64),
    /// Outputs that nobody reads.
    Open(&'static str),
}

/// Elaborates each part alone and joins one instance of each under a module `top` that holds wires and nothing else.
///
/// Refuses a name without ports, ports that do not fit (width, direction, one side missing), an input that nothing or
/// more than one thing drives, and an output that no line mentions.
pub fn emit_joined(top: &str, parts: Vec<Part>, nets: &'static [Net]) -> Result<Emitted, EmitError> {
    let failed = |why| EmitError::Elaboration { top: top.into(), why };
    let text = on_thread(top, move || {
        let raws = raw_parts(parts);
        join(&raws, nets).unwrap_or_else(|why| format!("{REFUSED}{why}"))
    })?;
    match text.strip_prefix(REFUSED) {
        Some(why) => Err(failed(why.into())),
        None => finish(top, &text),
    }
}

/// What a netlist's refusal begins with on its way out of the elaboration thread.
const REFUSED: &str = "netlist: ";

/// The netlist as it grows.
#[derive(Default)]
struct Netlist {
    /// Every port by `part.port`, underscores for dollars.
    ports: BTreeMap<String, Port>,
    /// What drives an input, as an expression.
    driven: BTreeMap<String, String>,
    /// Outputs that some line mentions.
    read: BTreeSet<String>,
    /// Ports of the top: name, port inside.
    exported: Vec<(String, String)>,
}

impl Netlist {
    /// The ports under a name: what follows the name, and the whole.
    fn group(&self, name: &str) -> Result<Vec<(String, &Port)>, String> {
        let under = |key: &str| {
            let rest = key.strip_prefix(name)?;
            (rest.is_empty() || rest.starts_with('_')).then(|| rest.to_string())
        };
        let group: Vec<_> = self.ports.iter().filter_map(|(k, p)| Some((under(k)?, p))).collect();
        if group.is_empty() {
            return Err(format!("`{name}` names no port"));
        }
        Ok(group)
    }

    fn drive(&mut self, input: String, by: String) -> Result<(), String> {
        match self.driven.insert(input.clone(), by) {
            None => Ok(()),
            Some(_) => Err(format!("input `{input}` is driven twice")),
        }
    }

    fn join(&mut self, a: &str, b: &str) -> Result<(), String> {
        let (left, right) = (self.group(a)?, self.group(b)?);
        let mut lines = vec![];
        for (rest, p) in &left {
            let Some((_, q)) = right.iter().find(|(r, _)| r == rest) else {
                return Err(format!("`{a}{rest}` has no partner under `{b}`"));
            };
            if p.width != q.width {
                return Err(format!("`{a}{rest}` has {} bits, `{b}{rest}` has {}", p.width, q.width));
            }
            match (p.direction, q.direction) {
                (Direction::Output, Direction::Input) => {
                    lines.push((format!("{a}{rest}"), format!("{b}{rest}")))
                }
                (Direction::Input, Direction::Output) => {
                    lines.push((format!("{b}{rest}"), format!("{a}{rest}")))
                }
                _ => return Err(format!("`{a}{rest}` and `{b}{rest}` have the same direction")),
            }
        }
        if let Some((rest, _)) = right.iter().find(|(r, _)| !left.iter().any(|(l, _)| l == r)) {
            return Err(format!("`{b}{rest}` has no partner under `{a}`"));
        }
        for (from, to) in lines {
            self.drive(to, wire(&from))?;
            self.read.insert(from);
        }
        Ok(())
    }

    fn apply(&mut self, net: Net) -> Result<(), String> {
        match net {
            Net::Join(a, b) => self.join(a, b)?,
            Net::Export(inner, outer) => {
                for (rest, direction) in self.directions(inner)? {
                    let (port, name) = (format!("{inner}{rest}"), format!("{outer}{rest}"));
                    if direction == Direction::Input {
                        self.drive(port.clone(), name.clone())?;
                    } else {
                        self.read.insert(port.clone());
                    }
                    self.exported.push((name, port));
                }
            }
            Net::Tie(name, value) => {
                let port = self.ports.get(name).ok_or_else(|| format!("`{name}` names no port"))?;
                let value = format!("{}'h{value:x}", port.width);
                self.drive(name.into(), value)?;
            }
            Net::Open(name) => {
                for (rest, direction) in self.directions(name)? {
                    if direction == Direction::Input {
                        return Err(format!("`{name}{rest}` is an input and cannot be left open"));
                    }
                    self.read.insert(format!("{name}{rest}"));
                }
            }
        }
        Ok(())
    }

    fn directions(&self, name: &str) -> Result<Vec<(String, Direction)>, String> {
        Ok(self.group(name)?.into_iter().map(|(rest, p)| (rest, p.direction)).collect())
    }

    /// Everything is driven, everything is read.
    fn check(&self) -> Result<(), String> {
        for (name, port) in &self.ports {
            match port.direction {
                Direction::Input if !self.driven.contains_key(name) => {
                    return Err(format!("input `{name}` ({} bits) is driven by nothing", port.width))
                }
                Direction::Output if !self.read.contains(name) => {
                    return Err(format!(
                        "output `{name}` ({} bits) is read by nothing; say Open if so",
                        port.width
                    ))
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The wire that carries an output.
fn wire(port: &str) -> String {
    port.replace('.', "$")
}

fn range(width: usize) -> String {
    if width == 1 {
        String::new()
    } else {
        format!("[{}:0] ", width - 1)
    }
}

/// The raw text of the parts, each under its name, and that of their top.
fn join(parts: &[(&str, String)], nets: &[Net]) -> Result<String, String> {
    let mut list = Netlist::default();
    for (name, raw) in parts {
        for port in ports_of(raw, "top").into_iter().filter(|p| !is_shared(p)) {
            list.ports.insert(format!("{name}.{}", port.name.replace('$', "_")), port);
        }
    }
    nets.iter().try_for_each(|&net| list.apply(net))?;
    list.check()?;

    let (mut declared, mut body, mut modules) = (String::new(), String::new(), String::new());
    let mut order = vec!["clock".to_string(), "reset".to_string()];
    declared.push_str("    input wire clock;\n    input wire reset;\n");
    // writing to a string does not fail
    for (name, inner) in &list.exported {
        let port = &list.ports[inner];
        let input = port.direction == Direction::Input;
        let way = if input { "input" } else { "output" };
        let _ = writeln!(declared, "    {way} wire {}{name};", range(port.width));
        if !input {
            let _ = writeln!(body, "    assign {name} = {};", wire(inner));
        }
        order.push(name.clone());
    }
    for (name, raw) in parts {
        let mut args = vec![];
        for port in ports_of(raw, "top") {
            let key = format!("{name}.{}", port.name.replace('$', "_"));
            let outer = match port.direction {
                _ if is_shared(&port) => port.name.clone(),
                Direction::Input => list.driven[&key].clone(),
                Direction::Output => {
                    let _ = writeln!(declared, "    wire {}{};", range(port.width), wire(&key));
                    wire(&key)
                }
            };
            args.push(format!("        .{}({outer})", port.name));
        }
        let _ = writeln!(body, "    top${name} part_{name}(\n{}\n    );", args.join(",\n"));
        modules.push_str(&under(raw, name));
    }
    Ok(format!("module top({});\n{declared}{body}endmodule\n{modules}", order.join(",")))
}

/// `clock` and `reset` go to every part.
fn is_shared(port: &Port) -> bool {
    matches!(port.name.as_str(), "clock" | "reset")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Skid;

    fn two(nets: &'static [Net]) -> Result<Emitted, EmitError> {
        let part = |name| Part::new(name, Skid::<64, 4>::default);
        emit_joined("chain", vec![part("a"), part("b")], nets)
    }

    #[test]
    fn a_chain_has_the_ports_of_its_ends() {
        let chain =
            two(&[Net::Export("a.rx", "rx"), Net::Join("a.tx", "b.rx"), Net::Export("b.tx", "tx")]).unwrap();
        let one = crate::emit::emit("alone", Skid::<64, 4>::default).unwrap();
        let key = |e: &Emitted| {
            let ports = e.ports.iter().map(|p| (p.name.clone(), p.width, p.direction == Direction::Input));
            ports.collect::<BTreeSet<_>>()
        };
        assert_eq!(key(&chain), key(&one));
        assert_eq!(chain.modules, one.modules + 1);
    }

    #[test]
    fn a_wrong_netlist_is_refused_with_the_port() {
        let cases: [(&'static [Net], &str); 6] = [
            (
                &[Net::Export("a.rx", "rx"), Net::Join("a.tx", "b.rx")],
                "`b.tx_bytes` (4 bits) is read by nothing",
            ),
            (
                &[Net::Export("b.tx", "tx"), Net::Join("a.tx", "b.rx")],
                "`a.rx_bytes` (4 bits) is driven by nothing",
            ),
            (&[Net::Join("a.tx", "b.tx")], "have the same direction"),
            (&[Net::Join("a.up", "b.rx")], "`a.up` names no port"),
            (&[Net::Join("a.tx", "b.rx"), Net::Tie("b.rx_valid", 0)], "`b.rx_valid` is driven twice"),
            (&[Net::Join("a.tx_data", "b.rx_bytes")], "has 64 bits, `b.rx_bytes` has 4"),
        ];
        for (nets, why) in cases {
            let said = two(nets).unwrap_err().to_string();
            assert!(said.contains(why), "{said}");
        }
    }
}
