//! Texts of the area `patch`: overrides.

crate::messages! { "patch";
}
