"""What the project wants to reach, beside what it reached: PyTorch's time divided by heed's at least, its memory at most."""

import re

BARS = [  # table, name, bars; the first that fits
    ("start", "", {"tuned": 50, "installed": 50}),
    ("steps", "tiny/0$", {"tuned": 2.5, "installed": 5, "memory": 0.15}),
    ("steps", "tiny", {"tuned": 3.2, "installed": 5, "memory": 0.15}),
    ("steps", "small/0$", {"tuned": 1.7, "installed": 4, "memory": 0.25}),
    ("steps", "small", {"tuned": 2.2, "installed": 4, "memory": 0.25}),
    ("steps", "base/0$", {"tuned": 1.35, "installed": 3, "memory": 0.4}),
    ("steps", "base", {"tuned": 1.8, "installed": 3, "memory": 0.4}),
    ("steps", "large/0$", {"tuned": 1.05, "installed": 2, "memory": 0.5}),
    ("steps", "large", {"tuned": 1.5, "installed": 2, "memory": 0.5}),
    ("models", "gpt", {"tuned": 1.1, "other": 2.5, "memory": 0.6, "other_memory": 1}),
    ("models", "bilstm/1$", {"tuned": 6, "other": 1.5}),
    ("models", "bilstm", {"tuned": 2.5, "other": 1.5}),
    ("operations", "linear", {"tuned": 1, "ceiling": 0.92}),
    ("operations", "matmul", {}),
    ("operations", "dropout", {"tuned": 15}),
    ("operations", "cross_entropy", {"tuned": 2.5}),
    ("operations", "adamw/10M/1000", {"tuned": 12}),
    ("operations", "lstm|gru", {"tuned": 1.4}),
    ("operations", "conv", {"tuned": 0.5}),
    ("operations", "max_pool", {"tuned": 3}),
    ("operations", "", {"tuned": 1.5}),
    ("lengths", "full/(2048|4096|8192)$", {"time": 1.25}),
    ("lengths", "local/(8192|65536)$", {"time": 4, "memory": 0.15}),
    ("lengths", "linear/(8192|65536)$", {"time": 2, "memory": 0.3}),
    ("lengths", "linformer/8192$", {"time": 1.3, "memory": 0.3}),
]

# Higher where heed multiplies with oneDNN.
ONEDNN = [
    ("steps", "tiny/0$", {"tuned": 3.5}),
    ("steps", "small/0$", {"tuned": 2.8}),
    ("steps", "base/0$", {"tuned": 2.2}),
    ("steps", "large/0$", {"tuned": 1.9}),
    ("models", "gpt", {"tuned": 1.8}),
    ("operations", "conv", {"tuned": 1}),
    ("lengths", "full/(2048|4096|8192)$", {"time": 2}),
]

# Figures of other programs for the same work, measured once on the development machine: milliseconds and MiB. DyNet's
# are of one thread, with automatic batching for 32.
OTHERS = {
    "gpt/5000": ("llm.c -Ofast", 827, 437),
    "gpt/50257": ("llm.c -Ofast", 3038, 1055),
    "bilstm/1": ("DyNet", 32e3 / 485, None),
    "bilstm/32": ("DyNet", 32e3 / 1232, None),
}


def bars(table, name, engine):
    """{what: bar} of a row; none when there is no bar."""
    def first(of):
        return next((found for where, pattern, found in of if where == table and re.match(pattern, name)), {})

    return first(BARS) | (first(ONEDNN) if engine.startswith("oneDNN") else {})
