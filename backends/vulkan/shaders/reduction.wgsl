// What the levels of a reduction have in common. A level sees its elements as [outer, rows, inner] and cuts the rows
// into segments: a segment of a column becomes one candidate for the level above.
// include: invocation, key

struct Parameters {
    count: u32,             // invocations
    segments: u32,          // per outer position
    segment_rows: u32,      // rows of a segment; the last one may have fewer
    rows: u32,
    inner: u32,
    outer_stride: u32,      // from one outer position to the next, in elements
    base: u32,              // where the first element stands among the bound ones
    first_row: u32,         // its row in the whole tensor
    lanes: u32,             // logarithm of how many invocations share a segment
    kind: u32,              // of keys
    last: u32,              // 1: the last of equal extremes is wanted
    carried: u32,           // 1: the candidates so far are those that were handed on before
    result_words: u32,      // 0: candidates are handed on; 1 or 2: an index of so many words is the result
    candidate_base: u32,    // where the first candidate handed on stands among the bound ones
    result_base: u32,       // where the first result stands among the bound ones
}

var<immediate> parameters: Parameters;
