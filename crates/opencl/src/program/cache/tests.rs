use std::fs::{File, FileTimes};
use std::time::SystemTime;

use super::*;
use affinimath_testing::{Killed, child};

/// A binary that tells where it begins and how long it is.
fn binary(number: u8) -> Vec<u8> {
    vec![number; 1 + usize::from(number) * 997]
}

fn is_whole(content: &[u8]) -> bool {
    content.first().is_some_and(|number| *content == binary(*number))
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The name of the variable that gives a child its folder.
const CHILD: &str = "AFFINIMATH_TEST_CACHE_CHILD";

mod host {
    use super::*;

    #[test]
    fn a_binary_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        write_into(folder.path(), "key", b"binary").unwrap();
        assert_eq!(read_from(folder.path(), "key").as_deref(), Some(&b"binary"[..]));
        assert_eq!(names(folder.path()), ["key.program"], "no temporary file is left");
    }

    #[test]
    fn a_damaged_file_is_as_good_as_none() {
        let folder = tempfile::tempdir().unwrap();
        write_into(folder.path(), "key", b"binary").unwrap();
        let whole = fs::read(path(folder.path(), "key")).unwrap();
        for length in 0..whole.len() {
            assert_eq!(unwrap(&whole[..length]), None, "cut to {length} bytes");
        }
        for index in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[index] ^= 1 << bit;
                assert_eq!(unwrap(&damaged), None, "bit {bit} of byte {index} changed");
            }
        }
        let mut longer = whole.clone();
        longer.push(0);
        assert_eq!(unwrap(&longer), None, "a byte too many");
    }

    #[test]
    fn a_damaged_file_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let file = path(folder.path(), "key");
        let other_version = [&b"affinimath prog0"[..], &[0; CHECKSUM_BYTES], b"binary"].concat();
        for damaged in [&b""[..], b"affinimath", &[0xff; 100], &other_version] {
            fs::write(&file, damaged).unwrap();
            assert_eq!(read_from(folder.path(), "key"), None);
            write_into(folder.path(), "key", b"binary").unwrap();
            assert_eq!(read_from(folder.path(), "key").as_deref(), Some(&b"binary"[..]));
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_and_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "in the folder's place").unwrap();
        for folder in [file.clone(), file.join("below")] {
            write_into(&folder, "key", b"binary").unwrap_err();
            assert_eq!(read_from(&folder, "key"), None);
            sweep(&folder, ABANDONED);
        }
        // Something else that has the program's name.
        let occupied = folder.path().join("occupied");
        fs::create_dir_all(path(&occupied, "key").join("full")).unwrap();
        write_into(&occupied, "key", b"binary").unwrap_err();
        assert_eq!(read_from(&occupied, "key"), None);
        assert_eq!(names(&occupied), ["key.program"], "no temporary file is left");
    }

    #[test]
    fn what_a_killed_process_left_is_swept_when_it_is_old() {
        let folder = tempfile::tempdir().unwrap();
        write_into(folder.path(), "key", b"binary").unwrap();
        let old = FileTimes::new().set_modified(SystemTime::now() - 2 * ABANDONED);
        for (name, times) in [("old.1.0.tmp", old), ("new.1.0.tmp", FileTimes::new()), ("old.program", old)] {
            File::create(folder.path().join(name)).unwrap().set_times(times).unwrap();
        }
        sweep(folder.path(), ABANDONED);
        assert_eq!(names(folder.path()), ["key.program", "new.1.0.tmp", "old.program"]);
    }

    /// No test by itself: the child of those below.
    #[test]
    fn child_that_writes_until_it_is_killed() {
        let Some(folder) = std::env::var_os(CHILD) else { return };
        loop {
            for number in 1..=200 {
                write_into(Path::new(&folder), ["a", "b"][usize::from(number) % 2], &binary(number)).unwrap();
            }
        }
    }

    /// Two processes write the same programs, and are killed in the middle of it again and again: whoever reads sees
    /// whole ones, and the only thing that is left behind is temporary files.
    #[test]
    fn readers_see_whole_programs_while_writers_come_and_are_killed() {
        let folder = tempfile::tempdir().unwrap();
        let name = "program::cache::tests::host::child_that_writes_until_it_is_killed";
        let mut seen = [0; 2];
        for round in 0..12 {
            let writers = [(); 2].map(|()| Killed(child(name, CHILD, folder.path()).spawn().unwrap()));
            // The first round waits until there is something to read of each, the others for different numbers of
            // reads.
            let mut reads = 0;
            while if round == 0 { seen.iter().any(|seen| *seen < 10) } else { reads < 50 * round } {
                for (key, seen) in ["a", "b"].into_iter().zip(&mut seen) {
                    let content = read_from(folder.path(), key);
                    assert!(content.as_ref().is_none_or(|content| is_whole(content)), "round {round}");
                    assert!(*seen == 0 || content.is_some(), "what was there once stays");
                    *seen += usize::from(content.is_some());
                    reads += 1;
                }
            }
            assert!(!writers.into_iter().any(Killed::had_ended), "they write until they are killed");
        }
        for name in names(folder.path()) {
            assert!(["a.program", "b.program"].contains(&&*name) || name.ends_with(".tmp"), "{name}");
        }
    }

    /// No test by itself: a disk that is full after 1000 bytes of a file.
    #[test]
    #[cfg(unix)]
    fn child_on_a_full_disk() {
        let Some(folder) = std::env::var_os(CHILD) else { return };
        affinimath_testing::limit_files(1000);
        let folder = Path::new(&folder);
        write_into(folder, "large", &binary(9)).unwrap_err();
        assert_eq!(read_from(folder, "large"), None);
        write_into(folder, "small", b"fits").unwrap();
        write_into(folder, "small", &binary(9)).unwrap_err();
        assert_eq!(read_from(folder, "small").as_deref(), Some(&b"fits"[..]), "the old one is still there");
    }

    #[test]
    #[cfg(unix)]
    fn a_full_disk_leaves_no_half_program() {
        let folder = tempfile::tempdir().unwrap();
        let output = child("program::cache::tests::host::child_on_a_full_disk", CHILD, folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(names(folder.path()), ["small.program"]);
    }

    /// A planted file with its checksum is neither read nor written over.
    #[test]
    #[cfg(unix)]
    fn a_cache_that_others_may_write_to_is_passed_over() {
        use affinimath_testing::set_mode;
        let folder = tempfile::tempdir().unwrap();
        write_into(folder.path(), "key", b"binary").unwrap();
        for mode in [0o777, 0o1777, 0o775] {
            set_mode(folder.path(), mode);
            assert_eq!(read_from(folder.path(), "key"), None, "mode {mode:o}");
            assert_eq!(write_into(folder.path(), "key", b"other").unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        }
        set_mode(folder.path(), 0o755);
        assert_eq!(read_from(folder.path(), "key").as_deref(), Some(&b"binary"[..]));
        set_mode(&path(folder.path(), "key"), 0o666);
        assert_eq!(read_from(folder.path(), "key"), None, "others may have written to the file");
        write_into(folder.path(), "key", b"anew").unwrap();
        assert_eq!(read_from(folder.path(), "key").as_deref(), Some(&b"anew"[..]));
    }
}
