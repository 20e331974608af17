//! Texts of the area `objects`.

crate::messages! { "objects";
}
