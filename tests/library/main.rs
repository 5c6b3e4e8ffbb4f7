//! What the library promises: of the specifications, the cases and the judge, and of the shape of its own code.

mod covered;
mod definitions;
mod documents;
mod flow;
mod fuzz;
mod fuzz_finds;
mod generated;
mod judgement;
mod large;
mod literals;
mod matrix;
mod outcomes;
mod second_reader;
mod suite;
mod through;
mod validator;
mod writing;
