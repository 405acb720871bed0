#if CommandLine
package import ScrubBase
internal import ScrubLibAV
internal import ScrubPictures

/// The output of `--version`: the version, and the libraries that the process uses.
package enum VersionReport {
    /// The line that programs compare: Debian has a disk wiper of the same name, which prints `scrub version 2.6.1`.
    package static let firstLine = "scrub \(Release.version)"

    /// Returns the text for `--version`, or one object with `--json`; `nil` for everything else.
    ///
    /// With other words, the parser answers, with only the first line.
    package static func answer(to words: [String]) -> String? {
        guard words.contains("--version"), words.allSatisfy({ ["--version", "--json"].contains($0) }) else {
            return nil
        }
        let libraries = Libraries.versions + PictureLibraries.versions
        return words.contains("--json") ? json(libraries) : text(libraries)
    }

    /// The report for people: one fact per line.
    package static func text(_ libraries: [LibraryVersion]) -> String {
        var lines = [firstLine]
        if let commit = Release.commit { lines.append("commit \(commit)") }
        lines += ["Swift \(Release.compiler)", "FFmpeg \(Libraries.release)"]
        for library in libraries {
            let running =
                library.running ?? (library.name == "libturbojpeg" ? "does not report its version" : "is not installed")
            let built = library.built.map { ", built with \($0)" } ?? ""
            lines.append("\(library.name) \(running)\(built)")
        }
        return lines.joined(separator: "\n")
    }

    /// The report for programs: one object.
    package static func json(_ libraries: [LibraryVersion]) -> String {
        var line = JSONText()
        line.add("name", "scrub")
        line.add("version", Release.version)
        line.add("commit", Release.commit)
        line.add("swift", Release.compiler)
        line.add("ffmpeg", Libraries.release)
        line.add(
            "libraries",
            .array(
                libraries.map { library in
                    var one = JSONText()
                    one.add("name", library.name)
                    one.add("running", library.running)
                    one.add("built", library.built)
                    return .object(one)
                }))
        return line.text
    }
}
#endif
