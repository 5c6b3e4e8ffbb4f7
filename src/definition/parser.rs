//! From tokens to statements and expressions. A statement with an error is left out, and the next one is read all the
//! same, so that all errors of a text are found at once.

use super::Problem;
use super::syntax::{
    Arithmetic, Assignment, Clause, Comparison, Expression, Function, Item, Kind as Shape, Lines, Name, Statement,
};
use super::tokens::{Citation, Kind, Token, Tokens};
use crate::diagnostic::Position;

/// Expressions and blocks may stand in each other so deep.
const DEEPEST: usize = 64;
/// So many signs and brackets may join what stands side by side in a function, or in a line at the top: each is one expression
/// around all that stand before it.
const MOST_JOINED: usize = 1000;

const KEYWORDS: [&str; 15] = [
    "def",
    "return",
    "if",
    "elif",
    "else",
    "for",
    "in",
    "and",
    "or",
    "not",
    "True",
    "False",
    "lambda",
    "undefined",
    "unspecified",
];

/// What Python has and definitions do not, and what is said of it.
const ELSEWHERE: [(&str, &str); 14] = [
    ("while", "a definition always ends: there are no loops but `for` in brackets"),
    ("import", "the builtins are all there is"),
    ("from", "the builtins are all there is"),
    ("class", "there are functions and values"),
    ("global", "what stands at the top can be read everywhere, and changed nowhere"),
    ("nonlocal", "what stands at the top can be read everywhere, and changed nowhere"),
    ("try", "what cannot be worked out is an error of the definition"),
    ("raise", "what cannot be worked out is an error of the definition"),
    ("with", "there are functions and values"),
    ("yield", "a function gives one value, with `return`"),
    ("assert", "what a descriptor must fulfil stands in `requirements`"),
    ("pass", "each block gives a value or names one"),
    ("is", "compare with `==`"),
    ("None", "each name has a value"),
];

/// Whether a name means something in the language itself.
pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name) || ELSEWHERE.iter().any(|(each, _)| *each == name)
}

/// An error is noted where it is found; this only says that the statement cannot be gone on with.
struct Broken;

type Parsed<T> = Result<T, Broken>;

pub(super) fn parse(tokens: Tokens) -> (Vec<Item>, Vec<Problem>) {
    let Tokens { tokens, citations, problems } = tokens;
    let mut parser = Parser { tokens, citations, problems, at: 0, depth: 0, joined: 0 };
    let mut items = Vec::new();
    while !parser.is(&Kind::End) {
        parser.joined = 0;
        match parser.item() {
            Ok(item) => items.extend(item),
            Err(Broken) => {
                parser.depth = 0;
                parser.skip_statement();
            }
        }
    }
    (items, parser.problems)
}

struct Parser {
    tokens: Vec<Token>,
    citations: Vec<Citation>,
    problems: Vec<Problem>,
    at: usize,
    depth: usize,
    joined: usize,
}

impl Parser {
    fn item(&mut self) -> Parsed<Option<Item>> {
        if self.is_name("def") {
            return self.function().map(|function| Some(Item::Function(function)));
        }
        for keyword in ["if", "return", "for"] {
            if self.is_name(keyword) {
                let way_out = "names are given values at the top, and functions; both stand for themselves";
                return Err(self.unexpected(&format!("`{keyword}` at the top of a definition"), way_out));
            }
        }
        self.assignment().map(|assignment| Some(Item::Assignment(assignment)))
    }

    fn function(&mut self) -> Parsed<Function> {
        let first = self.advance().position.line;
        let name = self.name()?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.is_sign(")") {
            parameters.push(self.name()?);
            if !self.take(",") {
                break;
            }
        }
        self.expect(")")?;
        let Lines { citations, .. } = self.head(first)?;
        if let Some(citation) = citations.first() {
            let message = "the head of a function decides nothing, and cites nothing";
            self.problems.push(Problem::at(citation.position, message).with_help("give the comment a line of its own"));
        }
        let body = self.block()?;
        Ok(Function { name, parameters, body })
    }

    /// `:` and the end of the line.
    fn head(&mut self, first: u32) -> Parsed<Lines> {
        let last = self.expect(":")?.line;
        if !self.is(&Kind::Newline) {
            return Err(self.unexpected("something behind `:`", "a block begins on the next line"));
        }
        self.advance();
        Ok(self.lines(first, last))
    }

    fn block(&mut self) -> Parsed<Vec<Statement>> {
        if !self.is(&Kind::Indent) {
            return Err(self.unexpected("no block", "indent what belongs to the line above"));
        }
        let position = self.advance().position;
        self.deeper(position)?;
        let depth = self.depth;
        let mut statements = Vec::new();
        while !self.is(&Kind::Dedent) && !self.is(&Kind::End) {
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(Broken) => {
                    self.depth = depth;
                    self.skip_statement();
                }
            }
        }
        self.depth = depth - 1;
        if self.is(&Kind::Dedent) {
            self.advance();
        }
        Ok(statements)
    }

    fn statement(&mut self) -> Parsed<Statement> {
        if self.is_name("if") {
            return self.conditional_statement();
        }
        if self.is_name("return") {
            let position = self.advance().position;
            let value = self.expressions()?;
            let lines = self.statement_end(position.line)?;
            return Ok(Statement::Return { value, lines, position });
        }
        if self.is_name("def") {
            return Err(self.unexpected("a function within a function", "functions stand at the top"));
        }
        if self.is_name("for") {
            return Err(self.unexpected("a loop", "`[… for … in …]` makes a list, and `any`, `all`, `sum` take one"));
        }
        self.assignment().map(Statement::Assignment)
    }

    fn conditional_statement(&mut self) -> Parsed<Statement> {
        let mut branches = Vec::new();
        loop {
            let first = self.advance().position.line;
            let condition = self.expression()?;
            let lines = self.head(first)?;
            branches.push((condition, lines, self.block()?));
            if !self.is_name("elif") {
                break;
            }
        }
        let otherwise = if self.is_name("else") {
            let first = self.advance().position.line;
            self.head(first)?;
            Some(self.block()?)
        } else {
            None
        };
        Ok(Statement::If { branches, otherwise })
    }

    fn assignment(&mut self) -> Parsed<Assignment> {
        let first = self.peek().position.line;
        let mut targets = vec![self.name()?];
        while self.take(",") {
            targets.push(self.name()?);
        }
        if !self.is_sign("=") {
            let way_out = "a line gives a value to a name (`name = …`), asks (`if …:`) or gives a value (`return …`)";
            return Err(self.unexpected("no `=`", way_out));
        }
        self.advance();
        let value = self.expressions()?;
        let lines = self.statement_end(first)?;
        Ok(Assignment { targets, value, lines })
    }

    fn statement_end(&mut self, first: u32) -> Parsed<Lines> {
        if !self.is(&Kind::Newline) {
            return Err(self.unexpected("something that does not belong to the statement", "one statement, one line"));
        }
        let last = self.advance().position.line;
        Ok(self.lines(first, last))
    }

    fn lines(&self, first: u32, last: u32) -> Lines {
        let here = |citation: &&Citation| (first..=last).contains(&citation.position.line);
        Lines { first, last, citations: self.citations.iter().filter(here).cloned().collect() }
    }

    /// An expression, or several with commas, which are a list.
    fn expressions(&mut self) -> Parsed<Expression> {
        let first = self.expression()?;
        if !self.is_sign(",") {
            return Ok(first);
        }
        let position = first.position;
        let mut items = vec![first];
        while self.take(",") {
            items.push(self.expression()?);
        }
        Ok(Expression { kind: Shape::List(items), position })
    }

    fn expression(&mut self) -> Parsed<Expression> {
        self.deeper(self.peek().position)?;
        let yes = self.disjunction()?;
        let whole = if self.is_name("if") {
            self.advance();
            let condition = self.disjunction()?;
            if !self.is_name("else") {
                let way_out = "what is chosen otherwise follows: `yes if condition else no`";
                return Err(self.unexpected("no `else`", way_out));
            }
            self.advance();
            let no = self.expression()?;
            let position = yes.position;
            let kind = Shape::Conditional { yes: Box::new(yes), condition: Box::new(condition), no: Box::new(no) };
            Expression { kind, position }
        } else {
            yes
        };
        self.depth -= 1;
        Ok(whole)
    }

    fn disjunction(&mut self) -> Parsed<Expression> {
        self.joined("or", Self::conjunction, Shape::Or)
    }

    fn conjunction(&mut self) -> Parsed<Expression> {
        self.joined("and", Self::negation, Shape::And)
    }

    fn joined(
        &mut self,
        keyword: &str,
        side: fn(&mut Self) -> Parsed<Expression>,
        join: fn(Box<Expression>, Box<Expression>) -> Shape,
    ) -> Parsed<Expression> {
        let mut left = side(self)?;
        while self.is_name(keyword) {
            self.further()?;
            self.advance();
            let right = side(self)?;
            let position = left.position;
            left = Expression { kind: join(Box::new(left), Box::new(right)), position };
        }
        Ok(left)
    }

    fn negation(&mut self) -> Parsed<Expression> {
        if !self.is_name("not") {
            return self.comparison();
        }
        let position = self.advance().position;
        self.deeper(position)?;
        let inner = self.negation()?;
        self.depth -= 1;
        Ok(Expression { kind: Shape::Not(Box::new(inner)), position })
    }

    fn comparison(&mut self) -> Parsed<Expression> {
        let first = self.any_bit()?;
        let mut others = Vec::new();
        while let Some(comparison) = self.comparison_sign()? {
            others.push((comparison, self.any_bit()?));
        }
        if others.is_empty() {
            return Ok(first);
        }
        let position = first.position;
        Ok(Expression { kind: Shape::Comparison(Box::new(first), others), position })
    }

    fn comparison_sign(&mut self) -> Parsed<Option<Comparison>> {
        let found = match &self.peek().kind {
            Kind::Sign("==") => Comparison::Equal,
            Kind::Sign("!=") => Comparison::Unequal,
            Kind::Sign("<") => Comparison::Less,
            Kind::Sign("<=") => Comparison::LessOrEqual,
            Kind::Sign(">") => Comparison::Greater,
            Kind::Sign(">=") => Comparison::GreaterOrEqual,
            Kind::Name(name) if name == "in" => Comparison::In,
            Kind::Name(name) if name == "not" => {
                self.advance();
                if !self.is_name("in") {
                    return Err(self.unexpected("no `in` behind `not`", ""));
                }
                Comparison::NotIn
            }
            Kind::Name(name) if name == "is" => return Err(self.unexpected("`is`", "compare with `==`")),
            _ => return Ok(None),
        };
        self.advance();
        Ok(Some(found))
    }

    fn any_bit(&mut self) -> Parsed<Expression> {
        self.arithmetic(&[("|", Arithmetic::Or)], Self::one_bit)
    }

    fn one_bit(&mut self) -> Parsed<Expression> {
        self.arithmetic(&[("^", Arithmetic::Xor)], Self::both_bits)
    }

    fn both_bits(&mut self) -> Parsed<Expression> {
        self.arithmetic(&[("&", Arithmetic::And)], Self::shift)
    }

    fn shift(&mut self) -> Parsed<Expression> {
        self.arithmetic(&[("<<", Arithmetic::ShiftLeft), (">>", Arithmetic::ShiftRight)], Self::sum)
    }

    fn sum(&mut self) -> Parsed<Expression> {
        self.arithmetic(&[("+", Arithmetic::Add), ("-", Arithmetic::Subtract)], Self::product)
    }

    fn product(&mut self) -> Parsed<Expression> {
        let signs = [("*", Arithmetic::Multiply), ("//", Arithmetic::Divide), ("%", Arithmetic::Remainder)];
        self.arithmetic(&signs, Self::signed)
    }

    fn arithmetic(
        &mut self,
        signs: &[(&str, Arithmetic)],
        side: fn(&mut Self) -> Parsed<Expression>,
    ) -> Parsed<Expression> {
        let mut left = side(self)?;
        while let Some((_, operation)) = signs.iter().find(|(sign, _)| self.is_sign(sign)) {
            self.further()?;
            self.advance();
            let right = side(self)?;
            let position = left.position;
            left = Expression { kind: Shape::Arithmetic(*operation, Box::new(left), Box::new(right)), position };
        }
        if self.is_sign("/") {
            return Err(self.unexpected("`/`", "there are whole numbers only; `//` divides and rounds down"));
        }
        Ok(left)
    }

    fn signed(&mut self) -> Parsed<Expression> {
        if !self.is_sign("-") {
            return self.applied();
        }
        let position = self.advance().position;
        self.deeper(position)?;
        let inner = self.signed()?;
        self.depth -= 1;
        Ok(Expression { kind: Shape::Negative(Box::new(inner)), position })
    }

    /// Calls, indices and slices behind what they are of.
    fn applied(&mut self) -> Parsed<Expression> {
        let mut whole = self.primary()?;
        loop {
            let position = whole.position;
            if self.is_sign("(") || self.is_sign("[") {
                self.further()?;
            }
            if self.take("(") {
                let Shape::Name(text) = whole.kind else {
                    return Err(self.problem(position, "only what has a name can be called", ""));
                };
                whole = self.call(Name { text, position })?;
            } else if self.take("[") {
                let first = if self.is_sign(":") { None } else { Some(Box::new(self.expressions()?)) };
                let kind = if self.take(":") {
                    let end = if self.is_sign("]") { None } else { Some(Box::new(self.expression()?)) };
                    Shape::Slice(Box::new(whole), first, end)
                } else if let Some(index) = first {
                    Shape::Index(Box::new(whole), index)
                } else {
                    return Err(self.unexpected("no index", ""));
                };
                self.expect("]")?;
                whole = Expression { kind, position };
            } else if self.is_sign(".") {
                return Err(self.unexpected("`.`", "values have no parts with names; the builtins are called plainly"));
            } else {
                return Ok(whole);
            }
        }
    }

    fn call(&mut self, function: Name) -> Parsed<Expression> {
        let position = function.position;
        let (mut arguments, mut key) = (Vec::new(), None);
        while !self.is_sign(")") {
            let is_key = self.is_name("key") && matches!(self.ahead(1), Some(Kind::Sign("=")));
            if is_key {
                self.advance();
                self.advance();
                if !self.is_name("lambda") {
                    return Err(self.unexpected("no `lambda`", "a key is written `key=lambda name: …`"));
                }
                self.advance();
                let name = self.name()?;
                self.expect(":")?;
                key = Some((name, Box::new(self.expression()?)));
            } else {
                let argument = self.expression()?;
                arguments.push(if self.is_name("for") { self.comprehension(argument)? } else { argument });
            }
            if !self.take(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(Expression { kind: Shape::Call { function, arguments, key }, position })
    }

    fn comprehension(&mut self, body: Expression) -> Parsed<Expression> {
        let position = body.position;
        let mut clauses = Vec::new();
        loop {
            if self.is_name("for") {
                self.advance();
                let mut targets = vec![self.name()?];
                while self.take(",") {
                    targets.push(self.name()?);
                }
                if !self.is_name("in") {
                    return Err(self.unexpected("no `in`", "`for name in …`"));
                }
                self.advance();
                clauses.push(Clause::For { targets, source: self.disjunction()? });
            } else if self.is_name("if") {
                self.advance();
                clauses.push(Clause::If(self.disjunction()?));
            } else {
                let kind = Shape::Comprehension { body: Box::new(body), clauses };
                return Ok(Expression { kind, position });
            }
        }
    }

    fn primary(&mut self) -> Parsed<Expression> {
        let Token { kind, position } = self.peek().clone();
        let shape = match kind {
            Kind::Integer(value) => Shape::Integer(value),
            Kind::Name(name) if name == "True" || name == "False" => Shape::Boolean(name == "True"),
            Kind::Name(name) if name == "undefined" || name == "unspecified" => Shape::Name(name),
            Kind::Name(name) if is_keyword(&name) => {
                let told = ELSEWHERE.iter().find(|(each, _)| *each == name).map_or("", |(_, told)| told);
                return Err(self.unexpected(&format!("`{name}`"), told));
            }
            Kind::Name(name) => Shape::Name(name),
            Kind::Text(text) => Shape::Text(text),
            Kind::Sign("[") => return self.bracketed("]"),
            Kind::Sign("(") => return self.bracketed(")"),
            Kind::Sign("{") => return Err(self.unexpected("`{`", "there are lists, in `[` and `]`")),
            _ => return Err(self.unexpected("no value", "")),
        };
        self.advance();
        Ok(Expression { kind: shape, position })
    }

    /// A list, a comprehension, or an expression in parentheses.
    fn bracketed(&mut self, closing: &'static str) -> Parsed<Expression> {
        let position = self.advance().position;
        let mut items = Vec::new();
        let mut commas = 0;
        while !self.is_sign(closing) {
            let item = self.expression()?;
            if items.is_empty() && self.is_name("for") {
                let Expression { kind, .. } = self.comprehension(item)?;
                self.expect(closing)?;
                return Ok(Expression { kind, position });
            }
            items.push(item);
            if !self.take(",") {
                break;
            }
            commas += 1;
        }
        self.expect(closing)?;
        Ok(match <[Expression; 1]>::try_from(items) {
            Ok([only]) if closing == ")" && commas == 0 => only,
            Ok([only]) => Expression { kind: Shape::List(vec![only]), position },
            Err(items) => Expression { kind: Shape::List(items), position },
        })
    }

    fn name(&mut self) -> Parsed<Name> {
        match self.peek().clone() {
            Token { kind: Kind::Name(text), position } if !is_keyword(&text) => {
                self.advance();
                Ok(Name { text, position })
            }
            Token { kind: Kind::Name(text), .. } => {
                let told = ELSEWHERE.iter().find(|(each, _)| *each == text).map_or("", |(_, told)| told);
                Err(self.unexpected(&format!("`{text}`, which is no name"), told))
            }
            _ => Err(self.unexpected("no name", "")),
        }
    }

    fn deeper(&mut self, position: Position) -> Parsed<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("more than {DEEPEST} expressions and blocks stand in each other here");
            let broken = self.problem(position, &message, "give a name to a part of it");
            // Whatever follows could only repeat this.
            self.at = self.tokens.len() - 1;
            return Err(broken);
        }
        Ok(())
    }

    /// One more is joined to what stands before it.
    fn further(&mut self) -> Parsed<()> {
        self.joined += 1;
        if self.joined > MOST_JOINED {
            let message = format!("more than {MOST_JOINED} signs and brackets join what stands side by side here");
            let broken = self.problem(self.peek().position, &message, "give a name to a part of it");
            self.at = self.tokens.len() - 1;
            return Err(broken);
        }
        Ok(())
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn ahead(&self, count: usize) -> Option<&Kind> {
        self.tokens.get(self.at + count).map(|token| &token.kind)
    }

    /// The token that was next. The last one, the end, stays.
    fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is(&self, kind: &Kind) -> bool {
        self.peek().kind == *kind
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek().kind, Kind::Sign(each) if each == sign)
    }

    fn is_name(&self, name: &str) -> bool {
        matches!(&self.peek().kind, Kind::Name(each) if each == name)
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Parsed<Position> {
        if self.is_sign(sign) { Ok(self.advance().position) } else { Err(self.unexpected(&format!("no `{sign}`"), "")) }
    }

    fn unexpected(&mut self, what: &str, help: &str) -> Broken {
        let position = self.peek().position;
        let found = match &self.peek().kind {
            Kind::Name(name) => format!("`{name}`"),
            Kind::Integer(value) => format!("`{value}`"),
            Kind::Text(text) => format!("`\"{text}\"`"),
            Kind::Sign(sign) => format!("`{sign}`"),
            Kind::Newline => "the end of the line".to_owned(),
            Kind::Indent => "a line that is indented further".to_owned(),
            Kind::Dedent => "the end of the block".to_owned(),
            Kind::End => "the end of the definition".to_owned(),
        };
        let message = if what.contains(&found) {
            format!("{what} is not part of the language here")
        } else {
            format!("{what} here, but {found}")
        };
        self.problem(position, &message, help)
    }

    fn problem(&mut self, position: Position, message: &str, help: &str) -> Broken {
        let problem = Problem::at(position, message);
        self.problems.push(if help.is_empty() { problem } else { problem.with_help(help) });
        Broken
    }

    /// Goes on behind the line, and behind the block that belongs to it.
    fn skip_statement(&mut self) {
        while !matches!(self.peek().kind, Kind::Newline | Kind::End) {
            self.advance();
        }
        self.advance();
        let mut blocks = 0;
        loop {
            match self.peek().kind {
                Kind::Indent => blocks += 1,
                Kind::Dedent if blocks > 0 => blocks -= 1,
                Kind::End => return,
                _ if blocks > 0 => {}
                _ => return,
            }
            self.advance();
            if blocks == 0 {
                return;
            }
        }
    }
}
