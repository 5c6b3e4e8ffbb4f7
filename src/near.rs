//! Near misses: the known names that one which is not known was perhaps meant to be.

use std::path::{Path, PathBuf};

use strsim::damerau_levenshtein;

use crate::file;

/// Longer names are compared with none, as that takes the product of their lengths.
const LONGEST: usize = 400;

/// So many names are offered.
const MOST_OFFERED: usize = 3;

/// The end of a message on a name that is not known: `` ; did you mean `a` or `b`? ``, or nothing where no known name is
/// near.
#[must_use]
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near: Vec<String> = near(name, known).into_iter().map(|name| format!("`{name}`")).collect();
    match near.as_slice() {
        [] => String::new(),
        [only] => format!("; did you mean {only}?"),
        [others @ .., last] => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}

/// The end of a message on a path where nothing is: what stands in the same folder and is called nearly so.
#[must_use]
pub fn path_meant(path: &Path) -> String {
    let beside: Vec<PathBuf> = path.parent().into_iter().flat_map(file::entries).collect();
    did_you_mean(&path.to_string_lossy(), beside.iter().filter_map(|path| path.to_str()))
}

/// The way out after a name that is not known: all that are, and which of them was perhaps meant.
#[must_use]
pub fn known_names<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    if known.is_empty() {
        return "there are none".to_owned();
    }
    format!("known: `{}`{}", known.join("`, `"), did_you_mean(name, known.iter().copied()))
}

/// The known names that are nearest to a name, the nearest first. A name of fewer parts, as in `argmax` for
/// `directml/argmax`, is compared with as many of the last parts. Upper and lower case are the same.
#[must_use]
pub fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let name = name.to_lowercase();
    let mut near: Vec<(usize, &str)> = Vec::new();
    for known in known {
        if let Some(distance) = distance(&name, known)
            && !near.iter().any(|(_, other)| *other == known)
        {
            near.push((distance, known));
        }
    }
    near.sort_by_key(|(distance, _)| *distance);
    let nearest = near.first().map_or(0, |(distance, _)| *distance);
    near.retain(|(distance, _)| *distance <= nearest + 1);
    near.into_iter().take(MOST_OFFERED).map(|(_, name)| name).collect()
}

/// How many letters have to be changed; `None` where that is more than a slip. `name` is in lower case.
fn distance(name: &str, known: &str) -> Option<usize> {
    let known = known.to_lowercase();
    let letters = name.chars().count();
    if letters > LONGEST || known.len() > 4 * LONGEST {
        return None;
    }
    let most = (letters / 3).max(1);
    let parts = name.matches('/').count() + 1;
    let tail = known.rmatch_indices('/').nth(parts - 1).map_or(known.as_str(), |(at, _)| &known[at + 1..]);
    let begins = letters > 0 && known.starts_with(name);
    if begins || (letters > 2 && known.contains(name)) {
        return Some(usize::from(known != name && tail != name));
    }
    let shortened = if parts == 1 { left_out(name, tail) } else { None };
    // There are thousands of cases; two names of very different lengths need not be compared letter by letter.
    let comparable = |other: &str| other.chars().count().abs_diff(letters) <= most;
    let nearest = [&*known, tail].into_iter().filter(|other| comparable(other));
    let nearest = nearest.map(|other| damerau_levenshtein(name, other)).min();
    // All letters may have to be changed in a name of one or two.
    nearest.filter(|&nearest| nearest <= most && nearest < letters).or(shortened)
}

/// How many letters a short form such as `lvl` leaves out of `level`: as many as it has at most, and neither end.
fn left_out(short: &str, known: &str) -> Option<usize> {
    let ends = |name: &str| (name.chars().next(), name.chars().next_back());
    if ends(short) != ends(known) {
        return None;
    }
    let letters = short.chars().count();
    let missing = known.chars().count().checked_sub(letters)?;
    let is_short_form = letters > 2 && missing <= letters;
    let mut rest = known.chars();
    let are_in_order = is_short_form && short.chars().all(|letter| rest.any(|other| other == letter));
    are_in_order.then_some(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_near_and_another_name_is_not() {
        let known = ["directml/argmax", "directml/one_hot", "openvino/one_hot_1"];
        assert_eq!(near("directml/argmx", known), ["directml/argmax"]);
        assert_eq!(near("ArgMax", known), ["directml/argmax"]);
        assert_eq!(near("onehot", known), ["directml/one_hot"]);
        assert_eq!(near("openvino", known), ["openvino/one_hot_1"]);
        assert_eq!(near("one_hot", known), ["directml/one_hot", "openvino/one_hot_1"]);
        for other in ["convolution", "", "x"] {
            assert_eq!(near(other, known), [""; 0], "{other}");
        }
        assert_eq!(near("3.0", ["2_0", "3_0", "6_4"]), ["3_0"]);
        assert_eq!(near("6", ["2_0", "6_0", "6_4"]), ["6_0", "6_4"]);
        assert_eq!(near("nvdia", ["nvidia", "llvmpipe"]), ["nvidia"]);
        assert_eq!(near("cuda", ["cpu", "vulkan"]), [""; 0]);
    }

    #[test]
    fn a_short_form_has_its_letters_in_order_and_both_ends() {
        assert_eq!(near("lvl:", ["level:", "type:", "requirement:"]), ["level:"]);
        assert_eq!(near("amax", ["directml/argmax", "directml/argmin"]), ["directml/argmax"]);
        for other in ["lvi:", "evl:", "lvl", "l:"] {
            assert_eq!(near(other, ["level:"]), [""; 0], "{other}");
        }
        // Of an id some letters are easily found in many others.
        assert_eq!(near("directml/argmax/lost", ["directml/argmax/by_hand/lowest_first"]), [""; 0]);
    }

    #[test]
    fn a_path_is_compared_with_what_is_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("known.yaml"), "").unwrap();
        let known = folder.path().join("known.yaml").display().to_string();
        assert_eq!(path_meant(&folder.path().join("knwon.yaml")), format!("; did you mean `{known}`?"));
        assert_eq!(path_meant(&folder.path().join("nowhere/knwon.yaml")), "");
    }

    #[test]
    fn long_names_are_compared_with_none() {
        let long = "a".repeat(LONGEST);
        let other = format!("{}b", &long[1..]);
        assert_eq!(near(&other, [long.as_str()]), [long.as_str()]);
        assert_eq!(near(&format!("{other}b"), [long.as_str()]), [""; 0]);
    }

    #[test]
    fn the_offer_ends_a_message() {
        assert_eq!(did_you_mean("cpuu", ["cpu", "vulkan"]), "; did you mean `cpu`?");
        assert_eq!(did_you_mean("a_1", ["a_2", "a_3", "a_2"]), "; did you mean `a_2` or `a_3`?");
        assert_eq!(did_you_mean("abacus", ["cpu", "vulkan"]), "");
        assert_eq!(known_names("cpuu", ["cpu", "vulkan"]), "known: `cpu`, `vulkan`; did you mean `cpu`?");
        assert_eq!(known_names("cpu", []), "there are none");
    }
}
