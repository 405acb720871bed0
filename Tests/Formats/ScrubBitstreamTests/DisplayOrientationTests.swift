@testable internal import ScrubBitstream
internal import Testing

/// The display orientation message before a picture.
@Suite struct DisplayOrientationTests {
    /// A packet of a message and a slice's first bytes, behind start codes.
    private func packet(
        _ codec: VideoCodec, mirrored: Bool = false, flipped: Bool = false, turn: Int, cancel: Bool = false
    )
        -> [UInt8]
    {
        var bits = cancel ? "1" : "0"
        if !cancel {
            bits += (mirrored ? "1" : "0") + (flipped ? "1" : "0")
            bits += (0..<16).map { turn >> (15 - $0) & 1 == 1 ? "1" : "0" }.joined()
            // display_orientation_repetition_period 1, display_orientation_extension_flag 0
            bits += "0100"
        }
        bits += "1"
        while bits.count % 8 != 0 { bits += "0" }
        let characters = Array(bits)
        let payload = stride(from: 0, to: characters.count, by: 8).compactMap {
            UInt8(String(characters[$0..<$0 + 8]), radix: 2)
        }
        let (header, slice): ([UInt8], [UInt8]) =
            codec == .h264 ? ([0x06], [0x65, 0x88, 0x80]) : ([39 << 1, 1], [19 << 1, 1, 0x80])
        // Another message before it: of type 4, two bytes.
        return [0, 0, 0, 1] + header + [4, 2, 1, 1, 47, UInt8(payload.count)] + payload + [0x80, 0, 0, 1] + slice
    }

    @Test(arguments: [VideoCodec.h264, .hevc]) func turnsAndMirrors(codec: VideoCodec) {
        func matrix(_ bytes: [UInt8]) -> [Int32]? {
            DisplayOrientation.matrix(inPacket: bytes.span, codec: codec, extradata: [])
        }
        let one: Int32 = 65536
        // As libavutil's av_display_rotation_set and av_display_matrix_flip make them.
        #expect(matrix(packet(codec, turn: 0x4000)) == [0, -one, 0, one, 0, 0, 0, 0, 1 << 30])
        #expect(matrix(packet(codec, turn: 0x8000)) == [-one, 0, 0, 0, -one, 0, 0, 0, 1 << 30])
        #expect(matrix(packet(codec, turn: 0xC001)) == [0, one, 0, -one, 0, 0, 0, 0, 1 << 30])
        #expect(matrix(packet(codec, mirrored: true, turn: 0)) == [-one, 0, 0, 0, one, 0, 0, 0, 1 << 30])
        #expect(matrix(packet(codec, flipped: true, turn: 0)) == [one, 0, 0, 0, -one, 0, 0, 0, 1 << 30])
        #expect(matrix(packet(codec, mirrored: true, turn: 0x4000)) == [0, one, 0, one, 0, 0, 0, 0, 1 << 30])
        #expect(matrix(packet(codec, turn: 0xFFFF)) == nil)
        #expect(matrix(packet(codec, turn: 0, cancel: true)) == nil)
        #expect(matrix([]) == nil)
    }

    /// A message behind the picture's slice, and one that breaks off, say nothing.
    @Test(arguments: [VideoCodec.h264, .hevc]) func onlyWholeMessagesBeforeThePictureCount(codec: VideoCodec) {
        let whole = packet(codec, turn: 0x4000)
        let slice: [UInt8] = codec == .h264 ? [0, 0, 1, 0x65, 0x88, 0x80] : [0, 0, 1, 38, 1, 0x80]
        #expect(DisplayOrientation.matrix(inPacket: (slice + whole).span, codec: codec, extradata: []) == nil)
        for count in 0..<13 {
            #expect(
                DisplayOrientation.matrix(inPacket: Array(whole.prefix(count)).span, codec: codec, extradata: []) == nil
            )
        }
    }
}
