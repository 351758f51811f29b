// A unit of nothing but the headers that every test reads.
