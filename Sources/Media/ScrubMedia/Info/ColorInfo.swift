internal import ScrubLibAV

extension VideoInfo {
    /// The meaning of a video's numbers as color, by its tags. `nil` is "nothing says".
    public struct Color: Sendable, Hashable {
        /// The lights, by ffmpeg's name: `bt709`, `bt2020` …
        public let primaries: String?
        /// The transfer function: `bt709`, `smpte2084` (PQ), `arib-std-b67` (HLG) …
        public let transfer: String?
        /// The matrix between RGB and the stored planes: `bt709`, `smpte170m`, `bt2020nc` …
        public let matrix: String?
        /// Whether black is 0 and white the greatest code.
        public let isFullRange: Bool?
        /// The place of chroma samples: `left`, `topleft`, `center` …
        public let chromaLocation: String?

        init(_ color: ColorDescription) {
            (primaries, transfer, matrix) = (color.primariesName, color.transferName, color.matrixName)
            (isFullRange, chromaLocation) = (color.isFullRange, color.chromaLocationName)
        }
    }
}

extension VideoInfo {
    /// A video's facts about its high dynamic range. Luminances are in nit.
    public struct HDR: Sendable, Hashable {
        /// The display on which the film was graded (SMPTE ST 2086).
        public struct MasteringDisplay: Sendable, Hashable {
            /// Red, green, blue and white, each as x and y of CIE 1931; empty when they are not said.
            public let chromaticities: [Double]
            /// The darkest black.
            public let minimumLuminance: Double?
            /// The brightest white.
            public let maximumLuminance: Double?
        }

        /// A container's announcement of Dolby Vision.
        public struct DolbyVision: Sendable, Hashable {
            /// The profile: 5, 7, 8, 10 …
            public let profile: Int
            /// The level.
            public let level: Int
            /// The compatibility of the base layer: 0 nothing, 1 HDR10, 2 SDR, 4 HLG.
            public let compatibility: Int
            /// Whether an enhancement layer comes along.
            public let hasEnhancementLayer: Bool
        }

        /// `PQ` or `HLG` by the transfer function; `nil` when it is neither.
        public let transfer: String?
        /// The display on which the film was graded.
        public let masteringDisplay: MasteringDisplay?
        /// The brightest pixel, MaxCLL (CTA-861-H, 6.9); `nil` when it is not said.
        public let maximumContentLight: Int?
        /// The brightest frame's average, MaxFALL.
        public let maximumFrameAverageLight: Int?
        /// The container's announcement of Dolby Vision.
        public let dolbyVision: DolbyVision?

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
