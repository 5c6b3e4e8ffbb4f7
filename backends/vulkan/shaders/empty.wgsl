// Does nothing: what a submission costs.

@compute @workgroup_size(64)
fn main() {}
