//! How bandwidth changes with size, as a picture: a panel per operator, a line per workload, and the line of memcpy. It
//! brings its own light or dark ground and loads nothing.

use maud::{Markup, PreEscaped, html};

use super::report::{BenchReport, Row};
use super::size::written;
use opcert_backend::foreign::printable_line;

const STYLE: &str = include_str!("plot.css");

const WIDTH: f64 = 900.0;
/// Where the axes begin and end; names of lines stand to the right.
const LEFT: f64 = 52.0;
const RIGHT: f64 = 716.0;
const HEAD: f64 = 62.0;
/// The height of the axes, and what stands above and below them.
const PANEL: f64 = 190.0;
const ABOVE: f64 = 30.0;
const BELOW: f64 = 38.0;
/// Names of lines are so far apart.
const LINE: f64 = 15.0;
/// How many lines can be told apart by colour; more begin anew.
const COLORS: usize = 6;
/// The same for the dashes of memcpy.
const DASHES: usize = 3;
/// About how many lines there are across a panel.
const GRID: f64 = 5.0;

/// Renders the workloads that were measured at several sizes. `None` if there are none.
#[must_use]
pub fn plot(report: &BenchReport) -> Option<String> {
    let lines: Vec<Line> = report.rows.chunk_by(Row::is_of_series).filter_map(|rows| Line::of(rows, report)).collect();
    let sizes = || lines.iter().flat_map(|line| &line.points).map(|point| point.elements);
    let axis = Axis { first: sizes().min()? as f64, last: sizes().max()? as f64 };
    let panels: Vec<Panel<'_>> = lines.chunk_by(|one, other| one.operator == other.operator).map(Panel::of).collect();
    let height = HEAD + panels.len() as f64 * (ABOVE + PANEL + BELOW);
    let title = printable_line(&format!("{} {}: bandwidth by size", report.backend.name, report.backend.version));
    let drawn = panels.iter().enumerate().map(|(at, panel)| {
        let top = HEAD + at as f64 * (ABOVE + PANEL + BELOW) + ABOVE;
        panel.draw(top, &axis)
    });
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" width=(WIDTH) height=(height)
            viewBox=(format!("0 0 {WIDTH} {height}")) {
            title id="title" { (title) }
            desc id="desc" { (lines.iter().map(Line::in_words).collect::<Vec<_>>().join(" ")) }
            style { (PreEscaped(STYLE)) }
            rect class="paper" width=(WIDTH) height=(height) rx="8" {}
            text class="title" x="16" y="26" { (title) }
            text class="note" x="16" y="46" { (circumstances(report)) }
            @for panel in drawn { (panel) }
        }
    };
    Some(picture.into_string() + "\n")
}

fn circumstances(report: &BenchReport) -> String {
    let machine = &report.machine;
    let way = if report.backend.isolated { "in a process of its own" } else { "in process" };
    let processor = machine.processor.as_deref().unwrap_or(&machine.architecture);
    let threads = if threads_differ(report) { "; ×n: on n threads" } else { "" };
    printable_line(&format!(
        "GB/s read and written; {way}; {processor}, {}; medians of {} rounds{threads}",
        crate::render::counted(machine.cores, "core"),
        report.rounds
    ))
}

/// Whether rows are told apart by their threads.
fn threads_differ(report: &BenchReport) -> bool {
    report.rows.iter().any(|row| Some(row.threads) != report.rows.first().map(|first| first.threads))
}

/// A workload at several sizes.
struct Line {
    operator: String,
    name: String,
    threads: usize,
    points: Vec<Point>,
}

struct Point {
    elements: u64,
    speed: f64,
    memcpy: f64,
    words: String,
}

impl Line {
    fn of(rows: &[Row], report: &BenchReport) -> Option<Self> {
        let first = rows.first().filter(|_| rows.len() > 1)?;
        let points: Vec<Point> = rows.iter().filter_map(Point::of).collect();
        let threads = rows.iter().find_map(Row::measured)?.memcpy.threads;
        let named = first.threads.filter(|_| threads_differ(report)).map(|threads| format!(" ×{threads}"));
        let name = format!("{} {}{}", first.workload, first.data_type, named.unwrap_or_default());
        Some(Self { operator: first.operator.to_string(), name, threads, points })
    }

    fn in_words(&self) -> String {
        let best = self.points.iter().max_by(|one, other| one.speed.total_cmp(&other.speed));
        let best = best.map(|point| format!("at most {:.1} GB/s, at {}", point.speed, written(point.elements)));
        format!("{} {}: {}.", self.operator, self.name, best.unwrap_or_default())
    }
}

impl Point {
    fn of(row: &Row) -> Option<Self> {
        let measured = row.measured()?;
        let (speed, memcpy) = (measured.gigabytes_per_second, measured.memcpy.gigabytes_per_second);
        let words = format!(
            "{} elements: {speed:.1} GB/s, {:.2} of memcpy, {:.3} ms",
            written(row.elements),
            measured.share_of_memcpy,
            measured.dispatch.median * 1e3
        );
        Some(Self { elements: row.elements, speed, memcpy, words })
    }
}

/// The axis of sizes, which all panels share: powers of two are equally far apart.
struct Axis {
    first: f64,
    last: f64,
}

impl Axis {
    fn place(&self, elements: u64) -> f64 {
        let span = (self.last.log2() - self.first.log2()).max(1.0);
        LEFT + ((elements as f64).log2() - self.first.log2()) / span * (RIGHT - LEFT)
    }

    /// The powers of two that are named, every second one where there are many.
    fn ticks(&self) -> impl Iterator<Item = u32> {
        let (first, last) = (self.first.log2().ceil() as u32, self.last.log2().floor() as u32);
        (first..=last).step_by(if last - first > 10 { 2 } else { 1 })
    }
}

/// The lines of an operator, with an axis of speeds of their own.
struct Panel<'a> {
    lines: &'a [Line],
    step: f64,
    most: f64,
}

impl<'a> Panel<'a> {
    fn of(lines: &'a [Line]) -> Self {
        let points = lines.iter().flat_map(|line| &line.points);
        let most = points.map(|point| point.speed.max(point.memcpy)).fold(f64::MIN_POSITIVE, f64::max);
        let step = round_step(most / GRID);
        Self { lines, step, most: (most / step).ceil() * step }
    }

    fn draw(&self, top: f64, axis: &Axis) -> Markup {
        let height = |speed: f64| top + PANEL * (1.0 - speed / self.most);
        let steps = (self.most / self.step).round() as u32;
        let digits = if self.step < 1.0 { (-self.step.log10()).ceil() as usize } else { 0 };
        let memcpy = self.memcpy();
        let place = |points: &[(u64, f64)]| -> String {
            let places = points.iter().map(|&(size, speed)| format!("{:.1},{:.1}", axis.place(size), height(speed)));
            places.collect::<Vec<_>>().join(" ")
        };
        html! {
            text class="operator" x="16" y=(top - 12.0) { (self.lines.first().map_or("", |line| &line.operator)) }
            @for step in 0..=steps {
                @let speed = f64::from(step) * self.step;
                @let (class, y) = (if step == 0 { "axis" } else { "grid" }, rounded(height(speed)));
                line class=(class) x1=(LEFT) x2=(RIGHT) y1=(y) y2=(y) {}
                text class="tick speed" x=(LEFT - 8.0) y=(y + 4.0) { (format!("{speed:.digits$}")) }
            }
            @for exponent in axis.ticks() {
                @let x = rounded(axis.place(1 << exponent));
                line class="axis" x1=(x) x2=(x) y1=(top + PANEL) y2=(top + PANEL + 4.0) {}
                text class="tick size" x=(x) y=(top + PANEL + 18.0) { "2" tspan class="power" dy="-4" { (exponent) } }
            }
            text class="tick" x=(RIGHT + 12.0) y=(top + PANEL + 18.0) { "elements" }
            @for (at, (_, points)) in memcpy.iter().enumerate() {
                polyline class=(format!("memcpy dash{}", at % DASHES)) points=(place(points)) {}
            }
            @for (at, line) in self.lines.iter().enumerate() {
                @let points: Vec<(u64, f64)> = line.points.iter().map(|point| (point.elements, point.speed)).collect();
                g class=(format!("line color{}", at % COLORS)) {
                    polyline points=(place(&points)) {}
                    @for point in &line.points {
                        @let (x, y) = (rounded(axis.place(point.elements)), rounded(height(point.speed)));
                        circle cx=(x) cy=(y) r="3" { title { (point.words) } }
                    }
                }
            }
            (self.names(&memcpy, &height, top))
        }
    }

    /// The name of each line where it ends, moved so that they do not cover each other.
    fn names(&self, memcpy: &[(usize, Vec<(u64, f64)>)], height: &impl Fn(f64) -> f64, top: f64) -> Markup {
        let mut names: Vec<(f64, String, String)> = Vec::new();
        for (threads, points) in memcpy {
            let text = format!("memcpy, {}", crate::render::counted(*threads, "thread"));
            names.extend(points.last().map(|&(_, speed)| (height(speed), "memcpy".to_owned(), text)));
        }
        for (at, line) in self.lines.iter().enumerate() {
            let class = format!("line color{}", at % COLORS);
            names.extend(line.points.last().map(|point| (height(point.speed), class, line.name.clone())));
        }
        names.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
        let mut free = top - LINE / 2.0;
        for (y, ..) in &mut names {
            *y = y.max(free);
            free = *y + LINE;
        }
        // What was moved below the axis moves up again, and the others with it.
        let mut room = top + PANEL;
        for (y, ..) in names.iter_mut().rev() {
            *y = y.min(room);
            room = *y - LINE;
        }
        html! {
            @for (y, class, text) in names {
                g class=(class) { text class="name" x=(RIGHT + 12.0) y=(rounded(y + 4.0)) { (text) } }
            }
        }
    }

    /// The speed of memcpy at each size, for each number of threads: the mean over the lines.
    fn memcpy(&self) -> Vec<(usize, Vec<(u64, f64)>)> {
        let mut threads: Vec<usize> = self.lines.iter().map(|line| line.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        let of = |threads: usize| -> Vec<(u64, f64)> {
            let lines = self.lines.iter().filter(|line| line.threads == threads);
            let points: Vec<&Point> = lines.flat_map(|line| &line.points).collect();
            let mut sizes: Vec<u64> = points.iter().map(|point| point.elements).collect();
            sizes.sort_unstable();
            sizes.dedup();
            let mean = |size: u64| {
                let speeds = || points.iter().filter(|point| point.elements == size).map(|point| point.memcpy);
                speeds().sum::<f64>() / speeds().count().max(1) as f64
            };
            sizes.into_iter().map(|size| (size, mean(size))).collect()
        };
        threads.into_iter().map(|threads| (threads, of(threads))).collect()
    }
}

/// The next of 1, 2 and 5 times a power of ten.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power).find(|&step| step >= least).unwrap_or(10.0 * power)
}

/// A place that takes few digits.
fn rounded(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        for (least, step) in [(0.9, 1.0), (1.1, 2.0), (2.0, 2.0), (3.3, 5.0), (6.0, 10.0), (0.03, 0.05), (71.0, 100.0)]
        {
            assert!((round_step(least) - step).abs() < 1e-12, "{least}: {}", round_step(least));
        }
    }

    #[test]
    fn doublings_are_equally_far_apart() {
        let axis = Axis { first: 1024.0, last: 4096.0 };
        assert_eq!([1024, 2048, 4096].map(|size| axis.place(size)), [LEFT, (LEFT + RIGHT) / 2.0, RIGHT]);
        assert_eq!(axis.ticks().collect::<Vec<_>>(), [10, 11, 12]);
    }
}
