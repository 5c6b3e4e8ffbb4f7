// Where elements lie in a tensor of any layout.

struct Layout {
    dimensions: u32,            // at least 1
    sizes: array<u32, 8>,       // outermost first
    strides: array<u32, 8>,     // in elements
}

// The position in memory of an element by its logical index.
fn position(element: u32) -> u32 {
    var rest = element;
    var at = 0u;
    for (var dimension = parameters.tensor.dimensions - 1u; dimension > 0u; dimension -= 1u) {
        let outer = rest / parameters.tensor.sizes[dimension];
        at += (rest - outer * parameters.tensor.sizes[dimension]) * parameters.tensor.strides[dimension];
        rest = outer;
    }
    return at + rest * parameters.tensor.strides[0];
}
