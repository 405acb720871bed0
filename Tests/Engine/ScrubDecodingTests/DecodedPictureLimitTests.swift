import CScrubFFmpeg
import ScrubLibAV
import Testing

@Suite struct DecodedPictureLimitTests {
    /// Figures that the standards' own tables give (ITU-T H.264 Table A-1, ITU-T H.265 A.4.2), and what libavcodec's
    /// other decoders hold. Nothing is known of Snow.
    @Test(arguments: [
        ("h264", 41, 1920, 1080, 4), ("h264", 51, 3840, 2160, 5), ("h264", 40, 1280, 720, 9),
        ("h264", 30, 352, 288, 16),
        ("h264", -99, 1920, 1080, 16), ("h264", 10, 1920, 1080, 1), ("hevc", 120, 1920, 1080, 6),
        ("hevc", 153, 1920, 1080, 16), ("hevc", 120, 1280, 720, 12), ("hevc", 153, 3840, 2160, 6),
        ("hevc", 123, 1600, 1000, 8), ("vp9", 0, 64, 64, 8), ("av1", 0, 64, 64, 8), ("vp8", 0, 64, 64, 3),
        ("mpeg2video", 4, 720, 576, 2), ("mjpeg", 0, 64, 64, 1), ("vc1", 3, 1920, 1080, 3),
        ("snow", 0, 64, 64, 16),
    ])
    func limitsAreThoseOfTheLevel(_ codec: String, _ level: Int32, _ width: Int32, _ height: Int32, _ limit: Int) throws
    {
        var description = CodecDescription()
        description.codecID = try #require(avcodec_descriptor_get_by_name(codec)).pointee.id.rawValue
        (description.level, description.width, description.height) = (level, width, height)
        #expect(description.decodedPictureLimit == limit)
    }
}
