//! The backends that a command knows, by name.

use std::time::Duration;

use opcert_backend::{Backend, serve as serve_backend};
use opcert_cpu::CpuBackend;

use super::{CONFORMS, Failure, output};
use crate::run::{ProcessBackend, Program};

/// Makes a backend.
pub type Create = fn() -> Box<dyn Backend>;

/// Backends by name; the first one is used where none is named.
pub type Backends = [(&'static str, Create)];

/// What comes with opcert.
pub(super) const BUNDLED: &Backends = &[("cpu", || Box::new(CpuBackend::new()))];

/// A backend, and how it runs.
pub(super) struct Chosen {
    pub(super) backend: Box<dyn Backend>,
    pub(super) isolated: bool,
    pub(super) guards: bool,
}

/// Finds a backend; isolated, it runs in processes of its own, each answer limited in time.
pub(super) fn choose(backends: &Backends, name: &str, isolated: bool, limit: Duration) -> Result<Chosen, Failure> {
    let backend = find(backends, name)?;
    if !isolated {
        return Ok(Chosen { backend, isolated, guards: true });
    }
    let path =
        std::env::current_exe().map_err(|error| Failure::Backend(format!("this program is not found: {error}")))?;
    let program = Program { path: path.into(), arguments: vec!["serve".into(), name.into()], limit };
    let backend = ProcessBackend::start(program).map_err(|error| Failure::Backend(error.to_string()))?;
    let guards = backend.guards();
    Ok(Chosen { backend: Box::new(backend), isolated, guards })
}

fn find(backends: &Backends, name: &str) -> Result<Box<dyn Backend>, Failure> {
    let found = backends.iter().find(|(known, _)| *known == name);
    found.map(|(_, create)| create()).ok_or_else(|| {
        let known: Vec<String> = backends.iter().map(|(name, _)| format!("`{name}`")).collect();
        Failure::Usage(format!("`{name}` is no backend; bundled: {}", known.join(", ")))
    })
}

pub(super) fn list(backends: &Backends) -> Result<u8, Failure> {
    let mut text = String::new();
    for (name, create) in backends {
        let identity = create().identity();
        let claims: Vec<String> = identity.claims.iter().map(|(family, level)| format!("{family} {level}")).collect();
        let layouts = if identity.strided { "packed and strided" } else { "packed only" };
        let refuses = if identity.refuses_invalid { "refuses invalid descriptors" } else { "refusing is not claimed" };
        let device = identity.device.map(|device| format!(" on {device}")).unwrap_or_default();
        text.push_str(&format!("{name}  {}{device}: {}; {layouts}; {refuses}\n", identity.version, claims.join(", ")));
    }
    output::print(&text)
}

pub(super) fn serve(backends: &Backends, name: &str) -> Result<u8, Failure> {
    let backend = find(backends, name)?;
    let (requests, responses) = (std::io::stdin().lock(), std::io::stdout().lock());
    serve_backend(&*backend, requests, responses).map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(CONFORMS)
}
