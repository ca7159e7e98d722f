"""Draw a dropout mask again in the backward pass instead of keeping it. Needs: pip install torch."""

import torch

from dmlrand import Stream, bernoulli


def drop(x, state, p):
    kept = torch.from_dlpack(bernoulli(state, tuple(x.shape), 1 - p).values)
    return x * kept / (1 - p)


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, state, p):
        ctx.state, ctx.p = state, p  # six words instead of a tensor as large as x
        return drop(x, state, p)

    @staticmethod
    def backward(ctx, gradient):
        return drop(gradient, ctx.state, ctx.p), None, None


def dropout(x, stream, p=0.5):
    """Set each element to 0 with probability p, which is below 1. Each call takes another mask."""
    return Dropout.apply(x, stream.spawn(1)[0].state, p)


if __name__ == "__main__":
    x = torch.ones(3, 8, requires_grad=True)
    y = dropout(x, Stream(seed=42))
    y.sum().backward()
    print(y)
    print("the gradient has the same mask:", torch.equal(x.grad, y.detach()))
