//! Settings of a trace: `DIR[,kernel=GLOB][,from=N][,count=M][,bytes=MAX][,outputs=only|all|none]`.

use std::path::PathBuf;

/// Memory that a recorded launch writes to files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outputs {
    /// Contents before the launch, and those that it changes.
    All,
    /// Contents that it changes. Such a launch can be compared and not replayed.
    Only,
    /// Contents before the launch. Such a launch can be replayed and not checked.
    None,
}

/// Settings of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Folder of the trace. In its name `%p` is the process's number.
    pub folder: PathBuf,
    /// Pattern of the names of kernels that are recorded: `*` for any letters, `?` for one.
    pub kernel: String,
    /// Number of the first launch that is recorded, counted from 0.
    pub from: u64,
    /// Launches that are recorded, at most.
    pub count: u64,
    /// Bytes of memory of a recorded launch, at most.
    pub bytes: u64,
    /// Memory in files.
    pub outputs: Outputs,
}

impl Settings {
    /// All launches into a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let (count, bytes) = (u64::MAX, u64::MAX);
        Settings { folder: folder.into(), kernel: "*".to_owned(), from: 0, count, bytes, outputs: Outputs::All }
    }

    /// Reads settings as `AFFINIMATH_TRACE` has them.
    ///
    /// # Errors
    /// A reason that names the wrong part.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let folder = parts.next().unwrap_or_default();
        if folder.is_empty() {
            return Err("the folder is missing".to_owned());
        }
        let mut settings = Self::new(folder.replace("%p", &std::process::id().to_string()));
        for part in parts {
            let wrong = |wanted: &str| format!("'{part}' is not {wanted}");
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            match name {
                "kernel" if !value.is_empty() => settings.kernel = value.to_owned(),
                "kernel" => return Err(wrong("kernel=GLOB")),
                "from" => settings.from = value.parse().map_err(|_| wrong("from=N"))?,
                "count" => settings.count = value.parse().map_err(|_| wrong("count=M"))?,
                "bytes" => settings.bytes = size(value).ok_or_else(|| wrong("bytes=MAX, as in 4096, 512K or 64M"))?,
                "outputs" => {
                    settings.outputs = match value {
                        "all" => Outputs::All,
                        "only" => Outputs::Only,
                        "none" => Outputs::None,
                        _ => return Err(wrong("outputs=only, all or none")),
                    }
                }
                _ => return Err(wrong("kernel, from, count, bytes or outputs")),
            }
        }
        Ok(settings)
    }

    /// True for a kernel whose launches are recorded.
    pub(crate) fn selects(&self, kernel: &str) -> bool {
        matches(self.kernel.as_bytes(), kernel.as_bytes())
    }
}

fn size(text: &str) -> Option<u64> {
    let (digits, shift) = match text.char_indices().next_back()? {
        (at, 'K') => (&text[..at], 10),
        (at, 'M') => (&text[..at], 20),
        (at, 'G') => (&text[..at], 30),
        _ => (text, 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// True if a name fits a pattern of `*` and `?`.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    // After a mismatch the last star takes one letter more.
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == b'?' || *c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    (p, n) = (at + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_part_by_part() {
        let settings = Settings::parse("t,kernel=gemm_*,from=3,count=2,bytes=64M,outputs=only").unwrap();
        let expected = Settings { kernel: "gemm_*".to_owned(), from: 3, count: 2, ..Settings::new("t") };
        assert_eq!(settings, Settings { bytes: 64 << 20, outputs: Outputs::Only, ..expected });
        assert_eq!(Settings::parse("/a/b"), Ok(Settings::new("/a/b")));
        let own = Settings::parse("t-%p").unwrap().folder;
        assert_eq!(own, PathBuf::from(format!("t-{}", std::process::id())));
    }

    #[test]
    fn a_wrong_part_is_named() {
        for text in ["", ",count=1", "t,from=x", "t,count=", "t,bytes=1.5G", "t,outputs=some", "t,kernel=", "t,other"] {
            let reason = Settings::parse(text).unwrap_err();
            let part = text.split_once(',').map_or("", |(_, part)| part);
            assert!(text.is_empty() || text.starts_with(',') || reason.contains(part), "{text}: {reason}");
        }
        assert!(Settings::parse("t,bytes=99999999999G").is_err());
    }

    #[test]
    fn patterns_take_any_letters_and_single_ones() {
        for (pattern, name, fits) in [
            ("*", "", true),
            ("gemm_*", "gemm_tiled", true),
            ("*_tiled", "gemm_tiled", true),
            ("g*m*d", "gemm_tiled", true),
            ("gemm", "gemm_tiled", false),
            ("g?mm*", "gemm_tiled", true),
            ("*a*b*c", "aabbc", true),
            ("?", "", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), fits, "{pattern} {name}");
        }
    }
}
