//! Numbers that options take: of those that the type lets pass, the ones that mean something.

/// A year: nobody waits longer, and every clock can count so far.
const MOST_SECONDS: f64 = 365.0 * 24.0 * 3600.0;
/// More than any machine has.
const MOST_GIBIBYTES: f64 = (1 << 24) as f64;
/// More threads than this no system starts.
const MOST_JOBS: usize = 4096;

/// A length of time.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let found = text.parse().ok().filter(|found| (1e-9..=MOST_SECONDS).contains(found));
    found.ok_or_else(|| format!("expected seconds: more than 0, and at most {MOST_SECONDS}, a year"))
}

/// An amount of memory.
pub(super) fn gibibytes(text: &str) -> Result<f64, String> {
    let found = text.parse().ok().filter(|&found| found > 0.0 && found <= MOST_GIBIBYTES);
    found.ok_or_else(|| format!("expected GiB: more than 0, and at most {MOST_GIBIBYTES}"))
}

/// A number of things that there has to be.
pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&found| found > 0).ok_or_else(|| "expected a number from 1 on".to_owned())
}

/// How much is done at a time.
pub(super) fn jobs(text: &str) -> Result<usize, String> {
    let found = text.parse().ok().filter(|&found| found <= MOST_JOBS);
    found.ok_or_else(|| format!("expected a number from 0 to {MOST_JOBS}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_nothing_is_refused() {
        for text in ["0", "-1", "-0", "nan", "inf", "-inf", "1e19", "1e300", "1e-320", "31536001", "", "1s", "0x10"] {
            assert!(seconds(text).is_err() && (gibibytes(text).is_err() || text == "31536001" || text == "1e-320"));
        }
        for text in ["4097", "-1", "18446744073709551616", "1.5", ""] {
            assert!(jobs(text).is_err(), "{text}");
        }
        for text in ["0", "-1", "", "1.5", "x"] {
            assert!(at_least_one(text).is_err(), "{text}");
        }
        assert_eq!(at_least_one("1"), Ok(1));
        assert_eq!((seconds("0.25"), gibibytes("1e-3"), jobs("0")), (Ok(0.25), Ok(0.001), Ok(0)));
    }
}
