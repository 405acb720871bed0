internal import ScrubBatchLogic
internal import ScrubFileIO
internal import Foundation
internal import ScrubHashing
internal import ScrubLibAV
internal import ScrubBase

/// The result of one film, as stored in `scrub.json` beside its results. On shared storage, it is authoritative: every
/// state can be rebuilt from it.
///
/// It contains no times and no machine names: the same film and the same options produce the same bytes.
package struct BatchRecord: Hashable, Sendable, Codable {
    package struct File: Hashable, Sendable, Codable {
        /// Relative to the result's folder.
        package var name: String
        package var bytes: Int
        /// The XXH3-64 of its contents, as 16 hexadecimal digits.
        package var hash: String
    }

    /// The film's previews in the cache.
    package struct Previews: Hashable, Sendable, Codable {
        /// The name of their file in the cache directory.
        package var name: String
        /// Its size in bytes, or slightly less: the end of the file is written when it is closed.
        package var bytes: Int
    }

    /// The format's version.
    package var record = 1
    /// The film's path below its root.
    package var file: String
    package var key: String
    package var options: String
    package var status: String
    package var reason: String?
    /// The exit status that `scrub` would have returned for this film alone.
    package var code: Int?
    /// For a failure, the program that failed. Another program may succeed.
    package var program: String?
    /// The number of pictures in the result.
    package var pictures: Int
    /// The number of frames in the film.
    package var frames: Int
    package var warnings: [String]
    package var files: [File]
    /// For previews, where they are.
    package var previews: Previews?
    /// The result places that belong to another program and were left unchanged.
    package var left: [String]?

    static let fileName = "scrub.json"

    /// The program that a record names for a failure: the versions of the format and of the decoders.
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
        if let previews {
            var line = JSONText()
            line.add("name", previews.name)
            line.add("bytes", previews.bytes)
            json.add("previews", .object(line))
        }
        if let left { json.add("left", .array(left.map { .string($0) })) }
        return json.text + "\n"
    }

    /// Returns the record of a folder; `nil` if it has no readable record.
    static func read(in folder: String) -> BatchRecord? {
        guard let bytes = try? Folder.contents(of: folder + "/" + fileName, limit: 64 << 20),
            let record = try? JSONDecoder().decode(BatchRecord.self, from: Data(bytes)), record.record == 1
        else { return nil }
        return record
    }

    /// Lists the result that was made in a folder, and removes all temporary and unwanted files from it, in a single
    /// pass over the folder.
    ///
    /// - Parameter keeps: whether to keep a file, given its path relative to the folder.
    static func gather(_ folder: String, keeping keeps: (String) -> Bool) throws(ScrubError) -> [File] {
        var names: [String] = []
        for name in try Folder.sortedNames(in: folder) where name != fileName {
            let path = folder + "/" + name
            if OutputFolder.isTransient(name) {
                Folder.removeTree(path)
                continue
            }
            switch FileFacts(path: path, followsLinks: false)?.kind {
            case .file: names.append(name)
            case .folder: names += try Folder.files(in: path, depth: 3).map { name + "/" + $0 }
            default: break
            }
        }
        for name in names where !keeps(name) { Folder.removeTree(folder + "/" + name) }
        return try names.filter(keeps).sorted().map { (name) throws(ScrubError) in
            let bytes = try Folder.contents(of: folder + "/" + name, limit: Int.max)
            return File(name: name, bytes: bytes.count, hash: PlainText.hexadecimal(xxh3(bytes)))
        }
    }

    /// The result's size in bytes, including this record.
    var byteCount: Int { files.reduce(text.utf8.count + (previews?.bytes ?? 0)) { $0 + $1.bytes } }

    /// Writes the record to a folder atomically.
    func write(in folder: String) throws(ScrubError) {
        try AtomicFile.write(Array(text.utf8), to: .staged(folder + "/" + BatchRecord.fileName))
    }

    /// Whether all files in the record exist with the same bytes. Other files are ignored.
    func isWhole(in folder: String) -> Bool {
        files.allSatisfy { file in
            let path = folder + "/" + file.name
            guard Folder.byteCount(of: path) == file.bytes,
                let bytes = try? Folder.contents(of: path, limit: file.bytes)
            else { return false }
            return PlainText.hexadecimal(xxh3(bytes)) == file.hash
        }
    }

    /// Whether a folder has no entries except those that its record names, so that it may be replaced as a whole.
    /// Links, pipes and folders that the record does not name also belong to others.
    static func isReplaceable(_ folder: String) -> Bool {
        guard let facts = FileFacts(path: folder, followsLinks: false) else { return true }
        guard facts.kind == .folder, let names = try? Folder.sortedNames(in: folder) else { return false }
        if names.isEmpty { return true }
        guard let record = read(in: folder) else { return false }
        var (files, folders): (Set<ExactName>, Set<ExactName>) = ([ExactName(fileName)], [])
        for name in record.files.map(\.name) {
            files.insert(ExactName(name))
            var above = Folder.folder(of: name)
            while let name = above, folders.insert(ExactName(name)).inserted { above = Folder.folder(of: name) }
        }
        var stack = [""]
        while let prefix = stack.popLast() {
            guard let names = try? Folder.sortedNames(in: folder + "/" + prefix) else { return false }
            for name in names {
                let path = prefix + name
                switch FileFacts(path: folder + "/" + path, followsLinks: false)?.kind {
                case .file where files.contains(ExactName(path)): break
                case .folder where folders.contains(ExactName(path)): stack.append(path + "/")
                // Gone in the meantime.
                case nil: break
                default: return false
                }
            }
        }
        return true
    }
}
