mod plan;
mod roots;
