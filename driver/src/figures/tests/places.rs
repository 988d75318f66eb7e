// SPDX-License-Identifier: MIT OR Apache-2.0
//! What may be at the socket's place, and what becomes of it.
use super::*;
use crate::process::tests::child;
use std::os::unix::fs::{symlink, PermissionsExt};
use std::os::unix::net::{UnixDatagram, UnixListener};

#[test]
fn a_stale_socket_is_replaced_and_a_live_one_refused() {
    let folder = Folder::new("stale");
    let path = folder.0.join("sock");
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists() && matches!(ask(&path, None), Err(FiguresError::Nobody(_))));
    let (fake, device) = device();
    let figures = device.serve_figures(&path).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o7777, 0o600);
    let second = device.serve_figures(&path).unwrap_err();
    assert!(matches!(&second, Error::Figures(FiguresError::InUse(of)) if *of == path), "{second}");
    assert!(second.to_string().contains(path.to_str().unwrap()), "{second}");
    fake.state().registers = device_figures();
    assert_eq!(ask(&path, None).unwrap()["ok"], true);
    drop(figures);
    drop(device.serve_figures(&path).unwrap());
    assert!(!path.exists());
}

/// A program whose clients wait, or that speaks in datagrams, is there as well.
#[test]
fn a_busy_socket_is_a_live_one() {
    let folder = Folder::new("busy");
    let (_fake, device) = device();
    let path = folder.0.join("datagrams");
    let _datagrams = UnixDatagram::bind(&path).unwrap();
    assert!(matches!(device.serve_figures(&path), Err(Error::Figures(FiguresError::InUse(_)))));
    let path = folder.0.join("full");
    let _listener = UnixListener::bind(&path).unwrap();
    let mut clients = vec![];
    while let Ok(client) = socket::connect(&path) {
        clients.push(client);
        assert!(clients.len() < 100_000);
    }
    assert!(matches!(device.serve_figures(&path), Err(Error::Figures(FiguresError::InUse(_)))));
    let late = ask_within(&path, None, Duration::from_millis(50)).unwrap_err();
    assert!(matches!(late, FiguresError::Late { .. }), "{late}");
}

#[test]
fn what_is_no_socket_stays() {
    let folder = Folder::new("file");
    let (_fake, device) = device();
    let [file, link] = ["file", "link"].map(|name| folder.0.join(name));
    std::fs::write(&file, "figures").unwrap();
    symlink(&file, &link).unwrap();
    for path in [&file, &link, &folder.0] {
        let refused = device.serve_figures(path).unwrap_err();
        assert!(matches!(&refused, Error::Figures(FiguresError::NoSocket(of)) if of == path), "{refused}");
        assert!(path.symlink_metadata().is_ok());
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "figures");
    let long = folder.0.join("x".repeat(200));
    for path in [long.as_path(), Path::new(""), &folder.0.join("no/such/folder")] {
        let refused = device.serve_figures(path).unwrap_err();
        assert!(matches!(refused, Error::Figures(FiguresError::Socket { .. })), "{refused}");
    }
}

/// A drop unlinks its own socket, and no other that has the name since.
#[test]
fn a_drop_leaves_what_others_put_there() {
    let folder = Folder::new("others");
    let (_fake, device) = device();
    let path = folder.0.join("sock");
    let first = device.serve_figures(&path).unwrap();
    // the inode's number may come again, so the first one keeps another name
    std::fs::rename(&path, folder.0.join("moved")).unwrap();
    let second = device.serve_figures(&path).unwrap();
    drop(first);
    assert!(path.exists());
    drop(second);
    assert!(!path.exists());
}

/// Socket and thread are the parent's.
#[test]
fn a_child_of_a_fork_leaves_the_socket() {
    let folder = Folder::new("fork");
    let (fake, device) = device();
    let mut figures = Some(device.serve_figures(folder.0.join("sock")).unwrap());
    let path = folder.0.join("sock");
    let in_child = || {
        drop(figures.take());
        path.exists()
    };
    assert_eq!(child(in_child), 0);
    fake.state().registers = device_figures();
    assert_eq!(ask(&path, None).unwrap()["ok"], true);
    assert!(figures.is_some());
}

/// What comes from a socket of something else is no answer.
#[test]
fn what_is_no_answer_is_told_as_such() {
    let folder = Folder::new("alien");
    let path = folder.0.join("sock");
    let listener = UnixListener::bind(&path).unwrap();
    let answers =
        ["", "HTTP/1.1 400\n", "{\"ok\":true}\n", "[]\n", "{\"ok\":true,\"counters\":{},\"connection\":7}\n"];
    let alien = std::thread::spawn(move || {
        for answer in answers {
            let (mut client, _) = listener.accept().unwrap();
            std::io::Write::write_all(&mut client, answer.as_bytes()).unwrap();
        }
    });
    for answer in answers {
        let told = ask(&path, None).unwrap_err();
        assert!(matches!(told, FiguresError::Answer { .. }), "{answer}: {told}");
    }
    alien.join().unwrap();
}
