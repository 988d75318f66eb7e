// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `tshark -T pdml -z expert` prints, line by line: packets in XML, an element a line, then a
//! table of the expert information.
use super::verdict::{Complaint, Expert, Severity, Summary};
use std::collections::BTreeSet;

/// Sections of the table behind the packets.
const SECTIONS: [(&str, Severity); 4] = [
    ("Errors", Severity::Error),
    ("Warns", Severity::Warn),
    ("Notes", Severity::Note),
    ("Chats", Severity::Chat),
];

/// Reads lines into a summary.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) summary: Summary,
    /// Number and protocols of the packet that is open.
    frame: u64,
    protocols: BTreeSet<String>,
    /// The packets are over: section of the table.
    section: Option<Severity>,
    pub(super) packets_over: bool,
}

impl Reader {
    /// The next line.
    pub(super) fn line(&mut self, line: &str) {
        let line = line.trim();
        if self.packets_over {
            self.expert(line);
        } else if line == "</pdml>" {
            self.packets_over = true;
        } else if line == "</packet>" {
            self.summary.frames += 1;
            for name in std::mem::take(&mut self.protocols) {
                *self.summary.protocols.entry(name).or_default() += 1;
            }
        } else if line.starts_with("<proto ") {
            self.protocol(line);
        } else if line.starts_with("<field ") {
            self.field(line);
        }
    }

    fn complain(&mut self, what: String) {
        self.summary.complaints.push(Complaint { frame: self.frame, what });
    }

    fn protocol(&mut self, line: &str) {
        let name = attribute(line, "name").unwrap_or_default();
        if matches!(&*name, "_ws.malformed" | "_ws.short" | "_ws.unreassembled") {
            self.complain(attribute(line, "showname").unwrap_or_else(|| name.clone()));
        }
        self.protocols.insert(name);
    }

    fn field(&mut self, line: &str) {
        let Some(name) = attribute(line, "name") else { return };
        let show = || attribute(line, "show").unwrap_or_default();
        match &*name {
            "num" => self.frame = show().parse().unwrap_or_default(),
            "iwarp_mpa.crc" => self.summary.crc.unchecked += 1,
            "iwarp_mpa.crc_check" => {
                let text = attribute(line, "showname").unwrap_or_default();
                if text.contains("(Good CRC32)") {
                    self.summary.crc.good += 1;
                } else {
                    self.summary.crc.bad += 1;
                    self.complain(format!("MPA {text}"));
                }
            }
            "_ws.malformed" => self.complain(attribute(line, "showname").unwrap_or(name)),
            _ => {
                let Some(protocol) = name.strip_suffix(".checksum.status") else { return };
                let sums = &mut self.summary.checksums;
                // wireshark's PROTO_CHECKSUM_E_*: 0 bad, 1 good, 2 not checked, 3 not present
                match &*show() {
                    "1" => sums.good += 1,
                    "2" | "3" => sums.unchecked += 1,
                    _ => {
                        sums.bad += 1;
                        self.complain(format!("bad checksum of {protocol}"));
                    }
                }
            }
        }
    }

    /// A line of the table: `frequency group protocol summary`, in sections `Errors (3)` and so on.
    fn expert(&mut self, line: &str) {
        if let Some((_, severity)) = SECTIONS.iter().find(|(name, _)| line.starts_with(&format!("{name} (")))
        {
            self.section = Some(*severity);
            return;
        }
        let mut rest = line;
        let mut word = || {
            let (first, after) = rest.split_once(char::is_whitespace)?;
            rest = after.trim_start();
            Some(first)
        };
        let columns = (|| Some((word()?.parse().ok()?, word()?.to_string(), word()?.to_string())))();
        if let (Some(severity), Some((count, group, protocol))) = (self.section, columns) {
            let message = rest.to_string();
            self.summary.experts.push(Expert { severity, group, protocol, message, count });
        }
    }
}

/// The value of an attribute of an element on one line.
fn attribute(line: &str, name: &str) -> Option<String> {
    let start = line.find(&format!(" {name}=\""))? + name.len() + 3;
    let value = &line[start..];
    let value = &value[..value.find('"')?];
    let plain =
        value.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#x27;", "'");
    Some(plain.replace("&amp;", "&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"<pdml version="0">
<packet>
  <proto name="geninfo" pos="0">
    <field name="num" pos="0" show="7" showname="Number" value="7" size="74"/>
  </proto>
  <proto name="ip" showname="Internet Protocol Version 4">
    <field name="ip.checksum.status" showname="Header checksum status: Bad" size="0" pos="24" show="0"/>
  </proto>
  <proto name="tcp" showname="TCP">
    <field name="tcp.checksum.status" showname="Checksum Status: Good" size="0" pos="50" show="1"/>
  </proto>
  <proto name="iwarp_mpa" showname="MPA">
    <field name="iwarp_mpa.crc_check" showname="CRC check: 0x1 (Bad CRC32, should be 0x2)" show="0x1"/>
    <field name="iwarp_mpa.crc_check" showname="CRC check: 0x2 (Good CRC32)" show="0x2"/>
  </proto>
  <proto name="_ws.malformed" showname="[Malformed Packet: DDP &amp; &quot;x&quot;]" size="0"/>
</packet>
</pdml>

Errors (2)
=============
   Frequency      Group           Protocol  Summary
           2   Checksum               IPv4  Bad checksum [should be 0x080f]

Warns (1)
=============
   Frequency      Group           Protocol  Summary
           1    Request          IWARP_MPA  Rev field is NOT set to one as required by RFC 5044
"#;

    #[test]
    fn packets_and_table_become_a_summary() {
        let mut reader = Reader::default();
        TEXT.lines().for_each(|l| reader.line(l));
        assert!(reader.packets_over);
        let s = reader.summary;
        assert_eq!((s.frames, s.protocols["tcp"], s.protocols["iwarp_mpa"]), (1, 1, 1));
        assert_eq!((s.checksums.good, s.checksums.bad, s.crc.good, s.crc.bad), (1, 1, 1, 1));
        let told: Vec<_> = s.complaints.iter().map(ToString::to_string).collect();
        let want = [
            "frame 7: bad checksum of ip",
            "frame 7: MPA CRC check: 0x1 (Bad CRC32, should be 0x2)",
            "frame 7: [Malformed Packet: DDP & \"x\"]",
        ];
        assert_eq!(told, want);
        assert_eq!(s.experts.len(), 2);
        let first = &s.experts[0];
        assert_eq!((first.severity, first.count, &*first.group), (Severity::Error, 2, "Checksum"));
        assert_eq!(first.to_string(), "Error/Checksum, IPv4, 2 times: Bad checksum [should be 0x080f]");
    }
}
