//! The engine against scripted servers: what each of them does wrong, and what the owner of the store sees of it.

mod cases;
mod run;
mod script;
