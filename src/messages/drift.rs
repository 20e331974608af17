//! Texts of drift: what differs, what it is, and who wrote it.

crate::messages! {
    "drift";
    FOUND = "{path} differs: {class} by rule {rule}, last written by {manager}.",
        "{path} 存在差异：按规则 {rule} 判定为 {class}，最后写入者为 {manager}。";
    CACHE_STATE = "The state {state} of the cache is not known here; use synced, stale, unreachable or not-watched.",
        "无法识别缓存状态 {state}；请使用 synced、stale、unreachable 或 not-watched。";
}
