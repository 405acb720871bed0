// What options cannot be, said before anything is done with them.
extension ScrubError {
    /// Refuses an option that is too small.
    ///
    /// - Parameters:
    ///   - name: a program author's name for it: `FrameReader.Options.threadCount`.
    ///   - value: `nil` if the library chooses.
    /// - Throws: `usage` for less than `least`.
    package static func check(_ name: String, _ value: Int?, least: Int = 1) throws(ScrubError) {
        guard let value, value < least else { return }
        throw wrongRequest("\(name) is \(value)", advice: "give \(least) or more")
    }
}

extension FrameReader.Options {
    /// - Throws: `usage` for a number that makes no sense.
    package func check() throws(ScrubError) {
        try ScrubError.check("FrameReader.Options.decoderLimit", decoderLimit)
        try ScrubError.check("FrameReader.Options.cacheByteLimit", cacheByteLimit, least: 0)
        try ScrubError.check("FrameReader.Options.threadCount", threadCount)
    }

    /// For calls that throw nothing.
    ///
    /// - Precondition: all numbers make sense.
    func require() {
        do throws(ScrubError) { try check() } catch { preconditionFailure(error.description) }
    }
}

extension ScrubSession.Options {
    /// - Throws: `usage` for a number that makes no sense.
    func check() throws(ScrubError) {
        try ScrubError.check("ScrubSession.Options.decoderLimit", decoderLimit)
        try ScrubError.check("ScrubSession.Options.threadCount", threadCount)
        try ScrubError.check("ScrubSession.Options.previewSide", previewSide)
        try ScrubError.check("ScrubSession.Options.keyPictureCount", keyPictureCount, least: 0)
        try ScrubError.check("ScrubSession.Options.keyPictureSide", keyPictureSide)
        guard patience >= .zero else {
            throw ScrubError.wrongRequest("ScrubSession.Options.patience is \(patience)", advice: "give 0 or more")
        }
    }
}

extension MediaLimits {
    /// - Throws: `usage` for a limit that nothing passes.
    package func check() throws(ScrubError) {
        for name in Name.allCases { try ScrubError.check("MediaLimits.\(name.member)", self[name]) }
    }
}
