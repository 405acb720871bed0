package import ScrubFileIO
internal import ScrubLibAV
package import ScrubBase

extension FrameIndex {
    /// Refuses a stream of which nothing may be decoded, before a decoder is opened. If only some of its pictures are
    /// too large the others are decoded, and those have a verdict.
    ///
    /// - Throws: `badData` with the limit's name.
    package func check(_ limits: MediaLimits, _ file: MediaSource) throws(ScrubError) {
        do throws(ScrubError) {
            try limits.check(.pictures, pictures.count, "coded pictures")
            if let least = facts.descriptions.min(by: { $0.pixelCount < $1.pixelCount }) {
                try limits.check(width: Int(least.width), height: Int(least.height))
            }
        } catch {
            throw error.inFile(file.path)
        }
    }
}

extension CodecDescription {
    /// Pixels of its pictures as the container tells them, 0 where it doesn't.
    fileprivate var pixelCount: Int64 { Int64(width) * Int64(height) }
}

extension MediaSource {
    /// Refuses a stream by its container's facts, before anything of it is decoded.
    ///
    /// - Throws: `badData` with the limit's name.
    func check(_ stream: CodecDescription) throws(ScrubError) {
        try limiting { (limits) throws(ScrubError) in
            try limits.check(width: Int(stream.width), height: Int(stream.height))
        }
    }

    /// Refuses more coded pictures than there may be.
    ///
    /// - Throws: `badData` with the limit's name.
    func check(pictureCount count: Int) throws(ScrubError) {
        try limiting { (limits) throws(ScrubError) in try limits.check(.pictures, count, "coded pictures") }
    }
}
