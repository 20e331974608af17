//! Which policy owns an object.
