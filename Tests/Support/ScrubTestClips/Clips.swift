import Foundation
package import ScrubMedia
import ScrubTestSupport

/// One clip of `testdata/`, as its manifest describes it.
package struct Clip: Decodable, Sendable {
    package enum Kind: String, Decodable { case good, damaged, refused }
    package let file: String
    package let stream: Int
    package let kind: Kind
    package let expectExit: Int32
    package let frames: Int
    package let burnedIn: Bool
    package let numbers: String?
    package let expected: String?
    package let traps: [String]

    package var testDescription: String { stream == 0 ? file : "\(file)#\(stream)" }
    package var path: String { Clip.folder + "/clips/" + file }

    /// The MD5 of every picture of ffmpeg's linear decode, in output order.
    package func expectedHashes() throws -> [String] {
        guard let expected else { return [] }
        let text = try String(contentsOfFile: Clip.folder + "/" + expected, encoding: .utf8)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            line.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The burned-in numbers of the presented pictures, `nil` for a picture without one that can be read.
    package func expectedNumbers() -> [Int?] {
        guard let numbers else { return [] }
        if numbers == "sequential" { return Array(0..<frames) }
        return numbers.split(separator: ",").flatMap { part -> [Int?] in
            let ends = part.split(separator: "-").map { Int($0) }
            guard ends.count == 2, let first = ends[0], let last = ends[1] else { return [Int(part)] }
            return first <= last ? Array(first...last) : []
        }
    }

    package func open() throws -> VideoAsset {
        try VideoAsset(
            path: path, options: VideoAsset.OpenOptions(stream: kind == .refused ? nil : stream, cache: .none))
    }

    package static let folder = Repository.root + "/testdata"

    package static let all: [Clip] = {
        guard let data = FileManager.default.contents(atPath: folder + "/manifest.json"),
            let clips = try? JSONDecoder().decode([Clip].self, from: data)
        else { return [] }
        return clips
    }()
}
