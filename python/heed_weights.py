#!/usr/bin/env python3
"""Weights and arrays between heed and Python, by safetensors files, without heed or safetensors installed.

    read(path) -> (arrays, metadata)      a dict of NumPy arrays, a dict of str
    write(path, arrays, metadata)         NumPy arrays or PyTorch tensors
    from_torch(module) -> arrays          the parameters of a PyTorch module in heed's names and layouts
    to_torch(module, arrays)              the opposite

As a program, `heed_weights.py FILE` lists what a file holds. Needs NumPy, and PyTorch for the last two alone.
"""

import json
import os
import struct
import sys

import numpy

TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1", "U8": "<u1",
         "BOOL": "<?"}
LONGEST_HEADER = 100_000_000


def read(path):
    """Arrays by name, in the order of the file, and its metadata. BF16 becomes float32. ValueError for a damaged file."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < 8:
        raise ValueError(f"{path}: expected at least 8 bytes, found {len(data)}")
    (length,) = struct.unpack("<Q", data[:8])
    if length > min(LONGEST_HEADER, len(data) - 8):
        raise ValueError(f"{path}: the header claims {length} bytes but the file has {len(data)}")
    header = json.loads(data[8:8 + length].decode("utf-8"), object_pairs_hook=_once)
    metadata = header.pop("__metadata__", {})
    body, arrays, end = memoryview(data)[8 + length:], {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, stop = entry["data_offsets"]
        kind = "<u2" if entry["dtype"] == "BF16" else TYPES.get(entry["dtype"])
        if kind is None:
            raise ValueError(f"{path}: tensor {name!r} has type {entry['dtype']}, which is not known here")
        count = 1
        for size in entry["shape"]:
            count *= size
        if begin != end or stop - begin != count * numpy.dtype(kind).itemsize:
            raise ValueError(f"{path}: tensor {name!r} has offsets {begin} to {stop} that do not fit")
        end = stop
        array = numpy.frombuffer(body[begin:stop], kind)
        if entry["dtype"] == "BF16":
            array = (array.astype("<u4") << 16).view("<f4")
        arrays[name] = array.reshape(entry["shape"])
    if end != len(body):
        raise ValueError(f"{path}: expected {8 + length + end} bytes, found {len(data)}")
    return {name: arrays[name] for name in header}, metadata


def _once(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("two entries of the header have one name")
    return dict(pairs)


def write(path, arrays, metadata=None):
    """Writes arrays (or tensors) and texts to a file that heed, and the library safetensors, read."""
    header, parts, end = {}, [], 0
    if metadata:
        header["__metadata__"] = {str(key): str(value) for key, value in metadata.items()}
    for name, array in arrays.items():
        array = array.detach().cpu().numpy() if hasattr(array, "detach") else numpy.asarray(array)
        kind = next((k for k, v in TYPES.items() if numpy.dtype(v) == array.dtype), None)
        if kind is None:
            raise ValueError(f"{name}: the file format has no {array.dtype}")
        bytes_ = array.astype(TYPES[kind]).tobytes()  # row-major, whatever the strides
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [end, end + len(bytes_)]}
        parts.append(bytes_)
        end += len(bytes_)
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)
    with open(f"{path}.tmp{os.getpid()}", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))
    os.replace(file.name, path)


def from_torch(module, prefix=""):
    """The parameters of a PyTorch module as arrays in heed's names and layouts, see views()."""
    return {name: view.detach().cpu().numpy() for name, view in views(module, prefix)}


def to_torch(module, arrays, prefix=""):
    """The opposite: copies arrays that heed wrote into a module. KeyError or ValueError when one is missing or does not fit."""
    import torch
    found = list(views(module, prefix))
    for name, view in found:
        if tuple(view.shape) != arrays[name].shape:
            raise ValueError(f"{name}: got shape {arrays[name].shape}, expected {tuple(view.shape)}")
    with torch.no_grad():
        for name, view in found:
            view.copy_(torch.from_numpy(arrays[name].copy()))


def views(module, prefix=""):
    """Pairs of heed's name for a parameter and the part of a PyTorch module that holds it, seen in heed's layout.

    heed multiplies from the right, x W with W (in, out), where PyTorch keeps (out, in). A TransformerEncoder with
    norm_first and a last norm is heed's Encoder; modules of one's own are taken by the names of their parts. Tied
    parameters come once, under their first name, as in heed.
    """
    from torch import nn

    def under(name):
        return f"{prefix}.{name}" if prefix else name

    def parts(**names):
        for name, part in names.items():
            yield from views(part, under(name.replace("__", ".")))

    if isinstance(module, nn.Linear):
        own = {"w": module.weight.T, "b": module.bias}
    elif isinstance(module, nn.Embedding):
        own = {"table": module.weight}
    elif isinstance(module, nn.LayerNorm):
        own = {"gain": module.weight, "bias": module.bias}
    elif isinstance(module, (nn.Conv1d, nn.Conv2d)):
        own = {"w": module.weight, "b": module.bias}
    elif isinstance(module, (nn.RNN, nn.LSTM, nn.GRU)):
        own = {"w_ih": module.weight_ih_l0.T, "w_hh": module.weight_hh_l0.T,
               "b_ih": module.bias_ih_l0, "b_hh": module.bias_hh_l0}
    elif isinstance(module, nn.MultiheadAttention):
        own = {}
        for i, part in enumerate("qkv"):
            rows = slice(i * module.embed_dim, (i + 1) * module.embed_dim)
            own[f"{part}.w"], own[f"{part}.b"] = module.in_proj_weight[rows].T, module.in_proj_bias[rows]
        own["o.w"], own["o.b"] = module.out_proj.weight.T, module.out_proj.bias
    elif isinstance(module, nn.TransformerEncoderLayer):
        yield from parts(norm1=module.norm1, attention=module.self_attn, norm2=module.norm2,
                         feedforward__in=module.linear1, feedforward__out=module.linear2)
        return
    elif isinstance(module, nn.TransformerEncoder):
        yield from parts(**{str(i): layer for i, layer in enumerate(module.layers)}, norm=module.norm)
        return
    else:
        own, seen = dict(module.named_parameters(recurse=False)), set()
        yield from ((under(name), value) for name, value in own.items())
        for name, part in module.named_children():
            for full, view in views(part, under(name)):
                place = (view.data_ptr(), view.shape.numel())
                if place not in seen:
                    yield full, view
                seen.add(place)
        return
    yield from ((under(name), value) for name, value in own.items() if value is not None)


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        arrays, metadata = read(arguments[0])
        for name, array in arrays.items():
            print(f"{name:40} {array.dtype!s:8} {array.shape}")
        for key, text in metadata.items():
            print(f"{key}: {text if len(text) < 100 else text[:97] + '...'}")
    except BrokenPipeError:
        pass
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"heed_weights.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
