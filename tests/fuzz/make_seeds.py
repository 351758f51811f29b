# Writes the seeds of the fuzzers, tests/fuzz/seeds/READER/NAME: small inputs of every form that a
# reader knows.
import gzip
import io
import json
import lzma
import pathlib
import shutil
import struct
import zipfile

seeds = {}


def seed(reader, name, data):
    seeds[reader, name] = data if isinstance(data, bytes) else data.encode()


# Tables: the first byte is what is asked for (label, response, positive value, columns left out).
csv = {
    "header": "@a,b,y\n1,2,0\n3,4.5,1\n-1e-3,6,0\n",
    "semicolons": "Ca;b;y\n1,5;2;0\n2,5;3;1\n",
    "tabs": "@1\t2\t0\n3\t4\t1\n",
    "blanks": "@  1 2 0\n 3  4 1 \n",
    "quotes": '@"a ""b""","c,d",y\n"1",2,yes\n3,4,no\n',
    "numbers": "Fy,x\n1.5,2\n-2.5,3\n",
    "counts": "Jx,y\n1,0\n2,3\n",
    "classes": "Nx,y\n1,red\n2,green\n3,blue\n",
    "positive": "Px,y\n1,1\n2,2\n3,3\n",
    "dropped": "`a,b,c,y\n1,2,3,0\n4,5,6,1\n",
    "crlf": "@a,y\r\n1,0\r\n\r\n2,1\r\n",
    "mark": b"@\xef\xbb\xbfa,y\n1,0\n2,1\n",
    "latin1": b"@gr\xfc\xdfe,y\n1,0\n2,1\n",
    "twins": "@a,a,y\n1,2,0\n3,4,1\n",
    "missing": "@a,y\n,0\nNA,1\ninf,0\n",
}
for name, text in csv.items():
    seed("csv", name, text)
seed("csv", "gzip", b"@" + gzip.compress(b"a,y\n1,0\n2,1\n", mtime=0))
seed("csv", "xz", b"@" + lzma.compress(b"a,y\n1,0\n2,1\n"))
seed("csv", "zip", b"@PK\x03\x04")
for name, text in {
    "plain": "@1 1:2 3:4.5\n-1 2:1e-3\n",
    "comments": "@+1 1:1 # first\n# none\n-1 2:-2\n",
    "wide": "@1 1:1\n0 20:1\n",
    "far": "@1 4000000000:1\n0 1:1\n",
    "classes": "L3 1:1\n1 2:1\n2 1:2\n",
    "numbers": "D1.5 1:1\n-2 2:1\n",
    "empty": "@1\n0\n",
}.items():
    seed("libsvm", name, text)


def covtype_row(label):
    return (
        ",".join(str(17 * i % 251) for i in range(10)) + "," + ",".join(["0"] * 44) + f",{label}\n"
    )


seed("covtype", "rows", covtype_row(2) + covtype_row(1) + covtype_row(7))
seed("covtype", "gzip", gzip.compress((covtype_row(2) + covtype_row(5)).encode(), mtime=0))
seed("covtype", "short", covtype_row(2) + covtype_row(1)[:-4])


# Arrays.
def npy(kind, shape, data, fortran=False, version=1):
    head = f"{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    head += b" " * (-(10 + len(head) + 1) % 64) + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(head))
    return b"\x93NUMPY" + bytes([version, 0]) + size + head + data


eight = struct.pack("<6d", 1, -2.5, 3, 1e300, 0, -0.0)
arrays = {
    "f8": npy("<f8", "(2, 3)", eight),
    "f4": npy("<f4", "(2, 2)", struct.pack("<4f", 1, 2, 3, 4)),
    "i8": npy("<i8", "(3,)", struct.pack("<3q", 1, -2, 1 << 60)),
    "i4": npy("<i4", "(2,)", struct.pack("<2i", 1, -2)),
    "u4": npy("<u4", "()", struct.pack("<I", 7)),
    "u8": npy("<u8", "(1, 1)", struct.pack("<Q", 1 << 63)),
    "fortran": npy("<f8", "(3, 2)", eight, fortran=True),
    "version2": npy("<f8", "(6,)", eight, version=2),
    "cube": npy("<f8", "(1, 2, 3)", eight),
    "none": npy("<f8", "(0, 5)", b""),
    "huge": npy("<f8", "(4294967296, 4294967296)", eight),
    "texts": npy("<U2", "(2,)", "ab\0\0é\0".encode("utf-32-le")[:16]),
    "objects": npy("|O", "(1,)", b"x"),
}
for name, data in arrays.items():
    seed("npy", name, data)


def npz(packing, **members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy"), data, packing)
    return out.getvalue()


seed("npz", "stored", npz(zipfile.ZIP_STORED, draws=arrays["f8"], names=arrays["texts"]))
seed("npz", "deflated", npz(zipfile.ZIP_DEFLATED, a=arrays["i4"], b=arrays["fortran"]))
seed("npz", "empty", npz(zipfile.ZIP_STORED))
seed("npz", "objects", npz(zipfile.ZIP_STORED, o=arrays["objects"]))


# Zarr: files in a row after "=== N", by their place in the reader's list.
def zarr(**files):
    return b"".join(b"=== " + name[1:].encode() + b"\n" + data for name, data in files.items())


def zarray(shape):
    chunks = [1] + shape[1:]
    return json.dumps(
        {
            "chunks": chunks,
            "compressor": None,
            "dtype": "<f8",
            "fill_value": None,
            "filters": None,
            "order": "C",
            "shape": shape,
            "zarr_format": 2,
        }
    ).encode()


def numbers(count):
    return struct.pack(f"<{count}d", *range(count))


def names(*all):
    return json.dumps({"column_names": list(all)}).encode()


seed("zarr", "one", zarr(_0=names("x"), _1=zarray([1, 3]), _2=numbers(3)))
seed("zarr", "chains", zarr(_0=names("x"), _1=zarray([2, 2]), _2=numbers(2), _3=numbers(2)))
seed(
    "zarr",
    "figures",
    zarr(_0=names("lp__", "x"), _4=zarray([1, 2]), _5=numbers(2), _1=zarray([1, 2]), _2=numbers(2)),
)
seed("zarr", "box", zarr(_0=names("theta[1]", "theta[2]"), _6=zarray([1, 2, 2]), _7=numbers(4)))
seed("zarr", "huge", zarr(_0=names("x"), _1=zarray([1, 1 << 62]), _2=numbers(1)))
seed("zarr", "nameless", zarr(_0=names(), _1=zarray([1, 1])))

for name, text in {
    "plain": "# model = a\nlp__,x,theta.1,theta.2\n-1,2,3,4\n-2,3,4,5\n# end\n",
    "renamed": "# column a_0 = a[0]\n# column b_1 = b\\n\\\\c\nlp__,a_0,b_1\n0,1,2\n",
    "special": "x,y\nnan,inf\n-inf,1e-320\n",
    "blank": "\n\nx\n\n1\n\n",
    "wrong": "x,y\n1\n",
    "twins": "x,x\n1,2\n",
    "box": "lp__,m.1.1,m.2.1,m.1.2,m.2.2\n0,1,2,3,4\n",
    "gaps": "a.0,a.1,a.3\n1,2,3\n",
}.items():
    seed("stan_csv", name, text)


# A checkpoint without its checksum, which the fuzzer puts on.
def checkpoint(head, **columns):
    def text(data):
        return struct.pack("<Q", len(data)) + data

    body = (
        b"starling checkpoint 1\n"
        + text(json.dumps(head).encode())
        + struct.pack("<Q", len(columns))
    )
    for name, data in columns.items():
        body += text(name.replace("_", " ").encode()) + text(data)
    return body


head = {
    "version": "0",
    "particles": 3,
    "dim": 2,
    "single": False,
    "seed": 7,
    "run": 1,
    "done": 5,
    "settled": False,
    "memories": 1,
    "seconds": [1, 0, 0, 0, 0],
    "trace": [],
}
state = dict(
    identity=b"target = 'normal'",
    note=b"out",
    position=numbers(6),
    memory_0=numbers(6),
    moves=struct.pack("<3I", 5, 5, 5),
    id=struct.pack("<3Q", 2, 0, 1),
)
seed("checkpoint", "state", checkpoint(head, **state))
seed(
    "checkpoint",
    "single",
    checkpoint(
        head | {"single": True, "memories": 0},
        **(state | {"position": struct.pack("<6f", *range(6))}),
    ),
)
seed("checkpoint", "no_particles", checkpoint(head | {"particles": 0}, **state))
seed("checkpoint", "many_memories", checkpoint(head | {"memories": 10**7}, **state))
seed(
    "checkpoint",
    "wrong_ids",
    checkpoint(head, **(state | {"id": struct.pack("<3Q", 2, 0, 1 << 40)})),
)
seed("checkpoint", "bare", checkpoint(head))

# Edits of a true state: which, then (what, column, place, number) each.
for which in range(0, 30, 3):
    seed("journey", f"state_{which:02}", bytes([which]))
seed("journey", "number", bytes([5, 0, 3, 0, 12]))
seed("journey", "shorter", bytes([5, 1, 7, 1, 0]))
seed("journey", "longer", bytes([8, 2, 7, 0, 9, 0, 12, 1, 13]))
seed("journey", "missing", bytes([9, 4, 20, 0, 0]))

for name, text in {
    "raw": 'target = "mixture"\nparticles = 100\nbatch = "8"\nsteps = 10\nkernel = '
    '"gaussian"\nstep-size = 0.5\nseed = 3\n',
    "normal": 'target = "normal"\ndim = 3\nmethod = "auto"\ncertify = "20"\nthreads = 2\n',
    "logistic": 'target = "logistic"\ndata = "a.csv"\nlabel = "y"\nholdout = 0.2\n',
    "mixture": 'target = "mixture"\nmeans = "-5,-5;5,5"\nweights = ".5,.5"\n',
    "rules": 'target = "banana"\nadvance = "adam"\nadam-keep = 0.9\nreplace = true\nbatch = "4"\n',
    "kernels": 'target = "normal"\nkernel = "gaussian + 0.5 * imq:a=1"\nbandwidth = '
    '"median:100"\ndomain = "torus:6.28"\n',
    "further": 'out = "a/b"\nforce = true\ncheckpoint-every = 5\ntarget = "funnel"\n',
    "grow": 'target = "normal"\ngrow-batch = "double:10"\nbatch = "2"\nstart = "uniform:-1,1"\n',
    "kinds": 'target = 1\nparticles = "x"\nseed = -1\nsteps = 1e9\nreplace = 1979-05-27\n',
    "tables": "[a]\nb = [1, {c = 2}]\n\"quoted key\" = '''x'''\n",
    "unknown": 'partcles = 5\ntarget = "nrmal"\n',
    "texts": 'target = "normal"\nstart = "\\u00e9\\n\\"x\\""\n',
}.items():
    seed("toml", name, text)

parameter = {
    "name": "x",
    "mean": 1,
    "sd": 2.5,
    "q05": -1,
    "q50": 0,
    "q95": 1e300,
    "spread_identity": None,
}
for name, value in {
    "run": {
        "parameters": [parameter, parameter | {"r_hat": 1.01, "left_out": 3}],
        "verdict": "converged",
        "verdict_reason": "it is",
        "test_accuracy": 0.5,
        "runs": [{"run": 1}, {"run": 2}],
    },
    "groups": {
        "parameters": [parameter],
        "groups": [
            {"share": 0.5, "se": 0.01, "particles": 5},
            {"share": 0.5, "se": None, "particles": 5},
        ],
    },
    "kinds": {"parameters": {"name": 1}, "groups": 3, "runs": "x", "verdict": 5},
    "list": [1, 2],
    "negative": {"parameters": [parameter | {"left_out": -1, "name": 3}]},
    "reason": {"parameters": [], "verdict": "a", "verdict_reason": 5},
}.items():
    seed("json", name, json.dumps(value))
seed("json", "deep", "[" * 200)
seed("json", "bytes", b'{"parameters": [{"name": "\xff"}]}')

for name, words in {
    "sample": ["sample", "mixture", "--start", "normal:-10,1", "--out", "x", "--particles", "100"],
    "stages": [
        "sample",
        "normal",
        "--dim",
        "3",
        "--method",
        "auto",
        "--certify",
        "20",
        "--exact",
        "none",
    ],
    "raw": ["sample", "banana", "--batch", "8", "--kernel", "riesz:a=1", "--advance", "splitting"],
    "kernels": [
        "sample",
        "normal",
        "--kernel",
        "gaussian + 2 * bilinear",
        "--bandwidth",
        "median:10",
    ],
    "data": ["sample", "logistic", "--data", "x.csv", "--label", "-1", "--holdout", ".2"],
    "means": ["sample", "mixture", "--means=-5,-5;5,5", "--weights", ".1,.9"],
    "equals": ["sample", "--particles=7", "--quiet", "--json", "normal"],
    "check": ["check", "funnel", "--json"],
    "resume": ["sample", "--resume", "x", "--steps", "10"],
    "config": ["sample", "--config", "run.toml"],
    "summary": ["summary", "nowhere", "--json"],
    "thin": ["thin", "a", "--to", "10", "--weights"],
    "convert": ["convert", "a.csv", "b.npz"],
    "bench": ["bench", "posteriors", "--only", "a", "--only", "b", "--seeds", "2"],
    "reproduce": ["reproduce", "lemma", "--quick", "--out", "x"],
    "completion": ["completion", "zsh"],
    "help": ["sample", "--help"],
    "version": ["--version"],
    "simd": ["--simd", "scalar", "info"],
    "wrong": ["smaple", "--partcles"],
    "nothing": [""],
    "dashes": ["sample", "--", "--", "-", "---"],
    "domain": [
        "sample",
        "normal",
        "--domain",
        "torus:6.28",
        "--grow-batch",
        "power:.5",
        "--precision",
        "single",
    ],
}.items():
    seed("arguments", name, "\n".join(words))

here = pathlib.Path(__file__).parent / "seeds"
shutil.rmtree(here, ignore_errors=True)
for (reader, name), data in seeds.items():
    (here / reader).mkdir(parents=True, exist_ok=True)
    (here / reader / name).write_bytes(data)
