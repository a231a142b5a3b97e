"""The library's threads for threadpoolctl, which knows other libraries by the names of their files."""

from __future__ import annotations

import ctypes


def register_threadpoolctl() -> None:
    """Has threadpoolctl see and limit the threads of this library and of its BLAS under the standard names.

    From then on `threadpoolctl.threadpool_info` lists both where they are loaded, and
    `threadpoolctl.threadpool_limits` limits them. It needs threadpoolctl 3.2.

    Raises
    ------
    ImportError
        There is no threadpoolctl.

    Examples
    --------
    >>> import affinimath as am
    >>> am.register_threadpoolctl()
    """
    import threadpoolctl

    class AffinimathController(threadpoolctl.LibController):  # type: ignore[misc]
        """Affinimath, by its own functions or by those that its BLAS has under OpenBLAS's names."""

        user_api = "blas"
        internal_api = "affinimath"
        filename_prefixes = ("libaffinimath",)
        check_symbols = ("affinimathGetNumThreads", "openblas_get_num_threads")

        def _is_own(self) -> bool:
            return hasattr(self.dynlib, "affinimathGetNumThreads")

        def get_num_threads(self) -> int:
            if not self._is_own():
                return int(self.dynlib.openblas_get_num_threads())
            threads = ctypes.c_int64(0)
            self.dynlib.affinimathGetNumThreads(ctypes.byref(threads))
            return threads.value

        def set_num_threads(self, num_threads: int) -> None:
            if self._is_own():
                self.dynlib.affinimathSetNumThreads(ctypes.c_int64(num_threads))
            else:
                self.dynlib.openblas_set_num_threads(ctypes.c_int(num_threads))

        def get_version(self) -> str:
            name = "affinimathVersion" if self._is_own() else "openblas_get_config"
            text = getattr(self.dynlib, name)
            text.restype = ctypes.c_char_p
            return str(text().decode().removeprefix("Affinimath ").split()[0])

    threadpoolctl.register(AffinimathController)
