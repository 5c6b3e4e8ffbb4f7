//! The backends that a command knows, by name.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use clap::Args;
use opcert_backend::foreign::{printable, printable_line};
use opcert_backend::{Backend, Identity, serve as serve_backend};
use opcert_cpu::CpuBackend;
#[cfg(feature = "vulkan")]
use opcert_vulkan::{Options, VulkanBackend};
use schemars::JsonSchema;
use serde::Serialize;

use super::{CONFORMS, Failure, JSON_FORMAT, TextOrJson, output};
use crate::file;
use crate::judge::{MappedClaim, claims_in_short};
use crate::near::did_you_mean;
use crate::render::wrapped;
use crate::report::CertifiedBackend;

/// A backend that a command offers: its name, and how it is opened and run.
///
/// ```
/// use opcert::cli::BackendEntry;
///
/// const CPU: BackendEntry = BackendEntry::new("cpu", || Box::new(opcert_cpu::CpuBackend::new())).isolated();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BackendEntry {
    pub(super) name: &'static str,
    opening: Opening,
    /// Whether it runs in processes of its own when nothing is said.
    pub(super) isolated: bool,
}

/// Opens a backend.
pub type Open = fn() -> Result<Box<dyn Backend>, Box<dyn Error>>;

/// Opens a backend on the device asked for, or on one of its choice.
pub type OpenOnDevice = fn(Option<&str>) -> Result<Box<dyn Backend>, Box<dyn Error>>;

#[derive(Clone, Copy, Debug)]
enum Opening {
    Always(fn() -> Box<dyn Backend>),
    OrNot(Open),
    OnDevice { open: OpenOnDevice, devices: fn() -> Result<Vec<String>, Box<dyn Error>> },
}

impl BackendEntry {
    /// A backend that offers no choice of devices. Its name, without a colon, is what `--backend` takes.
    #[must_use]
    pub const fn new(name: &'static str, create: fn() -> Box<dyn Backend>) -> Self {
        Self { name, opening: Opening::Always(create), isolated: false }
    }

    /// A backend that offers no choice of devices and cannot always be opened. The error is shown as the reason.
    ///
    /// ```
    /// use opcert::cli::BackendEntry;
    ///
    /// const CPU: BackendEntry = BackendEntry::fallible("cpu", || Ok(Box::new(opcert_cpu::CpuBackend::open()?)));
    /// ```
    #[must_use]
    pub const fn fallible(name: &'static str, open: Open) -> Self {
        Self { name, opening: Opening::OrNot(open), isolated: false }
    }

    /// A backend on one of several devices, or on none that is there.
    ///
    /// `open` gets what stands behind the colon of `--backend NAME:DEVICE`, as it stands there, or nothing where no
    /// device is named. `devices` describes each device in one or more lines for `opcert backends`. Their errors are
    /// shown as reasons.
    ///
    /// ```
    /// # use opcert_backend::Backend;
    /// # use opcert_cpu::CpuBackend;
    /// use opcert::cli::BackendEntry;
    ///
    /// fn open(device: Option<&str>) -> Result<Box<dyn Backend>, Box<dyn std::error::Error>> {
    ///     match device {
    ///         None | Some("0") => Ok(Box::new(CpuBackend::new())),
    ///         Some(other) => Err(format!("there is no device `{other}`").into()),
    ///     }
    /// }
    ///
    /// const MINE: BackendEntry = BackendEntry::on_devices("mine", open, || Ok(vec!["0\nthe only one".to_owned()]));
    /// ```
    #[must_use]
    pub const fn on_devices(
        name: &'static str,
        open: OpenOnDevice,
        devices: fn() -> Result<Vec<String>, Box<dyn Error>>,
    ) -> Self {
        Self { name, opening: Opening::OnDevice { open, devices }, isolated: false }
    }

    /// The same backend, run in processes of its own unless `--in-process` is given.
    #[must_use]
    pub const fn isolated(self) -> Self {
        Self { isolated: true, ..self }
    }

    /// The backend of a name, and the device asked for. Opens nothing.
    pub(super) fn find<'a>(backends: &'a [Self], argument: &'a str) -> Result<(&'a Self, Option<&'a str>), Failure> {
        let (name, device) = argument.split_once(':').map_or((argument, None), |(name, device)| (name, Some(device)));
        let entry = backends.iter().find(|entry| entry.name == name).ok_or_else(|| {
            let known: Vec<String> = backends.iter().map(|entry| format!("`{}`", entry.name)).collect();
            let folders = file::entries(Path::new("backends")).filter(|path| path.join("backend.yaml").is_file());
            let mut folders: Vec<String> = folders.map(|path| path.display().to_string()).collect();
            folders.sort();
            let others = folders.iter().map(String::as_str);
            let meant = did_you_mean(name, backends.iter().map(|entry| entry.name).chain(others));
            let too = if Path::new(name).is_dir() {
                "the folder of that name has no `backend.yaml`"
            } else {
                "a folder with a `backend.yaml` is one too"
            };
            Failure::Usage(format!("`{name}` is no backend; bundled: {}; {too}{meant}", known.join(", ")))
        })?;
        if device.is_some() && !matches!(entry.opening, Opening::OnDevice { .. }) {
            let message = format!("`{argument}` names a device, and `{name}` offers no choice of devices");
            return Err(Failure::Usage(message));
        }
        if device == Some("") {
            let message = format!("`{argument}` names no device: a device's name is expected after the colon");
            return Err(Failure::Usage(message));
        }
        Ok((entry, device))
    }

    pub(super) fn open(&self, device: Option<&str>) -> Result<Box<dyn Backend>, Box<dyn Error>> {
        match self.opening {
            Opening::Always(create) => Ok(create()),
            Opening::OrNot(open) => open(),
            Opening::OnDevice { open, devices } => open(device).map_err(|reason| match device {
                Some(device) => format!("{reason}{}", device_meant(device, devices)).into(),
                None => reason,
            }),
        }
    }
}

/// The end of a message on a device that is not there. A device is asked for by a part of its name.
fn device_meant(device: &str, devices: fn() -> Result<Vec<String>, Box<dyn Error>>) -> String {
    let described = devices().unwrap_or_default();
    let names = described.iter().filter_map(|description| description.lines().next());
    let words = names.flat_map(|name| name.split(|letter: char| !letter.is_alphanumeric()));
    did_you_mean(device, words.filter(|word| word.len() > 2))
}

/// What comes with opcert; the first one is used where none is named.
pub(super) const BUNDLED: &[BackendEntry] = &[
    BackendEntry::fallible("cpu", || Ok(Box::new(CpuBackend::open()?))),
    #[cfg(feature = "vulkan")]
    BackendEntry::on_devices("vulkan", open_vulkan, || Ok(VulkanBackend::devices()?)).isolated(),
];

/// A device that is asked for has to be there; where none is asked for and there is none, nothing is supported.
#[cfg(feature = "vulkan")]
fn open_vulkan(device: Option<&str>) -> Result<Box<dyn Backend>, Box<dyn Error>> {
    let Some(device) = device else { return Ok(Box::new(VulkanBackend::new())) };
    let options = Options { device: Some(device.to_owned()), ..Options::default() };
    Ok(Box::new(VulkanBackend::with(options)?))
}

/// Arguments of `opcert backends`.
#[derive(Debug, Args)]
pub(super) struct BackendsArguments {
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
}

/// What `opcert backends --format json` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct BackendList {
    /// The version of this format.
    format: u32,
    /// The bundled backends; the first one is used where none is named.
    backends: Vec<ListedBackend>,
}

/// A bundled backend.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ListedBackend {
    /// What `--backend` takes.
    backend: String,
    /// Whether it runs in processes of its own when nothing is said.
    isolated: bool,
    /// What it says of itself; left out where it cannot be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    identity: Option<CertifiedBackend>,
    /// Why it cannot be opened, or has no devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The devices to choose from, each described in a few lines, the name first.
    devices: Vec<Vec<String>>,
}

/// A bundled backend, as far as it could be opened.
struct Looked<'a> {
    entry: &'a BackendEntry,
    identity: Result<Identity, String>,
    /// Each in a few lines.
    devices: Result<Vec<String>, String>,
}

impl<'a> Looked<'a> {
    fn at(entry: &'a BackendEntry) -> Self {
        let identity = entry.open(None).map(|backend| backend.identity()).map_err(|reason| reason.to_string());
        let devices = match entry.opening {
            Opening::OnDevice { devices, .. } => devices().map_err(|reason| reason.to_string()),
            Opening::Always(_) | Opening::OrNot(_) => Ok(Vec::new()),
        };
        Self { entry, identity, devices }
    }

    /// Why there is nothing to be opened, or no device; it is said once.
    fn reason(&self) -> Option<&str> {
        self.identity.as_ref().err().or(self.devices.as_ref().err()).map(String::as_str)
    }

    fn text(&self) -> String {
        let name = self.entry.name;
        let width = output::width_for_people().unwrap_or(usize::MAX);
        let line = |words: &str| wrapped(words, &format!("{name}  "), "    ", width);
        let Ok(identity) = &self.identity else { return line(self.reason().unwrap_or_default()) };
        let devices = self.devices.iter().flatten().map(|device| block(device, width)).collect::<String>();
        let reason = self.reason().map(|reason| block(reason, width)).unwrap_or_default();
        format!("{}{devices}{reason}", line(&describe(identity, &BTreeMap::new())))
    }

    fn listed(self) -> ListedBackend {
        ListedBackend {
            backend: self.entry.name.to_owned(),
            isolated: self.entry.isolated,
            reason: self.reason().map(str::to_owned),
            identity: self.identity.ok().map(CertifiedBackend::from),
            devices: self
                .devices
                .iter()
                .flatten()
                .map(|device| device.lines().map(|line| line.trim().to_owned()).collect())
                .collect(),
        }
    }
}

pub(super) fn list(backends: &[BackendEntry], arguments: &BackendsArguments) -> Result<u8, Failure> {
    let looked = backends.iter().map(Looked::at);
    match arguments.format {
        TextOrJson::Human => output::print(&looked.map(|backend| backend.text()).collect::<String>()),
        TextOrJson::Json => {
            output::print_json(&BackendList { format: JSON_FORMAT, backends: looked.map(Looked::listed).collect() })
        }
    }
}

pub(super) fn describe(identity: &Identity, through: &BTreeMap<String, MappedClaim>) -> String {
    let claims = claims_in_short(&identity.claims, through);
    let layouts = if identity.strided { "packed and strided" } else { "packed only" };
    let refuses = if identity.refuses_invalid {
        "refuses invalid descriptors"
    } else {
        "does not claim to refuse invalid descriptors"
    };
    let device = identity.device.as_ref().map(|device| format!(" on {device}")).unwrap_or_default();
    let claims = printable_line(&claims.join(", "));
    format!("{}{device}: {claims}; {layouts}; {refuses}", identity.version)
}

/// Indented lines, those behind the first one further.
fn block(text: &str, width: usize) -> String {
    let text = printable(text);
    let lines = text.lines().enumerate();
    let lines = lines.map(|(index, line)| {
        let own = line.len() - line.trim_start().len();
        let indent = " ".repeat(own + if index == 0 { 2 } else { 4 });
        wrapped(line, &indent, &format!("{indent}    "), width)
    });
    lines.collect()
}

pub(super) fn serve(backends: &[BackendEntry], argument: &str) -> Result<u8, Failure> {
    let (entry, device) = BackendEntry::find(backends, argument)?;
    let unopened = |reason| Failure::Backend(format!("`{argument}` cannot be opened: {reason}"));
    let backend = entry.open(device).map_err(unopened)?;
    let (requests, responses) = (std::io::stdin().lock(), std::io::stdout().lock());
    serve_backend(&*backend, requests, responses).map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(CONFORMS)
}
