"""What was measured so far: rows in bench/results.json, which are renewed one by one. The reports show them."""

import datetime
import json
import os
import platform
import subprocess

from compare.turns import HERE

PATH = os.path.join(HERE, "results.json")


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine():
    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")
    version = output("/usr/bin/python3", "-c", "import torch; print(torch.__version__)")
    compiler = output(os.environ.get("CXX", "g++"), "--version").splitlines()[0]
    return (f"{cpu} with {os.cpu_count()} cores, {platform.system()} {platform.release()}, {compiler}, PyTorch {version}, "
            f"Python {platform.python_version()}")


def circumstances(rounds):
    """What every row says about its run."""
    return {"date": str(datetime.date.today()), "machine": machine(), "load": round(os.getloadavg()[0], 1),
            "rounds": rounds}


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def read(path):
    try:
        with open(path) as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


def write(path, results):
    """One line a row, so that a change is a change of lines."""
    rows = [f"{json.dumps(key)}: {json.dumps(rounded(row))}" for key, row in results.items()]
    with open(path, "w") as file:
        file.write("{\n" + ",\n".join(rows) + "\n}\n")


def publish(text, out):
    if out == "-":
        print(text)
    else:
        with open(out, "w") as file:
            file.write(text)
