"""One call of each distribution of compat.theano's MetaRandom."""

MAKERS = {
    "uniform": lambda r: r.uniform(shape=(3,), low=-1.0, high=2.0),
    "normal": lambda r: r.normal(shape=(2, 2), mean=1.0),
    "bernoulli": lambda r: r.bernoulli(shape=(5,), p=0.3),
    "integers": lambda r: r.integers(shape=(4,), low=-3, high=90),
    "permutation": lambda r: r.permutation(n=6),
    "choice": lambda r: r.choice(shape=(3,), a=50),
    "multinomial": lambda r: r.multinomial(n=30, pvals=[0.2, 0.3, 0.5]),
    "binomial": lambda r: r.binomial(shape=(3,), n=9, p=0.3),
    "poisson": lambda r: r.poisson(shape=(2, 2), lam=4.5),
    "shuffle": lambda r: r.shuffle([[1, 2], [3, 4], [5, 6], [7, 8]]),
}
