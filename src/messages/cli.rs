//! Texts of the area `cli`.

crate::messages! { "cli";
}
