mod machine; mod loops; pub use loops::*; pub use machine::*;
