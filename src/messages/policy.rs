//! Texts of the area `policy`: policies, their faults, lints.

crate::messages! { "policy";
}
