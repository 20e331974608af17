//! Placement held to Karmada's own answers, and to laws that must hold for any input.

mod cases;
mod laws;
mod sentences;
