package import ScrubFileIO
internal import ScrubHashing
internal import ScrubLibAV
package import ScrubBase

extension IndexFile {
    /// The identity of a saved index: a state of a file, not a name.
    package struct Key: Hashable, Sendable {
        package var identity: MediaSource.Identity
        /// XXH3 over the first and the last 64 KiB; 0 for remote files, which their content identifies.
        package var fingerprint: UInt64
        /// The stream that was asked for, -1 for the main one.
        package var requestedStream: Int64
        /// The libav that made the saved values. Positions, packet boundaries, decoder parameters and which packets
        /// make a picture are its: another one means another index.
        package var libraries = Libraries.version
        /// XXH3 of that libav's release.
        package var release = xxh3(Array(Libraries.release.utf8))

        /// Reads the needed facts of a file.
        ///
        /// - Precondition: something identifies it.
        package init(_ file: MediaSource, requestedStream: Int?) throws(ScrubError) {
            guard let identity = file.identity else { preconditionFailure("a source that nothing identifies") }
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

        /// The entry's name in the cache.
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
