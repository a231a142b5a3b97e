//! Instructions that a device has and its OpenCL compiler does not know.
//!
//! NVIDIA's compiler targets `sm_90`, and the PTX that it writes may not have the instructions of `sm_90a` (wgmma),
//! though the driver takes PTX of that target for a program's binary. So the source has them as comments behind a mark,
//! in inline assembly: the compiler writes their operands into the comments. The mark is removed from the PTX that it
//! gives, the target changed, and the result built.

/// Definition of a source that has such comments, with the value 1.
pub const HIDDEN_PTX: &str = "HIDDEN_PTX";

/// Begins a comment that is an instruction. Behind it, the comment goes on to the end of its line.
const MARK: &str = "//sm_90a ";

const TARGET: &str = ".target sm_90";

/// The PTX with the marked comments as instructions; what is missing, where that is not possible.
pub(super) fn reveal(binary: &[u8]) -> Result<String, &'static str> {
    let text = binary.strip_suffix(b"\0").unwrap_or(binary);
    let ptx = std::str::from_utf8(text).map_err(|_| "the compiler's binary is not PTX")?;
    let target = ptx.find(TARGET).map(|start| start + TARGET.len()).ok_or("the compiler's target is not sm_90")?;
    if !ptx.contains(MARK) {
        return Err("the compiler's PTX lacks the comments of inline assembly");
    }
    let (head, tail) = ptx.split_at(target);
    // A newer compiler that targets sm_90a needs no patch.
    let letter = if tail.starts_with(|c: char| c.is_ascii_alphanumeric()) { "" } else { "a" };
    Ok([head, letter, tail].concat().replace(MARK, ""))
}

#[cfg(test)]
mod host {
    use super::*;

    const PTX: &str = ".version 8.0\n.target sm_90, texmode_independent\n//sm_90a wgmma.fence;\n// other\n";

    #[test]
    fn marked_comments_become_instructions() {
        let expected = ".version 8.0\n.target sm_90a, texmode_independent\nwgmma.fence;\n// other\n";
        assert_eq!(reveal(PTX.as_bytes()).unwrap(), expected);
        assert_eq!(reveal(format!("{PTX}\0").as_bytes()).unwrap(), expected);
        assert_eq!(reveal(PTX.replace("sm_90,", "sm_90a,").as_bytes()).unwrap(), expected);
    }

    #[test]
    fn what_is_no_such_ptx_is_refused() {
        assert!(reveal(b"\x7fELF\xff\xfe").is_err());
        assert!(reveal(PTX.replace("sm_90", "sm_80").as_bytes()).is_err());
        assert!(reveal(PTX.replace(MARK, "// ").as_bytes()).is_err());
    }
}
