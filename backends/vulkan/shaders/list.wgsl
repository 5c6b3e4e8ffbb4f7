// Lists the coordinates of marked elements, each in the row that its prefix sum names: an invocation takes one word of
// marks.
//
// Elements outside the bound part of the rows are left to another pass.
// include: invocation

struct Parameters {
    count: u32,             // words of marks
    first: u32,             // number of the first one
    dimensions: u32,        // of the tensor searched; at least 1
    columns: u32,           // coordinates of a row, those of the last dimensions; at least 1
    row_stride: u32,        // in words
    column_stride: u32,
    window_first: u32,      // the bound part of the rows, in words
    window_count: u32,
    sizes: array<u32, 8>,   // outermost first
}

var<immediate> parameters: Parameters;
@group(0) @binding(0) var<storage, read> marks: array<u32>;
@group(0) @binding(1) var<storage, read> before: array<u32>;
@group(0) @binding(2) var<storage, read_write> rows: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = invocation(lane, group, groups);
    if number >= parameters.count {
        return;
    }
    var word = marks[number];
    if word == 0u {
        return;
    }
    let innermost = parameters.dimensions - 1u;
    let columns = parameters.columns;
    let row_stride = parameters.row_stride;
    let column_stride = parameters.column_stride;
    let size = parameters.sizes[innermost];
    var row_at = before[number] * row_stride - parameters.window_first;
    // The coordinates but the innermost one change where a line of the tensor ends.
    let element = (parameters.first + number) * 32u;
    var line = element / size;
    var start = element - line * size;
    var outer = line;
    loop {
        if word == 0u {
            break;
        }
        let bit = firstTrailingBit(word);
        word &= word - 1u;
        var coordinate = start + bit;
        outer = line;
        if coordinate >= size {
            let lines = coordinate / size;
            coordinate -= lines * size;
            outer += lines;
        }
        var at = row_at + (columns - 1u) * column_stride;
        if at < parameters.window_count {
            rows[at] = coordinate;
        }
        for (var column = 1u; column < columns; column += 1u) {
            at -= column_stride;
            var value = outer;
            if column < innermost {
                let further = outer / parameters.sizes[innermost - column];
                value -= further * parameters.sizes[innermost - column];
                outer = further;
            }
            if at < parameters.window_count {
                rows[at] = value;
            }
        }
        row_at += row_stride;
    }
}
