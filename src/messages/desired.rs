//! Texts of the area `desired`: the commands and screens of desired state.

crate::messages! { "desired";
}
