#!/usr/bin/env python3
"""make_goldens.py: writes what PyTorch computes (values and gradients, float64) to tests/golden/*.txt.

Run from anywhere: /usr/bin/python3 tests/golden/make_goldens.py. Needs PyTorch (written with 1.13); the tests only need
the text files. One entry a line: `name sizes... : numbers...`, row-major, 17 digits. Names are `case.thing`:
  case.x, case.a, ...   inputs         case.y   result         case.dy  gradient given to the result
  case.dx, case.da, ... gradient of that input
Ids, targets and masks (1 = keep) are numbers too. Linear weights are (in, out): the transpose of PyTorch's.
"""
import pathlib

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
HERE = pathlib.Path(__file__).resolve().parent


class File:
    """Collects entries and writes them to one text file."""

    def __init__(self, name):
        self.name, self.lines = name, []
        torch.manual_seed(sum(map(ord, name)))

    def put(self, name, value):
        t = torch.as_tensor(value).detach().to(torch.float64)
        sizes = "".join(f" {n}" for n in t.shape)
        self.lines.append(f"{name}{sizes} : " + " ".join(f"{v:.17g}" for v in t.reshape(-1).tolist()))

    def case(self, name, f, extra=None, **inputs):
        """Puts inputs, f(inputs), a random upstream gradient and all gradients; `extra` are plain numbers."""
        leaves = {k: v.detach().clone().requires_grad_() for k, v in inputs.items()}
        y = f(**leaves)
        dy = torch.randn(y.shape)
        y.backward(dy)
        for k, v in leaves.items():
            self.put(f"{name}.{k}", v)
        for k, v in (extra or {}).items():
            self.put(f"{name}.{k}", v)
        self.put(f"{name}.y", y)
        self.put(f"{name}.dy", dy)
        for k, v in leaves.items():
            self.put(f"{name}.d{k}", torch.zeros_like(v) if v.grad is None else v.grad)

    def write(self):
        text = f"# Written by make_goldens.py with PyTorch {torch.__version__}; do not edit.\n"
        (HERE / self.name).write_text(text + "\n".join(self.lines) + "\n")


def positive(*shape):
    return torch.rand(shape) + 0.5


def elementwise():
    file = File("elementwise.txt")
    for name, f in {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b}.items():
        file.case(name, f, a=torch.randn(2, 1, 4), b=torch.randn(3, 1))
    file.case("div", lambda a, b: a / b, a=torch.randn(2, 1, 4), b=positive(3, 1))
    file.case("div_scalar", lambda x: x / 3 - 2 / x, x=positive(5))
    file.case("pow", lambda x: x.pow(2.5), x=positive(7))
    file.case("pow_negative", lambda x: x.pow(-1.5), x=positive(7))
    file.case("pow_integer", lambda x: x.pow(3), x=torch.randn(7))
    wide = torch.tensor([-20.0, -5, -1.5, -0.3, -1e-3, 0, 1e-4, 0.7, 2, 6, 25])
    for name, f in {
        "exp": lambda x: torch.exp(x),
        "tanh": lambda x: torch.tanh(x),
        "sigmoid": lambda x: torch.sigmoid(x),
        "softplus": lambda x: F.softplus(x, threshold=1000),
        "gelu_erf": lambda x: F.gelu(x),
        "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    }.items():
        file.case(name, f, x=wide)
    file.case("relu", lambda x: torch.relu(x), x=wide)
    file.case("log", lambda x: torch.log(x), x=torch.tensor([1e-6, 0.1, 0.9, 1, 1.1, 7, 1e6]))
    file.case("sqrt", lambda x: torch.sqrt(x), x=torch.tensor([1e-4, 0.1, 0.9, 1, 1.1, 7, 1e4]))
    keep = torch.tensor([[True, False, True, True], [False, False, True, False], [True, True, False, False]])
    file.case("where", lambda a, b: torch.where(keep, a, b), {"keep": keep}, a=torch.randn(2, 3, 4), b=torch.randn(4))
    file.case("masked_fill", lambda x: x.masked_fill(~keep, -2.5), {"keep": keep}, x=torch.randn(2, 3, 4))
    file.write()


def windows(x, before, after):
    """Each position with its neighbours, by unfold over the padded sequence."""
    padded = F.pad(x, (0, 0, before, after))
    return padded.unfold(1, before + 1 + after, 1).transpose(2, 3).reshape(x.shape[0], x.shape[1], -1)


def shapes():
    file = File("shape.txt")
    file.case("reshape", lambda x: x.transpose(0, 1).reshape(3, 8), x=torch.randn(2, 3, 4))
    file.case("permute", lambda x: x.permute(1, 2, 0), x=torch.randn(2, 3, 4))
    file.case("slice", lambda x: x[:, 1:3], x=torch.randn(2, 4, 3))
    file.case("expand", lambda x: x.expand(4, 2, 3), x=torch.randn(2, 1))
    file.case("concat", lambda a, b, c: torch.cat([a, b, c], 1), a=torch.randn(2, 1, 3), b=torch.randn(2, 4, 3),
              c=torch.randn(2, 2, 3))
    file.case("stack", lambda a, b: torch.stack([a, b], -1), a=torch.randn(2, 3), b=torch.randn(2, 3))
    file.case("windows", lambda x: windows(x, 2, 1), x=torch.randn(2, 5, 3))
    file.case("windows_short", lambda x: windows(x, 3, 2), x=torch.randn(2, 2, 2))
    file.write()


def matmuls():
    file = File("matmul.txt")
    file.case("matmul", lambda a, b: a @ b, a=torch.randn(3, 4), b=torch.randn(4, 5))
    file.case("matmul_batch", lambda a, b: a @ b, a=torch.randn(2, 1, 3, 4), b=torch.randn(3, 4, 2))
    file.case("matmul_fold", lambda a, b: a @ b, a=torch.randn(2, 3, 4), b=torch.randn(4, 5))
    file.case("matmul_scores", lambda a, b: a @ b.transpose(-2, -1), a=torch.randn(2, 3, 4), b=torch.randn(2, 5, 4))
    file.case("linear", lambda x, w, b: F.linear(x, w.t(), b), x=torch.randn(2, 3, 4), w=torch.randn(4, 5),
              b=torch.randn(5))
    file.write()


def reductions():
    file = File("reduce.txt")
    file.case("sum", lambda x: x.sum(), x=torch.randn(2, 3, 4))
    file.case("sum_axes", lambda x: x.sum((0, 2)), x=torch.randn(2, 3, 4))
    file.case("sum_keep", lambda x: x.sum(1, keepdim=True), x=torch.randn(2, 3, 4))
    file.case("mean", lambda x: x.mean(), x=torch.randn(2, 3, 4))
    file.case("mean_axes", lambda x: x.mean((1, 2)), x=torch.randn(2, 3, 4))
    file.case("max_last", lambda x: x.max(-1).values, x=torch.randn(2, 3, 4))
    file.case("max_middle", lambda x: x.max(1).values, x=torch.randn(2, 3, 4))
    file.case("norm", lambda x: x.norm(dim=-1), x=torch.randn(3, 4))
    file.write()


def masked_softmax(x, keep):
    return torch.softmax(x.masked_fill(~keep, float("-inf")), -1)


def softmaxes():
    file = File("softmax.txt")
    keep = torch.rand(3, 5) > 0.4
    keep[:, 2] = True
    file.case("softmax", lambda x: torch.softmax(x, -1), x=torch.randn(2, 3, 5))
    file.case("softmax_scaled", lambda x: torch.softmax(0.25 * x, -1), x=4 * torch.randn(2, 3, 5))
    file.case("softmax_masked", lambda x: masked_softmax(x, keep), {"keep": keep}, x=torch.randn(2, 3, 5))
    file.case("softmax_large", lambda x: torch.softmax(x, -1), x=400 * torch.randn(4, 6))
    file.case("log_softmax", lambda x: torch.log_softmax(x, -1), x=3 * torch.randn(2, 3, 5))
    file.case("logsumexp", lambda x: torch.logsumexp(x, -1), x=3 * torch.randn(2, 3, 5))
    file.case("layer_norm", lambda x, gain, bias: F.layer_norm(x, (6,), gain, bias), x=torch.randn(2, 3, 6),
              gain=torch.randn(6), bias=torch.randn(6))
    file.case("layer_norm_plain", lambda x: F.layer_norm(x, (6,), eps=1e-3), x=torch.randn(4, 6))
    file.write()


def lookups_and_losses():
    file = File("loss.txt")
    ids = torch.tensor([[1, 0, 3], [3, 3, 2]])
    file.case("embedding", lambda table: F.embedding(ids, table), {"ids": ids}, table=torch.randn(5, 4))
    table = torch.randn(5, 4)
    table[3] = 0
    file.case("embedding_padding", lambda table: F.embedding(ids, table, padding_idx=3), {"ids": ids}, table=table)
    index = torch.tensor([[3, 0, 2], [1, 1, 0]])
    file.case("gather", lambda x: x.gather(-1, index[..., None])[..., 0], {"index": index}, x=torch.randn(2, 3, 4))
    targets = torch.tensor([2, -1, 0, 4, -1, 1])
    for name, options in {"cross_entropy": {}, "cross_entropy_smooth": {"label_smoothing": 0.1}}.items():
        file.case(name, lambda x: F.cross_entropy(x, targets, ignore_index=-1, **options), {"targets": targets},
                  x=2 * torch.randn(6, 5))
    soft = torch.rand(3, 4)
    file.case("bce", lambda x: F.binary_cross_entropy_with_logits(x, soft), {"targets": soft}, x=5 * torch.randn(3, 4))
    file.case("mse", lambda a, b: F.mse_loss(a, b), a=torch.randn(3, 4), b=torch.randn(3, 4))
    file.write()


def attention_names(module, d, prefix):
    """(heed name, parameter, function that picks this name's part of it) of a MultiheadAttention."""
    out = []
    for i, part in enumerate("qkv"):
        out.append((f"{prefix}{part}.w", module.in_proj_weight, lambda t, i=i: t[i * d:(i + 1) * d].t()))
        out.append((f"{prefix}{part}.b", module.in_proj_bias, lambda t, i=i: t[i * d:(i + 1) * d]))
    out.append((f"{prefix}o.w", module.out_proj.weight, lambda t: t.t()))
    out.append((f"{prefix}o.b", module.out_proj.bias, lambda t: t))
    return out


def module_case(file, name, module, names, f, extra=None, **inputs):
    """A case whose parameters are put under heed's names: case.q.w, and its gradient as case.d.q.w."""
    for p in module.parameters():
        p.data.add_(0.1 * torch.randn(p.shape))  # biases and norms away from 0 and 1
    for n, p, pick in names:
        file.put(f"{name}.{n}", pick(p))
    file.case(name, f, extra, **inputs)
    for n, p, pick in names:
        file.put(f"{name}.d.{n}", pick(p.grad))


def layers():
    file = File("nn.txt")
    b, n, d, heads, hidden = 2, 4, 8, 2, 12
    padding = torch.tensor([[True] * 4, [True] * 2 + [False] * 2])
    causal = torch.tril(torch.ones(n, n, dtype=torch.bool))

    def attention():
        return torch.nn.MultiheadAttention(d, heads, batch_first=True)

    def self_attention(m, **masks):
        return lambda x: m(x, x, x, need_weights=False, **masks)[0]

    linear = torch.nn.Linear(3, 5)
    module_case(file, "linear", linear, [("w", linear.weight, lambda t: t.t()), ("b", linear.bias, lambda t: t)],
                lambda x: linear(x), x=torch.randn(2, 4, 3))
    norm = torch.nn.LayerNorm(6)
    module_case(file, "layer_norm", norm, [("gain", norm.weight, lambda t: t), ("bias", norm.bias, lambda t: t)],
                lambda x: norm(x), x=torch.randn(2, 3, 6))
    m = attention()
    module_case(file, "mha.padding", m, attention_names(m, d, ""), self_attention(m, key_padding_mask=~padding),
                {"keep": padding}, x=torch.randn(b, n, d))
    m = attention()
    module_case(file, "mha.causal", m, attention_names(m, d, ""), self_attention(m, attn_mask=~causal),
                {"keep": causal}, x=torch.randn(b, n, d))
    m = attention()
    module_case(file, "mha.cross", m, attention_names(m, d, ""),
                lambda queries, keys: m(queries, keys, keys, key_padding_mask=~padding, need_weights=False)[0],
                {"keep": padding}, queries=torch.randn(b, 3, d), keys=torch.randn(b, n, d))
    for name, first in {"encoder.pre": True, "encoder.post": False}.items():
        m = torch.nn.TransformerEncoderLayer(d, heads, hidden, dropout=0.0, activation="gelu", batch_first=True,
                                             norm_first=first)
        names = attention_names(m.self_attn, d, "attention.")
        for i, layer in enumerate([m.norm1, m.norm2], 1):
            names += [(f"norm{i}.gain", layer.weight, lambda t: t), (f"norm{i}.bias", layer.bias, lambda t: t)]
        for part, layer in {"in": m.linear1, "out": m.linear2}.items():
            names += [(f"ff.{part}.w", layer.weight, lambda t: t.t()), (f"ff.{part}.b", layer.bias, lambda t: t)]
        module_case(file, name, m, names, lambda x, m=m: m(x, src_key_padding_mask=~padding), {"keep": padding},
                    x=torch.randn(b, n, d))
    file.write()


def turned(x, first=0):
    """Rotary positions: pairs (2i, 2i+1) as complex numbers."""
    n, d = x.shape[-2:]
    even = d - d % 2
    angles = (first + torch.arange(n))[:, None] * 10000.0 ** (-torch.arange(0, even, 2) / d)
    z = torch.view_as_complex(x[..., :even].unflatten(-1, (-1, 2)).contiguous())
    y = torch.view_as_real(z * torch.polar(torch.ones_like(angles), angles)).flatten(-2)
    return torch.cat([y, x[..., even:]], -1)


def solved(start, w1, b1, w2, b2, length, step, substeps, act, timed):
    """FLOATER: the classical Runge-Kutta method by plain operations."""
    def slope(t, p):
        time = torch.full((p.shape[0], 1 if timed else 0), t)
        return torch.cat([act(torch.cat([p, time], 1) @ w1 + b1), time], 1) @ w2 + b2

    h, rows = step / substeps, [start]
    for i in range((length - 1) * substeps):
        t, p = i * h, rows[-1] if i % substeps == 0 else p
        k1 = slope(t, p)
        k2 = slope(t + h / 2, p + h / 2 * k1)
        k3 = slope(t + h / 2, p + h / 2 * k2)
        k4 = slope(t + h, p + h * k3)
        p = p + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if (i + 1) % substeps == 0:
            rows.append(p)
    return torch.stack(rows, 1)


def weighted_case(file, name, f, weights, extra=None, **inputs):
    """A case whose weights are put as parameters: case.q.w, and its gradient as case.d.q.w."""
    weights = {k: v.requires_grad_() for k, v in weights.items()}
    for k, v in weights.items():
        file.put(f"{name}.{k}", v)
    file.case(name, lambda **given: f(weights, **given), extra, **inputs)
    for k, v in weights.items():
        file.put(f"{name}.d.{k}", v.grad)


def positioned(w, x, kind, causal, heads=2, reach=2):
    """Multi-head self-attention with a kind of positions, by dense arrays."""
    b, n, _ = x.shape
    q, k, v = ((x @ w[f"{p}.w"] + w[f"{p}.b"]).reshape(b, n, heads, -1).transpose(1, 2) for p in "qkv")
    d = q.shape[-1]
    distance = torch.arange(n) - torch.arange(n)[:, None]
    bucket = distance.clamp(-reach, reach) + reach
    if kind == "rotary":
        q, k = turned(q), turned(k)
    s = q @ k.transpose(-2, -1)
    if kind == "relative":
        s = s + torch.einsum("bhid,ijd->bhij", q, w["relative.keys"][bucket])
    s = s / d ** 0.5
    if kind == "alibi":
        s = s - (2.0 ** (-8 * (torch.arange(heads) + 1) / heads))[:, None, None] * distance.abs()
    if causal:
        s = s.masked_fill(distance > 0, float("-inf"))
    a = torch.softmax(s, -1)
    y = a @ v
    if kind == "relative":
        y = y + torch.einsum("bhij,ijd->bhid", a, w["relative.values"][bucket])
    return y.transpose(1, 2).reshape(b, n, -1) @ w["o.w"] + w["o.b"]


def additive(w, queries, keys, keep):
    """Bahdanau's attention with every tanh in one array."""
    q, k = queries @ w["q.w"], keys @ w["k.w"]
    s = torch.tanh(q[:, :, None] + k[:, None]) @ w["w"]
    return masked_softmax(s, keep[:, None]) @ (keys @ w["v.w"])


def positions():
    file = File("positions.txt")
    file.case("rotary", lambda x: turned(x), x=torch.randn(2, 5, 6))
    file.case("rotary_odd", lambda x: turned(x), x=torch.randn(2, 3, 4, 5))
    file.case("rotary_later", lambda x: turned(x, 11), x=torch.randn(4, 6))
    d = 8
    for kind in ["rotary", "alibi", "relative"]:
        for causal in [False, True]:
            w = {f"{p}.w": torch.randn(d, d) / 2 for p in "qkvo"}
            w.update({f"{p}.b": torch.randn(d) / 4 for p in "qkvo"})
            if kind == "relative":
                w.update({"relative.keys": torch.randn(5, 4), "relative.values": torch.randn(5, 4)})
            weighted_case(file, f"mha_{kind}" + ("_causal" if causal else ""),
                          lambda w, x: positioned(w, x, kind, causal), w, x=torch.randn(2, 7, d))
    keep = torch.tensor([[True] * 6, [True] * 3 + [False] * 3])

    def weights():
        return {"q.w": torch.randn(5, 4), "k.w": torch.randn(5, 4), "w": torch.randn(4), "v.w": torch.randn(5, 3)}

    weighted_case(file, "additive", lambda w, x: additive(w, x, x, keep), weights(), {"keep": keep},
                  x=torch.randn(2, 6, 5))
    weighted_case(file, "additive_cross", lambda w, queries, keys: additive(w, queries, keys, keep), weights(),
                  {"keep": keep}, queries=torch.randn(2, 3, 5), keys=torch.randn(2, 6, 5))
    for name, (step, substeps, act, timed) in {
        "floater": (0.1, 2, torch.tanh, True),
        "floater_relu": (0.01, 5, torch.relu, True),
        "floater_autonomous": (0.3, 3, torch.tanh, False),
    }.items():
        n = 5 if timed else 4
        file.case(name, lambda start, w1, b1, w2, b2: solved(start, w1, b1, w2, b2, 6, step, substeps, act, timed),
                  start=torch.randn(3, 4), w1=torch.randn(n, 4), b1=torch.randn(4), w2=torch.randn(n, 4),
                  b2=torch.randn(4))
    file.write()


def optimizers():
    file = File("optimizers.txt")
    cases = {
        "sgd": (torch.optim.SGD, dict(lr=0.1)),
        "momentum": (torch.optim.SGD, dict(lr=0.1, momentum=0.9)),
        "nesterov": (torch.optim.SGD, dict(lr=0.1, momentum=0.9, nesterov=True)),
        "decay": (torch.optim.SGD, dict(lr=0.1, momentum=0.9, weight_decay=0.05)),
        "adam": (torch.optim.Adam, dict(lr=0.01)),
        "adam_l2": (torch.optim.Adam, dict(lr=0.01, betas=(0.8, 0.95), weight_decay=0.05)),
        "adamw": (torch.optim.AdamW, dict(lr=0.01, weight_decay=0.1)),
    }
    for name, (kind, options) in cases.items():
        p = torch.randn(3, 2).requires_grad_()
        for key, value in options.items():
            file.put(f"{name}.{key}", float(value) if not isinstance(value, tuple) else value)
        file.put(f"{name}.p0", p)
        optimizer = kind([p], **options)
        for step in range(1, 6):
            p.grad = torch.randn(3, 2)
            file.put(f"{name}.g{step}", p.grad)
            optimizer.step()
            file.put(f"{name}.p{step}", p)
    p, q = torch.zeros(2, 2).requires_grad_(), torch.zeros(3).requires_grad_()
    for name, scale in {"clip.over": 3.0, "clip.under": 0.01}.items():
        p.grad, q.grad = scale * torch.randn(2, 2), scale * torch.randn(3)
        file.put(f"{name}.a", p.grad)
        file.put(f"{name}.b", q.grad)
        file.put(f"{name}.norm", torch.nn.utils.clip_grad_norm_([p, q], 1.0))
        file.put(f"{name}.clipped_a", p.grad)
        file.put(f"{name}.clipped_b", q.grad)
    file.write()


def convolutions():
    file = File("conv.txt")
    ways = {"plain": {}, "strided": dict(stride=2, padding=1), "dilated": dict(stride=2, padding=3, dilation=2),
            "grouped": dict(padding=1, groups=2)}
    for name, how in ways.items():
        inside = 4 // how.get("groups", 1)
        file.case(f"conv1d.{name}", lambda x, w, b, how=how: F.conv1d(x, w, b, **how), x=torch.randn(2, 4, 7),
                  w=torch.randn(6, inside, 3), b=torch.randn(6))
        file.case(f"conv2d.{name}", lambda x, w, b, how=how: F.conv2d(x, w, b, **how), x=torch.randn(2, 4, 5, 4),
                  w=torch.randn(2, inside, 3, 2), b=torch.randn(2))
    window = dict(kernel_size=3, stride=2, padding=1)
    for name, shape, largest, mean in [("1d", (2, 3, 8), F.max_pool1d, F.avg_pool1d),
                                       ("2d", (2, 2, 5, 6), F.max_pool2d, F.avg_pool2d)]:
        file.case(f"max_pool{name}", lambda x, f=largest: f(x, **window), x=torch.randn(shape))
        file.case(f"mean_pool{name}", lambda x, f=mean: f(x, count_include_pad=False, **window), x=torch.randn(shape))
    file.write()


def recurrent(kind, x, lengths, states, weights):
    """Outputs, zero at padding, and last states behind them: (batch, steps + states, hidden). Weights are heed's."""
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
    both = len(weights) == 8
    states = [torch.stack(torch.chunk(s, 1 + both, -1)) for s in states]
    hx = states if len(states) > 1 else states[0]
    out = kind(packed.data, packed.batch_sizes, hx, [w.t() if w.dim() == 2 else w for w in weights], True, 1, 0.0,
               False, both)
    y = torch.nn.utils.rnn.PackedSequence(out[0], packed.batch_sizes)
    y = torch.nn.utils.rnn.pad_packed_sequence(y, batch_first=True, total_length=x.shape[1])[0]
    return torch.cat([y] + [torch.cat(list(s), -1).unsqueeze(1) for s in out[1:]], 1)


def recurrences():
    file = File("recurrent.txt")
    b, n, d, h = 3, 5, 4, 3
    lengths = torch.tensor([5, 3, 1])
    keep = torch.arange(n) < lengths[:, None]
    for name, kind, gates in [("rnn", torch.rnn_tanh, 1), ("lstm", torch.lstm, 4), ("gru", torch.gru, 3)]:
        def weights(way):
            return {f"{way}w_ih": torch.randn(d, gates * h), f"{way}w_hh": torch.randn(h, gates * h),
                    f"{way}b_ih": torch.randn(gates * h), f"{way}b_hh": torch.randn(gates * h)}

        def f(x, kind=kind, **rest):
            given = [v for k, v in rest.items() if k in ("h", "c")]
            return recurrent(kind, x, lengths, given, [v for k, v in rest.items() if k not in ("h", "c")])

        states = {k: torch.randn(b, h) for k in (["h", "c"] if name == "lstm" else ["h"])}
        file.case(name, f, {"keep": keep}, x=torch.randn(b, n, d), **states, **weights(""))

        def both(x, f=f, **rest):
            return f(x, **{k: torch.zeros(b, 2 * h) for k in states}, **rest)

        file.case(f"{name}.both", both, {"keep": keep}, x=torch.randn(b, n, d), **weights("f"), **weights("r"))
    file.write()


def token_mlp(x, w1, b1, w2, b2):
    return (F.gelu(x.transpose(1, 2) @ w1 + b1) @ w2 + b2).transpose(1, 2)


def gmlp(x, u, ub, gain, bias, w, b, v, vb, causal):
    z1, z2 = F.gelu(x @ u + ub).chunk(2, -1)
    gate = torch.einsum("ij,bjc->bic", w.tril() if causal else w, F.layer_norm(z2, gain.shape, gain, bias)) + b[:, None]
    return (z1 * gate) @ v + vb


def mixers():
    file = File("mixers.txt")
    file.case("fourier", lambda x: torch.fft.fft2(x, dim=(1, 2)).real, x=torch.randn(2, 12, 10))
    file.case("fourier.prime", lambda x: torch.fft.fft2(x, dim=(1, 2)).real, x=torch.randn(1, 67, 3))
    file.case("token_mlp", token_mlp, x=torch.randn(2, 5, 4), w1=torch.randn(5, 3), b1=torch.randn(3),
              w2=torch.randn(3, 5), b2=torch.randn(5))
    for causal in (False, True):
        file.case("gmlp.causal" if causal else "gmlp", lambda causal=causal, **v: gmlp(causal=causal, **v),
                  x=torch.randn(2, 5, 4), u=torch.randn(4, 6), ub=torch.randn(6), gain=torch.randn(3),
                  bias=torch.randn(3), w=torch.randn(5, 5), b=torch.randn(5), v=torch.randn(3, 4), vb=torch.randn(4))
    file.write()


if __name__ == "__main__":
    for write in [elementwise, shapes, matmuls, reductions, softmaxes, lookups_and_losses, layers, optimizers,
                  convolutions, recurrences, positions, mixers]:
        write()
