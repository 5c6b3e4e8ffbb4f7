//! Memory of the device, and how regions lie in it.
//!
//! Where one kind of memory serves host and device, regions lie in it and nothing is copied. Elsewhere each block has a
//! twin that the host sees, with the same layout, and copies go between the two within the submission.

use std::slice;

use ash::vk;

use crate::program::{ALIGNMENT, Region};

/// No block is made smaller than this.
const LEAST_BLOCK: u64 = 16 << 20;

/// So many bytes behind each region hold a pattern that nobody may change.
const GUARD: u64 = ALIGNMENT;

/// The bytes of the pattern.
const GUARD_BYTE: u8 = 0xC3;

/// Where a region lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    block: usize,
    pub(super) offset: u64,
}

/// A buffer with memory of its own.
struct Buffer {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    /// Where the host sees it, if it does.
    mapped: *mut u8,
}

// SAFETY: the address is that of memory that belongs to the buffer alone; it moves with it from thread to thread.
unsafe impl Send for Buffer {}

/// A piece of memory for many regions.
struct Block {
    bytes: u64,
    /// What shaders see.
    device: Buffer,
    /// What the host sees, where that is not the same.
    host: Option<Buffer>,
}

/// All memory of a device.
pub(super) struct Memory {
    /// Memory types for what the host sees, the preferred ones first.
    host_types: Vec<u32>,
    /// Memory types for what shaders see; `None` where the host sees it too.
    device_types: Option<Vec<u32>>,
    blocks: Vec<Block>,
}

impl Memory {
    /// Chooses among memory types. They are kept apart where none serves both, or where that is asked for.
    pub(super) fn new(types: &[vk::MemoryPropertyFlags], separate: bool) -> Self {
        let host = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let cached = host | vk::MemoryPropertyFlags::HOST_CACHED;
        let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
        let having = |wanted: vk::MemoryPropertyFlags| {
            (0u32..).zip(types).filter(move |(_, flags)| flags.contains(wanted)).map(|(index, _)| index)
        };
        let both: Vec<u32> = having(cached | local).collect();
        if !both.is_empty() && !separate {
            return Self { host_types: both, device_types: None, blocks: Vec::new() };
        }
        let host_types = having(cached).chain(having(host)).collect();
        let device_types = having(local).chain(0..types.len() as u32).collect();
        Self { host_types, device_types: Some(device_types), blocks: Vec::new() }
    }

    /// Finds a place for each region, in memory that stays for the next time; makes more where it does not suffice.
    pub(super) fn lay_out(
        &mut self,
        device: &ash::Device,
        regions: &[Region],
        places: &mut Vec<Place>,
    ) -> Result<(), vk::Result> {
        match self.try_lay_out(device, regions, places) {
            Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY) => {
                // What earlier programs left may be in the way.
                // SAFETY: no submission is in course.
                unsafe { self.destroy(device) };
                self.try_lay_out(device, regions, places)
            }
            other => other,
        }
    }

    fn try_lay_out(
        &mut self,
        device: &ash::Device,
        regions: &[Region],
        places: &mut Vec<Place>,
    ) -> Result<(), vk::Result> {
        places.clear();
        let mut used = vec![0; self.blocks.len()];
        for region in regions {
            let wanted = region.bytes + GUARD;
            let fits = |(used, block): (&u64, &Block)| used + wanted <= block.bytes;
            let block = match used.iter().zip(&self.blocks).position(fits) {
                Some(block) => block,
                None => {
                    let made = self.make_block(device, wanted.max(LEAST_BLOCK))?;
                    self.blocks.push(made);
                    used.push(0);
                    self.blocks.len() - 1
                }
            };
            places.push(Place { block, offset: used[block] });
            used[block] += wanted;
        }
        Ok(())
    }

    fn make_block(&self, device: &ash::Device, bytes: u64) -> Result<Block, vk::Result> {
        let storage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let Some(device_types) = &self.device_types else {
            let both = make_buffer(device, bytes, storage, &self.host_types, true)?;
            return Ok(Block { bytes, device: both, host: None });
        };
        let transfer = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let local = make_buffer(device, bytes, storage | transfer, device_types, false)?;
        match make_buffer(device, bytes, transfer, &self.host_types, true) {
            Ok(host) => Ok(Block { bytes, device: local, host: Some(host) }),
            Err(error) => {
                // SAFETY: it was made just now and is used by nobody.
                unsafe { destroy_buffer(device, &local) };
                Err(error)
            }
        }
    }

    /// The buffer that shaders see a region in.
    pub(super) fn buffer(&self, place: Place) -> vk::Buffer {
        self.blocks[place.block].device.buffer
    }

    /// Hands bytes over to the beginning of a region.
    pub(super) fn write(&mut self, place: Place, bytes: &[u8]) {
        self.host_bytes_mut(place, bytes.len()).copy_from_slice(bytes);
    }

    /// Reads the beginning of a region.
    pub(super) fn read(&self, place: Place, bytes: &mut [u8]) {
        let length = bytes.len();
        bytes.copy_from_slice(self.host_bytes(place, length));
    }

    /// Writes the pattern behind each region, where shaders and the host see the same memory.
    pub(super) fn guard(&mut self, regions: &[Region], places: &[Place]) {
        if self.device_types.is_none() {
            for (region, place) in std::iter::zip(regions, places) {
                let behind = Place { block: place.block, offset: place.offset + region.bytes };
                self.host_bytes_mut(behind, GUARD as usize).fill(GUARD_BYTE);
            }
        }
    }

    /// The number of a region behind which the pattern has changed.
    pub(super) fn violation(&self, regions: &[Region], places: &[Place]) -> Option<usize> {
        if self.device_types.is_some() {
            return None;
        }
        std::iter::zip(regions, places).position(|(region, place)| {
            let behind = Place { block: place.block, offset: place.offset + region.bytes };
            self.host_bytes(behind, GUARD as usize) != [GUARD_BYTE; GUARD as usize]
        })
    }

    fn host_bytes(&self, place: Place, length: usize) -> &[u8] {
        let start = self.address(place, length);
        // SAFETY: so many bytes at this address are mapped as long as the block exists, and are initialised as far as
        // Rust is concerned, since they come from outside. The device writes them only during a submission, and every
        // submission is waited for under `&mut`.
        unsafe { slice::from_raw_parts(start, length) }
    }

    fn host_bytes_mut(&mut self, place: Place, length: usize) -> &mut [u8] {
        let start = self.address(place, length);
        // SAFETY: as above, and `&mut self` makes the reference the only one.
        unsafe { slice::from_raw_parts_mut(start, length) }
    }

    /// Where the host sees so many bytes of a block.
    fn address(&self, place: Place, length: usize) -> *mut u8 {
        let block = &self.blocks[place.block];
        assert!(place.offset + length as u64 <= block.bytes, "{length} bytes at {} of a block", place.offset);
        let start = block.host.as_ref().unwrap_or(&block.device).mapped;
        // SAFETY: the sum lies within the mapped block, as was just made sure of.
        unsafe { start.add(place.offset as usize) }
    }

    /// Records the copies from the host's memory.
    ///
    /// # Safety
    ///
    /// The command buffer is being recorded.
    pub(super) unsafe fn record_uploads(
        &self,
        device: &ash::Device,
        commands: vk::CommandBuffer,
        regions: &[Region],
        places: &[Place],
    ) {
        for (region, place) in std::iter::zip(regions, places).filter(|(region, _)| region.transfer.uploads()) {
            let block = &self.blocks[place.block];
            if let Some(host) = &block.host {
                let copy = vk::BufferCopy { src_offset: place.offset, dst_offset: place.offset, size: region.bytes };
                // SAFETY: the caller's; the region lies within both buffers, which are as long as each other.
                unsafe { device.cmd_copy_buffer(commands, host.buffer, block.device.buffer, &[copy]) };
            }
        }
    }

    /// Records the copies to the host's memory, and that the host sees what was written.
    ///
    /// # Safety
    ///
    /// The command buffer is being recorded.
    pub(super) unsafe fn record_downloads(
        &self,
        device: &ash::Device,
        commands: vk::CommandBuffer,
        regions: &[Region],
        places: &[Place],
    ) {
        let (compute, transfer) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::TRANSFER);
        let none = vk::DependencyFlags::empty();
        let written = vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE;
        if self.device_types.is_some() {
            let barrier = vk::MemoryBarrier::default()
                .src_access_mask(written)
                .dst_access_mask(vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE);
            // SAFETY: the caller's.
            unsafe { device.cmd_pipeline_barrier(commands, compute | transfer, transfer, none, &[barrier], &[], &[]) };
        }
        for (region, place) in std::iter::zip(regions, places).filter(|(region, _)| region.transfer.downloads()) {
            let block = &self.blocks[place.block];
            if let Some(host) = &block.host {
                let copy = vk::BufferCopy { src_offset: place.offset, dst_offset: place.offset, size: region.bytes };
                // SAFETY: the caller's; the region lies within both buffers, which are as long as each other.
                unsafe { device.cmd_copy_buffer(commands, block.device.buffer, host.buffer, &[copy]) };
            }
        }
        let barrier = vk::MemoryBarrier::default().src_access_mask(written).dst_access_mask(vk::AccessFlags::HOST_READ);
        let host = vk::PipelineStageFlags::HOST;
        // SAFETY: the caller's.
        unsafe { device.cmd_pipeline_barrier(commands, compute | transfer, host, none, &[barrier], &[], &[]) };
    }

    /// Gives all memory back.
    ///
    /// # Safety
    ///
    /// No submission is in course.
    pub(super) unsafe fn destroy(&mut self, device: &ash::Device) {
        for block in self.blocks.drain(..) {
            // SAFETY: the caller's; each buffer is destroyed once.
            unsafe {
                destroy_buffer(device, &block.device);
                block.host.iter().for_each(|host| destroy_buffer(device, host));
            }
        }
    }
}

fn make_buffer(
    device: &ash::Device,
    bytes: u64,
    usage: vk::BufferUsageFlags,
    types: &[u32],
    is_mapped: bool,
) -> Result<Buffer, vk::Result> {
    let info = vk::BufferCreateInfo::default().size(bytes).usage(usage).sharing_mode(vk::SharingMode::EXCLUSIVE);
    let null = vk::DeviceMemory::null();
    // SAFETY: the structures are filled in; what was made is kept in `made`, and destroyed when a later step fails.
    unsafe {
        let buffer = device.create_buffer(&info, None)?;
        let mut made = Buffer { buffer, memory: null, mapped: std::ptr::null_mut() };
        let requirements = device.get_buffer_memory_requirements(buffer);
        let kind = types.iter().copied().find(|kind| requirements.memory_type_bits & (1 << kind) != 0);
        let fill = |made: &mut Buffer| {
            let kind = kind.ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)?;
            let info = vk::MemoryAllocateInfo::default().allocation_size(requirements.size).memory_type_index(kind);
            made.memory = device.allocate_memory(&info, None)?;
            device.bind_buffer_memory(buffer, made.memory, 0)?;
            if is_mapped {
                let flags = vk::MemoryMapFlags::empty();
                made.mapped = device.map_memory(made.memory, 0, vk::WHOLE_SIZE, flags)?.cast();
            }
            Ok(())
        };
        match fill(&mut made) {
            Ok(()) => Ok(made),
            Err(error) => {
                destroy_buffer(device, &made);
                Err(error)
            }
        }
    }
}

/// Gives a buffer and its memory back; mapped memory is unmapped thereby.
///
/// # Safety
///
/// No submission that uses it is in course, and it is not used again.
unsafe fn destroy_buffer(device: &ash::Device, buffer: &Buffer) {
    // SAFETY: the caller's; null handles are allowed.
    unsafe {
        device.destroy_buffer(buffer.buffer, None);
        device.free_memory(buffer.memory, None);
    }
}
