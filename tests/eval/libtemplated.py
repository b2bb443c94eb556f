"""libtemplated by ctypes: what template/templated.h says, for measurements."""

import collections
import ctypes


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char * 256)]


class Page(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char_p), ("size", ctypes.c_size_t),
                ("url", ctypes.c_char_p), ("charset", ctypes.c_char_p)]


class Class(ctypes.Structure):
    _fields_ = [("id", ctypes.c_char * 288), ("pages", ctypes.c_uint32),
                ("distance", ctypes.c_double), ("reach", ctypes.c_double),
                ("confidence", ctypes.c_double)]


class Options(ctypes.Structure):
    _fields_ = [("method", ctypes.c_char_p), ("format", ctypes.c_char_p),
                ("favor", ctypes.c_char_p), ("scope", ctypes.c_char_p),
                ("include", ctypes.c_char_p), ("exclude", ctypes.c_char_p),
                ("parameters", ctypes.c_void_p),
                ("with_comments", ctypes.c_bool),
                ("without_tables", ctypes.c_bool),
                ("with_words", ctypes.c_char_p)]


Answer = collections.namedtuple("Answer", "text reason")


class Refused(Exception):
    """Why there is no answer."""


def load(path):
    library = ctypes.CDLL(str(path))
    library.templated_open.restype = ctypes.c_void_p
    library.templated_open.argtypes = [ctypes.c_char_p, ctypes.c_void_p,
                                       ctypes.c_void_p]
    library.templated_close.argtypes = [ctypes.c_void_p]
    library.templated_describe.restype = ctypes.c_char_p
    library.templated_describe.argtypes = [ctypes.c_void_p]
    library.templated_extract.restype = ctypes.c_void_p
    library.templated_extract.argtypes = [ctypes.c_void_p] * 4
    library.templated_text.restype = ctypes.c_void_p
    library.templated_text.argtypes = [ctypes.c_void_p]
    library.templated_text_size.restype = ctypes.c_size_t
    library.templated_text_size.argtypes = [ctypes.c_void_p]
    library.templated_answer_reason.restype = ctypes.c_char_p
    library.templated_answer_reason.argtypes = [ctypes.c_void_p]
    library.templated_free.argtypes = [ctypes.c_void_p]
    library.templated_classify.restype = ctypes.c_bool
    library.templated_classify.argtypes = [ctypes.c_void_p] * 4
    return library


class Bundle:
    """An open bundle."""

    def __init__(self, library, path):
        error = Error()
        self.library = library
        self.handle = library.templated_open(str(path).encode(), None,
                                             ctypes.byref(error))
        if not self.handle:
            raise Refused(error.message.decode())

    def close(self):
        self.library.templated_close(self.handle)
        self.handle = None

    def describe(self):
        return self.library.templated_describe(self.handle)

    def classify(self, body, url):
        page = Page(body, len(body), url.encode(), None)
        found = Class()
        error = Error()
        if not self.library.templated_classify(
                self.handle, ctypes.byref(page), ctypes.byref(found),
                ctypes.byref(error)):
            raise Refused(error.message.decode())
        return found

    def extract(self, body, url, method=None, form="txt"):
        page = Page(body, len(body), url.encode(), None)
        options = Options(method.encode() if method else None, form.encode())
        error = Error()
        answer = self.library.templated_extract(
            self.handle, ctypes.byref(page), ctypes.byref(options),
            ctypes.byref(error))
        if not answer:
            raise Refused(error.message.decode())
        text = ctypes.string_at(self.library.templated_text(answer),
                                self.library.templated_text_size(answer))
        reason = self.library.templated_answer_reason(answer).decode()
        self.library.templated_free(answer)
        return Answer(text, reason)
