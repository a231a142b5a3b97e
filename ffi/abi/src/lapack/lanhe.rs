//! lanhe: lansy's arguments.

/// The arguments of `affinimath*lanhe`.
pub type Call<T, F> = super::lansy::Mirrored<T, F, true>;
