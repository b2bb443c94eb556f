"""The pages of an LMDB 0.9 file as another program than ours reads them."""

import random
import struct

HEAD, NODE, META, NONE = 16, 8, 136, (1 << 64) - 1
TREE = struct.Struct("<IHHQQQQQ")  # MDB_db
LEAF, BIG, SUB = 2, 1, 2


class Pages:
    """Where the live bytes of each table are: (offset, size) pairs.

    Not among them are the padding of rows and of pages, which is what nobody
    reads, and the keys between two pages of a branch: another one that still
    stands between them is as good.
    """

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.size = struct.unpack_from("<I", self.bytes, HEAD + 24)[0]
        metas = [HEAD, self.size + HEAD]
        at = max(metas, key=lambda m: struct.unpack_from(
            "<Q", self.bytes, m + META - 8)[0])
        self.spans = {}
        self.rows = {}  # {table: {key: where it stands}}
        self.trees = {}
        self.table = "main"
        self._walk(TREE.unpack_from(self.bytes, at + 72))
        for name, tree in sorted(self.trees.items()):
            self.table = name
            self._walk(tree)
        self.table = "free"
        self._walk(TREE.unpack_from(self.bytes, at + 24))

    def _span(self, offset, size):
        self.spans.setdefault(self.table, []).append((offset, size))

    def _walk(self, tree):
        waiting = [] if tree[7] == NONE else [tree[7]]
        while waiting:
            page = waiting.pop() * self.size
            flags, lower = struct.unpack_from("<HH", self.bytes, page + 10)
            self._span(page, lower)
            for at in range(page + HEAD, page + lower, 2):
                node = page + struct.unpack_from("<H", self.bytes, at)[0]
                low, high, kind, key = struct.unpack_from(
                    "<HHHH", self.bytes, node)
                if flags & LEAF:
                    self._row(node, low | high << 16, kind, key)
                else:
                    self._span(node, NODE)
                    waiting.append(low | high << 16 | kind << 32)

    def _row(self, node, size, kind, key):
        value = node + NODE + key
        self.rows.setdefault(self.table, {})[
            self.bytes[node + NODE:value]] = node + NODE
        if self.table == "free" and not kind & BIG:
            # Behind the pages of its list there may be room.
            size = 8 + 8 * struct.unpack_from("<Q", self.bytes, value)[0]
        self._span(node, NODE + key + (8 if kind & BIG else size))
        if kind & BIG:
            page = struct.unpack_from("<Q", self.bytes, value)[0]
            self._span(page * self.size, HEAD + size)
        elif kind & SUB:
            name = self.bytes[node + NODE:value].decode()
            self.trees[name] = TREE.unpack_from(self.bytes, value)

    def live_bytes(self, table):
        return sum(size for _, size in self.spans.get(table, []))

    def random_bit(self, table, generator=random):
        """(offset, bit) of a live bit of the table."""
        n = generator.randrange(self.live_bytes(table) * 8)
        for offset, size in self.spans[table]:
            if n < size * 8:
                return offset + n // 8, n % 8
            n -= size * 8
        raise AssertionError("there are fewer")
