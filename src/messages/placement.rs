//! Texts of the area `placement`: who goes where, and why.

crate::messages! { "placement";
}
