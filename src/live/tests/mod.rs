//! The engine against scripted servers: what each of them does wrong, and what the owner of the store sees of it.

mod cases;
mod odd_servers;
mod run;
mod script;
