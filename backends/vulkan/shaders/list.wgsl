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

// The coordinate of a line of innermost elements in the dimension that is so many before the innermost one.
fn coordinate(line: u32, column: u32) -> u32 {
    let innermost = parameters.dimensions - 1u;
    var rest = line;
    for (var inner = 1u; inner < column; inner += 1u) {
        rest /= parameters.sizes[innermost - inner];
    }
    if column < innermost {
        rest %= parameters.sizes[innermost - column];
    }
    return rest;
}

fn write(at: u32, value: u32) {
    if at < parameters.window_count {
        rows[at] = value;
    }
}

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
    let marked = marks[number];
    if marked == 0u {
        return;
    }
    let size = parameters.sizes[parameters.dimensions - 1u];
    let element = (parameters.first + number) * 32u;
    let line = element / size;
    let start = element - line * size;
    let left = size - start;
    let row_stride = parameters.row_stride;
    let column_stride = parameters.column_stride;
    let is_single = parameters.columns == 1u;
    let first_at = before[number] * row_stride - parameters.window_first;
    // Marks of the line that the word begins in, and those of later lines: the coordinates but the innermost one are
    // those of a line, and only the second kind needs divisions for each mark.
    let here = select(marked & ((1u << (left & 31u)) - 1u), marked, left >= 32u);
    let later = marked & ~here;
    let later_at = first_at + countOneBits(here) * row_stride;
    var at = first_at + (parameters.columns - 1u) * column_stride;
    var word = here;
    var outer = coordinate(line, 1u);
    while word != 0u {
        write(at, start + firstTrailingBit(word));
        if !is_single {
            write(at - column_stride, outer);
        }
        at += row_stride;
        word &= word - 1u;
    }
    at = later_at + (parameters.columns - 1u) * column_stride;
    word = later;
    while word != 0u {
        let innermost = start + firstTrailingBit(word);
        let lines = innermost / size;
        write(at, innermost - lines * size);
        if !is_single {
            write(at - column_stride, coordinate(line + lines, 1u));
        }
        at += row_stride;
        word &= word - 1u;
    }
    // All other columns, one after the other.
    for (var column = 2u; column < parameters.columns; column += 1u) {
        outer = coordinate(line, column);
        at = first_at + (parameters.columns - 1u - column) * column_stride;
        word = here;
        while word != 0u {
            write(at, outer);
            at += row_stride;
            word &= word - 1u;
        }
        word = later;
        while word != 0u {
            write(at, coordinate(line + (start + firstTrailingBit(word)) / size, column));
            at += row_stride;
            word &= word - 1u;
        }
    }
}
