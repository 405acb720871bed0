internal import CScrubFFmpeg
internal import ScrubLibAV
internal import ScrubBase
internal import Testing

/// A picture to be made in any of libav's formats, sample by sample.
///
/// The bytes are laid out by libav itself (`av_write_image_line2`) and become a frame through its raw video decoder. So
/// the code under test meets frames as decoders make them.
struct FrameMaker {
    var format: String
    var width = 8
    var height = 6
    var matrix: UInt32 = 2
    var range: UInt32 = 0
    var primaries: UInt32 = 2
    var transfer: UInt32 = 2
    var chromaLocation: UInt32 = 0
    var aspect: (Int32, Int32) = (0, 1)
    /// `AVFieldOrder`: 2 for the rows of two fields, the upper one first, 3 with the lower one first.
    var fieldOrder: UInt32 = 0
    /// Whether the frame's rows are stored from the bottom up, with a negative stride (one plane only).
    var isBottomUp = false
    /// 256 words of alpha, red, green and blue for a paletted format.
    var palette: [UInt32] = []

    var codec: CodecDescription {
        var codec = CodecDescription()
        codec.codecID = AV_CODEC_ID_RAWVIDEO.rawValue
        codec.pixelFormat = av_get_pix_fmt(format).rawValue
        (codec.width, codec.height) = (Int32(width), Int32(height))
        (codec.colorMatrix, codec.colorRange) = (matrix, range)
        (codec.colorPrimaries, codec.colorTransfer) = (primaries, transfer)
        codec.chromaLocation = chromaLocation
        (codec.aspectNumerator, codec.aspectDenominator) = aspect
        codec.fieldOrder = fieldOrder
        if isBottomUp { codec.extradata = Array("BottomUp".utf8) + [0] }
        return codec
    }

    /// Makes the frame; `value` gives the code of a component at a place of its own plane, of a number its bits.
    func frame(_ value: (_ component: Int, _ x: Int, _ y: Int) -> Int) throws -> SharedFrame {
        var decoder = try Decoder(codec)
        var packet = try Packet()
        let bytes = try bytes(value)
        try packet.fill(count: bytes.count) { $0.copyBytes(from: bytes) }
        packet.identify(as: 0, isKey: true)
        #expect(try decoder.send(packet) == .done)
        var frame = try Frame()
        #expect(try decoder.receive(into: &frame) == .done)
        return SharedFrame(try frame.take())
    }

    /// A frame of one color.
    func flat(_ codes: Int...) throws -> SharedFrame { try frame { component, _, _ in codes[component] } }

    private func bytes(_ value: (Int, Int, Int) -> Int) throws -> [UInt8] {
        let native = av_get_pix_fmt(format)
        let descriptor = try #require(av_pix_fmt_desc_get(native))
        let size = Int(av_image_get_buffer_size(native, Int32(width), Int32(height), 1))
        var bytes = [UInt8](repeating: 0, count: size)
        var components = withUnsafeBytes(of: descriptor.pointee.comp) {
            Array($0.bindMemory(to: AVComponentDescriptor.self))
        }
        components.removeLast(4 - Int(descriptor.pointee.nb_components))
        let isYCbCr = components.count >= 3 && descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB) == 0
        bytes.withUnsafeMutableBufferPointer { buffer in
            var data = [UnsafeMutablePointer<UInt8>?](repeating: nil, count: 4)
            var strides = [Int32](repeating: 0, count: 4)
            av_image_fill_arrays(&data, &strides, buffer.baseAddress, native, Int32(width), Int32(height), 1)
            for c in components.indices {
                let isChroma = isYCbCr && (c == 1 || c == 2)
                let (sx, sy) =
                    isChroma
                    ? (Int(descriptor.pointee.log2_chroma_w), Int(descriptor.pointee.log2_chroma_h)) : (0, 0)
                let columns = (width + (1 << sx) - 1) >> sx
                for y in 0..<(height + (1 << sy) - 1) >> sy {
                    let line = (0..<columns).map { UInt32(value(c, $0, y)) }
                    av_write_image_line2(
                        line, &data, strides, descriptor, 0, Int32(y), Int32(c), Int32(columns), 4)
                }
            }
            for (i, word) in palette.enumerated() {
                for k in 0..<4 { data[1]?[4 * i + k] = UInt8(truncatingIfNeeded: word >> UInt32(8 * k)) }
            }
        }
        return bytes
    }
}
