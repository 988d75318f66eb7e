// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words and signs of emitted Verilog, with their places in the text.

/// Kind of a token.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Identifier, keyword or system function.
    Word,
    /// Number, with or without width and base.
    Number,
    /// Operator or punctuation.
    Sign,
}

/// One token: `text[start..end]`.
#[derive(Copy, Clone, Debug)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// Signs of more than one character, longer ones first.
const SIGNS: [&str; 14] =
    ["<<<", ">>>", "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "+:", "-:"];

/// Cuts a text; blanks, comments and attributes are left out.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = vec![];
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().unwrap_or('\0');
        let until = |stop: &str| rest.find(stop).map_or(rest.len(), |i| i + stop.len());
        let (length, kind) = if first.is_whitespace() {
            (first.len_utf8(), None)
        } else if rest.starts_with("//") {
            (until("\n"), None)
        } else if rest.starts_with("/*") {
            (until("*/"), None)
        } else if rest.starts_with("(* ") {
            (until("*)"), None)
        } else if first.is_ascii_digit() || first == '\'' {
            let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '\'');
            (rest.find(word).unwrap_or(rest.len()), Some(Kind::Number))
        } else if first.is_ascii_alphabetic() || first == '_' || first == '$' {
            let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$');
            (rest.find(word).unwrap_or(rest.len()), Some(Kind::Word))
        } else {
            let long = SIGNS.iter().find(|s| rest.starts_with(**s));
            (long.map_or(first.len_utf8(), |s| s.len()), Some(Kind::Sign))
        };
        if let Some(kind) = kind {
            tokens.push(Token { kind, start: at, end: at + length });
        }
        at += length;
    }
    tokens
}

/// The number with its lowest bit inverted, in the same width and base; `None` for what is no plain
/// number.
pub fn flipped(number: &str) -> Option<String> {
    let Some((width, based)) = number.split_once('\'') else {
        return number.parse::<u128>().ok().map(|n| (n ^ 1).to_string());
    };
    let (base, digits) = based.split_at_checked(1)?;
    let radix = match base {
        "h" => 16,
        "b" => 2,
        "o" => 8,
        "d" => return digits.parse::<u128>().ok().map(|n| format!("{width}'d{}", n ^ 1)),
        _ => return None,
    };
    let last = digits.chars().last()?.to_digit(radix)?;
    let flipped = char::from_digit(last ^ 1, radix)?;
    Some(format!("{width}'{base}{}{flipped}", &digits[..digits.len() - 1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_leave_out_blanks_comments_and_attributes() {
        let text = "always @(*) a = (b[(64'h4)+:(4)] <= 16'hff) && ~c; // 5\n(* keep *) reg $x_1;";
        let words: Vec<_> = tokens(text).iter().map(|t| &text[t.start..t.end]).collect();
        let expected = "always @ ( * ) a = ( b [ ( 64'h4 ) +: ( 4 ) ] <= 16'hff ) && ~ c ; reg $x_1 ;";
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn a_number_keeps_width_and_base() {
        let pairs = [
            ("16'h1f", "16'h1e"),
            ("1'b0", "1'b1"),
            ("3'b10", "3'b11"),
            ("32'd8", "32'd9"),
            ("4", "5"),
            ("64'ha", "64'hb"),
        ];
        for (before, after) in pairs {
            assert_eq!(flipped(before).as_deref(), Some(after));
        }
        assert_eq!(flipped("4'bxx"), None);
    }
}
