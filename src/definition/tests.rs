//! The language: what is wrong with a text and where, and what small operators compute.

use opcert_backend::{AttributeValue, DataType, Descriptor, NamedAttribute, NamedTensor, Role, TensorDescriptor};

use super::{Definition, Names, Open, Output};

const I64: DataType = DataType::I64;

/// Tensors `input`, `other` and `output`, attributes `axis` and `axes`, enumerators `UP` and `DOWN` of `way`, texts of `mode`, three
/// levels.
fn names() -> Names {
    let tensors = [("input", Role::Input), ("other", Role::Input), ("output", Role::Output)];
    Names {
        tensors: tensors.map(|(name, role)| (name.to_owned(), role)).to_vec(),
        lists: Vec::new(),
        attributes: ["axis", "axes", "way", "mode"].map(|name| (name.to_owned(), None)).to_vec(),
        enumerators: ["UP", "DOWN"].map(str::to_owned).to_vec(),
        texts: ["as-it-is", "from-end"].map(str::to_owned).to_vec(),
        levels: ["1", "2", "3"].map(str::to_owned).to_vec(),
        sizes: Vec::new(),
        sizes_by_descriptor: Vec::new(),
    }
}

/// Each problem of a text as `line:column message`, and its way out behind ` | `.
fn problems(text: &str) -> Vec<String> {
    let found = Definition::read(text, names()).map(|_| ()).expect_err("the text is wrong");
    let written = |problem: super::Problem| {
        let position = problem.position.expect("it has a place");
        let help = problem.help.map(|help| format!(" | {help}")).unwrap_or_default();
        format!("{}:{} {}{help}", position.line, position.column, problem.message)
    };
    found.into_iter().map(written).collect()
}

/// What a text makes of integers.
struct Trial<'a> {
    text: &'a str,
    /// Sizes and elements of `input`, and of `other` where there is one.
    inputs: &'a [(&'a [u64], &'a [i64])],
    /// Sizes of `output`.
    output: &'a [u64],
    attributes: &'a [(&'a str, AttributeValue)],
}

impl Trial<'_> {
    fn descriptor(&self) -> Descriptor {
        let entry = |name: &str, role, sizes: &[u64]| NamedTensor {
            name: name.to_owned(),
            role,
            tensor: TensorDescriptor::packed(I64, sizes),
        };
        let inputs = std::iter::zip(["input", "other"], self.inputs);
        let mut tensors: Vec<NamedTensor> = inputs.map(|(name, (sizes, _))| entry(name, Role::Input, sizes)).collect();
        tensors.push(entry("output", Role::Output, self.output));
        let attribute =
            |(name, value): &(&str, AttributeValue)| NamedAttribute { name: (*name).to_owned(), value: value.clone() };
        Descriptor {
            operator: "test/operator".to_owned(),
            level: "1".to_owned(),
            tensors,
            attributes: self.attributes.iter().map(attribute).collect(),
            constants: Vec::new(),
        }
    }

    fn evaluate(&self) -> Result<Output, String> {
        let definition = Definition::read(self.text, names()).map_err(|found| format!("{found:?}"))?;
        let bytes = |elements: &[i64]| elements.iter().flat_map(|each| each.to_le_bytes()).collect::<Vec<u8>>();
        let data: Vec<Vec<u8>> = self.inputs.iter().map(|(_, elements)| bytes(elements)).collect();
        let data = std::iter::zip(["input", "other"], &data).map(|(name, bytes)| (name, bytes.as_slice()));
        let found = definition.evaluate(&self.descriptor(), &data.collect::<Vec<_>>());
        let mut found = found.map_err(|fault| fault.to_string())?;
        Ok(found.outputs.remove(0))
    }

    fn elements(&self) -> Vec<i64> {
        let output = self.evaluate().expect("it can be worked out");
        assert!(output.open.is_empty(), "{:?}", output.open);
        let element = |bytes: &[u8]| i64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        output.bytes.chunks(8).map(element).collect()
    }
}

#[test]
fn what_is_wrong_has_its_place_and_a_way_out() {
    let table: &[(&str, &[&str])] = &[
        ("", &["1:1 nothing says what `output` holds | `def output(at):` gives the element at a place"]),
        (
            "def output(at):\n    while True:\n        return 1\n",
            &[
                "2:5 `while`, which is no name is not part of the language here | a definition always ends: there are no \
               loops but `for` in brackets",
            ],
        ),
        ("def output(at):\n\treturn 1\n", &["2:1 a tab stands here | indent with spaces"]),
        ("def output(at):\n    return inputt[at]\n", &["2:12 the name `inputt` is not known; did you mean `input`?"]),
        ("def output(at):\n    return maxx(axes)\n", &["2:12 the function `maxx` is not known; did you mean `max`?"]),
        (
            "def output(at):\n    return output(at)\n",
            &[
                "2:12 `output` is a tensor, and cannot be called | what several outputs need gets a function or a name of \
               its own",
            ],
        ),
        (
            "def twice(n):\n    return twice(n)\ndef output(at):\n    return twice(1)\n",
            &[
                "2:12 `twice` is called where it stands, or above: that may never end | a function calls those that stand \
               above it",
            ],
        ),
        (
            "first = second\nsecond = 1\ndef output(at):\n    return first\n",
            &["1:9 `second` is given its value further below | what is used stands above"],
        ),
        (
            "def output(at):\n    if axis == 1:\n        return 1\n",
            &["1:5 `output` may come to its end without a value"],
        ),
        ("def output(at):\n    return 1\n    return 2\n", &["3:5 this line is never reached"]),
        (
            "def output(at, other):\n    return 1\n",
            &["1:5 the function of an output takes a place: `def output(at):`", "1:16 `other` is a tensor"],
        ),
        ("len = 1\ndef output(at):\n    return 1\n", &["1:1 `len` is a builtin"]),
        ("def output(at):\n    return output[at]\n", &["2:12 `output` is an output: its elements are not known yet"]),
        (
            "def output(at):\n    return sizes(axes)[0]\n",
            &["2:18 `sizes` asks for a tensor: `input`, `other`, `output`"],
        ),
        (
            "def output(at):\n    return replaced(at, 1)\n",
            &["2:12 it is called `replaced(place, dimension, coordinate)`, and is given 2 here"],
        ),
        (
            "def output(at):\n    return 1 / 2\n",
            &["2:14 `/` is not part of the language here | there are whole numbers only; `//` divides and rounds down"],
        ),
        (
            "def output(at):\n    return at.rank\n",
            &["2:14 `.` is not part of the language here | values have no parts with names; the builtins are called \
               plainly"],
        ),
        (
            "def output(at):\n    return 012\n",
            &["2:12 `012` is no integer of at most 128 bits | numbers are whole, decimal \
            or hexadecimal (`0x1F`)"],
        ),
        (
            "def output(at): # cited\n    return 1\n",
            &["1:19 the head of a function decides nothing, and cites nothing | \
            give the comment a line of its own"],
        ),
        // Everything at once.
        ("one = nothing\ntwo = (1\ndef output(at):\n    return one\n", &["2:7 this `(` is never closed"]),
        (
            "one = nothing\ntwo = onne + 1\ndef output(at):\n    return thre\n",
            &[
                "1:7 the name `nothing` is not known",
                "2:7 the name `onne` is not known; did you mean `one`?",
                "4:12 the name `thre` is not known",
            ],
        ),
    ];
    for (text, expected) in table {
        let found = problems(text);
        for (at, expected) in expected.iter().enumerate() {
            assert_eq!(found.get(at).map(String::as_str), Some(*expected), "{text}\n{found:#?}");
        }
    }
}

#[test]
fn too_long_is_said_once() {
    for joined in ["1 + ", "1 and ", "1 % "] {
        let text = format!("def output(at):\n    return {}1\n", joined.repeat(100_000));
        let found = problems(&text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("more than 1000 signs and brackets join what stands side by side"), "{found:?}");
    }
    let indexed = format!("def output(at):\n    return at{}\n", "[0]".repeat(100_000));
    assert!(problems(&indexed)[0].contains("more than 1000 signs and brackets"));
    let as_long_as_may_be = format!("def output(at):\n    return {}1\n", "1 + ".repeat(1000));
    assert!(Definition::read(&as_long_as_may_be, names()).is_ok());
}

#[test]
fn too_deep_is_said_once() {
    let text = format!("def output(at):\n    return {}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    let found = problems(&text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("more than 64 expressions and blocks stand in each other"), "{found:?}");
}

/// ONNX's Gather along an axis, with indices that count from the end where they are negative.
#[test]
fn gather() {
    let gather = Trial {
        text: "def output(at):\n    index = other[at[axis:axis + rank(other)]]\n    \
               index = index + sizes(input)[axis] if index < 0 else index\n    return 0\n",
        inputs: &[],
        output: &[],
        attributes: &[],
    };
    // A name keeps its meaning.
    assert!(gather.evaluate().is_err_and(|said| said.contains("`index` has a meaning here already, and keeps it")));
    let gather = Trial {
        text: "def coordinate(at, d, place):\n    if d == axis:\n        return place\n    \
               return at[d] if d < axis else at[d + rank(other) - 1]\n\
               def output(at):\n    index = other[at[axis:axis + rank(other)]]\n    \
               place = index + sizes(input)[axis] if index < 0 else index\n    \
               return input[[coordinate(at, d, place) for d in dimensions(input)]]\n",
        inputs: &[(&[3, 2], &[10, 11, 20, 21, 30, 31]), (&[2], &[2, -3])],
        output: &[2, 2],
        attributes: &[("axis", AttributeValue::Integer(0))],
    };
    assert_eq!(gather.elements(), [30, 31, 10, 11]);
}

#[test]
fn cumulative_sum_depth_to_space_and_the_greatest() {
    fn one(text: &str, inputs: &[(&[u64], &[i64])], output: &[u64], attributes: &[(&str, AttributeValue)]) -> Vec<i64> {
        Trial { text, inputs, output, attributes }.elements()
    }
    let cumulative = "def output(at):\n    return sum(input[replaced(at, axis, i)] for i in range(at[axis] + 1))\n";
    let axis = [("axis", AttributeValue::Integer(1))];
    assert_eq!(one(cumulative, &[(&[2, 3], &[1, 2, 3, -1, 0, 5])], &[2, 3], &axis), [1, 3, 6, -1, -1, 4]);

    // Depth first: blocks of 2 by 2 out of four channels.
    let depth_to_space = "def output(at):\n    n, c, h, w = at\n    \
                          block = (h % 2) * 2 + w % 2\n    return input[n, c + block, h // 2, w // 2]\n";
    let input: &[i64] = &[0, 1, 10, 11, 20, 21, 30, 31];
    assert_eq!(one(depth_to_space, &[(&[1, 4, 1, 2], input)], &[1, 1, 2, 4], &[]), [0, 10, 1, 11, 20, 30, 21, 31]);

    // The two greatest, equal ones in the order in which they stand.
    let greatest = "order = sorted(places(input), key=lambda p: -input[p])\n\
                    def output(at):\n    return order[at[0]][0]\n";
    assert_eq!(one(greatest, &[(&[5], &[3, 7, 7, 1, 9])], &[3], &[]), [4, 1, 2]);
}

#[test]
fn python_s_arithmetic_and_lists() {
    let one = |expression: &str| {
        let text = format!("def output(at):\n    return {expression}\n");
        let axes = [("axes", AttributeValue::Integers(vec![4, 5, 6]))];
        Trial { text: &text, inputs: &[(&[2], &[8, 9])], output: &[], attributes: &axes }.elements()[0]
    };
    for (expression, expected) in [
        ("-7 // 2", -4),
        ("-7 % 2", 1),
        ("2 - 3 - 4", -5),
        ("2 + 3 * 4", 14),
        ("-2 * 3", -6),
        ("1 if 1 < 2 <= 2 < 3 else 0", 1),
        ("1 if not 1 == 2 and 2 in axes or False else 0", 0),
        ("1 if 5 in axes else 0", 1),
        ("1 if 7 not in axes else 0", 1),
        ("axes[-1]", 6),
        ("axes[1:][0]", 5),
        ("len(axes[:-1])", 2),
        ("len(axes[5:])", 0),
        ("sum(i * x for i, x in enumerate(axes))", 17),
        ("sum(a * b for a, b in zip(axes, range(3)))", 17),
        ("sum(x for x in range(10, 0, -3))", 22),
        ("product(x for x in range(10, 0, -3))", 280),
        ("product([])", 1),
        ("max(axes) - min(axes)", 2),
        ("max(3, 9, 5)", 9),
        ("sorted([3, 1, 2])[0]", 1),
        ("len([[a, b] for a in axes for b in axes if a < b])", 3),
        ("1 if [1, 2] < [1, 3] else 0", 1),
        ("sum(input[p] for p in places(input))", 17),
        ("0x1F + 1_000", 1031),
        // What binds tighter comes first: sums, shifts, and, exclusive or, or; comparisons last.
        ("1 | 6 ^ 3 & 5", 7),
        ("1 << 2 + 1", 8),
        ("2 & 3 << 1", 2),
        ("1 if 5 & 1 == 1 else 0", 1),
        ("-1 & 0xFF", 255),
        ("-256 | 3", -253),
        ("-1 ^ 5", -6),
        ("-5 >> 1", -3),
        ("-5 >> 200", -1),
        ("5 >> 200", 0),
        ("0 << 200", 0),
        ("(1 << 126) >> 125", 2),
        ("(-1 << 127) >> 127", -1),
        ("(3 << 62) >> 62", 3),
        ("sum(x << at[0] + 1 for x in axes) if len(at) > 0 else sum(x << 1 for x in axes)", 30),
        ("sum(1 << x & input[[1]] for x in range(4))", 9),
        ("bit_width(input)", 64),
        ("bits(from_bits(output, 7))", 7),
        ("sum(accumulate([3, -5, 7]))", 6),
        ("len(accumulate([]))", 0),
        ("from_value(output, -7) * 2", -14),
        ("1 if has_value(output, 1 << 62) and not has_value(output, 1 << 63) else 0", 1),
        ("truncated(from_value(input, 5)) + 1 if is_integer(from_value(input, 5)) else 0", 6),
        ("1 if any(is_nan(from_value(input, x)) or not has_value(input, x) for x in axes) else 0", 0),
    ] {
        assert_eq!(one(expression), expected, "{expression}");
    }
}

/// What is worked out for many elements at once is what comes out of each alone.
#[test]
fn elements_do_not_know_of_each_other() {
    let texts = [
        // Branches within branches, names of an outer one, a function with several ways out.
        "def fold(n, m):\n    if n > m:\n        return n - m\n    if n == m:\n        return 100\n    return m\n\
         def output(at):\n    r, c = at\n    x = input[at]\n    if x > 3:\n        y = x + c\n        if y % 2 == 0:\n            \
         return fold(y, r)\n        return y\n    elif x == 3:\n        return -1\n    if r == 1 and c > 0 or x < -5:\n        \
         return fold(c, 1) if r == 1 else x\n    return c * 10 + r\n",
        // Comprehensions that use names from outside, over lists of every lane's own length.
        "def output(at):\n    r, c = at\n    parts = [i * 10 + j for i in range(c) for j in range(i + r) if (i + j) % 2 == r]\n    \
         return sum(parts) if len(parts) > 1 else len(parts)\n",
        "def output(at):\n    row = [input[replaced(at, 1, i)] for i in range(at[1] + 1)]\n    \
         return max(row) - min(row) + len([x for x in row if x == row[-1]])\n",
        // Lists of lists, slices and items by numbers that differ.
        "def output(at):\n    r, c = at\n    rows = [[x, x + c, r] for x in range(5)]\n    \
         return rows[c][r] + rows[-1][1] + len(rows[c:])\n",
        "def output(at):\n    r, c = at\n    part = axes[r:c]\n    return part[0] if len(part) > 0 else axes[c]\n",
        // Sorting by a key that differs, pairs, numbers of items.
        "def output(at):\n    return sorted(range(4), key=lambda i: (i * 3 + at[1]) % 4)[at[0]]\n",
        "def output(at):\n    return sum(n * a * b for n, p in enumerate(zip(axes, [at[1], 2, at[0]])) for a, b in [p])\n",
        "def output(at):\n    return sorted([input[at], at[1], 1])[1] + max(at[1], 2, input[at]) + min(at[0], -1)\n",
        // What would be wrong in other elements is not asked for.
        "def output(at):\n    r, c = at\n    return 6 // c if c != 0 and 6 // c > 1 else input[r, c - 1] if c > 0 else axes[r]\n",
        "def output(at):\n    r, c = at\n    return 1 if 0 < c < 6 // c + 1 <= 7 else 0\n",
        // Bits, shifted by as many places as differ.
        "def output(at):\n    return (bits(input[at]) >> at[1] & 5 | at[0] << at[1]) ^ bits(from_bits(input, at[1] + 3))\n",
        "def output(at):\n    return bits(from_bits(input, (1 << bit_width(input)) - 1 ^ bits(input[at]) & 0xFF)) >> 8 * at[1] & 0xFF\n",
        // Sums of all up to an item, in lists of their own lengths and beyond 64 bits.
        "def output(at):\n    return accumulate([input[at] + i for i in range(at[1] + 1 + at[0])])[-1] + len(accumulate(range(at[0])))\n",
        "def output(at):\n    return accumulate([1 << 63, at[1], -1 << 63])[at[0] + 1] >> 40\n",
        // Elements of values, and values of elements.
        "def output(at):\n    return from_value(output, input[at] * at[1]) if has_value(input, input[at]) and at[0] < 1 else truncated(input[at]) + 1\n",
        // Places, subsets, membership, equal lists.
        "def output(at):\n    near = subset(input, at, [0])\n    best = max(input[p] for p in near)\n    \
         return [i for i, p in enumerate(near) if input[p] == best][-1] + (10 if at in near else 0)\n",
        "def output(at):\n    return 1 if at == [1, 2] or inserted(removed(at, 0), 0, 9) == [9, 0] else 2 if at[1] in axes else 3\n",
        // More than 64 bits on the way.
        "def output(at):\n    return (input[at] + 0x7FFFFFFFFFFFFFFF) * 4 // 0x7FFFFFFFFFFFFFFF + at[1]\n",
    ];
    let axes = [("axes", AttributeValue::Integers(vec![4, 2, 5]))];
    let elements: &[i64] = &[7, 3, -9, 4, 0, 8];
    let bytes: Vec<u8> = elements.iter().flat_map(|each| each.to_le_bytes()).collect();
    for text in texts {
        let trial = Trial { text, inputs: &[(&[2, 3], elements)], output: &[2, 3], attributes: &axes };
        let definition = Definition::read(text, names()).unwrap_or_else(|found| panic!("{found:?}\n{text}"));
        let together = trial.elements();
        let alone = (0..6).map(|at: u64| {
            let decision = definition.decision(&trial.descriptor(), &[("input", &bytes)], "output", &[at / 3, at % 3]);
            decision.map_or_else(|fault| panic!("{fault}\n{text}"), |decision| decision.gives)
        });
        let alone: Vec<i64> = alone.map(|text| text.parse().expect("an integer")).collect();
        assert_eq!(together, alone, "{text}");
    }
}

#[test]
fn what_cannot_be_worked_out_is_named_with_its_place() {
    let said = |expression: &str| {
        let text = format!("def output(at):\n    return {expression}\n");
        let way = [("way", AttributeValue::Enumerator("UP".to_owned()))];
        let trial = Trial { text: &text, inputs: &[(&[2], &[8, 9])], output: &[1], attributes: &way };
        trial.evaluate().expect_err(expression)
    };
    for (expression, expected) in [
        ("input[[2]]", "column 18 of the definition: [2] is no place in `input`, whose sizes are [2]"),
        ("input[[-1]]", "[-1] is no place in `input`"),
        ("input[[0, 0]]", "[0, 0] is no place in `input`"),
        ("other[at]", "the tensor `other` is not given"),
        ("axis", "`axis` is not given"),
        ("[1, 2][2]", "there is no item 2 in a list of 2"),
        ("1 // 0", "a division by zero, a shift by less than 0, or more than 128 bits"),
        ("0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF + 1", "a division by zero, a shift by less than 0, or more than 128 bits"),
        ("1 << 127", "more than 128 bits"),
        ("1 << -1", "a shift by less than 0"),
        ("1 >> -1", "a shift by less than 0"),
        ("from_bits(output, -1)", "i64 has no pattern of bits -1"),
        ("from_bits(output, 0x10000000000000000)", "i64 has no pattern of bits 18446744073709551616"),
        ("from_value(output, 0x8000000000000000)", "i64 does not have the value 9223372036854775808"),
        ("sum(accumulate(places(output)))", "what is no integer, or more than 128 bits"),
        ("from_value(output, at)", "a list where a number is needed"),
        ("1 if has_value(output, way) else 0", "an enumerator where a number is needed"),
        ("nearest(output, input[[0]])", "i64 is no float type"),
        ("truncated(1)", "an integer where an element is needed"),
        ("0x7FFFFFFFFFFFFFFF + 1", "9223372036854775808 is no value of i64, the type of `output`"),
        ("1 if 1 else 0", "an integer where a truth value is needed"),
        ("way + 1", "an enumerator where an integer is needed"),
        ("1 if way == 1 else 0", "an enumerator and an integer cannot be compared"),
        ("max([])", "the list is empty, so that nothing in it is greatest or least"),
        ("axes", "`axes` is not given"),
        ("at", "a list is no element of `output`, i64"),
        ("sum(range(1, 5, 0))", "a range whose step is 0 never ends"),
        ("sum(range(1000000000000))", "a list of more than 67108864 items"),
        ("sum(range(0, -1000000000000, -1))", "a list of more than 67108864 items"),
        ("sum(x for x, y in zip(at, at, at))", "3 values for 2 names"),
    ] {
        let found = said(expression);
        assert!(found.contains(expected), "{expression}: {found}");
    }
}

#[test]
fn each_element_knows_its_line_and_why_it_has_no_value() {
    let text = "limit = 2                    # first\n\
                def output(at):\n    \
                    if at[0] == limit:\n        \
                        return undefined     # open-end\n    \
                    if at[0] > limit:        # asked\n        \
                        return unspecified\n    \
                    # A comment of its own cites nothing.\n    \
                    return at[0]             # plain, second\n";
    let definition = Definition::read(text, names()).expect("it is right");
    let trial = Trial { text, inputs: &[], output: &[4], attributes: &[] };
    let found = definition.evaluate(&trial.descriptor(), &[]).expect("it can be worked out");
    let output = &found.outputs[0];
    let cited = |line: usize| -> Vec<&str> {
        definition.lines[line].citations.iter().map(|citation| citation.name.as_str()).collect()
    };
    let lines: Vec<u32> = output.decided.iter().map(|&line| definition.lines[line].first).collect();
    assert_eq!(lines, [8, 8, 4, 6]);
    assert_eq!(cited(output.decided[0]), ["plain", "second"]);
    assert_eq!(output.open, [None, None, Some(Open::Undefined), Some(Open::Unspecified)]);
    assert!(found.passed.iter().all(|&passed| passed));
    assert_eq!(definition.lines.iter().map(|line| line.first).collect::<Vec<_>>(), [1, 3, 4, 5, 6, 8]);
}

#[test]
fn an_element_has_its_reason_in_values() {
    let text = "most = max(input[p] for p in places(input))\n\
                def output(at):\n    \
                    first = [p[0] for p in places(input) if input[p] == most][0]\n    \
                    if at[0] == first:    # marked\n        \
                        return most    # marked\n    \
                    return axis if way == UP else 0\n";
    let definition = Definition::read(text, names()).expect("it is right");
    let attributes = [("axis", AttributeValue::Integer(7)), ("way", AttributeValue::Enumerator("UP".to_owned()))];
    let trial = Trial { text, inputs: &[(&[4], &[8, 9, -1, 9])], output: &[4], attributes: &attributes };
    let bytes: Vec<u8> = [8i64, 9, -1, 9].iter().flat_map(|each| each.to_le_bytes()).collect();
    let decision = |place: u64| {
        let decision = definition.decision(&trial.descriptor(), &[("input", &bytes)], "output", &[place]);
        let decision = decision.expect("it is decided");
        let values: Vec<String> = decision.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let line = definition.lines[decision.line].first;
        format!("{line}: {} gives {} where {}", definition.text_of(decision.line), decision.gives, values.join(", "))
    };
    assert_eq!(decision(1), "5: return most gives 9 where at = [1], first = 1, most = 9");
    assert_eq!(decision(3), "6: return axis if way == UP else 0 gives 7 where at = [3], first = 1, way = UP, axis = 7");
    let wrong = |output: &str, place: &[u64]| {
        let said = definition.decision(&trial.descriptor(), &[("input", &bytes)], output, place);
        said.expect_err("there is no such element").message
    };
    assert_eq!(wrong("output", &[4]), "[4] is no place in `output`, whose sizes are [4]");
    assert_eq!(wrong("input", &[0]), "`input` is no output");
}

#[test]
fn texts_and_levels_are_compared_with_what_is_asked() {
    let text = "\
def output(at):
    if not since(\"2\"):
        return 1
    if mode == \"from-end\":
        return 2
    return 3
";
    let definition = Definition::read(text, names()).expect("the text is right");
    assert_eq!(definition.levels(), [1]);
    let said = |level: &str, mode: &str| {
        let mode = [("mode", AttributeValue::String(mode.to_owned()))];
        let trial = Trial { text, inputs: &[], output: &[1], attributes: &mode };
        let descriptor = Descriptor { level: level.to_owned(), ..trial.descriptor() };
        definition.evaluate(&descriptor, &[]).expect("it can be worked out").outputs[0].bytes[0]
    };
    assert_eq!((said("1", "from-end"), said("2", "from-end"), said("3", "as-it-is")), (1, 2, 3));
    // A wrong implementation begins one level earlier or later; at the lowest one nothing begins.
    let altered: Vec<String> = definition.alterations().into_iter().map(|each| each.about).collect();
    let of_level = altered.iter().filter(|about| about.contains("`since(\"2\")` reads")).collect::<Vec<_>>();
    assert_eq!(of_level, ["In `if not since(\"2\"):` `since(\"2\")` reads `since(\"3\")`."]);
}

#[test]
fn a_default_stands_for_what_is_left_out() {
    let with_default = |default: AttributeValue| {
        let mut names = names();
        names.attributes[0].1 = Some(default);
        Definition::read("def output(at):\n    return axis\n", names).expect("the text is right")
    };
    let definition = with_default(AttributeValue::Integer(5));
    let trial = |attributes| Trial { text: "", inputs: &[], output: &[1], attributes }.descriptor();
    let given = [("axis", AttributeValue::Integer(7))];
    let first =
        |descriptor: &Descriptor| definition.evaluate(descriptor, &[]).expect("it is known").outputs[0].bytes[0];
    assert_eq!((first(&trial(&[])), first(&trial(&given))), (5, 7));
}

#[test]
fn what_is_left_out_is_asked_for_and_not_read() {
    let text = "def output(at):\n    return other[at] if is_given(other) else input[at]\n";
    let made = |inputs: &[(&[u64], &[i64])]| Trial { text, inputs, output: &[2], attributes: &[] }.elements();
    assert_eq!(made(&[(&[2], &[8, 9])]), [8, 9]);
    assert_eq!(made(&[(&[2], &[8, 9]), (&[2], &[1, 2])]), [1, 2]);
    assert!(problems("def output(at):\n    return 1 if is_given(axis) else 0\n")[0].contains("asks for a tensor"));
}

#[test]
fn a_list_of_tensors_is_as_long_as_there_are_and_each_has_its_number() {
    // Lists `parts` of three inputs and `pieces` of two outputs.
    let of = |list: &str, count: usize| (0..count).map(|at| format!("{list}[{at}]")).collect::<Vec<_>>();
    let (parts, pieces) = (of("parts", 3), of("pieces", 2));
    let made = |text: &str, inputs: &[(&[u64], &[i64])], outputs: usize| {
        let tensors = parts.iter().map(|name| (name.clone(), Role::Input));
        let tensors = tensors.chain(pieces.iter().map(|name| (name.clone(), Role::Output))).collect();
        let lists = [vec![Some("parts".to_owned()); 3], vec![Some("pieces".to_owned()); 2]].concat();
        let definition = Definition::read(text, Names { tensors, lists, ..names() }).expect("nothing is wrong with it");
        let trial = Trial { text, inputs, output: &[2], attributes: &[] };
        let mut descriptor = trial.descriptor();
        let output = descriptor.tensors.pop().expect("it has an output");
        descriptor.tensors.clear();
        let entry = |name: &String, sizes: &[u64], role| NamedTensor {
            name: name.clone(),
            role,
            tensor: TensorDescriptor::packed(I64, sizes),
        };
        let each = std::iter::zip(&parts, inputs).map(|(name, (sizes, _))| entry(name, sizes, Role::Input));
        descriptor.tensors.extend(each);
        let each = pieces[..outputs].iter().map(|name| entry(name, &output.tensor.sizes, Role::Output));
        descriptor.tensors.extend(each);
        let bytes: Vec<Vec<u8>> =
            inputs.iter().map(|(_, elements)| elements.iter().flat_map(|each| each.to_le_bytes()).collect()).collect();
        let given: Vec<(&str, &[u8])> =
            std::iter::zip(&parts, &bytes).map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        let evaluation = definition.evaluate(&descriptor, &given).map_err(|fault| fault.to_string())?;
        let integers = |output: &Output| {
            let words = output.bytes.chunks_exact(8).map(|word| i64::from_le_bytes(word.try_into().expect("8 bytes")));
            (output.name.clone(), words.collect::<Vec<i64>>())
        };
        Ok::<_, String>(evaluation.outputs.iter().map(integers).collect::<Vec<_>>())
    };
    let text =
        "def pieces(which, at):\n    return parts[len(parts) - 1 - which][at] + 10 * len(parts) + rank(parts[which])\n";
    let two: [(&[u64], &[i64]); 2] = [(&[2], &[1, 2]), (&[2], &[3, 4])];
    let named = |at: usize, elements: [i64; 2]| (pieces[at].clone(), elements.to_vec());
    assert_eq!(made(text, &two, 2), Ok(vec![named(0, [24, 25]), named(1, [22, 23])]));
    assert_eq!(made(text, &two, 1), Ok(vec![named(0, [24, 25])]));
    let three: [(&[u64], &[i64]); 3] = [two[0], two[1], (&[2], &[5, 6])];
    assert_eq!(made(text, &three, 1), Ok(vec![named(0, [36, 37])]));
    // What is beyond the list is no tensor: neither one that is left out, nor one that there never is.
    for beyond in ["len(parts)", "3", "0 - 1"] {
        let text = format!("def pieces(which, at):\n    return parts[{beyond}][at]\n");
        assert!(made(&text, &two, 1).is_err(), "{beyond}");
    }
}

#[test]
fn sizes_may_follow_from_values() {
    let read = |text: &str| {
        let sizes = vec![("output".to_owned(), "shape".to_owned())];
        Definition::read(text, Names { sizes, ..names() })
    };
    let text = "found = [p for p in places(input) if input[p] != 0]\nshape = [1, len(found)]\n\
                def output(at):\n    return found[at[1]][0]\n";
    let definition = read(text).expect("nothing is wrong with it");
    let elements: Vec<u8> = [0i64, 7, 0, 9].into_iter().flat_map(i64::to_le_bytes).collect();
    let stated = |output: &[u64]| Trial { text, inputs: &[(&[4], &[])], output, attributes: &[] }.descriptor();
    let given = [("input", elements.as_slice())];
    // What the descriptor says of them does not matter, until elements are asked for.
    for sizes in [&[][..], &[1, 2], &[5]] {
        assert_eq!(definition.sizes(&stated(sizes), &given), Ok(vec![("output".to_owned(), vec![1, 2])]));
    }
    let found = definition.evaluate(&stated(&[1, 2]), &given).expect("these are the sizes");
    assert_eq!(found.outputs[0].bytes, [1i64, 3].into_iter().flat_map(i64::to_le_bytes).collect::<Vec<u8>>());
    let fault = definition.evaluate(&stated(&[1, 3]), &given).expect_err("these are others");
    assert_eq!(fault.message, "`output` has the sizes [1, 2], and the descriptor says [1, 3]");
    assert_eq!(fault.other_sizes, Some(("output".to_owned(), vec![1, 2])));

    let problems = |text: &str| {
        let found = read(text).map(|_| ()).expect_err("the text is wrong");
        found.into_iter().map(|problem| problem.message).collect::<Vec<_>>()
    };
    let holds = "def output(at):\n    return 1\n";
    assert_eq!(
        problems(&format!("shapes = [1]\n{holds}")),
        ["nothing gives `shape`, the sizes of `output`; did you mean `shapes`?"]
    );
    let asks = format!("shape = [rank(output) + len(sizes(output))]\n{holds}");
    assert_eq!(problems(&asks), ["the sizes of `output` follow from values: `shape` has them"; 2]);
    for (shape, message) in [
        ("3", "an integer where a list of sizes is needed"),
        ("[1, -1]", "what is no size is among the sizes"),
        ("[[1]]", "what is no size is among the sizes"),
    ] {
        let definition = read(&format!("shape = {shape}\n{holds}")).expect("nothing is wrong with it");
        let fault = definition.sizes(&stated(&[1]), &given).expect_err("these are none");
        assert_eq!(fault.message, message);
    }
}

#[test]
fn sizes_may_follow_from_the_descriptor() {
    let read = |text: &str| {
        let sizes_by_descriptor = vec![("output".to_owned(), "shape".to_owned())];
        Definition::read(text, Names { sizes_by_descriptor, ..names() })
    };
    let function = "def output(at):\n    return at[0]\n";
    let text = format!("shape = [size + axis for size in sizes(input)]\n{function}");
    let definition = read(&text).expect("nothing is wrong with it");
    let attributes = [("axis", AttributeValue::Integer(2))];
    let stated =
        |output: &[u64]| Trial { text: &text, inputs: &[(&[4, 1], &[])], output, attributes: &attributes }.descriptor();
    // No data is asked for, and what the descriptor says of them does not matter.
    for sizes in [&[][..], &[6, 3], &[5], &[1 << 32, 1 << 32]] {
        assert_eq!(definition.sizes_by_descriptor("shape", &stated(sizes)), Ok(vec![6, 3]));
    }
    let fault = definition.sizes_by_descriptor("output", &stated(&[])).expect_err("it is a tensor");
    assert_eq!(fault.message, "`output` lists no sizes");
    let fault = definition.evaluate(&stated(&[6, 4]), &[]).expect_err("these are others");
    assert_eq!(fault.message, "`output` has the sizes [6, 3], and the descriptor says [6, 4]");
    // Those of an input are for checks alone: they may follow from its own, and others than these are evaluated.
    let of_input = vec![("input".to_owned(), "filled".to_owned())];
    let text = format!("filled = [(size + 1) // 2 * 2 for size in sizes(input)]\n{function}");
    let definition = Definition::read(&text, Names { sizes_by_descriptor: of_input, ..names() });
    let definition = definition.expect("nothing is wrong with it");
    let odd = Trial { text: &text, inputs: &[(&[3, 1], &[])], output: &[2], attributes: &attributes }.descriptor();
    assert_eq!(definition.sizes_by_descriptor("filled", &odd), Ok(vec![4, 2]));
    assert!(definition.evaluate(&odd, &[]).is_ok());
    // More elements than can be counted have sizes all the same, and nothing else.
    let inputs = [(&[1 << 32, 1 << 32][..], &[][..])];
    let uncounted = Trial { text: &text, inputs: &inputs, output: &[2], attributes: &attributes }.descriptor();
    assert_eq!(definition.sizes_by_descriptor("filled", &uncounted), Ok(vec![1 << 32, 1 << 32]));
    let inputs = [(&[1 << 63, u64::MAX - 1][..], &[][..])];
    let wide = Trial { text: &text, inputs: &inputs, output: &[2], attributes: &attributes }.descriptor();
    assert_eq!(definition.sizes_by_descriptor("filled", &wide), Ok(vec![1 << 63, u64::MAX - 1]));
    for of_places in ["input[[0, 0]]", "len(places(input))", "len(subset(input, [0, 0], [0]))"] {
        let text = format!("def output(at):\n    return {of_places}\n");
        let read = Definition::read(&text, names()).expect("nothing is wrong with it");
        let fault = read.evaluate(&uncounted, &[]).expect_err("they cannot be counted").message;
        assert!(fault.ends_with("has more elements than can be counted") || fault.starts_with("more than"), "{fault}");
    }
    // Through other names and functions as well.
    let texts = ["shape = [input[0]]\n", "first = input[0]\nshape = [1, first]\n"];
    let called =
        "def first(place):\n    if place > 0:\n        return input[place]\n    return 1\nshape = [first(1)]\n";
    for text in texts.into_iter().chain([called]) {
        let problems = read(&format!("{text}{function}")).expect_err("they follow from an element");
        let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(messages, ["`shape` gives the sizes of `output`, and follows from elements"], "{text}");
    }
}

/// Nothing but the place of the output element itself counts as that place: no list of its coordinates, and no item of a list.
#[test]
fn elements_of_other_places_are_told_from_those_of_the_same() {
    let elsewhere = |text: &str| {
        let definition = Definition::read(text, names()).unwrap_or_else(|found| panic!("{found:?}\n{text}"));
        let uses = definition.uses(&[]);
        uses.of(&definition, "input").expect("an input").elsewhere
    };
    for text in [
        "def output(at):\n    return input[at]\n",
        "def output(at):\n    here = at\n    return input[here] if input[at] > 1 else other[here]\n",
        "def taken(p):\n    q = p\n    return input[q]\ndef output(at):\n    return taken(at)\n",
    ] {
        assert!(!elsewhere(text), "{text}");
    }
    for text in [
        "def output(at):\n    return input[replaced(at, 0, 0)]\n",
        "def output(at):\n    return input[at] + max(input[p] for p in places(input))\n",
        "def taken(p):\n    return input[p]\ndef output(at):\n    return taken(at) + taken(origin(input))\n",
        "first = input[origin(input)]\ndef output(at):\n    return first + input[at]\n",
        "def output(at):\n    r, c = at\n    return input[r, c]\n",
        "def taken(p):\n    return input[p]\ndef output(at):\n    r, c = at\n    return taken(r)\n",
        "def output(at):\n    return sum(input[p] for p in [at])\n",
    ] {
        assert!(elsewhere(text), "{text}");
    }
}
