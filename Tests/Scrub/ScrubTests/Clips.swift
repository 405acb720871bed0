import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// One clip of `testdata/`, as its manifest describes it.
struct Clip: Decodable, Sendable, CustomTestStringConvertible {
    enum Kind: String, Decodable { case good, damaged, refused }
    let file: String
    let stream: Int
    let kind: Kind
    let expectExit: Int32
    let frames: Int
    let burnedIn: Bool
    let numbers: String?
    let expected: String?
    let traps: [String]

    var testDescription: String { stream == 0 ? file : "\(file)#\(stream)" }
    var path: String { Clip.folder + "/clips/" + file }

    /// The MD5 of every picture of ffmpeg's linear decode, in output order.
    func expectedHashes() throws -> [String] {
        guard let expected else { return [] }
        let text = try String(contentsOfFile: Clip.folder + "/" + expected, encoding: .utf8)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            line.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The burned-in numbers of the presented pictures, `nil` for a picture without one that can be read.
    func expectedNumbers() -> [Int?] {
        guard let numbers else { return [] }
        if numbers == "sequential" { return Array(0..<frames) }
        return numbers.split(separator: ",").flatMap { part -> [Int?] in
            let ends = part.split(separator: "-").map { Int($0) }
            guard ends.count == 2, let first = ends[0], let last = ends[1] else { return [Int(part)] }
            return first <= last ? Array(first...last) : []
        }
    }

    func open() throws -> VideoAsset {
        try VideoAsset(
            path: path, options: VideoAsset.OpenOptions(stream: kind == .refused ? nil : stream, cache: .none))
    }

    static let folder = Repository.root + "/testdata"

    static let all: [Clip] = {
        guard let data = FileManager.default.contents(atPath: folder + "/manifest.json"),
            let clips = try? JSONDecoder().decode([Clip].self, from: data)
        else { return [] }
        return clips
    }()
}
