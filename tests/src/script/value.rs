// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers and octets of scripts, and the names that stand for numbers.
use crate::mpa_model::hex;
use std::collections::HashMap;

/// What names stand for: `$x` that a step has bound, and `r.stag`, `r.to` of a region `r`.
pub type Names = HashMap<String, u64>;

/// A sum of numbers and names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum(Vec<(bool, Term)>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    Plain(u64),
    Name(String),
}

impl Sum {
    /// `16`, `0x10`, `$x`, `r.to+16-$y`. The error says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (mut terms, mut rest, mut minus) = (vec![], text, false);
        loop {
            let end = rest.find(['+', '-']).unwrap_or(rest.len());
            terms.push((minus, Term::parse(&rest[..end])?));
            let Some(sign) = rest[end..].chars().next() else { return Ok(Self(terms)) };
            (minus, rest) = (sign == '-', &rest[end + 1..]);
        }
    }

    /// Its value, modulo 2^64.
    pub fn of(&self, names: &Names) -> Result<u64, String> {
        self.0.iter().try_fold(0_u64, |sum, (minus, term)| {
            let value = term.of(names)?;
            Ok(if *minus { sum.wrapping_sub(value) } else { sum.wrapping_add(value) })
        })
    }

    /// The name, if it is one `$x` and nothing else.
    pub fn name(&self) -> Option<&str> {
        match &self.0[..] {
            [(false, Term::Name(name))] => name.strip_prefix('$'),
            _ => None,
        }
    }
}

impl Term {
    fn parse(text: &str) -> Result<Self, String> {
        let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '$' | '_');
        let is_name = text.starts_with('$') || text.contains('.');
        let number = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        match number {
            Some(number) => Ok(Self::Plain(number)),
            None if is_name && text.len() > 1 && text.chars().all(known) => Ok(Self::Name(text.into())),
            None => Err(format!("`{text}` is neither a number (12, 0xc) nor a name ($x, r.stag, r.to)")),
        }
    }

    fn of(&self, names: &Names) -> Result<u64, String> {
        match self {
            Self::Plain(number) => Ok(*number),
            Self::Name(name) => names.get(name).copied().ok_or_else(|| format!("nothing has bound `{name}`")),
        }
    }
}

/// What a number must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// `*`
    Any,
    /// A sum. A single `$x` that stands for nothing yet is bound.
    Is(Sum),
}

impl Want {
    /// `*`, or a sum.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "*" {
            Ok(Self::Any)
        } else {
            Sum::parse(text).map(Self::Is)
        }
    }

    /// Whether `seen` is as wanted; the error has both.
    pub fn check(&self, what: &str, seen: u64, names: &mut Names) -> Result<(), String> {
        let Self::Is(sum) = self else { return Ok(()) };
        if let Some(name) = sum.name().map(|name| format!("${name}")).filter(|name| !names.contains_key(name))
        {
            names.insert(name, seen);
            return Ok(());
        }
        let wanted = sum.of(names)?;
        match wanted == seen {
            true => Ok(()),
            false => Err(format!("{what} is {seen:#x}, not {wanted:#x}")),
        }
    }
}

/// Octets: parts with `|` between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Octets(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Plain(Vec<u8>),
    /// So many octets of zero.
    Zero(Sum),
    /// A pattern that does not repeat within 251 octets: its seed, octets.
    Pattern(u8, Sum),
    /// A number of so many octets, big-endian.
    Number(usize, Sum),
    /// A part with one bit changed; bit 0 is the first on the wire.
    Flip(Sum, Box<Part>),
}

impl Octets {
    /// `"text"`, `hex:00ff`, `zero:N`, `pat:SEED:N`, `be16:N`, `be32:N`, `be64:N`, `flip:BIT:PART`.
    pub fn parse(text: &str) -> Result<Self, String> {
        text.split('|').map(Part::parse).collect::<Result<_, _>>().map(Self)
    }

    /// The octets.
    pub fn of(&self, names: &Names) -> Result<Vec<u8>, String> {
        let parts: Result<Vec<_>, _> = self.0.iter().map(|part| part.of(names)).collect();
        Ok(parts?.concat())
    }
}

/// Octets of a pattern, none of them zero.
fn pattern(seed: u8, count: usize) -> impl Iterator<Item = u8> {
    (0..count).map(move |n| ((n + usize::from(seed) * 37) % 251) as u8 + 1)
}

impl Part {
    fn of(&self, names: &Names) -> Result<Vec<u8>, String> {
        Ok(match self {
            Self::Plain(plain) => plain.clone(),
            Self::Zero(count) => vec![0; count.of(names)? as usize],
            Self::Pattern(seed, count) => pattern(*seed, count.of(names)? as usize).collect(),
            Self::Number(width, number) => number.of(names)?.to_be_bytes()[8 - width..].to_vec(),
            Self::Flip(bit, part) => {
                let (bit, mut octets) = (bit.of(names)? as usize, part.of(names)?);
                let count = octets.len();
                let octet = octets.get_mut(bit / 8).ok_or(format!("{count} octets have no bit {bit}"))?;
                *octet ^= 0x80 >> (bit % 8);
                octets
            }
        })
    }

    fn parse(text: &str) -> Result<Self, String> {
        if let Some(plain) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            return Ok(Self::Plain(plain.as_bytes().to_vec()));
        }
        let (kind, value) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "hex" if value.len().is_multiple_of(2) && value.chars().all(|c| c.is_ascii_hexdigit()) => {
                Ok(Self::Plain(hex(value)))
            }
            "zero" => Sum::parse(value).map(Self::Zero),
            "pat" => {
                let (seed, count) = value.split_once(':').ok_or("a pattern is `pat:SEED:COUNT`")?;
                let seed = seed.parse().map_err(|_| format!("the seed `{seed}` is no number up to 255"))?;
                Sum::parse(count).map(|count| Self::Pattern(seed, count))
            }
            "be16" | "be32" | "be64" => {
                let width = kind[2..].parse::<usize>().expect("digits") / 8;
                Sum::parse(value).map(|number| Self::Number(width, number))
            }
            "flip" => {
                let (bit, part) = value.split_once(':').ok_or("a changed bit is `flip:BIT:OCTETS`")?;
                Ok(Self::Flip(Sum::parse(bit)?, Box::new(Self::parse(part)?)))
            }
            _ => Err(format!(
                "`{text}` is none of \"text\", hex:00ff, zero:N, pat:SEED:N, be16:N, be32:N, be64:N, flip:BIT:PART"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_octets() {
        let names = Names::from([("r.to".into(), 0x100), ("$x".into(), 3)]);
        assert_eq!(Sum::parse("r.to+16-$x").unwrap().of(&names), Ok(0x10d));
        let octets = Octets::parse("hex:00ff|\"ab\"|zero:$x|be32:r.to|pat:1:2").unwrap();
        assert_eq!(octets.of(&names).unwrap(), hex("00ff 6162 000000 00000100 2627"));
        assert_eq!(Octets::parse("flip:9:hex:0000").unwrap().of(&names).unwrap(), hex("0040"));
        assert!(Octets::parse("flip:9:hex:00").unwrap().of(&names).unwrap_err().contains("no bit 9"));
        assert!(Sum::parse("seven").unwrap_err().contains("seven"));
        assert!(Octets::parse("hex:0").unwrap_err().contains("none of"));
        assert!(Sum::parse("$y").unwrap().of(&names).unwrap_err().contains("$y"));
    }

    #[test]
    fn a_name_is_bound_once_and_compared_later() {
        let (want, mut names) = (Want::parse("$s").unwrap(), Names::new());
        assert_eq!(want.check("stag", 7, &mut names), Ok(()));
        assert_eq!(want.check("stag", 7, &mut names), Ok(()));
        assert_eq!(want.check("stag", 8, &mut names), Err("stag is 0x8, not 0x7".into()));
        assert_eq!(Want::parse("*").unwrap().check("stag", 9, &mut names), Ok(()));
    }
}
