#!/usr/bin/env python3
"""The licences of what is linked into programs and libraries, from the lists of linked objects and the fetched packages.

    packaging/notices.py notices LIST…       all licences and notices, for people
    packaging/notices.py copyright LIST…     Debian's copyright file, in its format 1.0

LIST is what SwiftPM gives the linker: .build/release/PRODUCT.product/Objects.LinkFileList. A module of unknown origin ends with 65.
"""

import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
checkouts = root / ".build/checkouts"
# Swift's toolchain contains it but does not include its licence.
ICU = root / "packaging/licenses/ICU.txt"
APACHE = "Apache-2.0"
EXCEPTION = "Apache-2.0-with-Swift-exception"


def text_of(folder: Path, stem: str) -> str:
    for name in sorted(folder.glob(f"{stem}*")):
        return name.read_text().strip("\n")
    return ""


def origins() -> dict[str, Path]:
    """Maps modules to the packages that have a target or a folder for them."""
    found: dict[str, Path] = {}
    for package in sorted(checkouts.iterdir()):
        for manifest in package.glob("Package*.swift"):
            for target in re.findall(r"\.(?:target|systemLibrary)\(\s*name: \"(\w+)\"", manifest.read_text()):
                found.setdefault(target, package)
        for below in (package, package / "Sources"):
            for folder in sorted(below.rglob("*") if below.name == "Sources" else below.iterdir()):
                if folder.is_dir():
                    found.setdefault(folder.name, package)
    return found


def linked(lists: list[str]) -> list[Path]:
    """The packages whose modules were linked."""
    known, packages = origins(), set()
    own = {re.sub(r"\W", "_", folder.name) for folder in (root / "Sources").rglob("*") if folder.is_dir()} | {"scrub_cli"}
    for file in lists:
        for module in sorted(set(re.findall(r"([^/\s]+)\.build/", Path(file).read_text())) - {""}):
            if module in own:
                continue
            if module not in known:
                sys.exit(f"notices: no package has a folder for the module {module}")
            packages.add(known[module])
    return sorted(packages)


def holders(package: Path) -> list[str]:
    """The copyright holders, from the package's own files."""
    for stem in ("LICENSE", "NOTICE"):
        if found := re.search(r"^ *(Copyright (?:\(c\) )?[0-9].*)$", text_of(package, stem), re.M | re.I):
            return [re.sub(r"^Copyright (\(c\) )?", "", found[1].strip(), flags=re.I)]
    for file in sorted(package.rglob("Sources/**/*.swift")):
        if found := re.search(r"Copyright \(c\) (.*)", file.read_text()[:2000]):
            return [found[1].strip()]
    sys.exit(f"notices: {package.name} does not state its copyright holder")


def license_of(package: Path) -> str:
    text = text_of(package, "LICENSE")
    if "Runtime Library Exception" in text:
        return EXCEPTION
    return APACHE if "Apache License" in text else "Expat" if "without limitation the rights" in text else sys.exit(f"notices: {package.name} has a different licence")


def swift_license() -> str:
    found = subprocess.run(["sh", "-c", "readlink -f \"$(command -v swift)\""], check=True, capture_output=True, text=True).stdout.strip()
    return (Path(found).parent.parent / "share/swift/LICENSE.txt").read_text().strip("\n")


def notices(packages: list[Path]) -> str:
    parts = ["Scrub contains other people's work, linked into its programs. This names it, with the licences."]
    parts.append("Scrub itself\n\n" + (root / "LICENSE").read_text().strip("\n"))
    texts: dict[str, list[str]] = {swift_license(): ["Swift's standard library, Foundation and Dispatch"]}
    texts[ICU.read_text().strip("\n")] = ["International Components for Unicode, in Foundation"]
    for package in packages:
        texts.setdefault(text_of(package, "LICENSE"), []).append(package.name)
    for text, names in texts.items():
        parts.append(", ".join(names) + "\n\n" + text)
    parts += [f"{package.name}'s own notice\n\n" + notice for package in packages if (notice := text_of(package, "NOTICE"))]
    return ("\n\n" + "-" * 80 + "\n\n").join(parts)


def block(text: str) -> str:
    """A text in Debian's format: indented by one space, with a dot for an empty line."""
    return "\n".join(" " + (line.strip() or ".") for line in text.strip().split("\n"))


def copyright_file(packages: list[Path]) -> str:
    parts = ["Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Scrub\nComment:\n"
             " Swift packages and Swift's runtime are linked into the programs. Folders below\n .build are those of a build; the programs' NOTICES have their own notices."]
    own = (root / "LICENSE").read_text()
    holder = re.search(r"Copyright \(c\) (.*)", own)
    assert holder, "LICENSE says whose it is"
    parts.append(f"Files: *\nCopyright: {holder[1]}\nLicense: Expat")
    parts.append(f"Files: .build/swift-runtime/*\nCopyright: 2014-2026 Apple Inc. and the Swift project authors\nLicense: {EXCEPTION}")
    parts.append("Files: .build/swift-runtime/icu/*\nCopyright: 2016-2024 Unicode, Inc.\nLicense: Unicode-3.0\nComment: NOTICES has the licences of its smaller parts, too.")
    for package in packages:
        parts.append(f"Files: .build/checkouts/{package.name}/*\nCopyright: {'; '.join(holders(package))}\nLicense: {license_of(package)}")
    exception = swift_license().split("Runtime Library Exception")[-1].split("##\n", 1)[-1].strip()
    common = "On Debian systems, the whole text of the Apache License, version 2.0, is in\n/usr/share/common-licenses/Apache-2.0."
    parts.append("License: Expat\n" + block(own.split("\n\n", 2)[2]))
    if any(license_of(package) == APACHE for package in packages):
        parts.append(f"License: {APACHE}\n" + block(common))
    parts.append(f"License: {EXCEPTION}\n" + block(common + "\n\nRuntime Library Exception:\n" + exception))
    terms = ICU.read_text().split("NOTICE TO USER", 1)[1].split("SPDX-License", 1)[0]
    parts.append("License: Unicode-3.0\n" + block("NOTICE TO USER" + terms))
    return "\n\n".join(parts)


def main() -> None:
    if len(sys.argv) < 3 or sys.argv[1] not in ("notices", "copyright"):
        sys.exit(__doc__)
    packages = linked(sys.argv[2:])
    print(notices(packages) if sys.argv[1] == "notices" else copyright_file(packages))


main()
