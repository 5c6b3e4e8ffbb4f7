//! What a page of a report has for its script.

use base64ct::{Base64, Encoding};
use miniz_oxide::inflate::decompress_to_vec_zlib;

/// The JSON of a page, and what stands behind it; nothing where there is none, or none that can be unpacked.
pub fn of(page: &str) -> Option<(String, &str)> {
    let (_, data) = page.split_once("<script id=\"data\" type=\"application/zlib\">")?;
    let (data, behind) = data.split_once("</script>")?;
    let unpacked = decompress_to_vec_zlib(&Base64::decode_vec(data).ok()?).ok()?;
    Some((String::from_utf8(unpacked).ok()?, behind))
}
