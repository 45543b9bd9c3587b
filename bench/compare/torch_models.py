"""The models of bench/step.hpp in PyTorch, with the weights and batches that bench/step.cpp saved.

Only the server imports PyTorch: what compares must not carry it.
"""

import json
import math
import struct
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

from compare.turns import forget_peak, resident, timed


def read_safetensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = bytearray(file.read())
    notes = header.pop("__metadata__", {})
    return {
        name: torch.frombuffer(data, dtype=torch.float32, offset=entry["data_offsets"][0],
                               count=math.prod(entry["shape"])).view(entry["shape"])
        for name, entry in header.items()
    }, notes


def fill(to, weight, bias):
    to.weight.copy_(weight)
    to.bias.copy_(bias)


def linear(tensors, name):
    """heed multiplies by (in, out), PyTorch by (out, in)."""
    weight = tensors[name + ".w"].T
    layer = nn.Linear(weight.shape[1], weight.shape[0])
    fill(layer, weight, tensors[name + ".b"])
    return layer


def norm(tensors, name):
    layer = nn.LayerNorm(len(tensors[name + ".gain"]))
    fill(layer, tensors[name + ".gain"], tensors[name + ".bias"])
    return layer


def embedding(tensors, name):
    return nn.Embedding.from_pretrained(tensors[name + ".table"].clone(), freeze=False)


def qkv(tensors, name):
    return (torch.cat([tensors[f"{name}.{n}.w"].T for n in "qkv"]), torch.cat([tensors[f"{name}.{n}.b"] for n in "qkv"]))


class Written(nn.Module):
    """Attention with one product for q, k and v, and nothing but tensor operations."""

    def __init__(self, tensors, name, heads, dropout, mask):
        super().__init__()
        self.out = linear(tensors, name + ".o")
        self.heads, self.dropout, self.mask, d = heads, dropout, mask, self.out.in_features
        self.qkv = nn.Linear(d, 3 * d)
        fill(self.qkv, *qkv(tensors, name))

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        scores = (q * (d // self.heads) ** -0.5) @ k.transpose(-2, -1)
        weights = F.softmax(scores if self.mask is None else scores + self.mask, -1)
        if self.dropout:
            weights = F.dropout(weights, self.dropout, self.training)
        return self.out((weights @ v).transpose(1, 2).reshape(b, n, d))


def multihead(tensors, name, heads, dropout):
    weight, bias = qkv(tensors, name)
    layer = nn.MultiheadAttention(weight.shape[1], heads, dropout, batch_first=True)
    layer.in_proj_weight.copy_(weight)
    layer.in_proj_bias.copy_(bias)
    fill(layer.out_proj, tensors[name + ".o.w"].T, tensors[name + ".o.b"])
    return layer


class Library(nn.Module):
    def __init__(self, tensors, name, heads, dropout, mask):
        super().__init__()
        self.mha, self.mask = multihead(tensors, name, heads, dropout), mask

    def forward(self, x):
        return self.mha(x, x, x, need_weights=False, attn_mask=self.mask)[0]


class Block(nn.Module):
    def __init__(self, tensors, name, attention, heads, dropout, mask, gelu):
        super().__init__()
        self.norm1, self.norm2 = norm(tensors, name + ".norm1"), norm(tensors, name + ".norm2")
        self.attention = attention(tensors, name + ".attention", heads, dropout, mask)
        self.drop = nn.Dropout(dropout) if dropout else nn.Identity()
        self.feedforward = nn.Sequential(linear(tensors, name + ".feedforward.in"), nn.GELU(gelu), self.drop,
                                         linear(tensors, name + ".feedforward.out"))

    def forward(self, x):
        x = x + self.drop(self.attention(self.norm1(x)))
        return x + self.drop(self.feedforward(self.norm2(x)))


def whole_layer(tensors, name, heads):
    """The library's layer, which is one fused call without gradients."""
    inside = linear(tensors, name + ".feedforward.in")
    layer = nn.TransformerEncoderLayer(inside.in_features, heads, inside.out_features, 0, "gelu", norm_first=True,
                                       batch_first=True)
    layer.self_attn = multihead(tensors, name + ".attention", heads, 0)
    layer.linear1, layer.linear2 = inside, linear(tensors, name + ".feedforward.out")
    layer.norm1, layer.norm2 = norm(tensors, name + ".norm1"), norm(tensors, name + ".norm2")
    return layer


class Transformer(nn.Module):
    """The encoder tagger, or with `causal` the GPT-style model, whose output weights are its word vectors."""

    def __init__(self, tensors, heads, dropout, choice, causal):
        super().__init__()
        self.words = embedding(tensors, "body.words")
        self.positions = nn.Parameter(tensors["body.positions.table"].clone())
        n = len(self.positions)
        mask = torch.full((n, n), -math.inf).triu(1) if causal else None
        attention = Library if "library" in choice else Written
        layers = len({name.split(".")[2] for name in tensors if ".norm1.gain" in name})
        self.blocks = nn.Sequential(*[
            whole_layer(tensors, f"body.encoder.{i}", heads) if choice == "layer" else
            Block(tensors, f"body.encoder.{i}", attention, heads, dropout, mask, "tanh" if causal else "none")
            for i in range(layers)])
        self.norm = norm(tensors, "body.encoder.norm")
        self.scores = None if causal else linear(tensors, "scores")

    def forward(self, ids):
        x = self.norm(self.blocks(self.words(ids) + self.positions[:ids.shape[1]]))
        return F.linear(x, self.words.weight) if self.scores is None else self.scores(x)


class BiLstm(nn.Module):
    """Takes packed ids, so that padding costs nothing."""

    def __init__(self, tensors):
        super().__init__()
        self.words, self.scores = embedding(tensors, "words"), linear(tensors, "scores")
        d, gates = tensors["lstm.forward.w_ih"].shape
        self.lstm = nn.LSTM(d, gates // 4, bidirectional=True)
        for direction, suffix in (("forward", ""), ("backward", "_reverse")):
            for part in ("w_ih", "w_hh", "b_ih", "b_hh"):
                name = part.replace("w_", "weight_").replace("b_", "bias_") + "_l0" + suffix
                getattr(self.lstm, name).copy_(tensors[f"lstm.{direction}.{part}"].t())

    def forward(self, ids):
        if isinstance(ids, nn.utils.rnn.PackedSequence):
            return self.scores(self.lstm(nn.utils.rnn.PackedSequence(self.words(ids.data), ids.batch_sizes))[0].data)
        return self.scores(self.lstm(self.words(ids))[0])


def packed(ids, targets):
    """Time comes first; a single sentence needs no packing."""
    if len(ids) == 1:
        return ids.T, targets.T
    lengths = (targets >= 0).sum(1)
    pack = [nn.utils.rnn.pack_padded_sequence(x.T, lengths) for x in (ids, targets)]
    return pack[0], pack[1].data


class Task:
    def __init__(self, path, name, dropout, choice):
        tensors, notes = read_safetensors(path)
        self.batches, recurrent, causal = [], name.startswith("bilstm"), name.startswith("gpt")
        for i in range(sum(key.startswith("ids.") for key in tensors)):
            ids, targets = tensors[f"ids.{i}"].long(), tensors[f"targets.{i}"].long()
            self.batches.append(packed(ids, targets) if recurrent else (ids, targets))
        with torch.no_grad():
            self.model = BiLstm(tensors) if recurrent else Transformer(tensors, int(notes["heads"]), dropout, choice, causal)
        self.optimizer = None if name.startswith("tag") else (torch.optim.AdamW if causal else torch.optim.Adam)(
            self.model.parameters(), lr=1e-4, foreach="foreach" in choice)
        self.model.train(self.optimizer is not None)

    def loss(self, ids, targets):
        scores = self.model(ids)
        return F.cross_entropy(scores.view(-1, scores.shape[-1]), targets.reshape(-1))

    def loss_now(self):
        """The mean over batches, dropout off: what heed has to agree with."""
        mode = self.model.training
        self.model.eval()
        with torch.no_grad():
            mean = sum(self.loss(*batch).item() for batch in self.batches) / len(self.batches)
        self.model.train(mode)
        return mean

    def run(self):
        """One pass over the batches."""
        for ids, targets in self.batches:
            if self.optimizer is None:
                with torch.inference_mode():
                    value = self.model(ids)
                continue
            self.optimizer.zero_grad(set_to_none=True)
            loss = self.loss(ids, targets)
            loss.backward()
            self.optimizer.step()
            value = loss.item()
        return value


def choices(name):
    """What a user of PyTorch would try; the fastest is compared with."""
    if name.startswith("tag"):
        return ["written", "library", "layer"]
    kinds = ["packed"] if name.startswith("bilstm") else ["written", "library"]
    return [kind + loop for kind in kinds for loop in ("", ", foreach")]


def serve(path, name, dropout, threads, choice):
    """Answers a number with what so many passes took; "choose" as the choice prints the time of each and ends."""
    torch.set_num_threads(int(threads))
    torch.manual_seed(1)
    idle = resident("VmRSS")
    if choice == "choose":
        print(json.dumps({each: timed(Task(path, name, float(dropout), each).run, 0.5, 1) for each in choices(name)}))
        return
    task = Task(path, name, float(dropout), choice)
    forget_peak()
    print(json.dumps({"rss_idle": idle, "loss": task.loss_now(),
                      "parameters": sum(p.numel() for p in task.model.parameters())}), flush=True)
    for line in sys.stdin:
        times, cpu = [], time.process_time()
        for _ in range(int(line)):
            begin = time.perf_counter()
            task.run()
            times.append((time.perf_counter() - begin) * 1e3)
        times.sort()
        print(json.dumps({"ms_min": times[0], "ms": times[len(times) // 2], "rss_peak": resident("VmHWM"),
                          "cpu_ms": (time.process_time() - cpu) * 1e3 / len(times)}), flush=True)
