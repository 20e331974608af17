//! States of clusters and their causes in words.

crate::messages! { "live";
    CONNECTING = "connecting", "连接中";
    SYNCING = "syncing", "同步中";
    LIVE = "live", "实时";
    STALE = "stale", "数据陈旧";
    UNREACHABLE = "unreachable", "无法连接";
    LOGIN_EXPIRED = "login expired", "登录过期";
    FORBIDDEN = "forbidden", "无权限";
}
