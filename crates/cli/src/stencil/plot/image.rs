//! Images inside of an SVG: PNG with a palette, and base64.

/// A PNG whose pixels are indices of a palette, row by row from the top. They are stored without compression, as a map
/// has few of them.
pub fn png(width: usize, pixels: &[u8], palette: &[[u8; 3]]) -> Vec<u8> {
    let height = pixels.len().checked_div(width).unwrap_or(0);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = [(width as u32).to_be_bytes(), (height as u32).to_be_bytes()].concat();
    // Eight bits for a pixel, indices of a palette, and no filters of the format's own choice.
    header.extend([8, 3, 0, 0, 0]);
    chunk(&mut file, b"IHDR", &header);
    chunk(&mut file, b"PLTE", palette.as_flattened());
    // Each row begins with its filter: none.
    let rows: Vec<u8> = pixels.chunks(width.max(1)).flat_map(|row| [&[0], row].concat()).collect();
    chunk(&mut file, b"IDAT", &stored(&rows));
    chunk(&mut file, b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let body = [kind, data].concat();
    file.extend(&body);
    file.extend(crc32(&body).to_be_bytes());
}

/// A stream of zlib with blocks that are not compressed.
fn stored(data: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let count = data.chunks(0xffff).count();
    for (index, block) in data.chunks(0xffff).enumerate() {
        let length = block.len() as u16;
        stream.push(u8::from(index + 1 == count));
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend(block);
    }
    let (a, b) = data.iter().fold((1_u32, 0), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65_521;
        (a, (a + b) % 65_521)
    });
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

fn crc32(data: &[u8]) -> u32 {
    let byte = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    };
    !data.iter().fold(!0, byte)
}

pub fn base64(data: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = |group: &[u8]| {
        let bits = group.iter().chain(&[0, 0]).take(3).fold(0, |bits, &byte| bits << 8 | usize::from(byte));
        let digit = |index: usize| match index <= group.len() {
            true => char::from(DIGITS[bits >> (18 - 6 * index) & 63]),
            false => '=',
        };
        [0, 1, 2, 3].map(digit)
    };
    data.chunks(3).flat_map(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_and_digits_are_those_of_the_standards() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(stored(b"Wikipedia")[16..], 0x11e6_0398_u32.to_be_bytes());
        assert_eq!(
            ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes())),
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]
        );
    }

    #[test]
    fn an_image_has_its_size_its_palette_and_its_rows() {
        let file = png(2, &[0, 1, 1, 0, 0, 1], &[[1, 2, 3], [4, 5, 6]]);
        assert_eq!(file[16..24], [0, 0, 0, 2, 0, 0, 0, 3]);
        assert!(file.windows(6).any(|bytes| bytes == [1, 2, 3, 4, 5, 6]));
        assert!(file.windows(9).any(|bytes| bytes == [0, 0, 1, 0, 1, 0, 0, 0, 1]));
        assert!(file.ends_with(b"IEND\xae\x42\x60\x82"));
    }
}
