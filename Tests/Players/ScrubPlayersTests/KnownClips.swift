import Foundation
import ScrubMedia
import ScrubPlayers
import Testing

/// The clips of `testdata/manifest.json`, and the results of ffmpeg's linear decode.
struct ManifestClip: Decodable, Sendable, CustomTestStringConvertible {
    let file: String
    let frames: Int
    let kind: String
    let stream: Int
    let expected: String?

    var testDescription: String { file }

    /// The medium of the stream that the manifest speaks of.
    var media: PlayerMedia {
        var options = TestClips.options
        if kind != "refused" { options.stream = stream }
        return PlayerMedia(path: TestClips.folder + "/" + file, options: options)
    }

    static let all: [ManifestClip] = {
        let path = URL(filePath: TestClips.folder).deletingLastPathComponent().appending(path: "manifest.json")
        guard let data = try? Data(contentsOf: path),
            let clips = try? JSONDecoder().decode([ManifestClip].self, from: data)
        else {
            return []
        }
        return clips
    }()

    static var good: [ManifestClip] { all.filter { $0.kind == "good" } }

    func hashes() throws -> [String] {
        guard let expected else { return [] }
        let path = URL(filePath: TestClips.folder).deletingLastPathComponent().appending(path: expected).path
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) } }
    }
}
