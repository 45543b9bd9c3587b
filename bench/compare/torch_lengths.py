"""Attention and mixers in PyTorch as one would write them, for lengths.py and mixers.py: 4 heads of 64, batch 1, forward
and backward. Forms get queries, keys and values; layers get x (1, N, 256) and have projections of their own."""

import json
import math
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


def with_projections(core, weights=()):
    """q, k, v = projections of x by head, then `core`, then one more projection."""
    dim = HEADS * WIDTH
    project = [torch.nn.Linear(dim, dim) for _ in range(4)]

    def run(x):
        q, k, v = (p(x).view(1, -1, HEADS, WIDTH).transpose(1, 2) for p in project[:3])
        return project[3](core(q, k, v).transpose(1, 2).reshape(x.shape))

    return run, [*weights, *(w for p in project for w in p.parameters())]


def kernel(features):
    """Any features of queries and keys in place of exp(q · k)."""
    def core(q, k, v):
        q, k = features(q), features(k)
        return (q @ (k.transpose(-2, -1) @ v)) / (q @ k.sum(-2, keepdim=True).transpose(-2, -1)).clamp(min=1e-3)

    return core


def efficient(q, k, v):
    """Shen et al. 2018."""
    return q.softmax(-1) @ (k.softmax(-2).transpose(-2, -1) @ v)


def rfa(n):
    """Peng et al. 2021, 64 directions."""
    xi, sigma = torch.randn(WIDTH, WIDTH), torch.ones(HEADS, 1, WIDTH, requires_grad=True)

    def features(x):
        angle = F.normalize(x, dim=-1) * sigma @ xi.T
        return torch.cat([angle.sin(), angle.cos()], -1) / WIDTH**0.5

    return with_projections(kernel(features), [sigma])


def performer(n):
    """Choromanski et al. 2020, d ln d positive features."""
    count = math.ceil(WIDTH * math.log(WIDTH))
    blocks = [torch.linalg.qr(torch.randn(WIDTH, WIDTH))[0].T for _ in range(-(-count // WIDTH))]
    omega = torch.cat(blocks)[:count] * torch.randn(count, WIDTH).norm(dim=1, keepdim=True)

    def features(x, over):
        x = x / WIDTH**0.25
        exponent = x @ omega.T - (x * x).sum(-1, keepdim=True) / 2
        return (exponent - exponent.detach().amax(over, keepdim=True)).exp() / count**0.5

    def core(q, k, v):
        q, k = features(q, -1), features(k, (-2, -1))
        return (q @ (k.transpose(-2, -1) @ v)) / (q @ k.sum(-2, keepdim=True).transpose(-2, -1))

    return with_projections(core)


def compressed(n, stride=3):
    """Liu et al. 2018: keys and values convolved, one slot for every three positions."""
    dim = HEADS * WIDTH
    convolve = [torch.nn.Conv1d(dim, dim, stride, stride) for _ in range(2)]
    null = [fresh(1, 1, dim) for _ in range(2)]
    project = [torch.nn.Linear(dim, dim) for _ in range(4)]

    def run(x):
        def few(y, i):
            y = convolve[i](F.pad(y.transpose(1, 2), (0, -n % stride))).transpose(1, 2)
            return torch.cat([null[i], y], 1)

        parts = project[0](x), few(project[1](x), 0), few(project[2](x), 1)
        q, k, v = (y.view(1, -1, HEADS, WIDTH).transpose(1, 2) for y in parts)
        return project[3](attend(q, k, v).transpose(1, 2).reshape(x.shape))

    return run, [*null, *(w for p in (*convolve, *project) for w in p.parameters())]


def fnet(n):
    """Lee-Thorp et al. 2021."""
    return lambda x: torch.fft.fft2(x).real, []


def mlp_mixer(n):
    """The token mixing of Tolstikhin et al. 2021."""
    hidden = HEADS * WIDTH // 2
    first, second = torch.nn.Linear(n, hidden), torch.nn.Linear(hidden, n)
    return (lambda x: second(F.gelu(first(x.transpose(1, 2)))).transpose(1, 2),
            [*first.parameters(), *second.parameters()])


LAYERS = {
    "attention": lambda n: with_projections(attend),
    "local": lambda n: with_projections(chunked(n)[0]),
    "linear": lambda n: with_projections(linear(n)[0]),
    "efficient": lambda n: with_projections(efficient),
    "linformer": lambda n: with_projections(*linformer(n)),
    "rfa": rfa, "performer": performer, "compressed": compressed, "fnet": fnet, "mlp_mixer": mlp_mixer,
}


def serve(form, n, threads):
    torch.set_num_threads(int(threads))
    n = int(n)
    attention, weights = LAYERS[form.removeprefix("layer ")](n) if form.startswith("layer ") else FORMS[form](n)
    shape = (1, n, HEADS * WIDTH) if form.startswith("layer ") else (1, HEADS, n, WIDTH)
    inputs = [fresh(*shape) for _ in range(1 if form.startswith("layer ") else 3)]
    seed = torch.randn(shape)

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
