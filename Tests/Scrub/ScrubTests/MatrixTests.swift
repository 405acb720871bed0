import Foundation
import Testing

/// Verbs that make something, on a film of each codec with an empty cache each: they end with 0, and what they made is
/// like what ffmpeg's linear decode shows then. `Tests/Programs/Matrix/matrix.py` says what is looked at; CI's part
/// `matrix` asks all verbs about all clips.
@Suite(.enabled(if: MatrixScript.isPossible)) struct MatrixTests {
    @Test(arguments: Clip.all.filter { $0.traps.contains("film") })
    func everyVerbWorksOnEveryCodec(_ film: Clip) throws {
        let result = try Tool.run(
            MatrixScript.python,
            [
                MatrixScript.path, CommandTests.program, film.path, "--jobs", "1", "--only",
                "poster,strip-keyframe,scenes,thumbs-freedesktop,gesture,play",
            ])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
    }
}

/// `Tests/Programs/Matrix/matrix.py`.
private enum MatrixScript {
    /// Debian's Python: the packages' modules are not in another one.
    static let python = "/usr/bin/python3"
    static let path = URL(filePath: Clip.folder).deletingLastPathComponent()
        .appending(path: "Tests/Programs/Matrix/matrix.py").path

    static let isPossible = (try? Tool.run(python, ["-c", "import PIL, numpy"]))?.status == 0
}
