internal import CFFmpeg

/// The owner of one libavcodec decoder.
///
/// It knows nothing of seeking: packets go in with numbers, pictures come out with the numbers of the packets that
/// they are from. Use from one thread at a time; it may move between threads.
package struct Decoder: ~Copyable, @unchecked Sendable {
    /// How a decoder is opened.
    package struct Options: Sendable, Hashable {
        /// Threads that the decoder may use; 1 makes decoding of damaged data repeatable.
        package var threadCount = 1
        /// Pictures of reorder delay to begin with. A delay that the decoder has to grow while it runs can cost
        /// the pictures that were already due, so a run that begins inside the stream says it first.
        package var reorderDelay = 0
        /// The build of x264 that made the stream, when known: libavcodec imitates the faults of old builds, and
        /// the message that names the build stands only before the first picture.
        package var x264Build: Int?

        package init() {}
    }

    private let context: UnsafeMutablePointer<AVCodecContext>

    package init(_ description: CodecDescription, _ options: Options = .init()) throws(AVError) {
        Log.install()
        guard let codec = avcodec_find_decoder(AVCodecID(description.codecID)) else {
            throw AVError(Int32(scrub_error_decoder_not_found), "avcodec_find_decoder")
        }
        var made: UnsafeMutablePointer<AVCodecContext>? = try allocated(
            avcodec_alloc_context3(codec), "avcodec_alloc_context3")
        guard let context = made else { throw AVError(scrub_error_from_errno(12), "avcodec_alloc_context3") }
        do throws(AVError) {
            try description.apply(to: context)
            context.pointee.thread_count = Int32(max(1, options.threadCount))
            context.pointee.thread_type = FF_THREAD_SLICE
            context.pointee.has_b_frames = max(context.pointee.has_b_frames, Int32(options.reorderDelay))
            if let build = options.x264Build, context.pointee.codec_id == AV_CODEC_ID_H264 {
                // Decoders without the option ignore it, so its status says nothing.
                av_opt_set_int(context.pointee.priv_data, "x264_build", Int64(build), 0)
            }
            try check(avcodec_open2(context, codec, nil), "avcodec_open2")
        } catch {
            avcodec_free_context(&made)
            throw error
        }
        self.context = context
    }

    deinit {
        var closing: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&closing)
    }

    /// What became of a call.
    package enum Step: Sendable { case done, again, end }

    /// Gives a packet to the decoder; `again` means that pictures must be taken out first.
    package mutating func send(_ packet: borrowing Packet) throws(AVError) -> Step {
        try step(avcodec_send_packet(context, packet.pointer), "avcodec_send_packet")
    }

    /// Says that no more packets come, so that all pictures come out.
    package mutating func sendEnd() throws(AVError) {
        _ = try step(avcodec_send_packet(context, nil), "avcodec_send_packet")
    }

    /// Takes the next picture out; `again` means that packets must go in first.
    package mutating func receive(into frame: inout Frame) throws(AVError) -> Step {
        try step(avcodec_receive_frame(context, frame.pointer), "avcodec_receive_frame")
    }

    /// Forgets all pictures, ready for a restart.
    package mutating func flush() { avcodec_flush_buffers(context) }

    /// Errors that this decoder reported since a mark of ``Log/position``.
    package func errors(since mark: UInt64) -> (count: Int, first: String?) {
        Log.errors(since: mark, context: UnsafeRawPointer(context))
    }

    private func step(_ status: Int32, _ function: StaticString) throws(AVError) -> Step {
        if status == scrub_error_from_errno(11) { return .again }
        if status == scrub_error_eof { return .end }
        try check(status, function)
        return .done
    }
}
