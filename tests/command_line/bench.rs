//! Measuring: what is counted, what is refused, what is shown. No speed is asserted.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::time::Duration;

use crate::command::opcert;
use opcert::backend::{Backend, CompileError, DataType, Descriptor, Fault, Identity, Input, Operator, Output, Support};
use opcert::bench::{
    BENCH_FORMAT, Bench, BenchError, BenchReport, Measured, MeasuredBackend, Measurement, Memcpy, Outcome, Row, Scale,
    Timing, Work, Workload, Workloads, plot, table,
};
use opcert::report::Machine;
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_cpu::CpuBackend;
use serde_json::Value;
use tempfile::TempDir;

fn specs() -> Specs {
    Specs::load(&Source::embedded_specs()).unwrap()
}

fn workloads() -> Workloads {
    Workloads::load(&Source::embedded_workloads(), &specs(), |_| true).unwrap()
}

fn work(operator: &str, name: &str, data_type: DataType) -> Work {
    let workloads = workloads();
    let is_it = |each: &&Workload| each.operator.id == operator && each.name == name;
    let workload = workloads.all().find(is_it).unwrap();
    let Scale::Elements(elements) = workload.scale else { panic!("{name} has no size") };
    workload.work(data_type, elements).unwrap()
}

/// Computed by hand from the sizes of the tensors: bytes read, and bytes written where so many elements are found.
#[test]
fn bytes_are_those_that_the_work_needs() {
    use DataType::{F16, F32, I64, U8};
    let (argmax, nonzero) = ("directml/argmax", "directml/nonzero_coordinates");
    for (operator, name, data_type, found, read, written) in [
        (argmax, "last_axis", F32, 0, 67_108_864, 16_384),
        (argmax, "last_axis", U8, 0, 16_777_216, 16_384),
        (argmax, "last_axis", I64, 0, 134_217_728, 16_384),
        (argmax, "short_rows", F32, 0, 67_108_864, 4_194_304),
        (argmax, "first_axis", F16, 0, 33_554_432, 16_384),
        (argmax, "middle_axis", F32, 0, 67_108_864, 262_144),
        (argmax, "outer_axes", F32, 0, 67_108_864, 1024),
        // Indices of four bytes, and Off and On.
        ("directml/one_hot", "last_axis", F32, 0, 4_194_304 + 8, 536_870_912),
        ("directml/one_hot", "first_axis", U8, 0, 4_194_304 + 2, 134_217_728),
        ("directml/one_hot", "middle_axis", I64, 0, 4_194_304 + 16, 1_073_741_824),
        // The count, and for each element that is found two coordinates or one.
        (nonzero, "1_percent", F32, 167_772, 67_108_864, 4 + 1_342_176),
        (nonzero, "100_percent", F32, 16_777_216, 67_108_864, 4 + 134_217_728),
        (nonzero, "flat_50_percent", U8, 8_388_608, 16_777_216, 4 + 33_554_432),
        (nonzero, "flat_1_percent", F16, 0, 33_554_432, 4),
        // Indices of eight bytes, the depth of eight, and both values.
        ("openvino/one_hot_1", "last_axis", F32, 0, 8_388_608 + 8 + 8, 536_870_912),
        ("openvino/one_hot_1", "first_axis", U8, 0, 8_388_608 + 8 + 2, 134_217_728),
    ] {
        let work = work(operator, name, data_type);
        assert_eq!((work.bytes_read(), work.bytes_written(found)), (read, written), "{operator} {name} {data_type}");
    }
}

#[test]
fn the_table_has_the_sizes_that_are_compared() {
    let caption = |operator, name| work(operator, name, DataType::F32).caption;
    assert_eq!(caption("directml/argmax", "last_axis"), "[4096, 4096] axis 1");
    assert_eq!(caption("directml/argmax", "short_rows"), "[1048576, 16] axis 1");
    assert_eq!(caption("directml/argmax", "outer_axes"), "[256, 256, 256] axes [0, 2]");
    assert_eq!(caption("directml/one_hot", "last_axis"), "[1048576, 128] axis 1");
    assert_eq!(caption("directml/one_hot", "first_axis"), "[128, 1048576] axis 0");
    assert_eq!(caption("directml/one_hot", "middle_axis"), "[1024, 128, 1024] axis 1");
    assert_eq!(caption("directml/nonzero_coordinates", "50_percent"), "[4096, 4096] 50 %");
    assert_eq!(caption("directml/nonzero_coordinates", "flat_1_percent"), "[16777216] 1 %");
    assert_eq!(caption("openvino/one_hot_1", "first_axis"), "[128, 1048576] axis 0");
    let specs = specs();
    for operator in &specs.operators {
        let workloads = workloads();
        let its: Vec<_> = workloads.all().filter(|workload| workload.operator.id == operator.id).collect();
        assert_eq!(its.iter().filter(|workload| workload.grows).count(), 1, "{}", operator.id);
    }
}

/// The CPU backend with something done to each dispatch.
struct Altered(fn(&mut [Output<'_>]));

struct AlteredOperator(Box<dyn Operator>, fn(&mut [Output<'_>]));

impl Backend for Altered {
    fn identity(&self) -> Identity {
        Identity { claims: [("directml".to_owned(), "6_4".to_owned())].into(), ..CpuBackend::new().identity() }
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        let halves = descriptor.tensors.iter().any(|entry| entry.tensor.data_type == DataType::F16);
        if halves { Support::No("no\u{1b}[2J halves".to_owned()) } else { Support::Yes }
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let large = descriptor.tensors.iter().any(|entry| entry.tensor.element_count() > Some(1 << 40));
        assert!(!large, "what does not fit is not compiled");
        Ok(Box::new(AlteredOperator(CpuBackend::new().compile(descriptor)?, self.0)))
    }
}

impl Operator for AlteredOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        self.0.dispatch(inputs, outputs)?;
        (self.1)(outputs);
        Ok(())
    }
}

fn measured(backend: &dyn Backend, change: impl FnOnce(&mut Bench<'_>)) -> Result<Measurement, BenchError> {
    let (specs, workloads) = (specs(), workloads());
    let mut bench = Bench::new(&specs, &workloads, backend, false);
    // What is compared with the copy is not looked at here.
    bench.copied_bytes = 1 << 20;
    change(&mut bench);
    bench.run(|_| ())
}

#[test]
fn every_workload_is_valid_and_right() {
    let cpu = CpuBackend::new();
    let measurement = measured(&cpu, |bench| {
        bench.sizes = Some("1000".parse().unwrap());
        bench.types = vec![DataType::F16, DataType::I64];
        bench.threads = vec![2];
    });
    let report = measurement.unwrap().report;
    let workloads = workloads();
    let sized = workloads.all().filter(|workload| workload.scale != Scale::Small);
    assert_eq!(report.rows.len(), 2 * sized.count());
    for row in &report.rows {
        let operator = row.operator.raw();
        let unsupported = format!("[{operator}/tensor-support]");
        let lacking = match (operator.strip_prefix("directml/").unwrap_or(operator), row.data_type) {
            ("nonzero_coordinates" | "is_nan" | "is_infinity", DataType::I64) => Some(&*unsupported),
            ("logical_and" | "logical_or" | "logical_xor" | "logical_not", _) => Some(&*unsupported),
            ("bit_shift_left" | "bit_shift_right", _) => Some(&*unsupported),
            ("tosa/argmax", DataType::I64) => Some("`tosa` has no data type `i64`"),
            _ => None,
        };
        match (&row.outcome, lacking) {
            (Outcome::Measured(_), None) => {}
            (Outcome::Unsupported(reason), Some(said)) => assert!(reason.raw().ends_with(said), "{row:?}"),
            _ => panic!("{row:?}"),
        }
    }
}

#[test]
fn a_wrong_answer_is_not_timed() {
    let small = Altered(|outputs| outputs[0].bytes[0] ^= 1);
    let measurement = measured(&small, |bench| bench.sizes = Some("2^18".parse().unwrap())).unwrap();
    for row in measurement.report.rows.iter().filter(|row| row.operator.raw().starts_with("directml")) {
        let Outcome::Failed(failed) = &row.outcome else { panic!("{row:?}") };
        assert!(failed.elements == 64 && failed.reason.raw().starts_with("fail: `Output"), "{row:?}");
    }
    let first = &measurement.wrong[0];
    let options = ["--operator directml/argmax", "--workload last_axis", "--type f32", "--size 64"];
    assert_eq!(first.options[..4], options);
    assert!(first.event.differences[0].rendering.is_some());

    // What goes wrong only where there is much to write is found too.
    let large = Altered(|outputs| {
        if let Some(last) = outputs[0].bytes.get_mut(200_000) {
            *last ^= 1;
        }
    });
    let one_hot = |bench: &mut Bench<'_>| {
        bench.operators = vec!["directml/one_hot".to_owned()];
        bench.workloads = vec!["last_axis".to_owned()];
        bench.sizes = Some("2^17".parse().unwrap());
    };
    let measurement = measured(&large, one_hot).unwrap();
    let Outcome::Failed(failed) = &measurement.report.rows[0].outcome else { panic!("{:?}", measurement.report.rows) };
    assert_eq!(failed.elements, 1 << 16);
}

#[test]
fn what_is_slow_reads_so_and_halves_take_turns() {
    let slow = Altered(|_| std::thread::sleep(Duration::from_millis(1)));
    let argmax = |bench: &mut Bench<'_>| {
        bench.operators = vec!["directml/argmax".to_owned()];
        bench.sizes = Some("2^4..2^6".parse().unwrap());
        bench.threads = vec![1];
    };
    let report = measured(&slow, argmax).unwrap().report;
    let rows: Vec<&Measured> = report.rows.iter().filter_map(Row::measured).collect();
    assert_eq!(rows.len(), 3);
    for (row, measured) in report.rows.iter().zip(&rows) {
        // Nothing that sleeps for a millisecond takes less.
        assert!(measured.dispatch.median >= 1e-3 && measured.times_empty_call > 0.0, "{measured:?}");
        assert!(measured.dispatch.lower_quartile <= measured.dispatch.median);
        assert_eq!((row.threads, measured.memcpy.threads), (Some(1), 1));
        assert_eq!(measured.bytes_moved(), row.elements * 4 + 4 * [4, 8, 8][(row.elements.ilog2() - 4) as usize]);
    }
    assert_eq!(rows.iter().map(|row| row.times_half.is_some()).collect::<Vec<_>>(), [false, true, true]);
    assert_eq!(BenchReport::read(&report.json().unwrap()).unwrap(), report);
}

#[test]
fn what_is_not_supported_is_shown_with_its_reason() {
    let right = Altered(|_| ());
    let halves = |bench: &mut Bench<'_>| {
        bench.workloads = vec!["last_axis".to_owned()];
        bench.types = vec![DataType::F16];
        bench.sizes = Some("2^10".parse().unwrap());
    };
    let report = measured(&right, halves).unwrap().report;
    let text = anstream::adapter::strip_str(&table(&report, None)).to_string();
    assert_eq!(text.matches("f16  unsupported: no\\u{1b}[2J halves\n").count(), 16, "{text}");
    assert!(text.contains("unsupported: `openvino/one_hot_1` is not claimed\n"), "{text}");
    assert_eq!(plot(&report), None);
}

#[test]
fn what_is_not_there_cannot_be_measured() {
    let cpu = CpuBackend::new();
    let refused = |change: fn(&mut Bench<'_>)| match measured(&cpu, change) {
        Ok(_) => panic!("it was measured"),
        Err(error) => error.to_string(),
    };
    let operator = refused(|bench| bench.operators = vec!["directml/argmid".to_owned()]);
    assert!(
        operator.starts_with("`directml/argmid` is no operator that can be measured; there are `directml/argmax`,")
    );
    let workload = refused(|bench| bench.workloads = vec!["diagonal".to_owned()]);
    assert!(
        workload.starts_with("`diagonal` is no workload of what is measured; there are `last_axis`, `short_rows`,")
    );
    let small = refused(|bench| {
        bench.workloads = vec!["example".to_owned()];
        bench.sizes = Some("2^10".parse().unwrap());
    });
    assert_eq!(small, "`example` is always of the same size: leave the size out");
    let threads = refused(|bench| (bench.isolated, bench.threads) = (true, vec![1]));
    assert_eq!(threads, "a backend in a process of its own cannot be told how many threads to use");
}

fn timing(median: f64) -> Timing {
    Timing::of([0.98, 0.99, 0.99, 1.0, 1.0, 1.01, 1.02, 1.02, 1.5].map(|factor| factor * median).to_vec())
}

/// A row in which everything follows from the elements, so that it can be worked out by hand.
fn row(workload: &str, elements: u64, seconds: f64, times_half: Option<f64>) -> Row {
    let six_digits = |value: f64| format!("{value:.5e}").parse::<f64>().unwrap();
    let measured = Measured {
        bytes_read: 4 * elements,
        bytes_written: 0,
        repetitions: 1,
        dispatch: timing(seconds),
        dispatches_per_second: six_digits(1.0 / seconds),
        gigabytes_per_second: six_digits(4.0 * elements as f64 / seconds / 1e9),
        memcpy: Memcpy { threads: 2, bytes_moved: 200_000_000, copy: timing(0.01), gigabytes_per_second: 20.0 },
        share_of_memcpy: six_digits(4.0 * elements as f64 / seconds / 20e9),
        empty_call: timing(5e-9),
        times_empty_call: six_digits(seconds / 5e-9),
        times_half,
    };
    Row {
        operator: "family/operator".into(),
        workload: workload.into(),
        data_type: DataType::F32,
        tensor: format!("[{elements}]").into(),
        elements,
        threads: Some(2),
        outcome: Outcome::Measured(Box::new(measured)),
    }
}

fn report(rows: Vec<Row>) -> BenchReport {
    let machine = Machine {
        system: "linux".to_owned(),
        architecture: "x86_64".to_owned(),
        processor: Some("Abacus <9000>".to_owned()),
        cores: 2,
        memory: Some(8 << 30),
    };
    let (name, version) = ("mine".into(), "1.0".into());
    let backend = MeasuredBackend { name, version, device: Some("gpu".into()), isolated: false };
    BenchReport { format: BENCH_FORMAT, machine, backend, rounds: 9, rows }
}

fn growing() -> Vec<Row> {
    vec![
        row("grows", 1024, 1e-6, None),
        row("grows", 2048, 2e-6, Some(2.0)),
        row("grows", 4096, 5e-6, Some(2.5)),
        Row { outcome: Outcome::Unsupported("too large".into()), ..row("grows", 8192, 1.0, None) },
        Row { outcome: Outcome::Unsupported("too large".into()), ..row("grows", 16384, 1.0, None) },
    ]
}

#[test]
fn tables_are_easy_to_read() {
    let mut rows = vec![row("one", 25_000_000, 0.01, None), row("other", 5_000_000, 0.02, None)];
    rows.push(row("tiny", 1, 1e-8, None));
    rows.extend(growing());
    let text = anstream::adapter::strip_str(&table(&report(rows), None)).to_string();
    let expected = "\
mine 1.0 on gpu in process, 2 threads
Abacus <9000>, 2 cores, 8 GiB of memory, linux
medians of 9 rounds, in turns with memcpy on as many threads

family/operator
                             time    quartiles  GB/s  memcpy  share
  one    [25000000]  f32  10.0 ms  9.90 – 10.2  10.0    20.0   0.50
  other  [5000000]   f32  20.0 ms  19.8 – 20.4  1.00    20.0   0.05

small tensors, by the dispatch
                                      time    quartiles   per second  empty call  times it
  family/operator  tiny  [1]  f32  10.0 ns  9.90 – 10.2  100,000,000     5.00 ns      2.00

family/operator, grows f32, by size
  elements        time    quartiles  of half  GB/s  memcpy  share
  2^10         1.00 µs  0.99 – 1.02           4.10    20.0   0.20
  2^11         2.00 µs  1.98 – 2.04    ×2.00  4.10    20.0   0.20
  2^12         5.00 µs  4.95 – 5.10    ×2.50  3.28    20.0   0.16  ◂ the largest growth
  2^13 – 2^14  unsupported: too large
";
    assert_eq!(text, expected);
}

#[test]
fn tables_are_as_wide_as_there_is_room() {
    let mut rows = vec![row("one", 25_000_000, 0.01, None), row("tiny", 1, 1e-8, None)];
    rows.extend(growing());
    let report = report(rows);
    let shown = |room| anstream::adapter::strip_str(&table(&report, room)).to_string();
    let whole = shown(None);
    assert_eq!(shown(Some(120)), whole);
    let widest = whole.lines().map(|line| line.chars().count()).max();
    assert!(widest > Some(80), "{widest:?}");
    for (room, left_out) in [
        (80, "No room for: quartiles. A wider terminal or `--format json` shows them."),
        (64, "No room for: quartiles, empty call. A wider terminal or"),
        (44, "No room for: quartiles, memcpy, empty call."),
    ] {
        let text = shown(Some(room));
        let lines = || text.lines();
        assert_eq!(lines().filter(|line| line.chars().count() > room).collect::<Vec<_>>(), [""; 0], "{text}");
        assert!(lines().any(|line| line == left_out), "{text}");
        for kept in ["0.50", "2.00", "10.0 ms", "×2.50", "◂ the largest growth", "unsupported: too large"] {
            assert!(text.contains(kept), "{kept}: {text}");
        }
    }
}

#[test]
fn a_report_is_read_again_and_another_format_is_not() {
    let mut rows = growing();
    rows.push(Row { threads: None, ..row("one", 25_000_000, 0.01, None) });
    let report = report(rows);
    let json = report.json().unwrap();
    assert_eq!(BenchReport::read(&json).unwrap(), report);
    let refused = |text: &str| BenchReport::read(text).unwrap_err().to_string();
    assert_eq!(refused(&json.replacen("\"format\": 1", "\"format\": 2", 1)), "has format 2, this is format 1");
    assert!(refused(&json.replacen("\"rounds\"", "\"bouts\"", 1)).contains("unknown field `bouts`"));
}

#[test]
fn a_plot_has_a_line_for_each_workload_and_one_for_memcpy() {
    let mut rows = growing();
    rows.extend(growing().into_iter().map(|row| Row { operator: "family/other<>".into(), ..row }));
    rows.push(row("alone", 1024, 1e-6, None));
    let picture = plot(&report(rows)).unwrap();
    assert_eq!(picture.matches("<polyline class=\"memcpy dash0\"").count(), 2);
    assert_eq!(picture.matches("<polyline").count(), 4);
    assert_eq!(picture.matches("<circle").count(), 6);
    assert!(picture.contains("2^11 elements: 4.1 GB/s, 0.20 of memcpy, 0.002 ms"), "{picture}");
    assert!(picture.contains("Abacus &lt;9000&gt;, 2 cores") && picture.contains("family/other&lt;&gt;"), "{picture}");
    assert!(!picture.contains("alone") && !picture.contains("http://") | picture.contains("w3.org/2000/svg"));
}

#[test]
fn the_command_measures_a_backend_in_a_process_of_its_own() {
    let folder = TempDir::new().unwrap();
    let what = ["--operator", "directml/argmax", "--operator", "openvino/one_hot_1", "--workload", "last_axis"];
    let sizes = ["--isolate", "--size", "2^6..2^7", "--format", "json", "--out", "result.json"];
    let ran = opcert(folder.path(), &[&["bench"], &what[..], &sizes[..]].concat());
    assert!(ran.code == 0 && ran.out.is_empty(), "{}", ran.said());
    let text = std::fs::read_to_string(folder.path().join("result.json")).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["backend"]["isolated"], true);
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for row in rows {
        assert!(row["outcome"]["measured"]["dispatch"]["median"].as_f64().unwrap() > 0.0, "{row}");
        assert_eq!(row.get("threads"), None);
    }
    let again = opcert(folder.path(), &["bench", "result.json"]);
    assert!(
        again.code == 0 && again.out.contains("in a process of its own: it chooses its threads"),
        "{}",
        again.said()
    );
    let picture = opcert(folder.path(), &["bench", "result.json", "--format", "svg"]);
    assert!(picture.code == 0 && picture.out.starts_with("<svg "), "{}", picture.said());
}

#[test]
fn the_command_refuses_what_makes_no_sense() {
    let folder = TempDir::new().unwrap();
    for (arguments, fragment) in [
        (&["--isolate", "--threads", "2"][..], "a backend in a process of its own cannot be told how many threads"),
        (&["--threads", "0"], "expected a number from 1 to 1024"),
        (&["--format", "svg", "--size", "2^10"], "a plot shows several sizes, and `--size` is one"),
        (&["--size", "1.5M"], "`1.5M` is no number of elements"),
        (&["--type", "f31"], "there are f64, f32"),
        (&["--backend", "abacus"], "`abacus` is no backend"),
        (&["nothing.json"], "`nothing.json`: there is no such file of results; `--operator` names an operator"),
        (&["nothing.json", "--isolate"], "cannot be used with"),
    ] {
        let ran = opcert(folder.path(), &[&["bench"], arguments].concat());
        assert!(ran.code == 2 && ran.err.contains(fragment), "{arguments:?}: {}", ran.said());
    }
    let nothing = ["bench", "--operator", "directml/nonzero_coordinates", "--type", "i64", "--workload", "1_percent"];
    let ran = opcert(folder.path(), &nothing);
    assert!(ran.code == 4 && ran.out.contains("i64  unsupported: not valid at 6_4"), "{}", ran.said());
}
