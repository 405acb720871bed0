internal import CScrubTurboJPEG
package import ScrubBase

/// Writing and reading JPEG (Rec. ITU-T T.81) as JFIF (Rec. ITU-T T.871): full-range BT.601 YCbCr.
package enum JPEG {
    /// The share of color's resolution that is kept.
    package enum Sampling: Sendable, Hashable, CaseIterable {
        /// Half of it both ways (4:2:0).
        case half
        /// Half of it across, all of it down (4:2:2). It is for sheets, whose tiles then share no blocks and no
        /// interpolation of color over more than a row of eight.
        case halfAcross
        /// All of it (4:4:4).
        case full
    }

    /// Returns the picture as the bytes of a baseline JPEG file.
    ///
    /// Baseline and never progressive, because trick play files (BIF) and their players know nothing else. The file
    /// has no place for primaries and transfer: readers take the numbers as sRGB, so tone-map first.
    ///
    /// - Parameters:
    ///   - quality: 1 to 100 in libjpeg's scale.
    ///   - sampling: the share of color's resolution that is kept.
    /// - Throws: ``ScrubError/Code/usage`` for a picture with alpha, with 16 bits, or with a side over 65500.
    package static func encode(
        _ image: RasterImage, quality: Int, sampling: Sampling = .half
    ) throws(ScrubError) -> [UInt8] {
        precondition((1...100).contains(quality), "JPEG's quality is 1 to 100")
        try image.check8Bits(for: "JPEG")
        try image.checkSize(for: "JPEG", limit: JPEGLimits.longestSide)
        guard !image.hasAlpha else {
            throw ScrubError(
                .usage, "JPEG has no alpha, the picture has", advice: "flatten it onto a color, or write PNG or WebP")
        }
        guard let encoder = unsafe tjInitCompress() else { throw unsafe failure(nil) }
        defer { unsafe tjDestroy(encoder) }
        let isGray = image.channels == 1
        let format = isGray ? TJPF_GRAY : TJPF_RGB
        let native =
            switch sampling {
            case _ where isGray: TJSAMP_GRAY
            case .half: TJSAMP_420
            case .halfAcross: TJSAMP_422
            case .full: TJSAMP_444
            }
        var out: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        defer { unsafe tjFree(out) }
        // TurboJPEG's default below quality 96 is the fast integer transform; the accurate one has vector code too.
        let status = unsafe image.bytes.withUnsafeBufferPointer { pixels in
            unsafe tjCompress2(
                encoder, pixels.baseAddress, Int32(image.width), Int32(image.bytesPerRow), Int32(image.height),
                Int32(format.rawValue), &out, &count, Int32(native.rawValue), Int32(quality), TJFLAG_ACCURATEDCT)
        }
        guard status == 0, let out = unsafe out else { throw unsafe failure(encoder) }
        return unsafe [UInt8](UnsafeBufferPointer(start: out, count: Int(count)))
    }

    private static func failure(_ encoder: tjhandle?) -> ScrubError {
        ScrubError(.inputOutput, "JPEG: \(unsafe reason(encoder))")
    }

    /// Returns TurboJPEG's words for what a coder did not do.
    static func reason(_ coder: tjhandle?) -> String {
        unsafe tjGetErrorStr2(coder).map { unsafe String(cString: $0) } ?? "out of memory"
    }
}
