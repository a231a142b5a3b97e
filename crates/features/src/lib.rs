//! No code: the manifest of this crate names the features of dependencies that packages of the workspace share.
