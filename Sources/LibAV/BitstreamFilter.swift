internal import CFFmpeg
internal import ScrubBase

/// The owner of one libavcodec bitstream filter, which rewrites packets without decoding them.
package struct BitstreamFilter: ~Copyable, @unchecked Sendable {
    private let context: UnsafeMutablePointer<AVBSFContext>

    /// Makes a filter by name for a stream.
    package init(_ name: String, for description: CodecDescription) throws(AVError) {
        context = try BitstreamFilter.open(name, for: description)
    }

    private static func open(
        _ name: String, for description: CodecDescription
    ) throws(AVError) -> UnsafeMutablePointer<AVBSFContext> {
        guard let filter = av_bsf_get_by_name(name) else {
            throw AVError(scrub_error_from_errno(2), "av_bsf_get_by_name")
        }
        var made: UnsafeMutablePointer<AVBSFContext>?
        try check(av_bsf_alloc(filter, &made), "av_bsf_alloc")
        let context = try allocated(made, "av_bsf_alloc")
        context.pointee.par_in.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        context.pointee.par_in.pointee.codec_id = AVCodecID(description.codecID)
        context.pointee.par_in.pointee.codec_tag = description.codecTag
        let status = av_bsf_init(context)
        if status < 0 { av_bsf_free(&made) }
        try check(status, "av_bsf_init")
        return context
    }

    deinit {
        var closing: UnsafeMutablePointer<AVBSFContext>? = context
        av_bsf_free(&closing)
    }

    /// Filters a packet that is complete in itself: one in, at most one out, in place.
    ///
    /// - Returns: whether a packet came out.
    package mutating func filter(_ packet: inout Packet) throws(AVError) -> Bool {
        try check(av_bsf_send_packet(context, packet.pointer), "av_bsf_send_packet")
        let status = av_bsf_receive_packet(context, packet.pointer)
        if status == scrub_error_from_errno(11) || status == scrub_error_eof { return false }
        try check(status, "av_bsf_receive_packet")
        return true
    }

    /// Forgets what it kept of earlier packets.
    package mutating func flush() { av_bsf_flush(context) }
}
