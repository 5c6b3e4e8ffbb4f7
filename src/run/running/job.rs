//! Job objects: on Windows, a process and all that it starts, to be limited and to be ended together.
#![expect(
    unsafe_code,
    reason = "the system's interface; every handle is owned, and every structure as long as is said"
)]

use std::ffi::c_void;
use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle, OwnedHandle};
use std::process::Child;
use std::sync::Arc;

use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOB_OBJECT_LIMIT_PROCESS_MEMORY,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    INFINITE, OpenThread, ResumeThread, THREAD_SUSPEND_RESUME, WaitForSingleObject,
};

/// What a process of a job ends with that is ended with it.
const ENDED: u32 = 1;

/// A job. Closed, as it is when this process ends, however it does, it ends all that is in it.
#[derive(Debug)]
pub(super) struct Job(OwnedHandle);

impl Job {
    /// A job whose processes may have so many bytes of memory each.
    pub(super) fn new(memory: Option<u64>) -> io::Result<Self> {
        // SAFETY: neither attributes nor a name are given.
        let job = Self(unsafe { owned(CreateJobObjectW(std::ptr::null(), std::ptr::null())) }?);
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        if let Some(bytes) = memory {
            limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_MEMORY;
            limits.ProcessMemoryLimit = usize::try_from(bytes).unwrap_or(usize::MAX);
        }
        // SAFETY: the handle is open, and the structure is of the kind that is named and as long as is said.
        done(unsafe {
            SetInformationJobObject(
                job.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast::<c_void>(),
                size_of_val(&limits) as u32,
            )
        })?;
        Ok(job)
    }

    /// Takes in a process, and what it will start.
    pub(super) fn take_in(&self, process: &Child) -> io::Result<()> {
        // SAFETY: both handles are open.
        done(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process.as_raw_handle()) })
    }

    /// Ends all that is in it once this process has ended: what it leaves behind would keep its streams open.
    pub(super) fn end_after(self: &Arc<Self>, process: &Child) -> io::Result<()> {
        let (job, process) = (Arc::clone(self), process.as_handle().try_clone_to_owned()?);
        let wait = move || {
            // SAFETY: the handle is open.
            unsafe { WaitForSingleObject(process.as_raw_handle(), INFINITE) };
            job.end();
        };
        std::thread::Builder::new().name("job".to_owned()).spawn(wait).map(drop)
    }

    /// Ends all that is in it.
    pub(super) fn end(&self) {
        // SAFETY: the handle is open. Where nothing is left that could be ended, nothing is lost.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), ENDED) };
    }
}

/// Lets a process begin that was started to wait for it.
pub(super) fn begin(process: &Child) -> io::Result<()> {
    // SAFETY: nothing but numbers is given.
    let all = unsafe { owned(CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0)) }?;
    let mut entry = THREADENTRY32 { dwSize: size_of::<THREADENTRY32>() as u32, ..Default::default() };
    // SAFETY: the handle is open, and the structure says how long it is.
    let mut is_there = unsafe { Thread32First(all.as_raw_handle(), &raw mut entry) } != 0;
    let mut begun = false;
    while is_there {
        if entry.th32OwnerProcessID == process.id() {
            // SAFETY: nothing but numbers is given.
            let thread = unsafe { owned(OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID)) }?;
            // SAFETY: the handle is open.
            if unsafe { ResumeThread(thread.as_raw_handle()) } == u32::MAX {
                return Err(io::Error::last_os_error());
            }
            begun = true;
        }
        // SAFETY: as before.
        is_there = unsafe { Thread32Next(all.as_raw_handle(), &raw mut entry) } != 0;
    }
    if begun { Ok(()) } else { Err(io::Error::other("it has no thread that could begin")) }
}

/// The handle, unless there is none.
///
/// # Safety
///
/// It is open, nobody else closes it, and the error of the system is that of the call that gave it.
unsafe fn owned(handle: *mut c_void) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the caller's.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// What a call says that tells success from failure.
fn done(answer: i32) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
