//! Texts of the area `source`: sources and the tools that render them.

crate::messages! { "source";
}
