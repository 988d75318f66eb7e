// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ferrowarp dump`: registers and rows, field by field, by their names in the tables of `abi`.
use crate::devices::open_to_look;
use crate::error::ToolError;
use crate::said::Said;
use crate::table::named;
use ferrowarp::admin::AdminError;
use ferrowarp::inspect::{self, Inspect, Named, Row};
use ferrowarp::Error;
use serde_json::{json, Map, Value};

/// Arguments.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  ferrowarp dump vfio:0000:03:00.0\n  \
    ferrowarp dump vfio-user:/tmp/fw0.sock --row qp --index 3\n  \
    ferrowarp dump vfio-user:/tmp/fw0.sock --row mr --json\n\n\
    The command opens the device, which RESETS the device. The rows that exist are then those of the driver's own rings. If a\n\
    program has the device open, the command is refused (\"in use\"), and the device is unchanged.")]
pub(crate) struct Args {
    /// Device, by URL; `ip` may be missing
    url: String,
    /// Shows rows of this kind instead of registers
    #[arg(long, value_enum)]
    row: Option<Kind>,
    /// Shows only the row of this number
    #[arg(long, requires = "row")]
    index: Option<u16>,
    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Kind {
    /// Connections
    Conn,
    /// Queue pairs
    Qp,
    /// Completion queues
    Cq,
    /// Memory regions
    Mr,
    /// First errors of queue pairs
    Captured,
    /// Timers and congestion windows of connections
    Path,
}

impl Kind {
    fn row(self) -> (Row, &'static str) {
        match self {
            Self::Conn => (Row::Connection, "conn"),
            Self::Qp => (Row::QueuePair, "qp"),
            Self::Cq => (Row::CompletionQueue, "cq"),
            Self::Mr => (Row::Region, "mr"),
            Self::Captured => (Row::Captured, "captured"),
            Self::Path => (Row::Path, "path"),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Said, ToolError> {
    let device = open_to_look(&args.url)?;
    Ok(match args.row {
        None => registers(device.inspect())?,
        Some(kind) => rows(device.inspect(), kind, args.index)?,
    })
}

fn registers(device: Inspect<'_>) -> Result<Said, Error> {
    let shown = inspect::registers(device)?;
    let line = |r: &inspect::Shown| {
        let fields = list(&r.fields);
        format!("{:#05x}  {:<18} {:#010x}  {fields}", r.offset, r.name, r.value).trim_end().to_string()
    };
    let text = shown.iter().map(line).collect::<Vec<_>>().join("\n");
    Ok(Said { text, json: json!({ "ok": true, "registers": shown }) })
}

/// Names and numbers; large ones in hexadecimal.
fn list(fields: &[Named]) -> String {
    fields.iter().map(|f| named(f, 1000)).collect::<Vec<_>>().join(" ")
}

fn rows(device: Inspect<'_>, kind: Kind, index: Option<u16>) -> Result<Said, Error> {
    let has = device.capabilities();
    let (row, name) = kind.row();
    let most = match kind {
        Kind::Conn | Kind::Path | Kind::Qp | Kind::Captured => has.queue_pairs,
        Kind::Cq => has.completion_queues,
        Kind::Mr => has.regions,
    };
    let mut text = String::new();
    let mut json = vec![];
    for at in index.map_or(0..most, |index| index..index.saturating_add(1)) {
        let fields = match inspect::row(device, row, at) {
            Ok(fields) => fields,
            // of all rows, those that are in use; one that is asked for says why it cannot be shown
            Err(AdminError::Refused { .. }) if index.is_none() => continue,
            Err(why) => return Err(why.into()),
        };
        if index.is_none() && fields.iter().all(|f| f.value == 0) {
            continue;
        }
        let mut one: Map<_, _> = fields.iter().map(|f| (f.name.to_string(), Value::from(f.value))).collect();
        text += &format!("{name} {at}: {}\n", list(&fields));
        if let Row::Captured = row {
            let segment: String =
                inspect::captured_segment(device, at)?.iter().map(|o| format!("{o:02x}")).collect();
            text += &format!("  segment: {segment}\n");
            one.insert("segment".into(), segment.into());
        }
        json.push(json!({ "index": at, "fields": one }));
    }
    if text.is_empty() {
        text = format!("no {name} row is in use");
    }
    Ok(Said { text, json: json!({ "ok": true, "row": name, "rows": json }) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::tests::opened;
    use ferrowarp_abi::codec::CqRow;
    use ferrowarp_abi::consts::{admin_opcode, admin_status};

    #[test]
    fn rows_in_use_are_shown_by_name_and_a_refusal_only_if_it_was_asked_for() {
        let (fake, device) = opened();
        let row = CqRow { base: 0x1_0000, log2: 4, is_valid: true };
        fake.state().row = row.octets().unwrap().to_vec();
        let said = rows(device.inspect(), Kind::Cq, None).unwrap();
        assert_eq!(said.text, "cq 0: base=0x10000 log2=4 is_valid=1\ncq 1: base=0x10000 log2=4 is_valid=1\n");
        assert_eq!(said.json["rows"][1]["fields"]["log2"], 4);
        fake.state().refused.insert(admin_opcode::READ_ROW, admin_status::BAD_INDEX);
        assert_eq!(rows(device.inspect(), Kind::Cq, None).unwrap().text, "no cq row is in use");
        let why = rows(device.inspect(), Kind::Cq, Some(9)).unwrap_err().to_string();
        assert!(why.contains("index 9: it has no such row"), "{why}");
    }
}
