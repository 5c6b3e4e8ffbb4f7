//! The measurements as tables, as wide as there is room for.

use std::fmt::Write as _;

use super::report::{BenchReport, Measured, Outcome, Row};
use super::size::written;
use super::timing::Timing;
use crate::render::{columns, wrapped};
use opcert_backend::foreign::printable_line;

const BOLD: anstyle::Style = anstyle::Style::new().bold();
const BAD: anstyle::Style = anstyle::AnsiColor::Red.on_default().bold();

/// The columns that are left out first where there is no room for all.
const SPARE: [&str; 5] = ["quartiles", "memcpy", "of half", "empty call", "GB/s"];

/// What moves fewer bytes than this is about calls and not about memory.
const SMALL: u64 = 64 << 10;

/// Renders a report: who was measured where, tables of workloads, of small tensors, and of how time grows with size.
/// With styles for a terminal. Where it has `room` for so many columns, those of a table that do not fit are left out, and
/// said to be.
#[must_use]
pub fn table(report: &BenchReport, room: Option<usize>) -> String {
    let series: Vec<&[Row]> = report.rows.chunk_by(Row::is_of_series).collect();
    let (grown, single): (Vec<&[Row]>, Vec<&[Row]>) = series.into_iter().partition(|rows| rows.len() > 1);
    let single: Vec<&Row> = single.into_iter().flatten().collect();
    let (small, large): (Vec<&Row>, Vec<&Row>) = single.into_iter().partition(|row| is_small(row));
    let threads = Threads::of(report);
    let mut text = head(report, &threads, room);
    let mut left_out: Vec<&str> = Vec::new();
    let mut add = |title: &str, table: &Table| {
        let (table, missing) = table.text(room);
        let _ = write!(text, "\n{BOLD}{title}{BOLD:#}\n{table}");
        left_out.extend(missing);
    };
    for rows in large.chunk_by(|one, other| one.operator == other.operator) {
        add(&rows.first().map_or_else(String::new, |row| row.operator.to_string()), &workloads(rows, &threads));
    }
    if !small.is_empty() {
        add("small tensors, by the dispatch", &small_tensors(&small, &threads));
    }
    for rows in grown {
        let Some(first) = rows.first() else { continue };
        let [name, data_type] = threads.name(first);
        add(&format!("{}, {name} {data_type}, by size", first.operator), &growth(rows));
    }
    let left_out: Vec<&str> = SPARE.into_iter().filter(|head| left_out.contains(head)).collect();
    if let (false, Some(room)) = (left_out.is_empty(), room) {
        let words = format!("No room for: {}. A wider terminal or `--format json` shows them.", left_out.join(", "));
        let _ = write!(text, "\n{}", wrapped(&words, "", "", room));
    }
    text
}

/// Whether so little moves that its bandwidth means nothing.
fn is_small(row: &Row) -> bool {
    row.measured().is_some_and(|measured| measured.bytes_moved() < SMALL)
}

/// How many threads the rows had.
enum Threads {
    Unknown,
    Same(usize),
    Different,
}

impl Threads {
    fn of(report: &BenchReport) -> Self {
        let mut threads: Vec<usize> = report.rows.iter().filter_map(|row| row.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        match threads.as_slice() {
            [] => Self::Unknown,
            [only] => Self::Same(*only),
            _ => Self::Different,
        }
    }

    /// The name of a row with its type, and its threads where they tell rows apart.
    fn name(&self, row: &Row) -> [String; 2] {
        let threads = row.threads.filter(|_| matches!(self, Self::Different));
        let threads = threads.map(|threads| format!(" ×{threads}")).unwrap_or_default();
        [row.workload.to_string(), format!("{}{threads}", row.data_type)]
    }
}

fn head(report: &BenchReport, threads: &Threads, room: Option<usize>) -> String {
    let (backend, machine) = (&report.backend, &report.machine);
    let device = backend.device.as_ref().map(|device| format!(" on {device}")).unwrap_or_default();
    let place = match (threads, backend.isolated) {
        (_, true) => "in a process of its own: it chooses its threads, and tensors travel there and back".to_owned(),
        (Threads::Same(1), _) => "in process, 1 thread".to_owned(),
        (Threads::Same(threads), _) => format!("in process, {threads} threads"),
        (Threads::Unknown | Threads::Different, _) => "in process".to_owned(),
    };
    let gib = |bytes: u64| format!("{:.0} GiB of memory", bytes as f64 / f64::from(1u32 << 30));
    let facts = [
        Some(machine.processor.clone().unwrap_or_else(|| machine.architecture.clone())),
        Some(crate::render::counted(machine.cores, "core")),
        machine.memory.map(gib),
        Some(machine.system.clone()),
    ];
    let facts = printable_line(&facts.into_iter().flatten().collect::<Vec<_>>().join(", "));
    let name = printable_line(&format!("{} {}{device}", backend.name, backend.version));
    let lines = [
        format!("{BOLD}{name}{BOLD:#} {place}"),
        facts,
        format!(
            "medians of {}, in turns with memcpy on as many threads",
            crate::render::counted(report.rounds, "round")
        ),
    ];
    lines.map(|line| room.map_or(format!("{line}\n"), |room| wrapped(&line, "", "  ", room))).concat()
}

fn workloads(rows: &[&Row], threads: &Threads) -> Table {
    let mut table = Table::new(["", "", "", "time", "quartiles", "GB/s", "memcpy", "share"], 3);
    for row in rows {
        let [name, data_type] = threads.name(row);
        let start = vec![name, row.tensor.to_string(), data_type];
        table.row(start, &row.outcome, |measured| {
            let (dispatch, memcpy) = (&measured.dispatch, &measured.memcpy);
            vec![
                time(dispatch.median),
                quartiles(dispatch),
                figures(measured.gigabytes_per_second),
                figures(memcpy.gigabytes_per_second),
                format!("{:.2}", measured.share_of_memcpy),
            ]
        });
    }
    table
}

fn small_tensors(rows: &[&Row], threads: &Threads) -> Table {
    let mut table = Table::new(["", "", "", "", "time", "quartiles", "per second", "empty call", "times it"], 4);
    for row in rows {
        let [name, data_type] = threads.name(row);
        let start = vec![row.operator.to_string(), name, row.tensor.to_string(), data_type];
        table.row(start, &row.outcome, |measured| {
            vec![
                time(measured.dispatch.median),
                quartiles(&measured.dispatch),
                thousands(measured.dispatches_per_second),
                time(measured.empty_call.median),
                figures(measured.times_empty_call),
            ]
        });
    }
    table
}

fn growth(rows: &[Row]) -> Table {
    let largest = rows.iter().filter_map(|row| row.measured()?.times_half).max_by(f64::total_cmp);
    let mut table = Table::new(["elements", "time", "quartiles", "of half", "GB/s", "memcpy", "share"], 1);
    // Sizes that come to nothing for one and the same reason are one line.
    let alike = |one: &Row, other: &Row| one.measured().is_none() && one.outcome == other.outcome;
    for rows in rows.chunk_by(alike) {
        let [row, ..] = rows else { continue };
        let last = rows.last().filter(|_| rows.len() > 1);
        let last = last.map(|last| format!(" – {}", written(last.elements))).unwrap_or_default();
        table.row(vec![written(row.elements) + &last], &row.outcome, |measured| growing(measured, largest));
    }
    table
}

fn growing(measured: &Measured, largest: Option<f64>) -> Vec<String> {
    let times = measured.times_half.map(|times| format!("×{times:.2}")).unwrap_or_default();
    let mut cells = vec![
        time(measured.dispatch.median),
        quartiles(&measured.dispatch),
        times,
        figures(measured.gigabytes_per_second),
        figures(measured.memcpy.gigabytes_per_second),
        format!("{:.2}", measured.share_of_memcpy),
    ];
    if largest.is_some() && measured.times_half == largest {
        cells.push("◂ the largest growth".to_owned());
    }
    cells
}

/// Cells in columns: the first ones begin together, all others end together. A row may end in words, which take no part.
struct Table {
    heads: Vec<String>,
    /// How many columns begin together.
    left: usize,
    rows: Vec<(Vec<String>, String)>,
}

impl Table {
    fn new<const N: usize>(heads: [&str; N], left: usize) -> Self {
        Self { heads: heads.map(str::to_owned).to_vec(), left, rows: Vec::new() }
    }

    fn row(&mut self, start: Vec<String>, outcome: &Outcome, cells: impl FnOnce(&Measured) -> Vec<String>) {
        let mut row = start;
        let words = match outcome {
            Outcome::Measured(measured) => {
                row.extend(cells(measured));
                row.drain(self.heads.len().min(row.len())..).collect()
            }
            Outcome::Unsupported(reason) => format!("unsupported: {reason}"),
            Outcome::Failed(failed) => format!("{BAD}failed{BAD:#}: {}", failed.reason),
        };
        self.rows.push((row, words));
    }

    /// The columns for which there is room, and the heads of those that are left out for the others.
    fn fitting(&self, widths: &[usize], room: Option<usize>) -> (Vec<usize>, Vec<&'static str>) {
        let mut shown: Vec<usize> = (0..self.heads.len()).collect();
        let mut left_out = Vec::new();
        for spare in SPARE {
            if let Some(place) = shown.iter().position(|&column| self.heads[column] == spare)
                && !fits(&shown, widths, room)
            {
                shown.remove(place);
                left_out.push(spare);
            }
        }
        (shown, left_out)
    }

    /// With the heads of the columns for which there is no room. Where the others have none either, those that begin
    /// together have a line of their own.
    fn text(&self, room: Option<usize>) -> (String, Vec<&'static str>) {
        let rows =
            || std::iter::once((&self.heads, "")).chain(self.rows.iter().map(|(cells, words)| (cells, &**words)));
        let widths: Vec<usize> = (0..self.heads.len())
            .map(|column| {
                rows().filter_map(|(cells, _)| cells.get(column)).map(|cell| columns(cell)).max().unwrap_or(0)
            })
            .collect();
        let (shown, left_out) = self.fitting(&widths, room);
        let is_broken = !fits(&shown, &widths, room);
        let mut text = String::new();
        for (cells, words) in rows() {
            let mut line = String::new();
            for &column in shown.iter().filter(|&&column| column < cells.len()) {
                let (cell, width) = (&cells[column], widths[column]);
                if is_broken && column == self.left {
                    line = if line.trim().is_empty() { String::new() } else { format!("{}\n", line.trim_end()) } + "  ";
                }
                let _ =
                    if column < self.left { write!(line, "  {cell:width$}") } else { write!(line, "  {cell:>width$}") };
            }
            let last = line.lines().last().unwrap_or_default();
            let behind = room.filter(|room| !words.is_empty() && columns(last) + 2 + columns(words) > *room);
            let _ = match behind {
                Some(room) => write!(text, "{}\n{}", line.trim_end(), wrapped(words, "      ", "      ", room)),
                None => writeln!(text, "{}", format!("{line}  {words}").trim_end()),
            };
        }
        (text, left_out)
    }
}

fn fits(shown: &[usize], widths: &[usize], room: Option<usize>) -> bool {
    room.is_none_or(|room| shown.iter().map(|&column| 2 + widths[column]).sum::<usize>() <= room)
}

/// Seconds in the unit that suits them.
fn time(seconds: f64) -> String {
    let (scale, unit) = unit_of(seconds);
    format!("{} {unit}", figures(seconds * scale))
}

/// The quartiles in the unit of the median.
fn quartiles(timing: &Timing) -> String {
    let (scale, _) = unit_of(timing.median);
    format!("{} – {}", figures(timing.lower_quartile * scale), figures(timing.upper_quartile * scale))
}

fn unit_of(seconds: f64) -> (f64, &'static str) {
    match seconds {
        1.0.. => (1.0, "s"),
        1e-3.. => (1e3, "ms"),
        1e-6.. => (1e6, "µs"),
        _ => (1e9, "ns"),
    }
}

/// Three digits that count, and all that stand before a point.
fn figures(value: f64) -> String {
    match value {
        99.95.. => format!("{value:.0}"),
        9.995.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A whole number in groups of three digits.
fn thousands(value: f64) -> String {
    indicatif::HumanCount(value as u64).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_their_unit() {
        for (seconds, text) in [
            (1.5, "1.50 s"),
            (0.999_6, "1000 ms"),
            (0.012_34, "12.3 ms"),
            (1.234e-5, "12.3 µs"),
            (2.5e-8, "25.0 ns"),
            (4e-10, "0.40 ns"),
        ] {
            assert_eq!(time(seconds), text);
        }
        let timing = Timing { median: 1e-3, lower_quartile: 9.9e-4, upper_quartile: 1.01e-3 };
        assert_eq!(quartiles(&timing), "0.99 – 1.01");
        assert_eq!(thousands(1_234_567.8), "1,234,567");
    }
}
