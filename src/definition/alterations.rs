//! A definition, altered in one place: what a wrong implementation of it would be.
//!
//! Each line has one expression, and each part of it alternatives that depend on its form alone. Nothing here knows an operator.

use std::collections::BTreeMap;

use super::builtins::{BUILTINS, OF_TENSORS, SINCE};
use super::cast::Cast;
use super::syntax::{Arithmetic, Clause, Comparison, Expression, Item, Kind, Name, Place};
use super::{Alteration, Definition, Names, Open, parser, resolve, tokens};
use opcert_backend::Role;

/// No part of a name is longer.
const LONGEST: usize = 56;

/// What may stand instead of an expression, and how.
struct Variant {
    expression: Expression,
    /// `reads-less-or-equal`, as the end of a name.
    name: String,
    /// What is wrong: "`index < -size` reads `index <= -size`".
    about: String,
}

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Value,
    Condition,
    /// A number of a dimension.
    Dimension,
    /// A list of them.
    Dimensions,
    /// A number by which an item is taken out of a list.
    Item,
    /// An end of a part of a list.
    Bound,
    /// What a question about a float's bits is asked of.
    Asked,
}

/// Every alteration of a definition, in the order of its lines.
pub(super) fn alterations(definition: &Definition) -> Vec<Alteration> {
    let (items, _) = parser::parse(tokens::tokens(&definition.text));
    let mut lines = Vec::new();
    items.iter().for_each(|item| item.expressions(&mut lines));
    let rests = Rests::of(&items, definition);
    let returned: Vec<&Expression> = lines
        .iter()
        .filter(|(place, _)| *place == Place::Return)
        .map(|(_, value)| *value)
        .filter(|each| !is_open(each))
        .collect();
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for (line, (place, expression)) in lines.iter().enumerate() {
        let leads_to_open =
            *place == Place::Condition && matches!(lines.get(line + 1), Some((Place::Return, value)) if is_open(value));
        for variant in of_line(*place, expression, &returned, &definition.names) {
            // Whoever does not ask whether something is open answers in a way of its own, which is allowed.
            if leads_to_open && matches!(variant.expression.kind, Kind::Boolean(false)) {
                continue;
            }
            let mut items = items.clone();
            let mut places = Vec::new();
            items.iter_mut().for_each(|item| item.expressions_mut(&mut places));
            *places[line] = variant.expression;
            let Ok(altered) = resolve::resolve(&definition.text, &items, definition.names.clone()) else { continue };
            let site = site(definition, line);
            let name = format!("{site}-{}", variant.name);
            let count = taken.entry(name.clone()).or_default();
            *count += 1;
            let name = if *count == 1 { name } else { format!("{name}-{count}") };
            let about = format!("In `{}` {}.", definition.text_of(line), variant.about);
            found.push(Alteration { name, about, line, rests: rests.on(line), definition: altered });
        }
    }
    found
}

/// For each line that leaves something open the definition without it: the line is never come by, or gives its other value.
pub(super) fn closed(definition: &Definition) -> Vec<(usize, Definition)> {
    let (items, _) = parser::parse(tokens::tokens(&definition.text));
    let mut lines = Vec::new();
    items.iter().for_each(|item| item.expressions(&mut lines));
    let mut found = Vec::new();
    for (line, (place, expression)) in lines.iter().enumerate() {
        let is_left =
            *place == Place::Condition && matches!(lines.get(line + 1), Some((Place::Return, value)) if is_open(value));
        let other = match &expression.kind {
            _ if is_left => Expression { kind: Kind::Boolean(false), position: expression.position },
            Kind::Conditional { yes, no, .. } if is_open(no) => (**yes).clone(),
            Kind::Conditional { yes, no, .. } if is_open(yes) => (**no).clone(),
            _ => continue,
        };
        let mut items = items.clone();
        let mut places = Vec::new();
        items.iter_mut().for_each(|item| item.expressions_mut(&mut places));
        *places[line] = other;
        if let Ok(closed) = resolve::resolve(&definition.text, &items, definition.names.clone()) {
            found.push((if is_left { line + 1 } else { line }, closed));
        }
    }
    found
}

/// The lines that return nothing but that something is open.
pub(super) fn open(definition: &Definition) -> Vec<(usize, Open)> {
    let (items, _) = parser::parse(tokens::tokens(&definition.text));
    let mut lines = Vec::new();
    items.iter().for_each(|item| item.expressions(&mut lines));
    let opens = |(line, (place, value)): (usize, &(Place, &Expression))| match &value.kind {
        Kind::Name(name) if *place == Place::Return && name == "undefined" => Some((line, Open::Undefined)),
        Kind::Name(name) if *place == Place::Return && name == "unspecified" => Some((line, Open::Unspecified)),
        _ => None,
    };
    lines.iter().enumerate().filter_map(opens).collect()
}

/// What a line is called: by the first requirement that it cites, otherwise by its text.
fn site(definition: &Definition, line: usize) -> String {
    let cited = definition.lines[line].citations.first();
    cited.map_or_else(
        || slug(&definition.text_of(line)),
        |citation| citation.name.rsplit('/').next().unwrap_or_default().to_owned(),
    )
}

/// Code as a part of a name: letters, digits and hyphens.
fn slug(code: &str) -> String {
    let signs = [
        ("==", " eq "),
        ("!=", " ne "),
        ("<=", " le "),
        (">=", " ge "),
        ("//", " div "),
        ("<", " lt "),
        (">", " gt "),
        ("=", " is "),
        ("+", " plus "),
        ("-", " minus "),
        ("*", " times "),
        ("%", " mod "),
    ];
    let mut words = code.to_owned();
    for (sign, word) in signs {
        words = words.replace(sign, word);
    }
    let words = words.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = String::new();
    for word in words {
        if !slug.is_empty() && slug.len() + word.len() >= LONGEST {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word.to_ascii_lowercase());
    }
    slug
}

fn is_open(expression: &Expression) -> bool {
    matches!(&expression.kind, Kind::Name(name) if name == "undefined" || name == "unspecified")
}

fn of_line(place: Place, expression: &Expression, returned: &[&Expression], names: &Names) -> Vec<Variant> {
    let role = if place == Place::Condition { Purpose::Condition } else { Purpose::Value };
    let mut found = variants(expression, role, names);
    if place == Place::Return && !is_open(expression) {
        let text = expression.to_string();
        let mut others: Vec<&Expression> = Vec::new();
        for other in returned {
            if other.to_string() != text && others.iter().all(|each| each.to_string() != other.to_string()) {
                others.push(other);
            }
        }
        found.extend(others.into_iter().map(|other| reads(expression, (*other).clone())));
        found.extend(Cast::all().map(|cast| through(expression, cast)));
    }
    found
}

/// Every variant of an expression, and of what stands below it.
fn variants(expression: &Expression, role: Purpose, names: &Names) -> Vec<Variant> {
    let mut found = own(expression, role, names);
    if let Kind::Negative(of) = &expression.kind
        && matches!(of.kind, Kind::Integer(_))
    {
        return found;
    }
    for (at, part) in expression.parts().into_iter().enumerate() {
        for inner in variants(part, role_of(expression, at, role), names) {
            let mut whole = expression.clone();
            *whole.parts_mut()[at] = inner.expression;
            found.push(Variant { expression: whole, ..inner });
        }
    }
    found
}

/// What a part of an expression is there for.
fn role_of(expression: &Expression, at: usize, role: Purpose) -> Purpose {
    match &expression.kind {
        Kind::Not(_) | Kind::And(..) | Kind::Or(..) if role == Purpose::Condition => Purpose::Condition,
        Kind::Conditional { .. } if at == 1 => Purpose::Condition,
        Kind::Comprehension { clauses, .. } if matches!(clauses.get(at), Some(Clause::If(_))) => Purpose::Condition,
        Kind::Index(..) if at == 1 => Purpose::Item,
        Kind::Slice(..) if at > 0 => Purpose::Bound,
        Kind::Call { function, .. } => {
            let name = function.text.as_str();
            let arguments = OF_TENSORS.iter().find(|entry| entry.name == name).map(|entry| entry.arguments);
            let arguments =
                arguments.or_else(|| BUILTINS.iter().find(|entry| entry.name == name).map(|entry| entry.arguments));
            match arguments.and_then(|arguments| arguments.get(at)) {
                Some(&"dimension") => Purpose::Dimension,
                Some(&"dimensions") => Purpose::Dimensions,
                Some(&"element") => Purpose::Asked,
                _ => Purpose::Value,
            }
        }
        _ => Purpose::Value,
    }
}

/// The variants of an expression itself.
fn own(expression: &Expression, role: Purpose, names: &Names) -> Vec<Variant> {
    let tensors = &names.tensors;
    let with = |kind: Kind| Expression { kind, position: expression.position };
    let mut found = Vec::new();
    if role == Purpose::Condition {
        found.extend([(false, "never"), (true, "always")].map(|(value, name)| {
            let said = if value { "is taken to hold always" } else { "is taken never to hold" };
            says(expression, with(Kind::Boolean(value)), name, said)
        }));
        let turned = matches!(&expression.kind, Kind::Comparison(_, others) if others.len() == 1)
            || matches!(expression.kind, Kind::Not(_));
        if !turned {
            let negated = with(Kind::Not(Box::new(expression.clone())));
            found.push(says(expression, negated, "negated", "is taken to hold where it does not"));
        }
    }
    match &expression.kind {
        Kind::Integer(value) => {
            found.extend([*value + 1, *value - 1].map(|other| reads(expression, with(Kind::Integer(other)))));
        }
        Kind::Negative(of) => match of.kind {
            Kind::Integer(value) => {
                found.extend([-value + 1, -value - 1].map(|other| reads(expression, with(Kind::Integer(other)))));
            }
            _ => found.push(reads(expression, (**of).clone())),
        },
        Kind::Boolean(value) if role != Purpose::Condition => {
            found.push(reads(expression, with(Kind::Boolean(!value))));
        }
        Kind::Not(of) => found.push(reads(expression, (**of).clone())),
        Kind::And(one, other) | Kind::Or(one, other) => {
            let turned = if matches!(expression.kind, Kind::And(..)) { Kind::Or } else { Kind::And };
            found.push(reads(expression, with(turned(one.clone(), other.clone()))));
            found.extend([one, other].map(|only| reads(expression, (**only).clone())));
        }
        Kind::Arithmetic(sign, one, other) => {
            use Arithmetic::{Add, And, Divide, Multiply, Or, Remainder, ShiftLeft, ShiftRight, Subtract, Xor};
            let others: &[Arithmetic] = match sign {
                Add => &[Subtract],
                Subtract => &[Add],
                Multiply => &[Add],
                Divide => &[Remainder, Multiply],
                Remainder => &[Divide],
                And => &[Or, Xor],
                Or => &[And, Xor],
                Xor => &[And, Or],
                ShiftLeft => &[ShiftRight],
                ShiftRight => &[ShiftLeft],
            };
            let turned = others.iter().map(|sign| with(Kind::Arithmetic(*sign, one.clone(), other.clone())));
            found.extend(turned.chain([(**one).clone(), (**other).clone()]).map(|each| reads(expression, each)));
        }
        Kind::Comparison(first, others) => {
            for (at, (sign, _)) in others.iter().enumerate() {
                for neighbour in neighbours(*sign) {
                    let mut others = others.clone();
                    others[at].0 = *neighbour;
                    found.push(reads(expression, with(Kind::Comparison(first.clone(), others))));
                }
            }
        }
        Kind::Call { function, arguments, key } => {
            let called = |name: &str, arguments: Vec<Expression>| {
                let function = Name { text: name.to_owned(), position: function.position };
                with(Kind::Call { function, arguments, key: key.clone() })
            };
            let twins = [("min", "max"), ("any", "all"), ("is_nan", "is_subnormal")];
            for (one, other) in twins.into_iter().flat_map(|(one, other)| [(one, other), (other, one)]) {
                if function.text == one {
                    found.push(reads(expression, called(other, arguments.clone())));
                }
            }
            match (function.text.as_str(), arguments.as_slice()) {
                ("sorted" | "flushed" | "bits", [only]) => found.push(reads(expression, only.clone())),
                ("is_infinite", _) => found.push(reads(expression, called("is_nan", arguments.clone()))),
                ("replaced", [place, ..]) => found.push(reads(expression, place.clone())),
                _ => {}
            }
            if let (SINCE, [Expression { kind: Kind::Text(level), position }]) = (&*function.text, arguments.as_slice())
            {
                // The lowest level is none at which something begins.
                let levels = names.levels.get(1..).unwrap_or_default();
                let beside = levels.windows(2).flat_map(|pair| [(&pair[0], &pair[1]), (&pair[1], &pair[0])]);
                for (_, other) in beside.filter(|(one, _)| *one == level) {
                    let other = Expression { kind: Kind::Text(other.clone()), position: *position };
                    found.push(reads(expression, called(SINCE, vec![other])));
                }
            }
            if function.text == "sorted"
                && let Some((name, body)) = key
            {
                let body = Expression { kind: Kind::Negative(body.clone()), position: body.position };
                let key = Some((name.clone(), Box::new(body)));
                let sorted = Kind::Call { function: function.clone(), arguments: arguments.clone(), key };
                found.push(reads(expression, with(sorted)));
            }
            if OF_TENSORS.iter().any(|entry| entry.name == function.text)
                && let Some((Expression { kind: Kind::Name(tensor), position }, rest)) = arguments.split_first()
            {
                for (other, _) in tensors.iter().filter(|(other, _)| other != tensor) {
                    let other = Expression { kind: Kind::Name(other.clone()), position: *position };
                    found.push(reads(expression, called(&function.text, [&[other], rest].concat())));
                }
            }
        }
        Kind::Index(of, _) if role != Purpose::Asked && is_one_of_list(of, names) => {
            found.extend(Cast::all().map(|cast| through(expression, cast)));
        }
        Kind::Index(of, place) => {
            if let Kind::Name(tensor) = &of.kind
                && tensors.iter().any(|(each, _)| each == tensor)
            {
                let inputs = tensors.iter().filter(|(other, role)| *role == Role::Input && other != tensor);
                for (other, _) in inputs {
                    let other = Expression { kind: Kind::Name(other.clone()), position: of.position };
                    found.push(reads(expression, with(Kind::Index(Box::new(other), place.clone()))));
                }
                if role != Purpose::Asked {
                    found.extend(Cast::all().map(|cast| through(expression, cast)));
                }
            }
        }
        Kind::Slice(of, first, end) => {
            let integer = |value: i128| Some(Box::new(with(Kind::Integer(value))));
            let mut sliced = |first: &Option<Box<Expression>>, end: &Option<Box<Expression>>| {
                let slice = Kind::Slice(of.clone(), first.clone(), end.clone());
                found.push(reads(expression, with(slice)));
            };
            if first.is_none() {
                sliced(&integer(1), end);
            } else {
                sliced(&None, end);
            }
            if end.is_none() { sliced(first, &integer(-1)) } else { sliced(first, &None) }
        }
        _ => {}
    }
    let is_literal = matches!(&expression.kind, Kind::Integer(_) | Kind::Negative(_));
    if matches!(role, Purpose::Dimension | Purpose::Item | Purpose::Bound) && !is_literal {
        for sign in [Arithmetic::Add, Arithmetic::Subtract] {
            let one = Box::new(with(Kind::Integer(1)));
            found.push(reads(expression, with(Kind::Arithmetic(sign, Box::new(expression.clone()), one))));
        }
    }
    if role == Purpose::Dimension && !is_literal {
        found.push(reads(expression, with(Kind::Integer(0))));
    }
    if role == Purpose::Dimensions {
        let whole = || Box::new(expression.clone());
        let one = |value: i128| Some(Box::new(with(Kind::Integer(value))));
        found.push(reads(expression, with(Kind::Slice(whole(), one(1), None))));
        found.push(reads(expression, with(Kind::Slice(whole(), None, one(-1)))));
    }
    found
}

/// Whether an expression names a tensor of a list.
fn is_one_of_list(expression: &Expression, names: &Names) -> bool {
    let Kind::Index(of, _) = &expression.kind else { return false };
    let Kind::Name(name) = &of.kind else { return false };
    names.lists.iter().flatten().any(|list| list == name)
}

const fn neighbours(sign: Comparison) -> &'static [Comparison] {
    use Comparison::{Equal, Greater, GreaterOrEqual, In, Less, LessOrEqual, NotIn, Unequal};
    match sign {
        Equal => &[Unequal, LessOrEqual, GreaterOrEqual],
        Unequal => &[Equal, Less, Greater],
        Less => &[LessOrEqual, Greater, GreaterOrEqual, Unequal],
        LessOrEqual => &[Less, Greater, GreaterOrEqual, Equal],
        Greater => &[GreaterOrEqual, Less, LessOrEqual, Unequal],
        GreaterOrEqual => &[Greater, Less, LessOrEqual, Equal],
        In => &[NotIn],
        NotIn => &[In],
    }
}

fn reads(before: &Expression, after: Expression) -> Variant {
    let (old, new) = (before.to_string(), after.to_string());
    Variant {
        name: format!("{}-reads-{}", slug(&old), slug(&new)),
        about: format!("`{old}` reads `{new}`"),
        expression: after,
    }
}

fn says(before: &Expression, after: Expression, name: &str, said: &str) -> Variant {
    let old = before.to_string();
    Variant { name: format!("{}-{name}", slug(&old)), about: format!("`{old}` {said}"), expression: after }
}

fn through(before: &Expression, cast: Cast) -> Variant {
    let position = before.position;
    let function = Name { text: cast.name().to_owned(), position };
    let kind = Kind::Call { function, arguments: vec![before.clone()], key: None };
    says(before, Expression { kind, position }, &slug(cast.name()), cast.does())
}

/// Which lines rest on which others.
struct Rests {
    /// For each line those that take its value, or stand under its condition.
    next: Vec<Vec<usize>>,
    cited: Vec<bool>,
}

impl Rests {
    fn of(items: &[Item], definition: &Definition) -> Self {
        let mut lines = Vec::new();
        items.iter().for_each(|item| item.expressions(&mut lines));
        let (mut next, mut first) = (vec![Vec::new(); lines.len()], 0);
        for item in items {
            let mut own = Vec::new();
            item.expressions(&mut own);
            let end = first + own.len();
            for (line, next) in next.iter_mut().enumerate().take(end).skip(first) {
                match item {
                    Item::Assignment(assignment) => {
                        let used = |(_, each): &(Place, &Expression)| {
                            assignment.targets.iter().any(|name| names(each, &name.text))
                        };
                        next.extend((0..lines.len()).filter(|&other| used(&lines[other])));
                    }
                    Item::Function(function) => {
                        // What is decided in a function rests on all that stands above it, and so does who calls it.
                        next.extend(line + 1..end);
                        next.extend((end..lines.len()).filter(|&other| names(lines[other].1, &function.name.text)));
                    }
                }
            }
            first = end;
        }
        Self { next, cited: definition.lines.iter().map(|line| !line.citations.is_empty()).collect() }
    }

    /// A line if it cites requirements, otherwise the nearest ones that do and rest on it.
    fn on(&self, line: usize) -> Vec<usize> {
        let (mut found, mut seen, mut left) = (Vec::new(), vec![false; self.next.len()], vec![line]);
        while let Some(line) = left.pop() {
            if std::mem::replace(&mut seen[line], true) {
                continue;
            }
            if self.cited[line] { found.push(line) } else { left.extend(&self.next[line]) }
        }
        found.sort_unstable();
        found
    }
}

/// Whether an expression uses a name.
fn names(expression: &Expression, name: &str) -> bool {
    let own = match &expression.kind {
        Kind::Name(each) => each == name,
        Kind::Call { function, .. } => function.text == name,
        _ => false,
    };
    own || expression.parts().into_iter().any(|part| names(part, name))
}
