//! What shells are offered behind the cursor.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::process::Command;

use crate::command::opcert;

/// What a shell would offer for the last of these words, in the repository.
fn offered(words: &[&str]) -> Vec<String> {
    let mut shell = Command::new(env!("CARGO_BIN_EXE_opcert"));
    shell.current_dir(env!("CARGO_MANIFEST_DIR")).arg("--").arg("opcert").args(words);
    shell.env("OPCERT_COMPLETE", "bash").env("_CLAP_IFS", "\n").env("_CLAP_COMPLETE_COMP_TYPE", "9");
    shell.env("_CLAP_COMPLETE_INDEX", words.len().to_string()).env("_CLAP_COMPLETE_SPACE", "false");
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn words_are_those_of_the_program() {
    for (words, some) in [
        (vec!["cert"], vec!["certify"]),
        (vec!["run", "--backend", ""], vec!["backends/numpy", "cpu"]),
        (vec!["serve", "c"], vec!["cpu"]),
        (vec!["run", "directml/a"], vec!["directml/argmax/"]),
        (vec!["list", "directml/argmax/"], vec!["directml/argmax/by_hand/", "directml/argmax/generated/"]),
        (vec!["show", "directml/argmax/by_hand/axis_1_"], vec!["directml/argmax/by_hand/axis_1_of_rank_3"]),
        (vec!["run", "le"], vec!["level:"]),
        (vec!["run", "level:3"], vec!["level:3_0", "level:3_1"]),
        (vec!["run", "type:FLOAT1"], vec!["type:FLOAT16"]),
        (vec!["certify", "--level", "5"], vec!["5_0", "5_1", "5_2"]),
        (
            vec!["explain", "directml/argmax/tie"],
            vec!["directml/argmax/tie-decreasing", "directml/argmax/tie-increasing"],
        ),
        (vec!["expect", "directml/argmax/by_hand/axis_1_"], vec!["directml/argmax/by_hand/axis_1_of_rank_3"]),
        // A requirement by the last part of its id, as an operator knows it.
        (vec!["list", "requirement:axis-in"], vec!["requirement:axis-in-range"]),
        (vec!["explain", "axis-in"], vec!["axis-in-range"]),
        (vec!["bench", "--type", "f"], vec!["f16", "f32", "f64"]),
        (vec!["fuzz", "--operator", "openvino"], vec!["openvino/one_hot_1"]),
        (vec!["bench", "--workload", "last"], vec!["last_axis"]),
        (vec!["run", "unheard-of"], vec![]),
    ] {
        let offered = offered(&words);
        for word in &some {
            assert!(offered.iter().any(|offer| offer == word), "{words:?}: {offered:?}");
        }
        let begun = words.last().unwrap();
        assert!(offered.iter().all(|offer| offer.starts_with(begun)), "{words:?}: {offered:?}");
        assert_eq!(offered.is_empty(), some.is_empty(), "{words:?}: {offered:?}");
    }
}

/// In letters of the other case, where nothing goes on from those that were typed.
#[test]
fn upper_and_lower_case_are_the_same_where_nothing_else_is_meant() {
    assert_eq!(offered(&["bench", "--type", "F3"]), ["f32"]);
    assert_eq!(offered(&["list", "type:Float16"]), ["type:FLOAT16", "type:float16"]);
    assert_eq!(offered(&["list", "type:FLOAT16"]), ["type:FLOAT16"]);
    // All of what is there is shown where nothing was typed, each once.
    let requirements = offered(&["list", "requirement:"]);
    assert!(requirements.len() > 100 && requirements.iter().all(|id| id.contains('/')), "{requirements:?}");
}

/// What bash is left with behind the cursor at the end of a line, whose words it takes apart as it does.
fn left_in_bash(line: &str, words: &[&str]) -> Vec<String> {
    let script = opcert(Path::new(env!("CARGO_MANIFEST_DIR")), &["completions", "bash"]).out;
    let words: Vec<String> = words.iter().map(|word| shlex::try_quote(word).unwrap().into_owned()).collect();
    let asked = format!(
        "{script}\nCOMP_WORDS=({}) COMP_CWORD={} COMP_LINE={} COMP_TYPE=9\n_opcert_whole_words opcert '' ''\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        words.join(" "),
        words.len() - 1,
        shlex::try_quote(line).unwrap(),
    );
    let folder = Path::new(env!("CARGO_BIN_EXE_opcert")).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(folder.to_owned()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", &asked]).env("PATH", path.unwrap()).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = bash.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn bash_is_given_what_stands_behind_a_colon() {
    for (line, words, left) in [
        ("opcert run level:3_", &["opcert", "run", "level", ":", "3_"][..], &["3_0", "3_1"][..]),
        ("opcert run type:FLOAT1", &["opcert", "run", "type", ":", "FLOAT1"], &["FLOAT16"]),
        ("opcert certify --level=5_", &["opcert", "certify", "--level", "=", "5_"], &["5_0", "5_1", "5_2"]),
        ("opcert run le", &["opcert", "run", "le"], &["level:"]),
        ("opcert list requirement:axis-in", &["opcert", "list", "requirement", ":", "axis-in"], &["axis-in-range"]),
        // A word that stands by itself.
        ("opcert run level: directml/a", &["opcert", "run", "level", ":", "directml/a"], &["directml/argmax/"]),
    ] {
        let found = left_in_bash(line, words);
        assert!(left.iter().all(|word| found.iter().any(|each| each == word)), "{line}: {found:?}");
    }
    let behind = left_in_bash("opcert run type:", &["opcert", "run", "type", ":"]);
    assert!(behind.contains(&"FLOAT16".to_owned()), "{behind:?}");
}

#[test]
fn every_shell_has_a_script_that_asks_the_program() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = opcert(Path::new("."), &["completions", shell]);
        assert!(ran.code == 0 && ran.out.contains("OPCERT_COMPLETE"), "{}", ran.said());
    }
    let ran = opcert(Path::new("."), &["completions", "fsh"]);
    assert!(ran.code == 2 && ran.err.contains("'fish'"), "{}", ran.said());
}
