//! What shells are offered behind the cursor.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod command;

use std::path::Path;
use std::process::Command;

use command::opcert;

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

#[test]
fn every_shell_has_a_script_that_asks_the_program() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = opcert(Path::new("."), &["completions", shell]);
        assert!(ran.code == 0 && ran.out.contains("OPCERT_COMPLETE"), "{}", ran.said());
    }
    let ran = opcert(Path::new("."), &["completions", "fsh"]);
    assert!(ran.code == 2 && ran.err.contains("'fish'"), "{}", ran.said());
}
