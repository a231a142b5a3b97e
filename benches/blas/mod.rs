pub mod level1;
pub mod level2;
pub mod level3;
