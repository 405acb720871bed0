internal import FileIO
internal import Hummingbird
internal import ScrubBase

/// The page's files: a fixed table of names, so that no path is ever made of a request.
struct PageFiles: Sendable {
    private let folder: FolderScope?

    /// - Parameter folder: where they are read from, for who works on them; `nil` for those in the program.
    init(folder: String?) throws(ScrubError) {
        if let folder { self.folder = try FolderScope(path: folder) } else { self.folder = nil }
    }

    /// A file by its name; `nil` when there is none.
    func file(_ name: String) -> (bytes: [UInt8], type: String)? {
        guard let type = PageFiles.type(of: name) else { return nil }
        if let folder { return (try? folder.contents(of: name, limit: 16 << 20)).map { ($0, type) } }
        return PageFiles.table[name].map { ($0(), type) }
    }

    /// What stands in the program.
    static let table: [String: @Sendable () -> [UInt8]] = [
        "index.html": { PackageResources.index_html }
    ]

    /// The type by the suffix; `nil` for a name that no file of the page has.
    private static func type(of name: String) -> String? {
        guard name.utf8.count <= 64, let point = name.lastIndex(of: "."), point != name.startIndex,
            name.utf8.allSatisfy({ byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E
                    || byte == 0x5F
            })
        else { return nil }
        return [
            "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
            "css": "text/css; charset=utf-8",
            "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon",
            "json": "application/json; charset=utf-8",
            "webmanifest": "application/manifest+json", "woff2": "font/woff2",
        ][String(name[name.index(after: point)...])]
    }
}
