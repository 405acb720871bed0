package import ScrubFileIO
internal import ScrubHashing
internal import ScrubLibAV
package import ScrubBase

extension IndexFile {
    /// The identity of a saved index: a state of a file, not its name.
    package struct Key: Hashable, Sendable {
        package var identity: MediaSource.Identity
        /// XXH3 over the first and last 64 KiB; 0 for remote files, which are identified by their content.
        package var fingerprint: UInt64
        /// The requested stream, -1 for the main one.
        package var requestedStream: Int64
        /// The version of the libav libraries that produced the saved values. Positions, packet boundaries, decoder
        /// parameters, and which packets produce a picture depend on it: a different version requires a new index.
        package var libraries = Libraries.version
        /// The XXH3 hash of the release of these libraries.
        package var release = xxh3(Array(Libraries.release.utf8))

        /// Reads the required facts of a file.
        ///
        /// - Precondition: the file has an identity.
        package init(_ file: MediaSource, requestedStream: Int?) throws(ScrubError) {
            guard let identity = file.identity else { preconditionFailure("the source has no identity") }
            self.identity = identity
            self.requestedStream = Int64(requestedStream ?? -1)
            if file.isRemote, identity.content != nil {
                fingerprint = 0
                return
            }
            let part = Int(min(file.byteCount, 64 << 10))
            let head = xxh3(try file.read(at: 0, count: part))
            fingerprint = xxh3(try file.read(at: file.byteCount - Int64(part), count: part), seed: head)
        }

        private var numbers: [UInt64] {
            [
                UInt64(bitPattern: identity.byteCount), UInt64(bitPattern: identity.modified),
                identity.content.map { xxh3(Array($0.utf8)) } ?? 0, fingerprint, UInt64(bitPattern: requestedStream),
                libraries,
                release,
            ]
        }

        /// The name of the entry in the cache.
        package var name: String {
            var writer = BinaryWriter()
            write(to: &writer)
            return PlainText.hexadecimal(xxh3(writer.bytes))
        }

        /// Writes the part of a saved file that identifies its medium.
        package func write(to out: inout BinaryWriter) {
            for number in numbers { out.write(number) }
        }

        func matches(_ bytes: inout BinaryReader) throws(ScrubError) -> Bool {
            for number in numbers where try bytes.read(UInt64.self) != number { return false }
            return true
        }
    }
}
