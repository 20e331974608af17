//! Texts of the area `matrix`.

crate::messages! { "matrix";
}
