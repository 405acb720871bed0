// Option values are validated before they are used.
extension ScrubError {
    /// Rejects an option value that is too small.
    ///
    /// - Parameters:
    ///   - name: the option's name in the API: `FrameReader.Options.threadCount`.
    ///   - value: the value; `nil` if the library chooses.
    /// - Throws: `usage` for less than `least`.
    package static func check(_ name: String, _ value: Int?, least: Int = 1) throws(ScrubError) {
        guard let value, value < least else { return }
        throw wrongRequest("\(name) is \(value)", advice: "use \(least) or more")
    }
}

extension FrameReader.Options {
    /// Validates the options.
    ///
    /// - Throws: `usage` for an invalid value.
    package func check() throws(ScrubError) {
        try ScrubError.check("FrameReader.Options.decoderLimit", decoderLimit)
        try ScrubError.check("FrameReader.Options.cacheByteLimit", cacheByteLimit, least: 0)
        try ScrubError.check("FrameReader.Options.threadCount", threadCount)
    }

    /// Validates the options for calls that do not throw.
    ///
    /// - Precondition: all values are valid.
    func require() {
        do throws(ScrubError) { try check() } catch { preconditionFailure(error.description) }
    }
}

extension ScrubSession.Options {
    /// Validates the options.
    ///
    /// - Throws: `usage` for an invalid value.
    func check() throws(ScrubError) {
        try ScrubError.check("ScrubSession.Options.decoderLimit", decoderLimit)
        try ScrubError.check("ScrubSession.Options.threadCount", threadCount)
        try ScrubError.check("ScrubSession.Options.previewSide", previewSide)
        try ScrubError.check("ScrubSession.Options.keyPictureCount", keyPictureCount, least: 0)
        try ScrubError.check("ScrubSession.Options.keyPictureSide", keyPictureSide)
        guard patience >= .zero else {
            throw ScrubError.wrongRequest("ScrubSession.Options.patience is \(patience)", advice: "use 0 or more")
        }
    }
}

extension MediaLimits {
    /// Validates the limits.
    ///
    /// - Throws: `usage` for a limit that is not above 0.
    package func check() throws(ScrubError) {
        for name in Name.allCases { try ScrubError.check("MediaLimits.\(name.member)", self[name]) }
    }
}
