"""Checks that public symbols have documentation and that the main pages have topics.

    python3 Scripts/docs_checks/coverage.py FOLDER

FOLDER is that of Scripts/docs: symbol graphs in graphs/MODULE, archives in MODULE.doccarchive. Lists what is missing and
ends with status 1 if anything is.
"""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ["AsyncNet", "AsyncNetLibcurl", "AsyncNetMonitors", "AsyncNetTesting"]

# Pages whose symbols must all be in topic groups of the page, if the module has such a symbol.
PAGES = {
    "AsyncNet": [
        "Session", "Request", "DataRequest", "DownloadRequest", "StreamRequest", "SessionConfiguration", "RequestOptions", "JSON",
        "AsyncNetError", "AsyncNetError/Code-swift.struct",
    ],
    "AsyncNetLibcurl": [],
    "AsyncNetMonitors": [],
    "AsyncNetTesting": [],
}

# DocC groups a type's witnesses by protocol; they cannot be curated one by one.
UNCURATED = {"Default Implementations"}


def read(path):
    return json.loads(path.read_text())


def symbols_and_witnesses(graphs):
    """The symbols that the sources declare, and the IDs of those that get their documentation from a requirement."""
    symbols, relationships = {}, []
    for path in sorted(graphs.glob("*.symbols.json")):
        graph = read(path)
        relationships += graph["relationships"]
        for symbol in graph["symbols"]:
            if "location" in symbol and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]:
                symbols[symbol["identifier"]["precise"]] = symbol
    witnesses = set()
    for relationship in relationships:
        source, target = relationship["source"], relationship["target"]
        if "sourceOrigin" in relationship:
            witnesses.add(source)
        elif relationship["kind"] == "defaultImplementationOf" and "docComment" in symbols.get(target, {}):
            witnesses.add(source)
    return symbols, witnesses


def place(symbol):
    path = pathlib.Path(symbol["location"]["uri"].removeprefix("file://"))
    path = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    return f"{path}:{symbol['location']['position']['line'] + 1}"


def undocumented(module, graphs):
    """Lines that name the symbols without documentation; prints the share of those with it."""
    symbols, witnesses = symbols_and_witnesses(graphs)
    counted = [symbol for id, symbol in symbols.items() if "docComment" in symbol or id not in witnesses]
    missing = [symbol for symbol in counted if "docComment" not in symbol]
    share = 100 * (len(counted) - len(missing)) / max(len(counted), 1)
    print(f"{module}: {len(counted) - len(missing)} of {len(counted)} public symbols are documented, {share:.1f} %")
    return sorted(f"{place(s)}: {'.'.join(s['pathComponents'])} has no documentation" for s in missing)


def titles(page):
    return {id: reference.get("title", id) for id, reference in page.get("references", {}).items()}


def uncurated(module, archive):
    """Lines that name the symbols that are in no topic group of the module page or of one of PAGES."""
    data = archive / "data" / "documentation"
    lines = []
    for name in [""] + PAGES[module]:
        path = data / module.lower() / f"{name.lower()}.json" if name else data / f"{module.lower()}.json"
        if not path.exists():
            continue
        page = read(path)
        for section in page.get("topicSections", []):
            if not section.get("generated") or section["title"] in UNCURATED:
                continue
            for id in section["identifiers"]:
                lines.append(f"{name or module}: {titles(page).get(id, id)} is in no topic group")
    return lines


def main():
    folder = pathlib.Path(sys.argv[1])
    lines = []
    for module in MODULES:
        lines += undocumented(module, folder / "graphs" / module)
        lines += uncurated(module, folder / f"{module}.doccarchive")
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
