internal import ScrubFileIO
internal import FoundationEssentials
internal import ScrubBase

extension PlayerMedia {
    /// The identity of a video, by which players, controllers and caches know it.
    ///
    /// Thread safety: a value.
    public struct Identifier: Hashable, Sendable {
        private enum Value: Hashable {
            case named(String)
            case path(String)
            case content(String, byteCount: Int64)
            case object(ObjectIdentifier)
            case unique(Int)
        }

        private let value: Value

        private init(value: Value) { self.value = value }

        /// An identifier of the caller's: equal for equal names, and for nothing else.
        public init(_ name: String) { value = .named(name) }

        /// A file by its path, also when it is not there yet. Equal for one path written in two ways; links are not
        /// followed, and the file's content is not read.
        ///
        /// - Parameter path: a path from the root, or from the process's present folder.
        public init(path: String) {
            let isAbsolute = path.utf8.first == UInt8(ascii: "/")
            var names = isAbsolute ? [] : FileManager.default.currentDirectoryPath.pathComponents
            // A ".." stays: behind a link it is not the folder before it.
            for name in path.pathComponents where name != "." { names.append(name) }
            value = .path("/" + names.joined(separator: "/"))
        }

        /// Creates the identifier of a source, from its description of the content; a source without one is like no
        /// other.
        ///
        /// Asks the source for its size when it has a ``ByteSource/contentIdentifier``.
        public init(source: any ByteSource) {
            if let content = source.contentIdentifier {
                value = .content(content, byteCount: source.byteCount)
            } else {
                value = .unique(
                    Identifier.lastUnique.withLock { last in
                        last += 1
                        return last
                    })
            }
        }

        /// Creates the identifier of an open video: its path, or else its source's description of the content. Without
        /// either it is this very object, which is told from others as long as it lives.
        public init(_ asset: VideoAsset) {
            if asset.file.file != nil {
                self.init(path: asset.path)
            } else if let content = asset.file.contentIdentifier {
                self.init(value: .content(content, byteCount: asset.file.byteCount))
            } else {
                self.init(value: .object(ObjectIdentifier(asset)))
            }
        }

        private static let lastUnique = Locked(0)
    }
}

extension PlayerMedia.Identifier: CustomStringConvertible {
    /// For people: the name, the path or the source's words.
    public var description: String {
        switch value {
        case .named(let name): name
        case .path(let path): path
        case .content(let content, _): content
        case .object(let object): "video \(UInt(bitPattern: object.hashValue))"
        case .unique(let number): "source \(number)"
        }
    }
}
