// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clients that ask wrongly, ask nothing, or do not read.
use super::super::serving::{MOST, PATIENCE};
use super::super::wire::{Broken, Wire};
use super::*;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

/// Longer than any answer may take, and shorter than two that wait.
const SOON: Duration = Duration::from_millis(500);

/// A line of an answer, and whether the connection ends behind it.
fn answer(client: &UnixStream) -> Value {
    client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut client = BufReader::new(client);
    let mut line = String::new();
    client.read_line(&mut line).unwrap();
    // what was not read of the question makes the end a reset
    let end = client.read(&mut [0; 1]).or_else(|e| match e.kind() {
        ErrorKind::ConnectionReset => Ok(0),
        _ => Err(e),
    });
    assert_eq!(end.unwrap(), 0, "{line}");
    serde_json::from_str(&line).unwrap_or_else(|e| panic!("`{line}`: {e}"))
}

fn asked(path: &Path, question: &[u8]) -> Value {
    let mut client = UnixStream::connect(path).unwrap();
    client.write_all(question).unwrap();
    answer(&client)
}

#[test]
fn a_wrong_question_has_an_answer() {
    let folder = Folder::new("wrong");
    let (fake, device) = device();
    let figures = device.serve_figures(folder.0.join("sock")).unwrap();
    let path = figures.path();
    let padded = |octets: usize| [&b"{}"[..], &vec![b' '; octets - 2], b"\n"].concat();
    let nested = [&b"["[..]; 900].concat();
    let wrong: [(&[u8], &str); 12] = [
        (&padded(MOST + 1), "more than 1024 octets"),
        (&[b'x'; 5000], "more than 1024 octets"),
        (b"counters\n", "neither {} nor like"),
        (b"\n", "neither {} nor like"),
        (b"\xff\xfe\n", "neither {} nor like"),
        (b"\"qp\"\n", "neither {} nor like"),
        (&[&nested[..], b"\n"].concat(), "neither {} nor like"),
        (b"{\"qp\":-1}\n", "neither {} nor like"),
        (b"{\"qp\":65536}\n", "neither {} nor like"),
        (b"{\"cq\":1}\n", "unknown field `cq`"),
        (b"{\"qp\":2}\n", "queue pairs 0 to 1, and no 2"),
        (b"{\"qp\":65535}\n", "no 65535"),
    ];
    for (question, why) in wrong {
        let told = asked(path, question);
        let shown = String::from_utf8_lossy(&question[..question.len().min(20)]);
        assert!(told["ok"] == false && told["error"].as_str().unwrap().contains(why), "{shown}: {told}");
    }
    fake.state().registers = device_figures();
    assert_eq!(asked(path, &padded(MOST))["ok"], true);
    // the end of the stream ends the line, too
    fake.state().registers = device_figures();
    let mut client = UnixStream::connect(path).unwrap();
    client.write_all(b"{\"qp\":null}").unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    assert_eq!(answer(&client)["ok"], true);
}

#[test]
fn a_client_that_sends_nothing_is_told_so_and_others_have_their_turn() {
    let folder = Folder::new("nothing");
    let (fake, device) = device();
    let figures = device.serve_figures(folder.0.join("sock")).unwrap();
    let gone = UnixStream::connect(figures.path()).unwrap();
    drop(gone);
    let begun = Instant::now();
    let silent = UnixStream::connect(figures.path()).unwrap();
    let slow = UnixStream::connect(figures.path()).unwrap();
    fake.state().registers = device_figures();
    let told = ask(figures.path(), None);
    assert!(begun.elapsed() >= 2 * PATIENCE, "{:?}", begun.elapsed());
    assert_eq!(told.unwrap()["ok"], true);
    for client in [silent, slow] {
        let told = answer(&client);
        assert!(told["error"].as_str().unwrap().contains("no question came within 1s"), "{told}");
    }
}

/// The deadline is that of the line, and not of each octet.
#[test]
fn a_client_that_sends_octet_by_octet_is_late() {
    let (client, server) = UnixStream::pair().unwrap();
    let drip = std::thread::spawn(move || {
        while (&client).write(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let begun = Instant::now();
    let wire = Wire { stream: &server, stop: None, until: begun + SOON };
    assert_eq!(wire.line(MOST), Err(Broken::Late));
    assert!((SOON..4 * SOON).contains(&begun.elapsed()), "{:?}", begun.elapsed());
    drop(server);
    drip.join().unwrap();
}

#[test]
fn a_client_that_does_not_read_is_dropped() {
    let (client, server) = UnixStream::pair().unwrap();
    let begun = Instant::now();
    let wire = Wire { stream: &server, stop: None, until: begun + SOON };
    assert_eq!(wire.send(&vec![b'x'; 1 << 24]), Err(Broken::Late));
    assert!((SOON..4 * SOON).contains(&begun.elapsed()), "{:?}", begun.elapsed());
    drop(client);
    let wire = Wire { stream: &server, stop: None, until: Instant::now() + SOON };
    assert_eq!(wire.send(b"x"), Err(Broken::Closed));
}

/// Neither one that asks nothing nor one that does not read holds up the end.
#[test]
fn a_drop_waits_for_no_client() {
    let folder = Folder::new("drop");
    let (fake, device) = device();
    let figures = device.serve_figures(folder.0.join("sock")).unwrap();
    let (path, stop) = (figures.path().to_path_buf(), figures.stop.clone());
    let client = UnixStream::connect(&path).unwrap();
    // the thread has taken the client
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(Arc::strong_count(&stop), 3);
    let begun = Instant::now();
    drop(figures);
    assert!(begun.elapsed() < SOON && !path.exists(), "{:?}", begun.elapsed());
    assert_eq!(Arc::strong_count(&stop), 1, "the thread has ended");
    assert_eq!((&client).read(&mut [0; 1]).unwrap(), 0);
    let (client, server) = UnixStream::pair().unwrap();
    let wire = Wire { stream: &server, stop: Some(&stop), until: Instant::now() + 60 * PATIENCE };
    assert_eq!(wire.send(&vec![b'x'; 1 << 24]), Err(Broken::Stopped));
    drop(client);
    // the device goes on
    fake.state().registers = device_figures();
    assert!(told(device.inspect(), None).is_ok());
}
