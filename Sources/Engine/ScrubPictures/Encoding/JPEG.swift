internal import CScrubTurboJPEG
package import ScrubBase

/// An encoder and decoder for JPEG (Rec. ITU-T T.81) as JFIF (Rec. ITU-T T.871): full-range BT.601 YCbCr.
package enum JPEG {
    /// The chroma subsampling.
    package enum Sampling: Sendable, Hashable, CaseIterable {
        /// Half the resolution in both directions (4:2:0).
        case half
        /// Half the horizontal and the full vertical resolution (4:2:2). Used for sheets, so that tiles do not share
        /// blocks or chroma interpolation across more than a row of eight.
        case halfAcross
        /// Full resolution (4:4:4).
        case full
    }

    /// Returns the picture as a baseline JPEG file.
    ///
    /// Always baseline and never progressive, because trick play files (BIF) and their players support nothing else.
    /// The file cannot store primaries and transfer: readers interpret the values as sRGB, so tone-map first.
    ///
    /// - Parameters:
    ///   - quality: 1 to 100 in libjpeg's scale.
    ///   - sampling: the chroma subsampling.
    /// - Throws: ``ScrubError/Code/usage`` for a picture with alpha, with 16 bits, or with a side over 65500.
    package static func encode(
        _ image: RasterImage, quality: Int, sampling: Sampling = .half
    ) throws(ScrubError) -> [UInt8] {
        precondition((1...100).contains(quality), "JPEG quality must be from 1 to 100")
        try image.check8Bits(for: "JPEG")
        try image.checkSize(for: "JPEG", limit: JPEGLimits.longestSide)
        guard !image.hasAlpha else {
            throw ScrubError(
                .usage, "JPEG does not support alpha, but the picture has it",
                advice: "flatten it onto a color, or write PNG or WebP")
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

    /// Returns TurboJPEG's message for a failed operation.
    static func reason(_ coder: tjhandle?) -> String {
        unsafe tjGetErrorStr2(coder).map { unsafe String(cString: $0) } ?? "out of memory"
    }
}
