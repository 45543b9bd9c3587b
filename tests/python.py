#!/usr/bin/env python3
"""The Python side of tests/nn/python.cpp: `write FOLDER` makes weights with PyTorch and says what comes out of them,
`read FOLDER` takes back what heed made of them. Exit code 77 when NumPy or PyTorch is missing."""

import pathlib
import sys

try:
    import numpy
    import torch
except ImportError:
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import heed_weights  # noqa: E402


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(11, 16)
        layer = torch.nn.TransformerEncoderLayer(16, 4, 24, dropout=0, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = torch.nn.TransformerEncoder(layer, 2, norm=torch.nn.LayerNorm(16))
        self.memory = torch.nn.LSTM(16, 8, batch_first=True)
        self.out = torch.nn.Linear(8, 5)

    def forward(self, ids):
        return self.out(self.memory(self.encoder(self.words(ids)))[0])


def model():
    torch.manual_seed(7)
    built = Model()
    with torch.no_grad():
        for parameter in built.parameters():  # no bias and no gain is left at 0 or 1
            parameter.add_(0.1 * torch.randn_like(parameter))
    return built


def write(folder):
    built = model()
    ids = torch.arange(14).reshape(2, 7) * 5 % 11
    heed_weights.write(folder / "weights", heed_weights.from_torch(built), {"made by": "PyTorch, 火炬"})
    half = {name: torch.from_numpy(a.copy()).to(torch.float16) for name, a in heed_weights.from_torch(built).items()}
    heed_weights.write(folder / "half", half)
    heed_weights.write(folder / "output", {"ids": ids.double(), "y": built(ids), "transposed": numpy.arange(6.0).reshape(2, 3).T})
    heed_weights.to_torch(built, heed_weights.read(folder / "half")[0])
    heed_weights.write(folder / "half output", {"y": built(ids)})


def read(folder):
    built, other = model(), Model()
    arrays, metadata = heed_weights.read(folder / "back")
    heed_weights.to_torch(other, arrays)
    for (name, a), b in zip(built.state_dict().items(), other.state_dict().values()):
        if not torch.equal(a, b.to(a.dtype)):
            sys.exit(f"{name} is not what it was")
    if metadata != {"made by": "heed, 火炬"}:
        sys.exit(f"the metadata came back as {metadata}")
    for damage in (lambda d: d[:-1], lambda d: d + b"\0", lambda d: d[:7], lambda d: b"\xff" * 8 + d[8:]):
        (folder / "bad").write_bytes(damage((folder / "back").read_bytes()))
        try:
            heed_weights.read(folder / "bad")
        except ValueError:
            continue
        sys.exit("a damaged file was read")


{"write": write, "read": read}[sys.argv[1]](pathlib.Path(sys.argv[2]))
