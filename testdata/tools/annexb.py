#!/usr/bin/env python3
"""Surgery on raw H.264 and H.265 streams (Annex B).

    annexb.py cut IN OUT N          drops everything before the N-th (from 0) H.265 CRA picture, keeps parameter sets
    annexb.py recovery IN OUT N     the same for the N-th H.264 recovery point
    annexb.py layers IN OUT         H.265: temporal layers 0, 1, 2 from picture types; the middle layer's pictures are
                                    marked as sub-layer non-reference although the top layer refers to them
    annexb.py nosei IN OUT          H.264: drops all SEI
    annexb.py list IN               one line a unit: type, reference idc or temporal id, size
"""
import sys


def units(data):
    """The NAL units of a stream, without start codes."""
    found, at = [], data.find(b"\0\0\1")
    while at >= 0:
        end = data.find(b"\0\0\1", at + 3)
        unit = data[at + 3:end if end >= 0 else len(data)]
        found.append(unit.rstrip(b"\0"))
        at = end
    return found


def join(nals):
    return b"".join(b"\0\0\0\1" + n for n in nals)


def unescape(unit):
    return unit.replace(b"\0\0\3", b"\0\0")


def escape(data):
    out, zeros = bytearray(), 0
    for byte in data:
        if zeros >= 2 and byte <= 3:
            out.append(3)
            zeros = 0
        out.append(byte)
        zeros = zeros + 1 if byte == 0 else 0
    return bytes(out)


class Reader:
    def __init__(self, data):
        self.bits = "".join(f"{b:08b}" for b in data)
        self.at = 0

    def u(self, n):
        self.at += n
        return int(self.bits[self.at - n:self.at] or "0", 2)

    def ue(self):
        zeros = 0
        while self.bits[self.at] == "0":
            zeros += 1
            self.at += 1
        return self.u(zeros + 1) - 1


def pack(bits):
    bits = bits.rstrip("0")
    return bytes(int(bits[i:i + 8].ljust(8, "0"), 2) for i in range(0, len(bits), 8))


def ue(value):
    text = bin(value + 1)[2:]
    return "0" * (len(text) - 1) + text


def kind_h264(unit):
    return unit[0] & 31


def kind_hevc(unit):
    return unit[0] >> 1 & 63



def access_units(nals, is_slice, is_first, leads):
    """Groups units to access units."""
    groups, current, has_slice = [], [], False
    for n in nals:
        if has_slice and (leads(n) or (is_slice(n) and is_first(n))):
            groups.append(current)
            current, has_slice = [], False
        current.append(n)
        has_slice = has_slice or is_slice(n)
    groups.append(current)
    return groups


def groups_h264(nals):
    return access_units(nals, lambda n: kind_h264(n) in (1, 5), lambda n: n[1] & 0x80, lambda n: kind_h264(n) in (6, 7, 8, 9))


def groups_hevc(nals):
    return access_units(nals, lambda n: kind_hevc(n) < 32, lambda n: n[2] & 0x80, lambda n: 32 <= kind_hevc(n) <= 35 or kind_hevc(n) == 39)


def cut(data, n):
    nals = units(data)
    sets = [x for x in nals[:8] if 32 <= kind_hevc(x) <= 34]
    groups = groups_hevc(nals)
    at = [i for i, g in enumerate(groups) if any(kind_hevc(x) == 21 for x in g)][n]
    return join(sets + [x for g in groups[at:] for x in g if not 32 <= kind_hevc(x) <= 34])


def cut_recovery(data, n):
    nals = units(data)
    sets = [x for x in nals[:8] if kind_h264(x) in (7, 8)]
    groups = groups_h264(nals)
    at = [i for i, g in enumerate(groups) if any(kind_h264(x) == 6 and x[1] == 6 for x in g)][n]
    return join(sets + [x for g in groups[at:] for x in g if kind_h264(x) not in (7, 8)])


def layered_vps(unit):
    r = Reader(unescape(unit)[2:])
    head = r.bits[:12]                       # id, base layer flags, max_layers_minus1 (6)
    r.u(12)
    assert r.u(3) == 0
    nesting = "0"
    r.u(1)
    reserved = r.bits[r.at:r.at + 16]
    r.u(16)
    ptl = r.bits[r.at:r.at + 96]
    r.u(96)
    r.u(1)                                   # sub_layer_ordering_info_present: make it 0
    bits = head + "010" + nesting + reserved + ptl + "0" * 16 + "0" + r.bits[r.at:]
    return unit[:2] + escape(pack(bits))


def layered_sps(unit):
    r = Reader(unescape(unit)[2:])
    head = r.bits[:4]
    r.u(4)
    assert r.u(3) == 0
    r.u(1)
    ptl = r.bits[r.at:r.at + 96]
    r.u(96)
    start = r.at
    r.ue()
    if r.ue() == 3:
        r.u(1)
    r.ue(); r.ue()
    if r.u(1):
        for _ in range(4):
            r.ue()
    r.ue(); r.ue(); r.ue()
    middle = r.bits[start:r.at]
    r.u(1)
    bits = head + "010" + "0" + ptl + "0" * 16 + middle + "0" + r.bits[r.at:]
    return unit[:2] + escape(pack(bits))


def layers(data):
    """TRAIL_N (0) becomes layer 2; a reference picture that precedes pictures in output order (a B) becomes layer 1."""
    nals = units(data)
    out = []
    sps = next(x for x in nals if kind_hevc(x) == 33)
    pps = next(x for x in nals if kind_hevc(x) == 34)
    order_bits = poc_bits(sps)
    extra = Reader(unescape(pps)[2:])
    extra.ue(); extra.ue(); extra.u(1)
    output_flag = extra.u(1)
    extra_bits = extra.u(3)
    highest = 0
    for n in nals:
        kind = kind_hevc(n)
        if kind == 32:
            n = layered_vps(n)
        elif kind == 33:
            n = layered_sps(n)
        elif kind in (16, 17, 18, 19, 20):
            highest = 0
        elif kind in (0, 1):
            r = Reader(unescape(n[:40])[2:])
            assert r.u(1) == 1
            r.ue()
            r.u(extra_bits)
            r.ue()
            if output_flag:
                r.u(1)
            order = r.u(order_bits)
            if kind == 0:
                n = bytes([0 << 1, 3]) + n[2:]         # TRAIL_N, temporal id 2
            elif order < highest:
                n = bytes([0 << 1, 2]) + n[2:]         # TRAIL_N, temporal id 1: layer 2 refers to it all the same
            highest = max(highest, order)
        out.append(n)
    return join(out)


def poc_bits(sps):
    r = Reader(unescape(sps)[2:])
    r.u(8 + 96)
    r.ue()
    if r.ue() == 3:
        r.u(1)
    r.ue(); r.ue()
    if r.u(1):
        for _ in range(4):
            r.ue()
    r.ue(); r.ue()
    return r.ue() + 4


if __name__ == "__main__":
    with open(sys.argv[2], "rb") as f:
        source = f.read()
    if sys.argv[1] == "list":
        for x in units(source):
            print(kind_h264(x), x[0] >> 5, "|", kind_hevc(x), x[1] & 7, len(x))
        sys.exit()
    result = {
        "cut": lambda: cut(source, int(sys.argv[4])),
        "recovery": lambda: cut_recovery(source, int(sys.argv[4])),
        "layers": lambda: layers(source),
        "nosei": lambda: join([x for x in units(source) if kind_h264(x) != 6]),
    }[sys.argv[1]]()
    with open(sys.argv[3], "wb") as f:
        f.write(result)
