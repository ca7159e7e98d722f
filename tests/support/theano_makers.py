"""One call of each distribution of compat.theano's MetaRandom."""

MAKERS = {
    "uniform": lambda r: r.uniform(shape=(3,), low=-1.0, high=2.0),
    "normal": lambda r: r.normal(shape=(2, 2), mean=1.0),
    "bernoulli": lambda r: r.bernoulli(shape=(5,), p=0.3),
    "binomial": lambda r: r.binomial(shape=(3,), n=9, p=0.3),
}
