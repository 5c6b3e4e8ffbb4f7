// What one invocation hands on to the level above: a candidate, or in the end an index.
// include: reduction

@group(0) @binding(1) var<storage, read_write> candidates: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<u32>;

// The words of a candidate: its key first and its index last; as many as begin at what can be bound.
const CANDIDATE_WORDS = select(2u, 4u, WIDE);

// Hands a candidate on, or writes its index.
fn hand_on(number: u32, candidate: Candidate) {
    if parameters.result_words == 0u {
        let at = (parameters.candidate_base + number) * CANDIDATE_WORDS;
        candidates[at] = bitcast<u32>(candidate.key.high);
        if WIDE {
            candidates[at + 1u] = candidate.key.low;
        }
        candidates[at + CANDIDATE_WORDS - 1u] = candidate.index;
        return;
    }
    let at = (parameters.result_base + number) * parameters.result_words;
    results[at] = candidate.index;
    if parameters.result_words == 2u {
        results[at + 1u] = 0u;
    }
}
