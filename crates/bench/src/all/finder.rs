//! Other libraries that are installed here: by the paths of Debian, conda, PyPI, MKL and CUDA, and by the loader's
//! cache.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::options::PeerSpec;

/// A library by the files that it comes in, the newest first, and those that it needs and that may lie elsewhere.
struct Known {
    name: &'static str,
    files: &'static [&'static str],
    needs: &'static [&'static str],
}

const KNOWN: [Known; 12] = [
    Known { name: "openblas", files: &["libopenblas.so.0", "libopenblas.so"], needs: &[] },
    Known { name: "blis", files: &["libblis.so.4", "libblis.so.3", "libblis-mt.so", "libblis.so"], needs: &[] },
    Known {
        name: "mkl",
        files: &["libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"],
        needs: &["libiomp5.so"],
    },
    Known { name: "atlas", files: &["libtatlas.so.3", "atlas/libblas.so.3", "libsatlas.so.3"], needs: &[] },
    // Not by libblas.so.3 alone, which may be any library's.
    Known { name: "reference", files: &["blas/libblas.so.3", "libcblas.so.3"], needs: &[] },
    Known { name: "clblast", files: &["libclblast.so.1", "libclblast.so"], needs: &[] },
    Known { name: "fftw", files: &["libfftw3.so.3"], needs: &[] },
    Known { name: "clfft", files: &["libclFFT.so.2"], needs: &[] },
    Known {
        name: "cublas",
        files: &["libcublas.so.13", "libcublas.so.12", "libcublas.so.11"],
        needs: &["libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"],
    },
    Known {
        name: "cusolver",
        files: &["libcusolver.so.12", "libcusolver.so.11"],
        needs: &[
            "libnvJitLink.so.13",
            "libnvJitLink.so.12",
            "libcublasLt.so.13",
            "libcublasLt.so.12",
            "libcublas.so.13",
            "libcublas.so.12",
            "libcusparse.so.12",
        ],
    },
    Known {
        name: "cusparse",
        files: &["libcusparse.so.12", "libcusparse.so.11"],
        needs: &["libnvJitLink.so.13", "libnvJitLink.so.12"],
    },
    Known { name: "cufft", files: &["libcufft.so.12", "libcufft.so.11", "libcufft.so.10"], needs: &[] },
];

/// Those that make the reference superfluous.
const OPTIMISED: [&str; 4] = ["openblas", "blis", "mkl", "atlas"];

/// Search paths of libraries.
#[derive(Debug, Default)]
pub struct SearchPaths {
    /// Folders, the first ones before the others.
    pub folders: Vec<PathBuf>,
    /// The loader's cache, as `ldconfig -p` prints it.
    pub cache: String,
}

impl SearchPaths {
    /// Those of this system, and of the environment.
    pub fn of_system() -> Self {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let mut folders: Vec<PathBuf> =
            variable("LD_LIBRARY_PATH").map_or_else(Vec::new, |paths| std::env::split_paths(&paths).collect());
        let prefixes = ["VIRTUAL_ENV", "CONDA_PREFIX", "MKLROOT", "CUDA_HOME", "CUDA_PATH"];
        let prefixes = prefixes.into_iter().filter_map(variable).map(PathBuf::from);
        let fixed = ["/opt/intel/oneapi/mkl/latest", "/opt/conda", "/usr/local/cuda", "/usr/local"].map(PathBuf::from);
        for prefix in prefixes.chain(fixed) {
            folders.extend(["lib", "lib/intel64", "lib64"].map(|below| prefix.join(below)));
            folders.extend(python_folders(&prefix));
        }
        let triplet = Path::new("/usr/lib").join(format!("{}-linux-gnu", std::env::consts::ARCH));
        // Debian's alternatives lie in folders of their own; its links may lead to any of them.
        folders.extend(["openblas-pthread", "openblas-openmp", "openblas-serial"].map(|below| triplet.join(below)));
        folders.extend(["blis-pthread", "blis-openmp", "blis-serial"].map(|below| triplet.join(below)));
        folders.extend([triplet, PathBuf::from("/usr/lib64"), PathBuf::from("/usr/lib")]);
        folders.retain(|folder| folder.is_dir());
        SearchPaths { folders, cache: loader_cache() }
    }

    /// The libraries that are here.
    pub fn find(&self) -> Vec<PeerSpec> {
        let mut found: Vec<PeerSpec> = Vec::new();
        for known in &KNOWN {
            if known.name == "reference" && found.iter().any(|spec| OPTIMISED.contains(&spec.name.as_str())) {
                continue;
            }
            let Some(path) = known.files.iter().find_map(|file| self.file(file)) else { continue };
            let needs = known.needs.iter().filter_map(|file| self.file(file));
            // A colon separates paths.
            let paths: Vec<PathBuf> = std::iter::once(path).chain(needs).collect();
            if paths.iter().all(|path| !path.to_string_lossy().contains(':')) {
                found.push(PeerSpec { name: known.name.to_owned(), paths });
            }
        }
        found
    }

    /// A file in the folders, or in the loader's cache.
    fn file(&self, name: &str) -> Option<PathBuf> {
        let inside = self.folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file());
        inside.or_else(|| self.cached(name))
    }

    /// A line such as `libfftw3.so.3 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libfftw3.so.3`, of this program's
    /// kind.
    fn cached(&self, name: &str) -> Option<PathBuf> {
        let foreign = if cfg!(target_arch = "x86_64") { "(libc6)" } else { "(none)" };
        let lines = self.cache.lines().filter(|line| !line.contains(foreign));
        let mut paths = lines.filter_map(|line| {
            let (file, path) = line.trim().split_once(" => ")?;
            (file.split_whitespace().next() == Some(name)).then(|| PathBuf::from(path.trim()))
        });
        paths.find(|path| path.is_file())
    }
}

/// Folders in which PyPI's packages have CUDA's libraries.
fn python_folders(prefix: &Path) -> Vec<PathBuf> {
    let inside = |folder: PathBuf| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        paths
    };
    let versions = inside(prefix.join("lib")).into_iter();
    let pythons =
        versions.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python3")));
    let vendors = pythons.flat_map(|python| inside(python.join("site-packages/nvidia")));
    vendors.map(|package| package.join("lib")).collect()
}

/// Names in the loader's cache; empty without `ldconfig`.
fn loader_cache() -> String {
    let ask = |program: &str| Command::new(program).arg("-p").output().ok().filter(|output| output.status.success());
    let output = ask("/sbin/ldconfig").or_else(|| ask("ldconfig"));
    output.map_or_else(String::new, |output| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: &Path) -> PathBuf {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
        path.to_owned()
    }

    fn names(found: &[PeerSpec]) -> Vec<&str> {
        found.iter().map(|spec| spec.name.as_str()).collect()
    }

    #[test]
    fn libraries_are_found_in_folders_and_in_the_loaders_cache() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("first"), folder.path().join("second"));
        let newer = touch(&second.join("libmkl_rt.so.2"));
        touch(&first.join("libmkl_rt.so.1"));
        let openmp = touch(&first.join("libiomp5.so"));
        let cached = touch(&folder.path().join("far/libfftw3.so.3"));
        let cache = format!(
            "2 libs found in cache `/etc/ld.so.cache'\n\tlibfftw3.so.3 (libc6,x86-64) => {}\n\tlibclFFT.so.2 \
             (libc6,x86-64) => /no/such\n",
            cached.display()
        );
        let found = SearchPaths { folders: vec![first, second], cache }.find();
        assert_eq!(names(&found), ["mkl", "fftw"]);
        assert_eq!(found[0].paths, [newer, openmp]);
        assert_eq!(found[1].paths, [cached]);
    }

    #[test]
    fn the_reference_is_found_where_there_is_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let reference = touch(&folder.path().join("blas/libblas.so.3"));
        // A link that may lead to any library.
        touch(&folder.path().join("libblas.so.3"));
        let paths = SearchPaths { folders: vec![folder.path().to_owned()], cache: String::new() };
        let found = paths.find();
        assert_eq!((names(&found), &found[0].paths), (vec!["reference"], &vec![reference]));
        touch(&folder.path().join("libblis.so.4"));
        assert_eq!(names(&paths.find()), ["blis"]);
    }

    #[test]
    fn where_there_is_nothing_nothing_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let folders = vec![folder.path().to_owned(), folder.path().join("absent")];
        assert!(SearchPaths { folders, cache: "nonsense".to_owned() }.find().is_empty());
    }

    #[test]
    fn packages_of_python_are_looked_into() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("lib/python3.12/site-packages/nvidia/cublas/lib");
        std::fs::create_dir_all(&inside).unwrap();
        assert_eq!(python_folders(folder.path()), [inside]);
    }
}
