internal import FileIO
internal import Foundation
internal import Hashing
internal import LibAV
internal import ScrubBase

/// What came of one film, as it stands beside its results in `scrub.json`: on shared storage the truth, from which every state can be
/// made anew.
///
/// It has no times and no machine in it: the same film and the same options give the same bytes.
package struct BatchRecord: Hashable, Sendable, Codable {
    package struct File: Hashable, Sendable, Codable {
        /// From the folder of the result.
        package var name: String
        package var bytes: Int
        /// XXH3-64 of its contents, 16 hexadecimal digits.
        package var hash: String
    }

    /// The format's version.
    package var record = 1
    /// The film's path below its root.
    package var file: String
    package var key: String
    package var options: String
    package var status: String
    package var reason: String?
    /// The exit status that `scrub` would have had for this film alone.
    package var code: Int?
    /// Of a failure: the program that failed. Another one may do better.
    package var program: String?
    /// Pictures of the result.
    package var pictures: Int
    /// Frames of the film.
    package var frames: Int
    package var warnings: [String]
    package var files: [File]
    /// Places of results that somebody else has, and that were left as they are.
    package var left: [String]?

    static let fileName = "scrub.json"

    /// What failures are said to be of: the format's version and the decoders'.
    static let program = "batch 1, FFmpeg \(Libraries.release)"

    var text: String {
        var json = JSONText()
        json.add("record", record)
        json.add("file", file)
        json.add("key", key)
        json.add("options", options)
        json.add("status", status)
        json.add("reason", reason)
        json.add("code", code)
        if let program { json.add("program", program) }
        json.add("pictures", pictures)
        json.add("frames", frames)
        json.add("warnings", .array(warnings.map { .string($0) }))
        json.add(
            "files",
            lines: files.map { file in
                var line = JSONText()
                line.add("name", file.name)
                line.add("bytes", file.bytes)
                line.add("hash", file.hash)
                return line
            })
        if let left { json.add("left", .array(left.map { .string($0) })) }
        return json.text + "\n"
    }

    /// The record of a folder; `nil` when there is none that can be understood.
    static func read(in folder: String) -> BatchRecord? {
        guard let bytes = try? Folder.contents(of: folder + "/" + fileName, limit: 64 << 20),
            let record = try? JSONDecoder().decode(BatchRecord.self, from: Data(bytes)), record.record == 1
        else { return nil }
        return record
    }

    /// What lies in a folder: names, bytes and hashes, without the record itself.
    static func files(in folder: String) throws(ScrubError) -> [File] {
        try Folder.files(in: folder).filter { $0 != fileName }.map { (name) throws(ScrubError) in
            let bytes = try Folder.contents(of: folder + "/" + name, limit: Int.max)
            return File(name: name, bytes: bytes.count, hash: PlainText.hexadecimal(xxh3(bytes)))
        }
    }

    /// Whether all that the record names is there, and nothing else, and of the same bytes.
    func isWhole(in folder: String) -> Bool { (try? BatchRecord.files(in: folder)) == files }

    /// Whether a folder has nothing in it but what its record names, so that it may be replaced as a whole.
    static func isReplaceable(_ folder: String) -> Bool {
        guard let facts = FileFacts(path: folder, followsLinks: false) else { return true }
        guard facts.kind == .folder, let names = try? Folder.files(in: folder, depth: 16) else { return false }
        if names.isEmpty { return true }
        guard let record = read(in: folder) else { return false }
        let known = Set(record.files.map(\.name) + [fileName])
        return names.allSatisfy(known.contains)
    }
}
