//! Texts of the area `tui`.

crate::messages! { "tui";
}
