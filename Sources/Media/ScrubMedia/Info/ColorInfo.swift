internal import ScrubLibAV

extension VideoInfo {
    /// How a video's sample values represent color, according to its tags. Properties that the tags do not specify are
    /// `nil`.
    public struct Color: Sendable, Hashable {
        /// The color primaries, named as in ffmpeg: `bt709`, `bt2020` …
        public let primaries: String?
        /// The transfer function: `bt709`, `smpte2084` (PQ), `arib-std-b67` (HLG) …
        public let transfer: String?
        /// The matrix between RGB and the stored planes: `bt709`, `smpte170m`, `bt2020nc` …
        public let matrix: String?
        /// Whether samples use the full range, from black at 0 to white at the maximum code value.
        public let isFullRange: Bool?
        /// The location of chroma samples: `left`, `topleft`, `center` …
        public let chromaLocation: String?

        init(_ color: ColorDescription) {
            (primaries, transfer, matrix) = (color.primariesName, color.transferName, color.matrixName)
            (isFullRange, chromaLocation) = (color.isFullRange, color.chromaLocationName)
        }
    }
}

extension VideoInfo {
    /// A video's high dynamic range metadata. Luminance values are in nits.
    public struct HDR: Sendable, Hashable {
        /// The mastering display, on which the video was graded (SMPTE ST 2086).
        public struct MasteringDisplay: Sendable, Hashable {
            /// The x and y coordinates (CIE 1931) of red, green, blue and white; empty if unspecified.
            public let chromaticities: [Double]
            /// The display's minimum luminance.
            public let minimumLuminance: Double?
            /// The display's maximum luminance.
            public let maximumLuminance: Double?
        }

        /// The Dolby Vision configuration that the container declares.
        public struct DolbyVision: Sendable, Hashable {
            /// The profile, such as 5, 7, 8 or 10.
            public let profile: Int
            /// The level.
            public let level: Int
            /// The compatibility ID of the base layer: 0 for none, 1 for HDR10, 2 for SDR, 4 for HLG.
            public let compatibility: Int
            /// Whether there is an enhancement layer.
            public let hasEnhancementLayer: Bool
        }

        /// The transfer function, `PQ` or `HLG`; `nil` for any other.
        public let transfer: String?
        /// The mastering display, on which the video was graded.
        public let masteringDisplay: MasteringDisplay?
        /// The luminance of the brightest pixel (MaxCLL; CTA-861-H, section 6.9); `nil` if unspecified.
        public let maximumContentLight: Int?
        /// The highest average luminance of a frame (MaxFALL); `nil` if unspecified.
        public let maximumFrameAverageLight: Int?
        /// The Dolby Vision configuration that the container declares.
        public let dolbyVision: DolbyVision?

        /// Creates the metadata from the descriptions of a stream.
        ///
        /// - Returns: `nil` if nothing indicates high dynamic range.
        init?(_ color: ColorDescription, _ codec: CodecDescription, _ picture: PictureDescription?) {
            // TransferCharacteristics of ISO/IEC 23091-2.
            transfer = color.transfer == 16 ? "PQ" : color.transfer == 18 ? "HLG" : nil
            masteringDisplay = (codec.mastering ?? picture?.mastering).map {
                MasteringDisplay(
                    chromaticities: $0.chromaticities, minimumLuminance: $0.minimumLuminance,
                    maximumLuminance: $0.maximumLuminance)
            }
            let light = codec.contentLight ?? picture?.contentLight
            maximumContentLight = light.flatMap { $0.maximum > 0 ? $0.maximum : nil }
            maximumFrameAverageLight = light.flatMap { $0.maximumFrameAverage > 0 ? $0.maximumFrameAverage : nil }
            dolbyVision = codec.dolbyVision.map {
                DolbyVision(
                    profile: $0.profile, level: $0.level, compatibility: $0.compatibility,
                    hasEnhancementLayer: $0.hasEnhancementLayer)
            }
            let saysNothing =
                transfer == nil && masteringDisplay == nil && maximumContentLight == nil
                && maximumFrameAverageLight == nil && dolbyVision == nil
            if saysNothing { return nil }
        }
    }
}
