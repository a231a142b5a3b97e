mod serial;
mod update;
