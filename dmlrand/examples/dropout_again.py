"""Draw a dropout mask again in the backward pass instead of keeping it. Needs: pip install torch."""

import torch

from dmlrand import Stream, bernoulli


def drop(x, state, p):
    """Set each element to 0 with probability p, which is below 1."""
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


stream = Stream(seed=42)
x = torch.ones(3, 8, requires_grad=True)
y = Dropout.apply(x, stream.spawn(1)[0].state, 0.5)  # each call takes another mask, from a child of the stream
y.sum().backward()
print(y)
print("the gradient has the same mask:", torch.equal(x.grad, y.detach()))
