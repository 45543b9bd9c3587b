long random_synthesizer(long length, long heads) { return heads * length * length; }
long factorised_synthesizer(long length, long heads, long rank) { return 2 * heads * length * rank; }
long token_mlp(long length, long hidden) { return 2 * length * hidden + hidden + length; }
