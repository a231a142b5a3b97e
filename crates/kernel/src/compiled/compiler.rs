//! Compilers of the machine, and their settings.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::CompileError;

/// A language that the machine's compilers make libraries of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HostLanguage {
    /// C99, with vectors taken apart.
    #[default]
    C99,
    /// C with the vector extensions of GCC and Clang.
    CVectors,
    /// Fortran 2008.
    Fortran,
}

/// A setting of compilers, by the name that make and others have for it. Words are separated by spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// `CC`, the C compiler; `cc` by default.
    Cc,
    /// `CFLAGS`, flags for C; `-O2` by default.
    CFlags,
    /// `FC`, the Fortran compiler; `gfortran` by default.
    Fc,
    /// `FFLAGS`, flags for Fortran; `-O2` by default.
    FFlags,
    /// `OMPFLAGS`, flags for OpenMP; `-fopenmp` by default. Without any, kernels run in one thread.
    OmpFlags,
    /// `LDFLAGS`, flags for the linker; none by default.
    LdFlags,
}

impl Setting {
    const ALL: [Setting; 6] =
        [Setting::Cc, Setting::CFlags, Setting::Fc, Setting::FFlags, Setting::OmpFlags, Setting::LdFlags];

    /// The setting's name in files and in the environment.
    pub const fn name(self) -> &'static str {
        match self {
            Setting::Cc => "CC",
            Setting::CFlags => "CFLAGS",
            Setting::Fc => "FC",
            Setting::FFlags => "FFLAGS",
            Setting::OmpFlags => "OMPFLAGS",
            Setting::LdFlags => "LDFLAGS",
        }
    }

    const fn default(self) -> &'static str {
        match self {
            Setting::Cc => "cc",
            Setting::CFlags | Setting::FFlags => "-O2",
            Setting::Fc => "gfortran",
            Setting::OmpFlags => "-fopenmp",
            Setting::LdFlags => "",
        }
    }
}

/// Name of the variable with the file of settings.
const FILE: &str = "AFFINIMATH_COMPILERS";

/// A compiler with its flags.
///
/// Settings come from a file, from the environment, and from calls; later ones replace earlier ones. The file has lines
/// such as `CFLAGS = -O3 -march=native`, and comments after `#`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    language: HostLanguage,
    values: [Vec<String>; 6],
}

impl Default for Compiler {
    /// The default settings, whatever the environment says.
    fn default() -> Self {
        Compiler { language: HostLanguage::C99, values: Setting::ALL.map(|setting| words(setting.default())) }
    }
}

impl Compiler {
    /// Settings of the environment over those of the file that `AFFINIMATH_COMPILERS` names, or else of
    /// `affinimath/compilers` in the folder `XDG_CONFIG_HOME`, or in `.config` of `HOME`, if there is one. An empty
    /// variable means no flags; an empty `CC` or `FC` is no setting.
    ///
    /// # Errors
    /// [`CompileError::Settings`] for a file that cannot be read, or for a line of it that is no setting.
    pub fn from_env() -> Result<Self, CompileError> {
        Self::from_variables(|name| std::env::var(name).ok())
    }

    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, CompileError> {
        let mut compiler = Compiler::default();
        let named = |name: &str| variable(name).filter(|value| !value.is_empty());
        let given = named(FILE).map(PathBuf::from);
        let folder = || {
            let home = || named("HOME").map(|home| Path::new(&home).join(".config"));
            named("XDG_CONFIG_HOME").map(PathBuf::from).or_else(home)
        };
        let usual = || folder().map(|folder| folder.join("affinimath").join("compilers")).filter(|file| file.exists());
        if let Some(file) = given.or_else(usual) {
            compiler = compiler.with_file(&file)?;
        }
        for setting in Setting::ALL {
            let is_flags = !matches!(setting, Setting::Cc | Setting::Fc);
            let value = if is_flags { variable(setting.name()) } else { named(setting.name()) };
            if let Some(value) = value {
                compiler = compiler.with(setting, &value);
            }
        }
        Ok(compiler)
    }

    fn with_file(mut self, file: &Path) -> Result<Self, CompileError> {
        let refused = |line: usize, reason: String| CompileError::Settings { file: file.to_owned(), line, reason };
        let text = std::fs::read_to_string(file).map_err(|error| refused(0, error.to_string()))?;
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let Some((name, value)) = line.split_once('=') else {
                return Err(refused(number + 1, format!("'{line}' is no line NAME = value")));
            };
            let setting = Setting::ALL.into_iter().find(|setting| setting.name() == name.trim());
            let Some(setting) = setting else {
                let known = Setting::ALL.map(Setting::name).join(", ");
                return Err(refused(number + 1, format!("'{}' is none of {known}", name.trim())));
            };
            self = self.with(setting, value);
        }
        Ok(self)
    }

    /// The compiler with another setting.
    #[must_use]
    pub fn with(mut self, setting: Setting, value: &str) -> Self {
        self.values[setting as usize] = words(value);
        self
    }

    /// The compiler for another language.
    #[must_use]
    pub const fn language(mut self, language: HostLanguage) -> Self {
        self.language = language;
        self
    }

    /// The language that it compiles.
    pub const fn host_language(&self) -> HostLanguage {
        self.language
    }

    /// True if a setting has no words.
    pub(super) fn names_none(&self, setting: Setting) -> bool {
        self.value(setting).is_empty()
    }

    fn value(&self, setting: Setting) -> &[String] {
        &self.values[setting as usize]
    }

    /// The command that makes the library of the source, in words. Modules of Fortran go to the source's folder.
    pub(super) fn command(&self, source: &Path, library: &Path) -> Vec<OsString> {
        let fortran = self.language == HostLanguage::Fortran;
        let (compiler, flags) = if fortran { (Setting::Fc, Setting::FFlags) } else { (Setting::Cc, Setting::CFlags) };
        let given = [compiler, flags, Setting::OmpFlags].map(|setting| self.value(setting));
        let mut words: Vec<OsString> = given.into_iter().flatten().map(OsString::from).collect();
        // Products and sums are rounded as the kernel says, whatever the flags before.
        words.extend(["-ffp-contract=off", "-fPIC", "-shared", "-o"].map(OsString::from));
        words.extend([library, source].map(|path| path.as_os_str().to_owned()));
        if let (true, Some(folder)) = (fortran, source.parent()) {
            words.extend(["-J".into(), folder.as_os_str().to_owned()]);
        }
        if cfg!(target_os = "linux") {
            // The kernel's name may be one of the process.
            words.push("-Wl,-Bsymbolic".into());
        }
        words.extend(self.value(Setting::LdFlags).iter().map(OsString::from));
        words.push("-lm".into());
        words
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_goes_before_the_file_and_a_call_before_both() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("compilers");
        std::fs::write(&file, "# Mine.\nCC = ccache gcc   # fast\nCFLAGS=-O3 -g\n\nOMPFLAGS =\n").unwrap();
        let variable = |name: &str| match name {
            FILE => Some(file.to_str().unwrap().to_owned()),
            "CFLAGS" => Some("-O1".to_owned()),
            _ => None,
        };
        let compiler = Compiler::from_variables(variable).unwrap();
        assert_eq!(
            compiler.command(Path::new("k.c"), Path::new("k.so"))[..4],
            ["ccache", "gcc", "-O1", "-ffp-contract=off"]
        );
        let compiler = compiler.with(Setting::Cc, "tcc").with(Setting::LdFlags, "-s");
        let command = compiler.command(Path::new("k.c"), Path::new("k.so"));
        assert_eq!(command[..2], ["tcc", "-O1"]);
        assert_eq!(command[command.len() - 2..], ["-s", "-lm"]);
        let compiler = compiler.language(HostLanguage::Fortran);
        let command = compiler.command(Path::new("/tmp/k/k.f90"), Path::new("/tmp/k/k.so"));
        assert_eq!(command[..2], ["gfortran", "-O2"]);
        assert!(command.windows(2).any(|words| words == ["-J", "/tmp/k"]), "{command:?}");
    }

    #[test]
    fn an_empty_variable_means_no_flags_and_names_no_compiler() {
        let empty = Compiler::from_variables(|_| Some(String::new())).unwrap();
        for language in [HostLanguage::C99, HostLanguage::Fortran] {
            let command = empty.clone().language(language).command(Path::new("k"), Path::new("k.so"));
            let compiler = if language == HostLanguage::C99 { "cc" } else { "gfortran" };
            assert_eq!(command[..2], [compiler, "-ffp-contract=off"]);
        }
    }

    #[test]
    fn a_usual_file_may_be_absent_and_a_named_one_may_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let home = |name: &str| (name == "HOME").then(|| path.to_owned());
        assert_eq!(Compiler::from_variables(home).unwrap(), Compiler::default());
        std::fs::create_dir_all(folder.path().join(".config/affinimath")).unwrap();
        let usual = folder.path().join(".config/affinimath/compilers");
        std::fs::write(&usual, "FC = flang\n").unwrap();
        assert_eq!(Compiler::from_variables(home).unwrap(), Compiler::default().with(Setting::Fc, "flang"));
        std::fs::write(&usual, "FC = flang\nCXX = g++\n").unwrap();
        let error = Compiler::from_variables(home).unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("'CXX' is none of CC, CFLAGS"), "{error}");
        let absent = |name: &str| (name == FILE).then(|| format!("{path}/absent"));
        let error = Compiler::from_variables(absent).unwrap_err().to_string();
        assert!(error.contains("absent"), "{error}");
    }
}
