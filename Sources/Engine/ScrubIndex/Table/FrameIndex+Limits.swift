package import ScrubFileIO
internal import ScrubLibAV
package import ScrubBase

extension FrameIndex {
    /// Throws, before a decoder is opened, if no part of a stream may be decoded. If only some of its pictures are too
    /// large, the others are decoded, and the large ones have a verdict.
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
    /// The number of pixels of its pictures according to the container, 0 if unspecified.
    fileprivate var pixelCount: Int64 { Int64(width) * Int64(height) }
}

extension MediaSource {
    /// Throws if a stream exceeds a limit according to its container, before anything of it is decoded.
    ///
    /// - Throws: `badData` with the limit's name.
    func check(_ stream: CodecDescription) throws(ScrubError) {
        try limiting { (limits) throws(ScrubError) in
            try limits.check(width: Int(stream.width), height: Int(stream.height))
        }
    }

    /// Throws if there are more coded pictures than allowed.
    ///
    /// - Throws: `badData` with the limit's name.
    func check(pictureCount count: Int) throws(ScrubError) {
        try limiting { (limits) throws(ScrubError) in try limits.check(.pictures, count, "coded pictures") }
    }
}
