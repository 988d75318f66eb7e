// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plain names: every `$` inside an identifier becomes `_`.
use std::collections::HashMap;

/// Rewrites identifiers; refuses when two different ones of one module would meet.
pub(super) fn plain(verilog: &str) -> Result<String, String> {
    let mut out = String::with_capacity(verilog.len());
    let mut was: HashMap<String, String> = HashMap::new();
    let mut rest = verilog;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        if !word(first) {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
        let (ident, tail) = rest.split_at(end);
        rest = tail;
        if ident == "endmodule" {
            was.clear(); // names meet only inside a module
        }
        if out.ends_with('.') {
            out.push_str(&ident.replace('$', "_")); // a port of a child: checked in the child
            continue;
        }
        if ident.starts_with('$') {
            out.push_str(ident); // a system function such as $signed
            continue;
        }
        let new = ident.replace('$', "_");
        let old = was.entry(new.clone()).or_insert_with(|| ident.into());
        if old != ident {
            return Err(format!("names `{old}` and `{ident}` both become `{new}`: rename one of them"));
        }
        out.push_str(&new);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn dollars_go_and_system_functions_stay() {
        assert_eq!(plain("a$b <= $signed(c$d$e);").unwrap(), "a_b <= $signed(c_d_e);");
    }

    #[test]
    fn names_that_would_meet_are_refused() {
        let why = plain("wire a$b_c; wire a_b$c;").unwrap_err();
        assert!(why.contains("a$b_c") && why.contains("a_b$c"), "{why}");
        let why = plain("wire fifo_full; reg fifo$full;").unwrap_err();
        assert!(why.contains("fifo_full") && why.contains("fifo$full"), "{why}");
    }

    #[test]
    fn names_of_two_modules_do_not_meet() {
        let text = "module a(b$c);\nendmodule\nmodule d(b_c);\n  a x(.b$c(b_c));\nendmodule";
        assert!(plain(text).unwrap().contains(".b_c(b_c)"));
    }
}
