"""The operations of bench/ops.cpp in PyTorch, by the same names."""

import json
import re
import sys

from compare.turns import timed


def operations():
    """Names, and what makes a function that runs one forward and backward pass."""
    import torch
    import torch.nn.functional as F
    from torch import nn

    def fresh(*shape):
        return torch.randn(*shape).requires_grad_()

    def both_ways(f, *shapes, weights=()):
        inputs = [fresh(*shape) for shape in shapes]
        with torch.no_grad():
            seed = torch.randn_like(f(*inputs))
        cleared = [*inputs, *weights]

        def run():
            for x in cleared:
                x.grad = None
            f(*inputs).backward(seed)

        return run

    def layer(module, *shape, first=lambda y: y):
        return both_ways(lambda x: first(module(x)), shape, weights=list(module.parameters()))

    def fastest(candidates):
        return min(candidates, key=timed)

    def embedding(rows):
        ids = torch.randint(rows, (4096,))
        return both_ways(lambda table: F.embedding(ids, table), (rows, 256))

    def adamw(tensors):
        parameters = [fresh(10_000_000 // tensors) for _ in range(tensors)]
        for p in parameters:
            p.grad = torch.randn_like(p)
        return fastest([torch.optim.AdamW(parameters, foreach=each).step for each in (False, True)])

    def cross_entropy():
        targets = torch.randint(5000, (4096,))
        return both_ways(lambda x: F.cross_entropy(x, targets), (4096, 5000))

    def attention(batch, n):
        def written(x, qkv, out):
            q, k, v = (x @ qkv).view(batch, n, 3, 8, 32).permute(2, 0, 3, 1, 4)
            weights = F.softmax((q * 32**-0.5) @ k.transpose(-2, -1), -1)
            return (weights @ v).transpose(1, 2).reshape(batch, n, 256) @ out

        library = nn.MultiheadAttention(256, 8, bias=False, batch_first=True)
        return fastest([both_ways(written, (batch, n, 256), (256, 768), (256, 256)),
                        both_ways(lambda x: library(x, x, x, need_weights=False)[0], (batch, n, 256),
                                  weights=list(library.parameters()))])

    def recurrent(kind, batch):  # positions first: the order that it computes in
        return layer(kind(256, 256), 64, batch, 256, first=lambda y: y[0])

    def single_forward():
        x, y = fresh(1), fresh(1)
        return lambda: x + y

    yield "linear/4096x256x1024", lambda: layer(nn.Linear(256, 1024), 4096, 256)
    yield "layer_norm/4096x512", lambda: layer(nn.LayerNorm(512), 4096, 512)
    yield "softmax/32768x128", lambda: both_ways(lambda x: F.softmax(x, -1), (32768, 128))
    yield "gelu_erf/4096x1024", lambda: both_ways(F.gelu, (4096, 1024))
    yield "gelu_tanh/4096x1024", lambda: both_ways(lambda x: F.gelu(x, approximate="tanh"), (4096, 1024))
    yield "dropout/4096x1024", lambda: both_ways(lambda x: F.dropout(x, 0.1), (4096, 1024))
    yield "cross_entropy/4096x5000", cross_entropy
    for rows in (5000, 50000):
        yield f"embedding/{rows}x256", lambda rows=rows: embedding(rows)
    for tensors in (1, 100, 1000):
        yield f"adamw/10M/{tensors}", lambda tensors=tensors: adamw(tensors)
    yield "lstm/32x64x256", lambda: recurrent(nn.LSTM, 32)
    yield "gru/32x64x256", lambda: recurrent(nn.GRU, 32)
    yield "lstm/1x64x256", lambda: recurrent(nn.LSTM, 1)
    yield "conv1d/32x256x128/3", lambda: layer(nn.Conv1d(256, 256, 3, padding=1), 32, 256, 128)
    yield "conv2d/64x32x28x28/3", lambda: layer(nn.Conv2d(32, 32, 3, padding=1), 64, 32, 28, 28)
    yield "max_pool/64x32x28x28/2", lambda: both_ways(lambda x: F.max_pool2d(x, 2), (64, 32, 28, 28))
    yield "add/forward", single_forward
    yield "add/both", lambda: both_ways(torch.add, (1,), (1,))
    for batch, n in ((1, 512), (1, 2048), (4, 2048)):
        yield f"attention/{batch}x{n}", lambda batch=batch, n=n: attention(batch, n)
    for m, k, n in ((768, 64, 64), (1024, 128, 512), (2048, 256, 1024), (2048, 512, 2048)):
        yield f"matmul/{m}x{k}x{n}", lambda m=m, k=k, n=n: both_ways(torch.matmul, (m, k), (k, n))
    for b, m, k, n in ((128, 24, 16, 24), (128, 32, 32, 32), (128, 128, 32, 128), (32, 512, 64, 512)):
        yield f"matmul/{b}x{m}x{k}x{n}", lambda b=b, m=m, k=k, n=n: both_ways(torch.matmul, (b, m, k), (b, k, n))


def serve(pattern, seconds):
    """Says the name of each operation that matches; then times it with as many threads as a line says, until "next"."""
    import torch

    for name, make in operations():
        if not re.search(pattern, name):
            continue
        print(json.dumps({"name": name}), flush=True)
        run = make()
        for line in sys.stdin:
            if line.strip() == "next":
                break
            torch.set_num_threads(int(line))
            print(json.dumps({"ms": timed(run, float(seconds))}), flush=True)
        del run
    print("{}", flush=True)
