"""Attention in PyTorch as one would write it, for lengths.py: 4 heads of 64, batch 1, forward and backward."""

import json
import sys

import torch
import torch.nn.functional as F

from compare.turns import forget_peak, resident, timed

HEADS, WIDTH, REACH, RANK = 4, 64, 64, 256


def fresh(*shape):
    return torch.randn(*shape).requires_grad_()


def attend(q, k, v, keep=None):
    scores = (q * WIDTH**-0.5) @ k.transpose(-2, -1)
    return torch.softmax(scores if keep is None else scores.masked_fill(~keep, -torch.inf), -1) @ v


def dense(n):
    return attend, []


def chunked(n):
    """|i - j| <= REACH: chunks of queries beside their own and the neighbouring chunks of keys."""
    size = REACH
    query, key = torch.arange(size)[:, None], torch.arange(-size, 2 * size)
    keep = (query - key).abs() <= REACH
    at = torch.arange(0, n, size)[:, None, None] + key
    keep = keep & (at >= 0) & (at < n)

    def windows(x):
        return F.pad(x, (0, 0, size, size)).unfold(2, 3 * size, size).transpose(-2, -1)

    def run(q, k, v):
        return attend(q.view(1, HEADS, n // size, size, WIDTH), windows(k), windows(v), keep).view(q.shape)

    return run, []


def linear(n):
    """Katharopoulos et al. 2020, with elu + 1."""
    def run(q, k, v):
        q, k = F.elu(q) + 1, F.elu(k) + 1
        return (q @ (k.transpose(-2, -1) @ v)) / (q @ k.sum(-2, keepdim=True).transpose(-2, -1))

    return run, []


def linformer(n):
    """Wang et al. 2020: keys and values projected to RANK positions by learned matrices."""
    e, f = fresh(RANK, n), fresh(RANK, n)
    return lambda q, k, v: attend(q, e @ k, f @ v), [e, f]


FORMS = {"dense": dense, "chunked": chunked, "linear": linear, "linformer": linformer}


def serve(form, n, threads):
    torch.set_num_threads(int(threads))
    n = int(n)
    attention, weights = FORMS[form](n)
    inputs = [fresh(1, HEADS, n, WIDTH) for _ in range(3)]
    seed = torch.randn(1, HEADS, n, WIDTH)

    def run():
        for x in [*inputs, *weights]:
            x.grad = None
        attention(*inputs).backward(seed)

    forget_peak()
    idle = resident("VmRSS")
    print('{"hello": 1}', flush=True)
    for line in sys.stdin:
        ms = timed(run, least=int(line))
        print(json.dumps({"ms": ms, "peak": resident("VmHWM") - idle, "rss_peak": resident("VmHWM")}), flush=True)
