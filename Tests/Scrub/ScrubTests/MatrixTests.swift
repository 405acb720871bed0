import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Verbs that make something, on a film of each codec with an empty cache each. They end with 0, and their results are
/// like the picture of ffmpeg's linear decode at that time. `Tests/Programs/Matrix/matrix.py` has the details; CI's
/// part `matrix` asks all verbs about all clips.
@Suite(.enabled(if: MatrixScript.isPossible)) struct MatrixTests {
    /// One run of the script for all films: its reader of pictures takes longer to start than a film's verbs.
    @Test func everyVerbWorksOnEveryCodec() throws {
        let films = Clip.all.filter { $0.traps.contains("film") }.map(\.path)
        #expect(films.count > 50)
        let result = try Tool.run(
            MatrixScript.python,
            [MatrixScript.path, CommandTests.program] + films
                + ["--only", "poster,strip-keyframe,scenes,thumbs-freedesktop,gesture,play"])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains("\(films.count) films, \(films.count) with exact frames, "), "\(result.output)")
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
