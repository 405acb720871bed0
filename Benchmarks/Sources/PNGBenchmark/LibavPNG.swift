import CPictureCodecs
import Scrub

/// libavcodec's PNG encoder with its defaults, as `ffmpeg -i film out.png` uses it: no filters, zlib's level 6, one
/// thread.
enum LibavPNG {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Encodes a picture of RGB with 8 bits.
    ///
    /// - Returns: the file's size, and the time without the copy of the pixels.
    static func encode(_ pixels: PixelImage) throws -> (byteCount: Int, time: Duration) {
        guard let codec = avcodec_find_encoder(AV_CODEC_ID_PNG), let context = avcodec_alloc_context3(codec),
            let frame = av_frame_alloc(), let packet = av_packet_alloc()
        else { throw Failure(description: "libavcodec has no PNG encoder") }
        var (contextAddress, frameAddress, packetAddress) = (Optional(context), Optional(frame), Optional(packet))
        defer {
            avcodec_free_context(&contextAddress)
            av_frame_free(&frameAddress)
            av_packet_free(&packetAddress)
        }
        (context.pointee.width, context.pointee.height) = (Int32(pixels.width), Int32(pixels.height))
        context.pointee.pix_fmt = AV_PIX_FMT_RGB24
        context.pointee.time_base = AVRational(num: 1, den: 25)
        context.pointee.thread_count = 1
        (frame.pointee.width, frame.pointee.height) = (context.pointee.width, context.pointee.height)
        frame.pointee.format = AV_PIX_FMT_RGB24.rawValue
        guard avcodec_open2(context, codec, nil) == 0, av_frame_get_buffer(frame, 0) == 0,
            let data = frame.pointee.data.0
        else { throw Failure(description: "libavcodec's PNG encoder does not open") }
        for row in 0..<pixels.height {
            let start = row * pixels.bytesPerRow
            pixels.bytes[start..<start + pixels.bytesPerRow].withUnsafeBytes {
                UnsafeMutableRawBufferPointer(start: data + row * Int(frame.pointee.linesize.0), count: $0.count)
                    .copyMemory(from: $0)
            }
        }
        let start = ContinuousClock.now
        guard avcodec_send_frame(context, frame) == 0, avcodec_receive_packet(context, packet) == 0 else {
            throw Failure(description: "libavcodec's PNG encoder fails")
        }
        return (Int(packet.pointee.size), ContinuousClock.now - start)
    }
}
