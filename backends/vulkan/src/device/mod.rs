//! The Vulkan device: everything in this crate that is `unsafe`, behind functions that are not.
//!
//! A [`Device`] owns every Vulkan object that it makes, hands none of them out, and is used by one thread at a time
//! (`&mut self`). Vulkan's rules on lifetime and synchronisation therefore hold if they hold in here.
#![expect(unsafe_code, reason = "Vulkan is an interface of C; this module is what keeps to its rules")]

mod instance;
mod memory;

pub(crate) use instance::{Facts, Instance};

use std::time::{Duration, Instant};

use ash::vk;
use opcert_backend::Fault;

use crate::options::{Limits, Options, Rehearsal, RehearsedEnd};
use crate::program::{Pass, Program, RegionId};
use crate::shader::Shader;

use memory::{Memory, Place};

/// The bindings that a shader can have; every device offers as many (`maxPerStageDescriptorStorageBuffers`).
const BINDINGS: u32 = 4;

/// The bytes of parameters that a shader can have; every device offers as many.
const CONSTANT_BYTES: u32 = 128;

/// Passes that are recorded for one submission; longer programs take several.
const PASSES_PER_SUBMISSION: usize = 4096;

/// Descriptor sets that are made at a time.
const SETS_AT_A_TIME: u32 = 64;

/// A device with its pipelines and its memory.
pub(crate) struct Device {
    facts: Facts,
    limits: Limits,
    patience: u64,
    rehearsed: Option<Rehearsal>,
    submissions: u64,
    /// How long the submissions of the last run took.
    submitted: Duration,
    queue: vk::Queue,
    fence: vk::Fence,
    command_pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    set_layout: vk::DescriptorSetLayout,
    descriptor_pools: Vec<vk::DescriptorPool>,
    sets: Vec<vk::DescriptorSet>,
    pipeline_layout: vk::PipelineLayout,
    /// By the number of the shader; made when they are needed first.
    pipelines: Vec<vk::Pipeline>,
    replaced: Vec<(String, Vec<u32>)>,
    memory: Memory,
    places: Vec<Place>,
    /// Whether work may still be running that nobody waits for: then nothing may be destroyed.
    is_abandoned: bool,
    device: ash::Device,
    /// Outlives the device.
    instance: Instance,
}

impl Device {
    /// Opens the chosen device, or again the one that was open before.
    ///
    /// # Errors
    ///
    /// Why there is none, in words for a person.
    pub(crate) fn open(options: &Options, before: Option<&Facts>) -> Result<Self, String> {
        let instance = Instance::open(options)?;
        let chosen = instance.choose(options.device.as_deref(), before)?;
        let failed = |what: &'static str| {
            let name = chosen.facts.name.clone();
            move |error: vk::Result| format!("{what} of `{name}` failed: {error}")
        };
        let queue_infos =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(chosen.queue_family).queue_priorities(&[1.0])];
        let device_info = vk::DeviceCreateInfo::default().queue_create_infos(&queue_infos);
        // SAFETY: the physical device is one of this instance, and the queue family is one of its families.
        let device = unsafe { instance.handle().create_device(chosen.physical, &device_info, None) };
        let device = device.map_err(failed("opening"))?;
        // SAFETY: the queue was asked for above.
        let queue = unsafe { device.get_device_queue(chosen.queue_family, 0) };
        let memory = Memory::new(&chosen.memory_types, options.separate_memory);
        let mut opened = Self {
            limits: chosen.facts.limits(&options.limits),
            facts: chosen.facts.clone(),
            patience: u64::try_from(options.patience.as_nanos()).unwrap_or(u64::MAX),
            rehearsed: options.rehearsed,
            submissions: 0,
            submitted: Duration::ZERO,
            queue,
            fence: vk::Fence::null(),
            command_pool: vk::CommandPool::null(),
            commands: vk::CommandBuffer::null(),
            set_layout: vk::DescriptorSetLayout::null(),
            descriptor_pools: Vec::new(),
            sets: Vec::new(),
            pipeline_layout: vk::PipelineLayout::null(),
            pipelines: vec![vk::Pipeline::null(); Shader::ALL.len()],
            replaced: options.replaced.clone(),
            memory,
            places: Vec::new(),
            is_abandoned: false,
            device,
            instance,
        };
        // What was made before something fails is destroyed by `Drop`.
        opened.make_objects(chosen.queue_family).map_err(failed("preparing"))?;
        Ok(opened)
    }

    /// What is known of the device.
    pub(crate) const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Whether work may still be running that nobody waits for, so that the device is of no more use.
    pub(crate) const fn is_abandoned(&self) -> bool {
        self.is_abandoned
    }

    /// What programs for this device have to keep to.
    pub(crate) const fn limits(&self) -> Limits {
        self.limits
    }

    fn make_objects(&mut self, queue_family: u32) -> Result<(), vk::Result> {
        let pool_info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(queue_family)
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        let bindings: Vec<_> = (0..BINDINGS)
            .map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let set_info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let constants =
            [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size: CONSTANT_BYTES }];
        // SAFETY: every structure is filled in and outlives its call, and handles are those made before on this device.
        unsafe {
            self.fence = self.device.create_fence(&vk::FenceCreateInfo::default(), None)?;
            self.command_pool = self.device.create_command_pool(&pool_info, None)?;
            let commands_info = vk::CommandBufferAllocateInfo::default()
                .command_pool(self.command_pool)
                .level(vk::CommandBufferLevel::PRIMARY)
                .command_buffer_count(1);
            self.commands =
                self.device.allocate_command_buffers(&commands_info)?.pop().ok_or(vk::Result::ERROR_UNKNOWN)?;
            self.set_layout = self.device.create_descriptor_set_layout(&set_info, None)?;
            let set_layouts = [self.set_layout];
            let layout_info =
                vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts).push_constant_ranges(&constants);
            self.pipeline_layout = self.device.create_pipeline_layout(&layout_info, None)?;
        }
        Ok(())
    }

    /// Makes the pipeline of a shader, unless there is one.
    pub(crate) fn make_pipeline(&mut self, shader: Shader) -> Result<(), vk::Result> {
        if self.pipelines[shader as usize] != vk::Pipeline::null() {
            return Ok(());
        }
        let replaced = self.replaced.iter().find(|(name, _)| name == shader.name());
        let code = replaced.map_or_else(|| shader.code(), |(_, code)| code.clone());
        let module_info = vk::ShaderModuleCreateInfo::default().code(&code);
        // SAFETY: the code is what naga made of a validated module; a test that replaces it answers for what it gives.
        let module = unsafe { self.device.create_shader_module(&module_info, None)? };
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = vk::ComputePipelineCreateInfo::default().layout(self.pipeline_layout).stage(stage);
        // SAFETY: the module has the entry point `main`, whose bindings and constants the layout holds. After this call
        // the module is of no more use, whether it succeeded or not.
        let made = unsafe {
            let made = self.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            self.device.destroy_shader_module(module, None);
            made
        };
        self.pipelines[shader as usize] = made.map_err(|(_, error)| error)?[0];
        Ok(())
    }

    /// Destroys every pipeline, so that each is made anew.
    pub(crate) fn forget_pipelines(&mut self) {
        for pipeline in self.pipelines.iter_mut().map(std::mem::take) {
            // SAFETY: no submission is in course, and the handle is not kept. Null is allowed.
            unsafe { self.device.destroy_pipeline(pipeline, None) };
        }
    }

    /// Runs a program: lays out its regions, hands over what is to be uploaded, and waits for the end.
    ///
    /// # Errors
    ///
    /// Memory that is not to be had, a lost device, no end in time, a message of the validation layer, and anything
    /// written beside a region. After a loss or a hang the device is of no more use.
    pub(crate) fn run(&mut self, program: &Program, uploads: &[(RegionId, &[u8])]) -> Result<(), Fault> {
        let ran = self.run_unwatched(program, uploads);
        // What the layer says of a dispatch that fails must not fail the next one.
        match self.instance.complaints() {
            Some(complaints) if ran.is_ok() => Err(Fault::Failed(format!("the validation layer says: {complaints}"))),
            _ => ran,
        }
    }

    fn run_unwatched(&mut self, program: &Program, uploads: &[(RegionId, &[u8])]) -> Result<(), Fault> {
        self.submitted = Duration::ZERO;
        program.passes.iter().try_for_each(|pass| self.make_pipeline(pass.shader)).map_err(fault)?;
        self.memory.lay_out(&self.device, &program.regions, &mut self.places).map_err(fault)?;
        for (region, bytes) in uploads {
            self.memory.write(self.places[region.0], bytes);
        }
        self.memory.guard(&program.regions, &self.places);
        let mut rest = program.passes.as_slice();
        loop {
            let (now, later) = rest.split_at(rest.len().min(PASSES_PER_SUBMISSION));
            let is_first = rest.len() == program.passes.len();
            self.submit(program, now, is_first, later.is_empty())?;
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        match self.memory.violation(&program.regions, &self.places) {
            Some(region) => {
                Err(Fault::GuardViolated(format!("device memory beside region {region} of {}", self.facts.name)))
            }
            None => Ok(()),
        }
    }

    /// How long the submissions of the last run took: from handing them over to their end.
    pub(crate) const fn submitted(&self) -> Duration {
        self.submitted
    }

    /// Reads the beginning of a region after a run.
    pub(crate) fn read(&self, region: RegionId, bytes: &mut [u8]) {
        self.memory.read(self.places[region.0], bytes);
    }

    fn submit(&mut self, program: &Program, passes: &[Pass], uploads: bool, downloads: bool) -> Result<(), Fault> {
        self.make_sets(passes.len()).map_err(fault)?;
        self.bind(passes);
        self.record(program, passes, uploads, downloads).map_err(fault)?;
        let number = self.submissions;
        self.submissions += 1;
        match self.rehearsed.filter(|rehearsal| rehearsal.submission == number).map(|rehearsal| rehearsal.end) {
            None => {}
            Some(RehearsedEnd::DeviceLost) => return Err(fault(vk::Result::ERROR_DEVICE_LOST)),
            Some(RehearsedEnd::OutOfMemory) => return Err(fault(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)),
            Some(RehearsedEnd::Crash) => std::process::abort(),
        }
        let started = Instant::now();
        let commands = [self.commands];
        let submits = [vk::SubmitInfo::default().command_buffers(&commands)];
        // SAFETY: no submission is in course that would signal the fence.
        unsafe { self.device.reset_fences(&[self.fence]) }.map_err(fault)?;
        // SAFETY: the commands are recorded and not in use, the fence is not signalled, the queue is this thread's.
        unsafe { self.device.queue_submit(self.queue, &submits, self.fence) }.map_err(fault)?;
        // SAFETY: the fence is one of this device.
        let ended = unsafe { self.device.wait_for_fences(&[self.fence], true, self.patience) };
        self.submitted += started.elapsed();
        match ended {
            Ok(()) => Ok(()),
            Err(vk::Result::TIMEOUT) => {
                self.is_abandoned = true;
                let seconds = Duration::from_nanos(self.patience).as_secs_f64();
                Err(Fault::Hung(format!("{} did not finish within {seconds} s", self.facts.name)))
            }
            Err(error) => {
                // Unless the device is lost, the work may still be running.
                self.is_abandoned = error != vk::Result::ERROR_DEVICE_LOST;
                Err(fault(error))
            }
        }
    }

    /// Makes sure that there are descriptor sets for so many passes.
    fn make_sets(&mut self, passes: usize) -> Result<(), vk::Result> {
        while self.sets.len() < passes {
            let sizes = [vk::DescriptorPoolSize {
                ty: vk::DescriptorType::STORAGE_BUFFER,
                descriptor_count: SETS_AT_A_TIME * BINDINGS,
            }];
            let pool_info = vk::DescriptorPoolCreateInfo::default().max_sets(SETS_AT_A_TIME).pool_sizes(&sizes);
            let layouts = [self.set_layout; SETS_AT_A_TIME as usize];
            // SAFETY: the pool is as large as what is allocated from it, and is kept for destruction before it is used.
            unsafe {
                let pool = self.device.create_descriptor_pool(&pool_info, None)?;
                self.descriptor_pools.push(pool);
                let sets_info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
                self.sets.extend(self.device.allocate_descriptor_sets(&sets_info)?);
            }
        }
        Ok(())
    }

    /// Points the descriptor sets at what the passes see.
    fn bind(&self, passes: &[Pass]) {
        let seen = std::iter::zip(&self.sets, passes)
            .flat_map(|(&set, pass)| pass.bindings.iter().map(move |&(binding, slice)| (set, binding, slice)));
        let buffers: Vec<_> = seen
            .clone()
            .map(|(_, _, slice)| {
                let place = self.places[slice.region.0];
                [vk::DescriptorBufferInfo {
                    buffer: self.memory.buffer(place),
                    offset: place.offset + slice.offset,
                    range: slice.bytes,
                }]
            })
            .collect();
        let writes: Vec<_> = std::iter::zip(seen, &buffers)
            .map(|((set, binding, _), buffer)| {
                vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .buffer_info(buffer)
            })
            .collect();
        // SAFETY: no submission is in course that uses the sets; the ranges lie within their regions, and these within
        // their buffers.
        unsafe { self.device.update_descriptor_sets(&writes, &[]) };
    }

    fn record(&self, program: &Program, passes: &[Pass], uploads: bool, downloads: bool) -> Result<(), vk::Result> {
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is not in use, since every submission is waited for; its pool allows to begin it
        // again. What is bound stays alive until then.
        unsafe {
            self.device.begin_command_buffer(self.commands, &begin)?;
            if uploads {
                self.memory.record_uploads(&self.device, self.commands, &program.regions, &self.places);
            }
            for (index, (pass, &set)) in std::iter::zip(passes, &self.sets).enumerate() {
                if index > 0 || uploads {
                    self.barrier(vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::COMPUTE_SHADER);
                }
                self.record_pass(pass, set);
            }
            if downloads {
                self.memory.record_downloads(&self.device, self.commands, &program.regions, &self.places);
            }
            self.device.end_command_buffer(self.commands)
        }
    }

    /// Records that what follows sees what was written before.
    ///
    /// # Safety
    ///
    /// The command buffer is being recorded.
    unsafe fn barrier(&self, from: vk::PipelineStageFlags, to: vk::PipelineStageFlags) {
        let barriers = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE)];
        let from = from | vk::PipelineStageFlags::TRANSFER;
        let none = vk::DependencyFlags::empty();
        // SAFETY: the caller's.
        unsafe { self.device.cmd_pipeline_barrier(self.commands, from, to, none, &barriers, &[], &[]) };
    }

    /// Records one pass.
    ///
    /// # Safety
    ///
    /// The command buffer is being recorded, and the set is bound to what the pass sees.
    unsafe fn record_pass(&self, pass: &Pass, set: vk::DescriptorSet) {
        let constants: Vec<u8> = pass.constants.iter().flat_map(|word| word.to_le_bytes()).collect();
        let groups = pass.invocations.div_ceil(pass.shader.workgroup());
        let [across, down] = folded(groups, self.limits.workgroups);
        let compute = vk::PipelineBindPoint::COMPUTE;
        // SAFETY: the caller's; constants are no longer than the layout says, and no dimension has more workgroups
        // than the device allows.
        unsafe {
            self.device.cmd_bind_pipeline(self.commands, compute, self.pipelines[pass.shader as usize]);
            self.device.cmd_bind_descriptor_sets(self.commands, compute, self.pipeline_layout, 0, &[set], &[]);
            let stage = vk::ShaderStageFlags::COMPUTE;
            if !constants.is_empty() {
                self.device.cmd_push_constants(self.commands, self.pipeline_layout, stage, 0, &constants);
            }
            self.device.cmd_dispatch(self.commands, across, down, 1);
        }
    }
}

/// Folds a number of workgroups into two dimensions of at most `most` each: no fewer, and hardly more.
fn folded(groups: u64, most: u32) -> [u32; 2] {
    let down = groups.div_ceil(u64::from(most)).max(1);
    let across = groups.div_ceil(down);
    [across as u32, down as u32]
}

impl Drop for Device {
    fn drop(&mut self) {
        if self.is_abandoned {
            // Work is still running: what it uses has to stay, and so does the driver.
            self.instance.abandon();
            return;
        }
        // SAFETY: nothing runs any more once the first call returns, or the device is lost, and then nothing runs
        // either. Every object is destroyed once; null handles are allowed.
        unsafe {
            let _ = self.device.device_wait_idle();
        }
        self.forget_pipelines();
        // SAFETY: as above.
        unsafe {
            self.memory.destroy(&self.device);
            for pool in self.descriptor_pools.drain(..) {
                self.device.destroy_descriptor_pool(pool, None);
            }
            self.device.destroy_pipeline_layout(self.pipeline_layout, None);
            self.device.destroy_descriptor_set_layout(self.set_layout, None);
            self.device.destroy_command_pool(self.command_pool, None);
            self.device.destroy_fence(self.fence, None);
            self.device.destroy_device(None);
        }
    }
}

/// What an error of the driver is to whoever runs a case.
fn fault(error: vk::Result) -> Fault {
    match error {
        vk::Result::ERROR_OUT_OF_HOST_MEMORY | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => {
            Fault::OutOfMemory(format!("the driver says {error:?}"))
        }
        vk::Result::ERROR_DEVICE_LOST => Fault::DeviceLost(format!("the driver says {error:?}")),
        _ => Fault::Failed(format!("the driver says {error:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn long_grids_are_folded_without_losing_a_workgroup() {
        for (groups, most, expected) in [
            (1, 65535, [1, 1]),
            (65535, 65535, [65535, 1]),
            (65536, 65535, [32768, 2]),
            (1 << 26, 65535, [65473, 1025]),
            (7, 2, [2, 4]),
        ] {
            let [across, down] = folded(groups, most);
            assert_eq!([across, down], expected);
            assert!(u64::from(across) * u64::from(down) >= groups && across <= most);
        }
    }
}
