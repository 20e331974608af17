//! Words that several areas use.

crate::messages! { "common";
    PRODUCT = "Quarterdeck", "Quarterdeck";
    UNKNOWN = "unknown", "未知";
    NONE = "none", "无";
}
