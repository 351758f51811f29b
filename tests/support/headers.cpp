// A program of nothing but the headers that every test reads, so that they are read once.
int main() { return 0; }
