// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memories that give garbage where a device's give nobody knows what: a word that is read in the
//! cycle in which it is written.
use regex::Regex;
use std::borrow::Cow;

/// With the value 1 models have such memories.
const SWITCH: &str = "FERROWARP_COLLISIONS";

/// The read port of `ferrowarp_hdl::cell::Sdp`, as it is emitted.
const READ: &str = r"if \(read_enable\) read_data <= words\[read_address(?P<low>\[\d+:0\])?\];";

/// Such a word comes with each of its bits the other way round, so that an owner that uses it does
/// something wrong.
const GARBLED: &str =
    "if (read_enable) read_data <= (write_enable && (write_address$low == read_address$low)) ? \
     ~words[read_address$low] : words[read_address$low];";

/// Whether the switch is on.
pub(super) fn is_on() -> bool {
    std::env::var(SWITCH).is_ok_and(|value| value == "1")
}

/// The text of a model, with these memories if the switch says so.
pub(super) fn garbled(text: String) -> String {
    if is_on() {
        garble(&text).into_owned()
    } else {
        text
    }
}

fn garble(text: &str) -> Cow<'_, str> {
    // the pattern is above
    match Regex::new(READ) {
        Ok(read) => read.replace_all(text, GARBLED),
        Err(_) => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrowarp_hdl::config::{Config, Profile};
    use ferrowarp_hdl::top::Top;

    #[test]
    fn the_read_port_of_each_memory_is_found() {
        let text = Top::SqW64.emit(&Config::profile(Profile::Tiny)).unwrap().verilog;
        let memories = text.matches("no_rw_check").count();
        assert!(memories > 5, "{memories}");
        assert_eq!(garble(&text).matches("? ~words[read_address").count(), memories);
    }

    #[test]
    fn a_short_one_compares_the_bits_that_count() {
        let text = "if (read_enable) read_data <= words[read_address[1:0]];";
        assert!(garble(text).contains("(write_address[1:0] == read_address[1:0])"), "{}", garble(text));
    }
}
