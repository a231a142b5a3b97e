mod segments;
