//! Signatures in the format of `ssh-keygen -Y sign`: who answers for a certificate.
//!
//! Ed25519 only: it needs no random numbers to sign, and is what `ssh-keygen` makes when nothing else is asked for.

use std::io;
use std::path::Path;

use glob::Pattern;
use ssh_key::{Algorithm, HashAlg, LineEnding, PrivateKey, PublicKey, SshSig};

use crate::file;

/// What the signature is for, so that it cannot pass for another program's.
pub const NAMESPACE: &str = "opcert";

/// A private key to sign with.
#[derive(Debug)]
pub struct Signer(PrivateKey);

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Stream(#[from] io::Error),
    /// It is no private key in the format of OpenSSH.
    #[error("is no private key of OpenSSH: {0}; `ssh-keygen -t ed25519` makes one")]
    Malformed(String),
    /// It is protected by a passphrase.
    #[error(
        "is protected by a passphrase, which opcert does not ask for: certify without `--sign`, and then sign \
         `certificate.json` with `ssh-keygen -Y sign -n {NAMESPACE} -f KEY`"
    )]
    Encrypted,
    /// It is of another kind.
    #[error(
        "is a key for {0}, and opcert signs with Ed25519: certify without `--sign`, and then sign `certificate.json` \
         with `ssh-keygen -Y sign -n {NAMESPACE} -f KEY`"
    )]
    Algorithm(String),
    /// It did not sign.
    #[error("did not sign: {0}")]
    Unsigned(String),
}

impl Signer {
    /// Reads a private key.
    ///
    /// # Errors
    ///
    /// When it cannot be used.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        Self::parse(&file::read(path, file::LONGEST_KEY)?)
    }

    /// The private key of a text.
    ///
    /// # Errors
    ///
    /// When it cannot be used.
    pub fn parse(text: &[u8]) -> Result<Self, KeyError> {
        let key = PrivateKey::from_openssh(text).map_err(|error| KeyError::Malformed(error.to_string()))?;
        if key.algorithm() != Algorithm::Ed25519 {
            return Err(KeyError::Algorithm(key.algorithm().to_string()));
        }
        if key.is_encrypted() { Err(KeyError::Encrypted) } else { Ok(Self(key)) }
    }

    /// The armoured signature of a message.
    ///
    /// # Errors
    ///
    /// When the key does not sign.
    pub fn sign(&self, message: &[u8]) -> Result<String, KeyError> {
        let unsigned = |error: ssh_key::Error| KeyError::Unsigned(error.to_string());
        let signature = self.0.sign(NAMESPACE, HashAlg::Sha512, message).map_err(unsigned)?;
        signature.to_pem(LineEnding::LF).map_err(unsigned)
    }
}

/// Why a signature does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// It is no SSH signature.
    #[error("is no SSH signature: {0}")]
    Malformed(String),
    /// It is for something else.
    #[error("signs for `{0}`, expected `{NAMESPACE}`: sign with `ssh-keygen -Y sign -n {NAMESPACE}`")]
    Namespace(String),
    /// It is of another kind.
    #[error("is by a key for {0}, and opcert checks Ed25519: `ssh-keygen -Y verify -n {NAMESPACE}` checks others")]
    Algorithm(String),
    /// It is of other bytes.
    #[error("does not sign these bytes of `certificate.json`: one of the two was changed")]
    Broken,
}

/// Checks the armoured text of a signature of a message, and says whose it is.
///
/// # Errors
///
/// When it does not hold.
pub fn check(text: &[u8], message: &[u8]) -> Result<PublicKey, SignatureError> {
    let malformed = |error: ssh_key::Error| SignatureError::Malformed(error.to_string());
    let signature = SshSig::from_pem(text).map_err(malformed)?;
    // Lines may be of any length; what stands in them is written in one way only.
    let letters =
        |text: &[u8]| -> Vec<u8> { text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect() };
    let written = signature.to_pem(LineEnding::LF).map_err(malformed)?;
    if signature.version() != SshSig::VERSION || letters(text) != letters(written.as_bytes()) {
        return Err(SignatureError::Malformed("it is not written as one".to_owned()));
    }
    if signature.namespace() != NAMESPACE {
        return Err(SignatureError::Namespace(signature.namespace().to_owned()));
    }
    let signer = PublicKey::from(signature.public_key().clone());
    if signer.algorithm() != Algorithm::Ed25519 {
        return Err(SignatureError::Algorithm(signer.algorithm().to_string()));
    }
    signer.verify(NAMESPACE, message, &signature).map_err(|_| SignatureError::Broken)?;
    Ok(signer)
}

/// The fingerprint of a key, as `ssh-keygen -l` shows it.
#[must_use]
pub fn fingerprint(key: &PublicKey) -> String {
    key.fingerprint(HashAlg::Sha256).to_string()
}

/// The keys that are trusted: an allowed-signers file, or a public key.
#[derive(Debug)]
pub struct Signers(Vec<AllowedSigner>);

#[derive(Debug)]
struct AllowedSigner {
    /// The principals; none in a file that holds only a public key.
    name: Option<String>,
    key: PublicKey,
}

/// Why a file names no keys.
#[derive(Debug, thiserror::Error)]
pub enum SignersError {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Stream(#[from] io::Error),
    /// A line is neither.
    #[error("line {0} is neither a public key nor an entry of an allowed-signers file (`NAME ssh-ed25519 AAAA…`)")]
    Malformed(usize),
    /// An entry has a condition that is not looked at.
    #[error(
        "line {line} has the option `{option}`, which opcert does not look at: `ssh-keygen -Y verify -n {NAMESPACE}` does"
    )]
    Option {
        /// The line, from 1.
        line: usize,
        /// The option.
        option: String,
    },
    /// It names nobody.
    #[error("names no key for the namespace `{NAMESPACE}`")]
    Empty,
}

impl Signers {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or names nobody who may sign for opcert.
    pub fn read(path: &Path) -> Result<Self, SignersError> {
        Self::parse(&file::read_text(path, file::LONGEST_KEY)?)
    }

    /// The keys of a text.
    ///
    /// # Errors
    ///
    /// When it names nobody who may sign for opcert.
    pub fn parse(text: &str) -> Result<Self, SignersError> {
        let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        let mut signers = Vec::new();
        for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            signers.extend(AllowedSigner::parse(number, line)?);
        }
        if signers.is_empty() { Err(SignersError::Empty) } else { Ok(Self(signers)) }
    }

    /// The name under which a key is listed, if it is; `Some(None)` for a key without a name.
    #[must_use]
    pub fn find(&self, key: &PublicKey) -> Option<Option<&str>> {
        let signer = self.0.iter().find(|signer| signer.key.key_data() == key.key_data())?;
        Some(signer.name.as_deref())
    }
}

impl AllowedSigner {
    /// `None` for a key that may sign, but not for opcert.
    fn parse(number: usize, line: &str) -> Result<Option<Self>, SignersError> {
        if let Ok(key) = PublicKey::from_openssh(line) {
            return Ok(Some(Self { name: None, key }));
        }
        let malformed = || SignersError::Malformed(number);
        let (name, rest) = word(line).ok_or_else(malformed)?;
        let name = Some(name.trim_matches('"').to_owned());
        if let Ok(key) = PublicKey::from_openssh(rest) {
            return Ok(Some(Self { name, key }));
        }
        let (options, rest) = word(rest).ok_or_else(malformed)?;
        let key = PublicKey::from_openssh(rest).map_err(|_| malformed())?;
        let Some(namespaces) = options.strip_prefix("namespaces=\"").and_then(|rest| rest.strip_suffix('"')) else {
            return Err(SignersError::Option { line: number, option: options.to_owned() });
        };
        if namespaces.contains(['"', '!']) {
            return Err(SignersError::Option { line: number, option: options.to_owned() });
        }
        let patterns: Result<Vec<Pattern>, _> = namespaces.split(',').map(Pattern::new).collect();
        let patterns = patterns.map_err(|_| malformed())?;
        Ok(patterns.iter().any(|pattern| pattern.matches(NAMESPACE)).then_some(Self { name, key }))
    }
}

/// The first word of a line, in which quoted blanks may stand, and what follows it.
fn word(line: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let end = line.find(|letter: char| {
        quoted ^= letter == '"';
        letter.is_whitespace() && !quoted
    })?;
    let (word, rest) = line.split_at(end);
    Some((word, rest.trim_start()))
}
