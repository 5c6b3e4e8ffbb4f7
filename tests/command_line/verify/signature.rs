//! Signed certificates: whose signature holds, and that `ssh-keygen` agrees.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use opcert::backend::ForeignText;
use opcert::signature::{Signer, Signers};
use ssh_key::private::Ed25519Keypair;
use ssh_key::{HashAlg, LineEnding, PrivateKey};
use tempfile::TempDir;

use super::bundle::{Files, write_cases, write_documented_cases};
use crate::command::opcert;

const SIGNATURE: &str = "certificate.json.sig";

/// A key that anybody can make.
fn key(seed: u8) -> PrivateKey {
    PrivateKey::from(Ed25519Keypair::from_seed(&[seed; 32]))
}

/// A folder with private keys `1` and `2`, and what belongs to them.
fn keys() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for seed in [1, 2] {
        let path = folder.path().join(seed.to_string());
        fs::write(&path, key(seed).to_openssh(LineEnding::LF).unwrap().as_bytes()).unwrap();
        fs::write(path.with_extension("pub"), public(seed)).unwrap();
    }
    folder
}

fn public(seed: u8) -> String {
    format!("{} with a comment\n", key(seed).public_key().to_openssh().unwrap().trim())
}

fn signed(seed: u8) -> Files {
    sign(Files::untouched(), seed)
}

fn sign(mut files: Files, seed: u8) -> Files {
    let folder = keys();
    let signer = Signer::read(&folder.path().join(seed.to_string())).unwrap();
    let signature = signer.sign(&files.0["certificate.json"]).unwrap();
    assert!(signature.starts_with("-----BEGIN SSH SIGNATURE-----\n"));
    files.0.insert(SIGNATURE.to_owned(), signature.into_bytes());
    files
}

/// What is said of a bundle whose signer has to be in a file.
fn said(files: &Files, signers: &str) -> Vec<String> {
    let verified = files.verify(Some(&read(signers).unwrap()));
    verified.misfits.iter().map(ToString::to_string).collect()
}

fn read(signers: &str) -> Result<Signers, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signers");
    fs::write(&path, signers).unwrap();
    Signers::read(&path).map_err(|error| error.to_string())
}

#[test]
fn a_signature_holds_for_those_who_are_named() {
    let files = signed(1);
    let fingerprint = key(1).fingerprint(HashAlg::Sha256).to_string();
    let unknown = files.verify(None);
    let signature = unknown.signed.unwrap();
    assert!(unknown.misfits.is_empty() && !signature.known && signature.key == fingerprint);
    let (one, other) = (public(1), public(2));
    for (signers, name) in [
        (one.clone(), None),
        (format!("# Whom we trust\n\ntwo@example.org {other}one@example.org {one}"), Some("one@example.org")),
        (format!("one@example.org namespaces=\"git,op*\" {one}"), Some("one@example.org")),
        (format!("\"one@example.org, one\" namespaces=\"opcert\" {one}"), Some("one@example.org, one")),
    ] {
        let verified = files.verify(Some(&read(&signers).unwrap()));
        let signature = verified.signed.unwrap();
        assert!(verified.misfits.is_empty() && signature.known, "{signers}");
        assert_eq!(signature.name.as_ref().map(ForeignText::raw), name);
    }
    let foreign = format!(
        "`certificate.json.sig` is a signature by the key {fingerprint}, which `--require-signer` does not name"
    );
    assert_eq!(said(&files, &other), [foreign]);
    let missing = "there is no `certificate.json.sig`, and `--require-signer` asks for a signature";
    assert_eq!(said(&Files::untouched(), &one), [missing]);
}

#[test]
fn a_signature_of_something_else_does_not_hold() {
    let broken = "`certificate.json.sig` does not sign these bytes of `certificate.json`: one of the two was changed";
    let mut files = signed(1);
    files.0.get_mut("certificate.json").unwrap().push(b'\n');
    let changed = files.misfits();
    assert!(changed.len() == 2 && changed.contains(&broken.to_owned()), "{changed:?}");
    let signature = |text: Vec<u8>| {
        let mut files = Files::untouched();
        files.0.insert(SIGNATURE.to_owned(), text);
        files.misfits()
    };
    let of_nothing = Signer::read(&keys().path().join("1")).unwrap().sign(b"").unwrap();
    assert_eq!(signature(of_nothing.into_bytes()), [broken]);
    let certificate = &Files::untouched().0["certificate.json"];
    let for_git = key(1).sign("git", HashAlg::Sha512, certificate).unwrap().to_pem(LineEnding::LF).unwrap();
    let namespace =
        "`certificate.json.sig` signs for `git`, expected `opcert`: sign with `ssh-keygen -Y sign -n opcert`";
    assert_eq!(signature(for_git.into_bytes()), [namespace]);
    let none = signature(b"signed, one\n".to_vec());
    assert!(none.len() == 1 && none[0].starts_with("`certificate.json.sig` is no SSH signature: "), "{none:?}");
}

/// Every single byte of a signature counts.
#[test]
fn no_byte_of_a_signature_can_be_flipped() {
    let certificate = b"{}";
    let signature = Signer::read(&keys().path().join("1")).unwrap().sign(certificate).unwrap().into_bytes();
    assert!(opcert::signature::check(&signature, certificate).is_ok());
    for at in 0..signature.len() {
        let mut flipped = signature.clone();
        flipped[at] ^= 1;
        assert!(opcert::signature::check(&flipped, certificate).is_err(), "byte {at}");
    }
}

#[test]
fn a_file_that_names_nobody_is_bad_input() {
    let one = public(1);
    for (signers, message) in [
        (String::new(), "names no key for the namespace `opcert`"),
        (format!("one namespaces=\"git\" {one}"), "names no key for the namespace `opcert`"),
        (
            format!("{one}one ssh-ed25519 AAAA\n"),
            "line 2 is neither a public key nor an entry of an allowed-signers file",
        ),
        (format!("one cert-authority {one}"), "line 1 has the option `cert-authority`, which opcert does not look at"),
        (format!("one namespaces=\"!opcert,*\" {one}"), "line 1 has the option `namespaces=\"!opcert,*\"`"),
        (
            format!("one namespaces=\"opcert\",valid-before=\"20300101\" {one}"),
            "line 1 has the option `namespaces=\"opcert\",valid-before=\"20300101\"`",
        ),
    ] {
        let error = read(&signers).unwrap_err();
        assert!(error.starts_with(message), "{error}");
    }
    let folder = Files::untouched().write();
    let ran = opcert(folder.path(), &["verify", ".", "--require-signer", "nobody"]);
    assert_eq!((ran.code, ran.err.as_str()), (2, "error: `--require-signer nobody`: there is no such file\n"));
    fs::write(folder.path().join("signers"), "").unwrap();
    let ran = opcert(folder.path(), &["verify", ".", "--require-signer", "singers"]);
    let said = "error: `--require-signer singers`: there is no such file; did you mean `signers`?\n";
    assert_eq!((ran.code, ran.err.as_str()), (2, said));
}

#[test]
fn the_command_signs_and_does_not_leave_an_older_signature() {
    let folder = keys();
    write_documented_cases(folder.path());
    let at = |name: &str| folder.path().join("out").join(name);
    let certify = |arguments: &[&str]| {
        let some = ["--cases", "cases", "--out", "out"];
        let ran = opcert(folder.path(), &[&["certify"], &some[..], arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.said());
    };
    certify(&["--sign", "1"]);
    let ran = opcert(folder.path(), &["verify", "out", "--cases", "cases", "--require-signer", "1.pub"]);
    assert!(
        ran.code == 0 && ran.out.contains("signed by SHA256:") && ran.out.contains(", as required"),
        "{}",
        ran.said()
    );
    let ran = opcert(folder.path(), &["verify", "out", "--cases", "cases"]);
    assert!(ran.code == 0 && ran.out.contains("whoever that is"), "{}", ran.said());
    let ran = opcert(folder.path(), &["verify", "out", "--cases", "cases", "--require-signer", "2.pub"]);
    assert!(ran.code == 1 && ran.err.contains("which `--require-signer` does not name"), "{}", ran.said());
    // The same certificate again keeps its signature, another one does not.
    certify(&[]);
    assert!(at(SIGNATURE).exists());
    fs::write(at("certificate.json"), "{}").unwrap();
    certify(&[]);
    assert!(!at(SIGNATURE).exists());
    // What cannot sign is found before anything runs.
    fs::write(folder.path().join("none"), "none").unwrap();
    for (key, message) in
        [("nowhere", "the key `nowhere` cannot be read: "), ("none", "the key `none` is no private key of OpenSSH: ")]
    {
        let ran = opcert(folder.path(), &["certify", "--out", "more", "--sign", key]);
        assert!(ran.code == 2 && ran.err.contains(message), "{}", ran.said());
        assert!(!folder.path().join("more").exists());
    }
}

fn ssh_keygen(folder: &Path, arguments: &[&str], input: Option<&str>) -> bool {
    let stdin = input.map_or_else(Stdio::null, |name| fs::File::open(folder.join(name)).unwrap().into());
    let mut command = Command::new("ssh-keygen");
    command.args(arguments).current_dir(folder).stdin(stdin).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().unwrap().success()
}

#[test]
#[ignore = "needs ssh-keygen, of Debian's package openssh-client"]
fn ssh_keygen_agrees() {
    let folder = sign(Files::forged(|log| log.header.complete = false), 1).write();
    let here = folder.path();
    write_cases(here);
    fs::write(here.join("allowed"), format!("one@example.org namespaces=\"opcert\" {}", public(1))).unwrap();
    let verify = ["-Y", "verify", "-n", "opcert", "-f", "allowed", "-I", "one@example.org", "-s", SIGNATURE];
    assert!(ssh_keygen(here, &verify, Some("certificate.json")));
    assert!(!ssh_keygen(here, &verify, Some("matrix.md")));
    // And the other way round: its keys, and its signatures.
    fs::remove_file(here.join(SIGNATURE)).unwrap();
    assert!(ssh_keygen(here, &["-q", "-t", "ed25519", "-N", "", "-f", "plain"], None));
    assert!(ssh_keygen(here, &["-Y", "sign", "-n", "opcert", "-f", "plain", "certificate.json"], None));
    let ran = opcert(here, &["verify", ".", "--cases", "cases", "--require-signer", "plain.pub"]);
    assert!(ran.code == 0 && ran.out.contains("as required"), "{}", ran.said());
    let ran = opcert(here, &["certify", "--level", "1_0", "--out", "out", "--sign", "plain"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    // What opcert does not sign with, and what it does not check.
    assert!(ssh_keygen(here, &["-q", "-t", "ed25519", "-N", "a passphrase", "-f", "protected"], None));
    assert!(ssh_keygen(here, &["-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", "rsa"], None));
    for (key, message) in [
        ("protected", "is protected by a passphrase, which opcert does not ask for"),
        ("rsa", "is a key for ssh-rsa, and opcert signs with Ed25519"),
    ] {
        let ran = opcert(here, &["certify", "--out", "none", "--sign", key]);
        assert!(ran.code == 2 && ran.err.contains(message) && ran.err.contains("ssh-keygen -Y sign"), "{}", ran.said());
    }
    fs::remove_file(here.join(SIGNATURE)).unwrap();
    assert!(ssh_keygen(here, &["-Y", "sign", "-n", "opcert", "-f", "rsa", "certificate.json"], None));
    let ran = opcert(here, &["verify", ".", "--cases", "cases"]);
    assert!(ran.code == 1 && ran.err.contains("is by a key for ssh-rsa, and opcert checks Ed25519"), "{}", ran.said());
}
