//! Every case as a test of the Vulkan backend, in this process. Where there is no Vulkan they are all ignored.
fn main() -> std::process::ExitCode {
    opcert::conformance(opcert_vulkan::VulkanBackend::new())
}
