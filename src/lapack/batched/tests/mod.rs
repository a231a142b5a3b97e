mod lu;
