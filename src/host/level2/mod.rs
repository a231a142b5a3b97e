//! Level 2 on the host: plain loops over columns of adjacent elements, several columns at a time.

mod product;

pub(crate) use product::product;
