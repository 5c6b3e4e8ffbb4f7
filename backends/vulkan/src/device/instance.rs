//! The loader, an instance, and the devices that it finds.

use std::ffi::{CStr, c_char, c_void};
use std::fmt::Write as _;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, PoisonError};

use ash::{ext, vk};

use crate::options::{Limits, Lowered, Options};
use crate::program::ALIGNMENT;

/// What Vulkan has to be at least.
const LEAST_VERSION: u32 = vk::API_VERSION_1_1;

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// A tensor of up to so many elements is read and written in one pass, whatever its layout.
const DIRECT_ELEMENTS: u64 = 4096;

/// What is known of a device.
#[derive(Clone)]
pub(crate) struct Facts {
    pub(crate) name: String,
    /// What the driver tells it from other devices by.
    pub(crate) uuid: [u8; vk::UUID_SIZE],
    pub(crate) kind: vk::PhysicalDeviceType,
    pub(crate) driver: String,
    pub(crate) version: u32,
    pub(crate) subgroup: u32,
    pub(crate) binding_bytes: u64,
    pub(crate) allocation_bytes: u64,
    pub(crate) workgroups: u32,
    pub(crate) memory_bytes: u64,
}

impl Facts {
    /// Whether both are of one device, with one driver.
    fn is_same(&self, other: &Self) -> bool {
        (&self.name, self.uuid, self.kind, &self.driver, self.version)
            == (&other.name, other.uuid, other.kind, &other.driver, other.version)
    }

    /// The device's limits, lowered where that is asked for.
    pub(crate) fn limits(&self, lowered: &Lowered) -> Limits {
        let binding_bytes = lowered.binding_bytes.map_or(self.binding_bytes, |bytes| bytes.min(self.binding_bytes));
        // On a processor each invocation reads lines of its own; elsewhere those of a subgroup read neighbours.
        let lanes = if self.kind == vk::PhysicalDeviceType::CPU { 1 } else { self.subgroup };
        Limits {
            binding_bytes: (binding_bytes - binding_bytes % ALIGNMENT).max(4 * ALIGNMENT),
            workgroups: lowered.workgroups.map_or(self.workgroups, |count| count.min(self.workgroups)).max(1),
            allocation_bytes: lowered.allocation_bytes.map_or(self.allocation_bytes, |b| b.min(self.allocation_bytes)),
            row_lanes: lowered.subgroup.unwrap_or(lanes).next_power_of_two(),
            direct_elements: lowered.direct_elements.unwrap_or(DIRECT_ELEMENTS).min(DIRECT_ELEMENTS),
        }
    }

    /// Three lines for a person: who, and the limits that decide how tensors are cut up.
    pub(crate) fn describe(&self) -> Vec<String> {
        let kind = match self.kind {
            vk::PhysicalDeviceType::DISCRETE_GPU => "discrete",
            vk::PhysicalDeviceType::INTEGRATED_GPU => "integrated",
            vk::PhysicalDeviceType::VIRTUAL_GPU => "virtual",
            vk::PhysicalDeviceType::CPU => "software",
            _ => "other",
        };
        let version = format!(
            "{}.{}.{}",
            vk::api_version_major(self.version),
            vk::api_version_minor(self.version),
            vk::api_version_patch(self.version)
        );
        vec![
            format!("{} ({kind})", self.name),
            format!("  driver {}, Vulkan {version}", self.driver),
            format!(
                "  binds {}, allocates {} of {}, {} workgroups, subgroups of {}",
                mebibytes(self.binding_bytes),
                mebibytes(self.allocation_bytes),
                mebibytes(self.memory_bytes),
                self.workgroups,
                self.subgroup
            ),
        ]
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

/// A device that can be opened.
pub(crate) struct Candidate {
    pub(crate) facts: Facts,
    pub(super) physical: vk::PhysicalDevice,
    pub(super) queue_family: u32,
    pub(super) memory_types: Vec<vk::MemoryPropertyFlags>,
}

/// What the validation layer has said and nobody has read.
type Complaints = Mutex<String>;

/// A Vulkan instance.
pub(crate) struct Instance {
    instance: ash::Instance,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    /// Shared with the messenger, which holds its address.
    complaints: Arc<Complaints>,
    is_abandoned: bool,
    /// The loader's library, which is closed last.
    entry: ManuallyDrop<ash::Entry>,
}

impl Instance {
    /// Loads Vulkan and makes an instance.
    ///
    /// # Errors
    ///
    /// Why that is not possible, in words for a person.
    pub(crate) fn open(options: &Options) -> Result<Self, String> {
        // SAFETY: loading runs the initialisers of the Vulkan loader, as in every program that uses Vulkan.
        let entry = unsafe {
            match &options.loader {
                Some(path) => ash::Entry::load_from(path),
                None => ash::Entry::load(),
            }
        };
        let entry = entry.map_err(|error| format!("no Vulkan loader: {error}"))?;
        let application = vk::ApplicationInfo::default()
            .application_name(c"opcert")
            .engine_name(c"opcert-vulkan")
            .api_version(LEAST_VERSION);
        let (layers, extensions): (Vec<_>, Vec<_>) = if options.validation {
            (vec![VALIDATION_LAYER.as_ptr()], vec![ext::debug_utils::NAME.as_ptr()])
        } else {
            (Vec::new(), Vec::new())
        };
        let info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_layer_names(&layers)
            .enabled_extension_names(&extensions);
        // SAFETY: the structure is filled in, and what it points at outlives the call.
        let instance = unsafe { entry.create_instance(&info, None) };
        let instance = instance.map_err(|error| match error {
            vk::Result::ERROR_INCOMPATIBLE_DRIVER => "no Vulkan driver is installed".to_owned(),
            // The loader says so, too, of a manifest that is no JSON.
            vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
                "no Vulkan instance: no memory, or the manifest of a driver cannot be read".to_owned()
            }
            vk::Result::ERROR_LAYER_NOT_PRESENT => "the Vulkan validation layer is not installed".to_owned(),
            error => format!("no Vulkan instance: {error}"),
        })?;
        let complaints = Arc::<Complaints>::default();
        let entry = ManuallyDrop::new(entry);
        let mut opened = Self { instance, messenger: None, complaints, is_abandoned: false, entry };
        if options.validation {
            opened.listen().map_err(|error| format!("the Vulkan validation layer does not report: {error}"))?;
        }
        Ok(opened)
    }

    fn listen(&mut self) -> Result<(), vk::Result> {
        let address: *const Complaints = Arc::as_ptr(&self.complaints);
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(
                vk::DebugUtilsMessageSeverityFlagsEXT::ERROR | vk::DebugUtilsMessageSeverityFlagsEXT::WARNING,
            )
            .message_type(
                vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION | vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
            )
            .pfn_user_callback(Some(take_complaint))
            .user_data(address.cast_mut().cast());
        let messengers = ext::debug_utils::Instance::new(&self.entry, &self.instance);
        // SAFETY: the extension is enabled; the user data stays where it is until the messenger is destroyed.
        let messenger = unsafe { messengers.create_debug_utils_messenger(&info, None)? };
        self.messenger = Some((messengers, messenger));
        Ok(())
    }

    pub(super) const fn handle(&self) -> &ash::Instance {
        &self.instance
    }

    /// What the validation layer has said since this was asked last.
    pub(super) fn complaints(&self) -> Option<String> {
        let mut complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        (!complaints.is_empty()).then(|| std::mem::take(&mut *complaints))
    }

    /// Leaves everything as it is for ever, because a device is still at work.
    pub(super) const fn abandon(&mut self) {
        self.is_abandoned = true;
    }

    /// The devices that can run the shaders, the preferred kinds first.
    ///
    /// # Errors
    ///
    /// When they cannot be listed.
    pub(crate) fn devices(&self) -> Result<Vec<Candidate>, String> {
        // SAFETY: the instance is alive.
        let found = unsafe { self.instance.enumerate_physical_devices() };
        let found = found.map_err(|error| format!("no Vulkan device can be listed: {error}"))?;
        let mut candidates: Vec<Candidate> =
            found.into_iter().filter_map(|physical| self.candidate(physical)).collect();
        candidates.sort_by_key(|candidate| match candidate.facts.kind {
            vk::PhysicalDeviceType::DISCRETE_GPU => 0,
            vk::PhysicalDeviceType::INTEGRATED_GPU => 1,
            _ => 2,
        });
        Ok(candidates)
    }

    /// The device that was open before, if one was. Otherwise the device whose name, or whose driver's name, contains
    /// `wanted`; the first one if nothing is wanted.
    ///
    /// # Errors
    ///
    /// When there is none; the message names those that there are.
    pub(super) fn choose(&self, wanted: Option<&str>, before: Option<&Facts>) -> Result<Candidate, String> {
        let devices = self.devices()?;
        if devices.is_empty() {
            return Err("no Vulkan device".to_owned());
        }
        let names: Vec<String> = devices.iter().map(|device| format!("`{}`", device.facts.name)).collect();
        if let Some(before) = before {
            // Answers of another device must not pass for those of the one that the backend says that it is.
            let same = devices.into_iter().find(|device| device.facts.is_same(before));
            return same
                .ok_or_else(|| format!("`{}` is not there any more; there are {}", before.name, names.join(", ")));
        }
        let wanted = wanted.unwrap_or_default();
        let part = wanted.to_lowercase();
        let is_wanted = |device: &Candidate| {
            device.facts.name.to_lowercase().contains(&part) || device.facts.driver.to_lowercase().contains(&part)
        };
        let chosen = devices.into_iter().find(is_wanted);
        chosen.ok_or_else(|| format!("no Vulkan device is called `{wanted}`; there are {}", names.join(", ")))
    }

    /// What can be opened of a physical device: one with Vulkan 1.1 and a queue for compute.
    fn candidate(&self, physical: vk::PhysicalDevice) -> Option<Candidate> {
        // SAFETY: the physical device is one of this instance.
        let (properties, families) = unsafe {
            let properties = self.instance.get_physical_device_properties(physical);
            (properties, self.instance.get_physical_device_queue_family_properties(physical))
        };
        if properties.api_version < LEAST_VERSION {
            return None;
        }
        let family = families.iter().position(|family| family.queue_flags.contains(vk::QueueFlags::COMPUTE))?;
        let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
        let mut allocation = vk::PhysicalDeviceMaintenance3Properties::default();
        let mut ids = vk::PhysicalDeviceIDProperties::default();
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut all = vk::PhysicalDeviceProperties2::default()
            .push_next(&mut subgroup)
            .push_next(&mut allocation)
            .push_next(&mut ids);
        if properties.api_version >= vk::API_VERSION_1_2 {
            all = all.push_next(&mut driver);
        }
        // SAFETY: the chained structures belong to versions that the device has.
        let memory = unsafe {
            self.instance.get_physical_device_properties2(physical, &mut all);
            self.instance.get_physical_device_memory_properties(physical)
        };
        let limits = properties.limits;
        let local = |heap: &&vk::MemoryHeap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL);
        let workgroups = limits.max_compute_work_group_count;
        Some(Candidate {
            facts: Facts {
                name: text(&properties.device_name),
                uuid: ids.device_uuid,
                kind: properties.device_type,
                driver: driver_text(&driver, properties.driver_version),
                version: properties.api_version,
                subgroup: subgroup.subgroup_size.max(1),
                binding_bytes: u64::from(limits.max_storage_buffer_range),
                allocation_bytes: allocation.max_memory_allocation_size,
                workgroups: workgroups[0].min(workgroups[1]),
                memory_bytes: memory.memory_heaps_as_slice().iter().filter(local).map(|heap| heap.size).sum(),
            },
            physical,
            queue_family: u32::try_from(family).ok()?,
            memory_types: memory.memory_types_as_slice().iter().map(|kind| kind.property_flags).collect(),
        })
    }
}

/// The driver's name and version as far as they are known.
fn driver_text(driver: &vk::PhysicalDeviceDriverProperties<'_>, version: u32) -> String {
    let mut described = text(&driver.driver_name);
    let more = text(&driver.driver_info);
    if described.is_empty() {
        described.push_str("unnamed");
    }
    if more.is_empty() {
        let [major, minor, patch] =
            [vk::api_version_major(version), vk::api_version_minor(version), vk::api_version_patch(version)];
        // Writing to a string does not fail.
        let _ = write!(described, " {major}.{minor}.{patch}");
    } else {
        let _ = write!(described, " ({more})");
    }
    described
}

/// The text in an array that ends with a zero, or with the array.
fn text(characters: &[c_char]) -> String {
    // They are signed on some processors and not on others.
    let bytes: Vec<u8> =
        characters.iter().flat_map(|character| character.to_ne_bytes()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Keeps what the validation layer says.
unsafe extern "system" fn take_complaint(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    complaints: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer hands over its data and the address that it was given, which is that of a `Complaints` that is
    // alive as long as the messenger is.
    unsafe {
        let complaints = &*complaints.cast_const().cast::<Complaints>();
        if let Some(message) = data.as_ref().and_then(|data| data.message_as_c_str()) {
            let mut complaints = complaints.lock().unwrap_or_else(PoisonError::into_inner);
            complaints.push_str(&message.to_string_lossy());
            complaints.push('\n');
        }
    }
    vk::FALSE
}

impl Drop for Instance {
    fn drop(&mut self) {
        if self.is_abandoned {
            // The messenger may still be called.
            std::mem::forget(std::mem::take(&mut self.complaints));
            return;
        }
        // SAFETY: every device of the instance is destroyed before, and the messenger and the instance are destroyed
        // once. The library is closed after the last call into it.
        unsafe {
            if let Some((messengers, messenger)) = self.messenger.take() {
                messengers.destroy_debug_utils_messenger(messenger, None);
            }
            self.instance.destroy_instance(None);
            ManuallyDrop::drop(&mut self.entry);
        }
    }
}
