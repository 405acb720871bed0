internal import ScrubLibAV

extension VideoInfo {
    /// How a video's sample values represent color, according to its tags. `nil` means unspecified.
    public struct Color: Sendable, Hashable {
        /// The color primaries, by ffmpeg name: `bt709`, `bt2020` …
        public let primaries: String?
        /// The transfer function: `bt709`, `smpte2084` (PQ), `arib-std-b67` (HLG) …
        public let transfer: String?
        /// The matrix between RGB and the stored planes: `bt709`, `smpte170m`, `bt2020nc` …
        public let matrix: String?
        /// Whether samples are full range, with black at 0 and white at the maximum code.
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
    /// A video's high dynamic range metadata. Luminances are in nits.
    public struct HDR: Sendable, Hashable {
        /// The display on which the video was graded (SMPTE ST 2086).
        public struct MasteringDisplay: Sendable, Hashable {
            /// The x and y coordinates (CIE 1931) of red, green, blue and white; empty if unspecified.
            public let chromaticities: [Double]
            /// The luminance of the darkest black.
            public let minimumLuminance: Double?
            /// The luminance of the brightest white.
            public let maximumLuminance: Double?
        }

        /// The Dolby Vision configuration that the container declares.
        public struct DolbyVision: Sendable, Hashable {
            /// The profile: 5, 7, 8, 10 …
            public let profile: Int
            /// The level.
            public let level: Int
            /// The compatibility of the base layer: 0 none, 1 HDR10, 2 SDR, 4 HLG.
            public let compatibility: Int
            /// Whether there is an enhancement layer.
            public let hasEnhancementLayer: Bool
        }

        /// The transfer function, `PQ` or `HLG`; `nil` if it is neither.
        public let transfer: String?
        /// The display on which the video was graded.
        public let masteringDisplay: MasteringDisplay?
        /// The brightest pixel, MaxCLL (CTA-861-H, 6.9); `nil` if unspecified.
        public let maximumContentLight: Int?
        /// The brightest frame average, MaxFALL.
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
