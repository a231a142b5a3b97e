//! The routines that other libraries have too, and their names.

use crate::scalar::ScalarKind;

/// Position of the type's letters in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// `saxpy`, `caxpy`.
    Plain,
    /// The result's letter first: `snrm2`, `scnrm2`.
    ResultFirst,
    /// The letter of real factors second: `srot`, `csrot`.
    FactorsSecond,
    /// After the name's own i: `isamax`, `icamax`.
    AfterI,
    /// Nowhere: `dsdot`.
    Absent,
}

impl Letters {
    /// A routine's name in C, between the interface's own letters: `daxpy`, `scnrm2`, `isamax`, each letter of a type
    /// in upper or lower case as `case` has it.
    pub fn name(self, name: &str, kind: ScalarKind, case: fn(&char) -> char) -> String {
        let type_letter = case(&kind.letter());
        let real = case(&if kind.is_double() { 'D' } else { 'S' });
        let letters = match self {
            Letters::ResultFirst if kind.is_complex() => format!("{real}{}", type_letter.to_ascii_lowercase()),
            Letters::FactorsSecond if kind.is_complex() => format!("{type_letter}{}", real.to_ascii_lowercase()),
            Letters::Absent => String::new(),
            _ => type_letter.to_string(),
        };
        match name.strip_prefix('i') {
            Some(name) if self == Letters::AfterI => format!("i{letters}{name}"),
            _ => letters + name,
        }
    }
}

macro_rules! routines {
    ($($routine:ident $real:literal $complex:literal $letters:ident;)*) => {
        /// A routine of the BLAS, or an extension of it that several libraries have.
        #[allow(missing_docs, reason = "they are BLAS's names")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Routine { $($routine),* }

        impl Routine {
            /// All of them: a routine's number is its place.
            pub const ALL: &'static [Routine] = &[$(Routine::$routine),*];

            /// BLAS's name without the type's letters, for a real and for a complex type, and how the letters stand.
            const fn names(self) -> ([&'static str; 2], Letters) {
                match self { $(Routine::$routine => ([$real, $complex], Letters::$letters)),* }
            }
        }
    };
}

routines! {
    Copy "copy" "copy" Plain;
    Swap "swap" "swap" Plain;
    Scal "scal" "scal" Plain;
    ScalReal "scal" "scal" FactorsSecond;
    Axpy "axpy" "axpy" Plain;
    Axpby "axpby" "axpby" Plain;
    Rot "rot" "rot" FactorsSecond;
    Rotm "rotm" "rotm" Plain;
    Dot "dot" "dotu" Plain;
    Dotc "dot" "dotc" Plain;
    Dsdot "dsdot" "dsdot" Absent;
    Sdsdot "sdsdot" "sdsdot" Absent;
    Nrm2 "nrm2" "nrm2" ResultFirst;
    Asum "asum" "asum" ResultFirst;
    Iamax "iamax" "iamax" AfterI;
    Iamin "iamin" "iamin" AfterI;
    Gemv "gemv" "gemv" Plain;
    Gbmv "gbmv" "gbmv" Plain;
    Symv "symv" "symv" Plain;
    Hemv "symv" "hemv" Plain;
    Sbmv "sbmv" "sbmv" Plain;
    Hbmv "sbmv" "hbmv" Plain;
    Spmv "spmv" "spmv" Plain;
    Hpmv "spmv" "hpmv" Plain;
    Trmv "trmv" "trmv" Plain;
    Tbmv "tbmv" "tbmv" Plain;
    Tpmv "tpmv" "tpmv" Plain;
    Trsv "trsv" "trsv" Plain;
    Tbsv "tbsv" "tbsv" Plain;
    Tpsv "tpsv" "tpsv" Plain;
    Ger "ger" "geru" Plain;
    Gerc "ger" "gerc" Plain;
    Syr "syr" "syr" Plain;
    Her "syr" "her" Plain;
    Syr2 "syr2" "syr2" Plain;
    Her2 "syr2" "her2" Plain;
    Spr "spr" "spr" Plain;
    Hpr "spr" "hpr" Plain;
    Spr2 "spr2" "spr2" Plain;
    Hpr2 "spr2" "hpr2" Plain;
    Gemm "gemm" "gemm" Plain;
    Symm "symm" "symm" Plain;
    Hemm "symm" "hemm" Plain;
    Syrk "syrk" "syrk" Plain;
    Herk "syrk" "herk" Plain;
    Syr2k "syr2k" "syr2k" Plain;
    Her2k "syr2k" "her2k" Plain;
    Trmm "trmm" "trmm" Plain;
    Trsm "trsm" "trsm" Plain;
    Gemmt "gemmt" "gemmt" Plain;
}

impl Routine {
    /// Its name in C, as [`Letters::name`] has it.
    pub fn name(self, kind: ScalarKind, case: fn(&char) -> char) -> String {
        let (names, letters) = self.names();
        letters.name(names[usize::from(kind.is_complex())], kind, case)
    }
}

#[cfg(test)]
mod host {
    use super::*;

    #[test]
    fn names_are_those_of_blas() {
        let lower = char::to_ascii_lowercase;
        for (routine, kind, name) in [
            (Routine::Axpy, ScalarKind::D, "daxpy"),
            (Routine::Nrm2, ScalarKind::C, "scnrm2"),
            (Routine::ScalReal, ScalarKind::Z, "zdscal"),
            (Routine::ScalReal, ScalarKind::D, "dscal"),
            (Routine::Rot, ScalarKind::C, "csrot"),
            (Routine::Iamax, ScalarKind::Z, "izamax"),
            (Routine::Dsdot, ScalarKind::S, "dsdot"),
            (Routine::Dotc, ScalarKind::S, "sdot"),
            (Routine::Her2k, ScalarKind::Z, "zher2k"),
        ] {
            assert_eq!(routine.name(kind, lower), name);
        }
    }
}
