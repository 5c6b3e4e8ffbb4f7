//! Numbers near the middle of two floats, against values that exact fractions gave (`tests/literals.py`).
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use opcert::backend::DataType;
use opcert::case::Pattern;
use opcert::element;

/// The lines of a kind: type, number, and the bits that it rounds to.
fn table(kind: &str) -> Vec<(DataType, &'static str, u64)> {
    let lines = include_str!("../literals.txt").lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let lines = lines.filter(|fields| fields[0] == kind).map(|fields| {
        let data_type = DataType::ALL.into_iter().find(|data_type| data_type.name() == fields[1]).unwrap();
        (data_type, fields[2], u64::from_str_radix(fields[3], 16).unwrap())
    });
    lines.collect()
}

/// The element in bytes, as a number.
fn bits(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|at| bytes.get(at).copied().unwrap_or(0)))
}

fn is_infinite(bits: u64, data_type: DataType) -> bool {
    element::render(&bits.to_le_bytes(), data_type).trim_start_matches('-') == "inf"
}

#[test]
fn literals_are_rounded_once() {
    let mut wrong = Vec::new();
    let table = table("literal");
    for &(data_type, text, wanted) in &table {
        let mut bytes = Vec::new();
        let found = element::parse(text, data_type, &mut bytes).map(|()| bits(&bytes));
        let is_right = match &found {
            Err(problem) => is_infinite(wanted, data_type) && problem.starts_with("overflows"),
            Ok(found) => *found == wanted && !is_infinite(wanted, data_type),
        };
        if !is_right {
            wrong.push(format!("{text} as {data_type} is {found:x?}, expected {wanted:#x}"));
        }
    }
    assert!(table.len() >= 1600, "only {} literals", table.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), table.len(), wrong.join("\n"));
}

#[test]
fn integers_of_a_ramp_are_rounded_once() {
    let mut wrong = Vec::new();
    let table = table("ramp");
    for &(data_type, start, wanted) in &table {
        let mut bytes = vec![0; data_type.bytes()];
        Pattern::ramp(start.parse().unwrap(), 1, 1, data_type, 1).fill(&mut bytes);
        if bits(&bytes) != wanted {
            wrong.push(format!("{start} as {data_type} is {:#x}, expected {wanted:#x}", bits(&bytes)));
        }
    }
    assert!(table.len() >= 800, "only {} ramps", table.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), table.len(), wrong.join("\n"));
}
