//! Texts of the area `fleet`.

crate::messages! { "fleet";
}
