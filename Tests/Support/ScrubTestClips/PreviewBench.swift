import Foundation
package import ScrubFileIO
package import ScrubIndex
package import ScrubMedia
package import ScrubPictures
package import ScrubTestSupport

/// A cache folder for previews of a film of three bytes, and made-up previews.
package struct PreviewBench {
    package let folder: TemporaryFolder
    package let cache: String
    package let key: IndexFile.Key
    package let recipe = PreviewCoder.Recipe(longSide: 640, quality: 75)
    package static let pictureCount = 1_000_000

    package init() throws { try self.init(TemporaryFolder()) }

    package init(_ folder: TemporaryFolder, cache: String? = nil) throws {
        self.folder = folder
        self.cache = cache ?? folder.path(of: "cache")
        key = try PreviewBench.key(of: [1, 2, 3])
    }

    /// A source that says what it is.
    private struct KnownSource: ByteSource {
        let bytes: [UInt8]
        var byteCount: Int64 { Int64(bytes.count) }
        var contentIdentifier: String? { "\(bytes)" }
        func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let part = bytes.dropFirst(Int(offset)).prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    package static func key(of film: [UInt8]) throws -> IndexFile.Key {
        try IndexFile.Key(try MediaSource(KnownSource(bytes: film), name: "film"), requestedStream: nil)
    }

    /// By default so that no test depends on how full the machine is.
    package func directory(
        byteLimit: Int64 = 1 << 40, totalLimit: Int64 = 1 << 40, freeSpaceFloor: Int64? = 0
    ) -> CacheDirectory {
        CacheDirectory(
            path: cache, suffix: ".scrubpreviews", byteLimit: byteLimit, totalLimit: totalLimit,
            freeSpaceFloor: freeSpaceFloor)
    }

    package func open(
        _ recipe: PreviewCoder.Recipe? = nil, key: IndexFile.Key? = nil, isWriter: Bool = true,
        byteLimit: Int64 = 1 << 40, totalLimit: Int64 = 1 << 40
    ) -> PreviewFile? {
        PreviewFile(
            in: directory(byteLimit: byteLimit, totalLimit: totalLimit), key: key ?? self.key,
            recipe: recipe ?? self.recipe, pictureCount: PreviewBench.pictureCount, isWriter: isWriter)
    }

    /// The name of the one file of previews in the cache folder.
    package var name: String { TemporaryFolder.names(cache).first { $0.hasSuffix(".scrubpreviews") } ?? "" }
    package var path: String { cache + "/" + name }

    package func contents() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    /// Puts other bytes in the place of the file: another file, as for one that was open then.
    package func replace(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(filePath: cache + "/" + name), options: .atomic)
    }

    /// The preview of a picture: other bytes for each, and lengths from 1 on.
    package static func preview(_ picture: Int) -> [UInt8] {
        var random = SplitMix(UInt64(picture) &+ 17)
        return (0...picture % 61).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    package static func previews(_ pictures: some Sequence<Int>) -> [(picture: Int, bytes: [UInt8])] {
        pictures.map { ($0, preview($0)) }
    }

    /// The pictures whose preview comes out; `nil` when one that comes out is wrong.
    package static func right(_ file: PreviewFile) -> Set<Int>? {
        var found: Set<Int> = []
        for picture in file.pictures {
            guard let bytes = file.bytes(ofPicture: picture) else { continue }
            guard bytes == preview(picture) else { return nil }
            found.insert(picture)
        }
        return found
    }
}
