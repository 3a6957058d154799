"""Where the files that travel with the package are: bundled bots and protocol pages."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_folder(name: str) -> Path:
    """Folder `bots` or `protocol` as shipped.

    A wheel carries them in `arena/_data`; a checkout or an editable install has them beside the package.
    """
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name
