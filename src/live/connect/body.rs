//! Bodies: whole and bounded for unary calls, as they arrive for lists and watches, decompressed in both cases.

use std::{
    io::{Read as _, Write as _},
    pin::Pin,
};

use bytes::Bytes;
use flate2::{read::MultiGzDecoder as ReadGz, write::MultiGzDecoder as WriteGz};
use futures_util::{Stream, StreamExt as _, stream};
use http::{HeaderMap, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Incoming;

use super::cause::cause_of;
use crate::model::{Cause, CauseCode};

/// Body of a list or a watch as it arrives, decompressed.
pub type ByteStream = Pin<Box<dyn Stream<Item = Result<Bytes, Cause>> + Send>>;

/// Most bytes of a unary answer on the wire, and four times that unpacked. Pages are asked for far below it.
const WHOLE: usize = 64 << 20;

/// Whether the body is gzip; another encoding was never asked for.
pub(super) fn is_gzip(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_ENCODING).is_some_and(|v| v.as_bytes().eq_ignore_ascii_case(b"gzip"))
}

/// The whole body.
pub(super) async fn whole(body: Incoming, gzip: bool) -> Result<Bytes, Cause> {
    let packed = match Limited::new(body, WHOLE).collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(e) if e.is::<LengthLimitError>() => {
            return Err(Cause::new(CauseCode::Protocol, format!("the answer is longer than {WHOLE} bytes")));
        }
        Err(e) => return Err(cause_of(e.as_ref())),
    };
    if !gzip {
        return Ok(packed);
    }
    let mut out = Vec::with_capacity(packed.len().saturating_mul(6).min(WHOLE));
    let mut reader = ReadGz::new(packed.as_ref()).take(4 * WHOLE as u64 + 1);
    reader.read_to_end(&mut out).map_err(|e| broken(&e))?;
    if out.len() > 4 * WHOLE {
        return Err(Cause::new(CauseCode::Protocol, "the answer unpacks to more than can be held"));
    }
    Ok(Bytes::from(out))
}

fn broken(e: &std::io::Error) -> Cause {
    Cause::new(CauseCode::Protocol, format!("the answer's compression is broken: {e}"))
}

/// The body piece by piece. `explain` turns an error into the cause: the connection may know better than the stream.
pub(super) fn pieces<F, W>(body: Incoming, gzip: bool, explain: F) -> ByteStream
where
    F: Fn(hyper::Error) -> W + Send + Sync + 'static,
    W: Future<Output = Cause> + Send + 'static,
{
    let pieces = body.into_data_stream().then(move |piece| {
        let failed = match piece {
            Ok(bytes) => Ok(bytes),
            Err(e) => Err(explain(e)),
        };
        async move {
            match failed {
                Ok(bytes) => Ok(bytes),
                Err(cause) => Err(cause.await),
            }
        }
    });
    if gzip { Box::pin(unpacked(Box::pin(pieces))) } else { Box::pin(pieces) }
}

/// Unpacks as the pieces come. Several gzip members in a row are one body (servers write one per flush).
fn unpacked(pieces: ByteStream) -> impl Stream<Item = Result<Bytes, Cause>> + Send {
    stream::unfold(Some((pieces, WriteGz::new(Vec::new()))), |state| async move {
        let (mut pieces, mut decoder) = state?;
        loop {
            match pieces.next().await {
                Some(Ok(packed)) => {
                    if let Err(e) = decoder.write_all(&packed).and_then(|()| decoder.flush()) {
                        return Some((Err(broken(&e)), None));
                    }
                    let out = std::mem::take(decoder.get_mut());
                    if !out.is_empty() {
                        return Some((Ok(Bytes::from(out)), Some((pieces, decoder))));
                    }
                }
                Some(Err(cause)) => return Some((Err(cause), None)),
                None => {
                    return match decoder.finish() {
                        Ok(out) if out.is_empty() => None,
                        Ok(out) => Some((Ok(Bytes::from(out)), None)),
                        Err(e) => Some((Err(broken(&e)), None)),
                    };
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[tokio::test]
    async fn several_gzip_members_cut_anywhere_are_one_body() {
        let mut packed = gzip("{\"items\":[");
        packed.extend(gzip("1,2"));
        packed.extend(gzip("]}"));
        for cut in [1, 5, 17, packed.len() / 2, packed.len() - 1] {
            let pieces: Vec<_> = packed.chunks(cut).map(|c| Ok(Bytes::copy_from_slice(c))).collect();
            let out: Vec<_> = unpacked(Box::pin(stream::iter(pieces))).map(Result::unwrap).collect().await;
            assert_eq!(out.concat(), b"{\"items\":[1,2]}", "cut at {cut}");
        }
        let torn = vec![Ok(Bytes::copy_from_slice(&packed[..packed.len() - 9]))];
        let last = unpacked(Box::pin(stream::iter(torn))).collect::<Vec<_>>().await.pop().unwrap();
        assert_eq!(last.unwrap_err().code, CauseCode::Protocol);
    }
}
