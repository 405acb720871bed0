import ScrubBitstream
import Testing

@Suite struct PictureBufferingTests {
    /// av1C of a 10-bit 4:2:0, an 8-bit 4:4:4, a 12-bit 4:2:2 and a gray stream (AV1 binding, 2.3.3).
    @Test(arguments: [(0x4c, 1, 10, 6), (0x00, 3, 8, 6), (0x68, 2, 12, 8), (0x1c, 0, 8, 2)])
    func av1ConfigurationsTellTheFormat(_ flags: UInt8, _ chroma: Int, _ depth: Int, _ bytesOfTwo: Int) throws {
        let found = try #require(PictureBuffering(codec: .av1, extradata: [0x81, 0, flags, 0]))
        #expect(found.chromaFormat == chroma && found.bitDepth == depth && found.pictureLimit == 8)
        #expect(found.byteCount(width: 2, height: 1) == bytesOfTwo)
    }

    @Test func invalidConfigurationsGiveNothing() {
        #expect(PictureBuffering(codec: .av1, extradata: []) == nil)
        #expect(PictureBuffering(codec: .h264, extradata: [1, 2, 3]) == nil)
        #expect(PictureBuffering(codec: .hevc, extradata: []) == nil)
        #expect(PictureBuffering(codec: .vp9, extradata: [1, 2, 3]) == nil)
    }
}
