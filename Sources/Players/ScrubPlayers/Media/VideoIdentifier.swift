internal import ScrubFileIO
internal import FoundationEssentials
internal import ScrubBase

extension PlayerMedia {
    /// The identity of a video, which players, controllers and caches use to recognize it.
    ///
    /// Thread safety: a value type.
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

        /// Creates an identifier from a name. It is equal only to identifiers created from the same name.
        public init(_ name: String) { value = .named(name) }

        /// Creates an identifier from a file's path. The file need not exist. Different spellings of a path, such as
        /// `a/b`, `a//b` and `a/./b`, give equal identifiers. Symbolic links and `..` are not resolved, and the file's
        /// content is not read.
        ///
        /// - Parameter path: an absolute path, or one relative to the process's current directory.
        public init(path: String) {
            let isAbsolute = path.utf8.first == UInt8(ascii: "/")
            var names = isAbsolute ? [] : FileManager.default.currentDirectoryPath.pathComponents
            // A ".." is kept, because after a symbolic link it does not lead back to the folder that contains the link.
            for name in path.pathComponents where name != "." { names.append(name) }
            value = .path("/" + names.joined(separator: "/"))
        }

        /// Creates the identifier of a source from its ``ByteSource/contentIdentifier`` and its size. A source without
        /// a content identifier is different from all others.
        ///
        /// The size is requested only if the source has a content identifier.
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

        /// Creates the identifier of an open video from its path, or else from its source's content identifier. For a
        /// video with neither, the identifier is the identity of this object, which is unique during the object's
        /// lifetime.
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
    /// A human-readable description, such as the name, the path or the source's content identifier.
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
