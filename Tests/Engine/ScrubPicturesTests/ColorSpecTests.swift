internal import ScrubLibAV
internal import ScrubBase
internal import ScrubPictures
internal import Testing

/// The meaning of tags, and the guesses without them.
@Suite struct ColorSpecTests {
    private func resolve(_ maker: FrameMaker, codec: CodecDescription? = nil) throws -> ColorSpec {
        try ColorSpec.resolve(frame: maker.frame { _, _, _ in 100 }.frame, codec: codec).color
    }

    @Test func untaggedMatrixFollowsTheSize() throws {
        #expect(try resolve(FrameMaker(format: "yuv420p", width: 720, height: 576)).matrix == 6)
        #expect(try resolve(FrameMaker(format: "yuv420p", width: 720, height: 578)).matrix == 1)
        #expect(try resolve(FrameMaker(format: "yuv420p", width: 1280, height: 16)).matrix == 1)
        #expect(try resolve(FrameMaker(format: "yuv420p", width: 3840, height: 16)).matrix == 1)
        var wide = FrameMaker(format: "yuv420p")
        wide.primaries = 9
        #expect(try resolve(wide).matrix == 9)
    }

    @Test func tagsWinAndTheFramesComeFirst() throws {
        var maker = FrameMaker(format: "yuv420p")
        var stream = CodecDescription()
        (stream.colorMatrix, stream.colorPrimaries, stream.colorTransfer, stream.colorRange) = (9, 9, 16, 2)
        let fromStream = try resolve(maker, codec: stream)
        #expect(fromStream == ColorSpec(matrix: 9, isFullRange: true, primaries: 9, transfer: 16))
        (maker.matrix, maker.primaries, maker.transfer, maker.range) = (1, 1, 1, 1)
        let fromFrame = try resolve(maker, codec: stream)
        #expect(fromFrame == ColorSpec(matrix: 1, isFullRange: false, primaries: 1, transfer: 1))
    }

    @Test func rangeOfUntaggedPictures() throws {
        #expect(try !resolve(FrameMaker(format: "yuv420p")).isFullRange)
        #expect(try resolve(FrameMaker(format: "yuvj420p")).isFullRange)
        #expect(try resolve(FrameMaker(format: "rgb24")).isFullRange)
        #expect(try resolve(FrameMaker(format: "gbrp10le")).isFullRange)
        #expect(try !resolve(FrameMaker(format: "gray")).isFullRange)
        // AV_CODEC_ID_RAWVIDEO is not a codec made for video levels; AV_CODEC_ID_H264 is 27.
        let raw = FrameMaker(format: "gray")
        #expect(try resolve(raw, codec: raw.codec).isFullRange)
        var h264 = CodecDescription()
        h264.codecID = 27
        #expect(try !resolve(raw, codec: h264).isFullRange)
    }

    @Test func dolbyVisionWithoutABaseLayerIsNotSilent() throws {
        var codec = CodecDescription()
        // AV_PKT_DATA_DOVI_CONF: version 1.0, profile 5, level 6.
        codec.sideData = [.init(type: 29, bytes: [1, 0, 5, 6, 1, 0, 1, 0])]
        #expect(codec.unreadableDolbyVisionProfile == 5)
        let frame = try FrameMaker(format: "yuv420p10le").flat(500, 500, 500)
        #expect(ColorSpec.resolve(frame: frame.frame, codec: codec).warnings.count == 1)
        // AV1's profile 10 by itself, and compatible with HDR10; profiles 7 and 8.
        let others: [(UInt8, UInt8, Int?)] = [(10, 0, 10), (10, 1, nil), (7, 6, nil), (8, 4, nil)]
        for (profile, compatibility, unreadable) in others {
            codec.sideData[0].bytes[2] = profile
            codec.sideData[0].bytes[7] = compatibility
            #expect(codec.unreadableDolbyVisionProfile == unreadable)
        }
    }

    @Test func identityMatrixOfSubsampledChromaIsRefused() throws {
        var maker = FrameMaker(format: "yuv420p")
        maker.matrix = 0
        let (color, warnings) = try ColorSpec.resolve(frame: maker.flat(1, 2, 3).frame, codec: nil)
        #expect(color.matrix == 6 && warnings.count == 1)
    }
}
