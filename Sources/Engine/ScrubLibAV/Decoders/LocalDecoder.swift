internal import CScrubFFmpeg
internal import CScrubShims
internal import Glibc
internal import ScrubBase

/// A decoder in this process: the owner of an `AVCodecContext`.
///
/// Use from one thread at a time; it may move between threads.
@safe final class LocalDecoder: DecoderImplementation {
    private let context: UnsafeMutablePointer<AVCodecContext>
    /// The identity for the allocation callback and the log, in all of the decoder's threads.
    private let identity: Unmanaged<Identity>
    /// The number of pictures by which output is delayed because others are decoded at the same time.
    let threadDelay: Int
    /// Whether pictures come from the given allocator rather than the decoder's own pool.
    let usesAllocator: Bool

    /// The messages of the decoder.
    private let log: Log
    /// The marks; `nil` for codecs that do not need them.
    private let marks: UndecodedBlockDetector?
    private var undecoded: [Int64] = []
    private let isRepeatable: Bool
    /// The number of the last packet sent.
    private var lastSent: Int64 = 0

    private final class Identity {
        let allocator: FrameAllocator?
        let marks: UndecodedBlockDetector?
        /// The number of times there was not enough memory for a picture; counted on any of the decoder's threads.
        let refusals = Locked(0)
        let pictureByteLimit: Int
        let pixelLimit: Int
        /// Set once, before the decoder is opened: it knows its owner's address.
        var log: Log?

        init(_ allocator: FrameAllocator?, _ marks: UndecodedBlockDetector?, _ description: CodecDescription) {
            (self.allocator, self.marks) = (allocator, marks)
            (pictureByteLimit, pixelLimit) = (description.pictureByteLimit, description.pixelLimit)
        }
    }

    /// Opens a decoder.
    ///
    /// - Parameter allocator: the allocator of the pictures' memory; `nil` for libavcodec's own pool.
    init(
        _ description: CodecDescription, _ options: Decoder.Options = .init(), allocator: FrameAllocator? = nil
    ) throws(AVError) {
        guard let codec = unsafe avcodec_find_decoder(AVCodecID(description.codecID)) else {
            throw AVError(Int32(scrub_error_decoder_not_found), "avcodec_find_decoder")
        }
        var made: UnsafeMutablePointer<AVCodecContext>? = unsafe try allocated(
            avcodec_alloc_context3(codec), "avcodec_alloc_context3")
        guard let context = unsafe made else { throw AVError(scrub_error_from_errno(12), "avcodec_alloc_context3") }
        let capabilities = unsafe codec.pointee.capabilities
        let mayTakeBuffers = capabilities & AV_CODEC_CAP_DR1 != 0
        let takesBuffers = allocator != nil && mayTakeBuffers
        let isRepeatable = options.isRepeatable && options.threading == .single
        let marks =
            mayTakeBuffers && !options.isForNumbers
            ? unsafe UndecodedBlockDetector(codec: codec.pointee.id, isRepeatable: isRepeatable) : nil
        let identity = unsafe Unmanaged.passRetained(
            Identity(takesBuffers ? allocator : nil, marks, description))
        let log = unsafe Log(opaque: identity.toOpaque(), hasWorkers: options.threading != .single)
        unsafe identity.takeUnretainedValue().log = log
        do throws(AVError) {
            try unsafe description.apply(to: context)
            // With several frames at once, libavcodec's APNG decoder waits forever after a frame whose data is missing
            // (5.1).
            let isOrdered = description.codecName == "apng"
            unsafe LocalDecoder.set(isOrdered ? .single : options.threading, on: context, capabilities)
            unsafe context.pointee.has_b_frames = unsafe max(context.pointee.has_b_frames, Int32(options.reorderDelay))
            unsafe context.pointee.opaque = unsafe identity.toOpaque()
            unsafe scrub_crop_like_ffmpeg(context)
            if mayTakeBuffers {
                unsafe context.pointee.get_buffer2 = unsafe LocalDecoder.allocate
                unsafe scrub_allow_callbacks_on_workers(context)
            } else {
                // Decoders with their own memory (dav1d) have no limit in bytes.
                unsafe context.pointee.max_pixels = Int64(min(description.pictureByteLimit, description.pixelLimit))
            }
            if unsafe codec.pointee.id == AV_CODEC_ID_MPEG4, !isRepeatable {
                // More bits after a picture than an encoder's incorrect padding are to be reported. The option changes
                // such a picture, which is why the careful path does not use it: that path decides whether they are
                // damage.
                unsafe context.pointee.err_recognition |= AV_EF_BUFFER
            }
            if options.needsNoWorkarounds, unsafe codec.pointee.id == AV_CODEC_ID_MPEG4 {
                unsafe context.pointee.workaround_bugs = 0
            }
            if options.isForNumbers {
                unsafe (context.pointee.skip_loop_filter, context.pointee.skip_idct) = (AVDISCARD_ALL, AVDISCARD_ALL)
                // Decoders without the option ignore it, so its status is not checked.
                unsafe av_opt_set_int(context.pointee.priv_data, "enable_er", 0, 0)
            }
            if let build = options.x264Build, unsafe context.pointee.codec_id == AV_CODEC_ID_H264 {
                // Decoders without the option ignore it, so its status is not checked.
                unsafe av_opt_set_int(context.pointee.priv_data, "x264_build", Int64(build), 0)
            }
            try check(log.listen { unsafe avcodec_open2(context, codec, nil) }, "avcodec_open2")
        } catch {
            log.listen { unsafe avcodec_free_context(&made) }
            unsafe identity.release()
            throw error
        }
        unsafe self.context = unsafe context
        unsafe self.identity = unsafe identity
        self.log = log
        self.marks = marks
        self.isRepeatable = isRepeatable
        usesAllocator = takesBuffers
        threadDelay = unsafe LocalDecoder.delay(options.threading, of: context, capabilities)
    }

    deinit {
        var closing: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        log.listen { unsafe avcodec_free_context(&closing) }
        unsafe identity.release()
    }

    private static func set(
        _ threading: Decoder.Threading, on context: UnsafeMutablePointer<AVCodecContext>, _ capabilities: Int32
    ) {
        switch threading {
        case .single:
            unsafe context.pointee.thread_count = 1
            unsafe context.pointee.thread_type = FF_THREAD_SLICE
        case .frames(let count):
            unsafe context.pointee.thread_count = Int32(clamping: max(1, count))
            unsafe context.pointee.thread_type = FF_THREAD_FRAME
        case .slices(let count):
            unsafe context.pointee.thread_count = Int32(clamping: max(1, count))
            unsafe context.pointee.thread_type = FF_THREAD_SLICE
        }
        // Decoders with their own threads (dav1d) delay pictures only if several pictures at once are requested.
        let hasOwnThreads = capabilities & AV_CODEC_CAP_OTHER_THREADS != 0
        if hasOwnThreads, case .frames = threading { return }
        if hasOwnThreads { unsafe context.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY }
    }

    private static func delay(
        _ threading: Decoder.Threading, of context: UnsafeMutablePointer<AVCodecContext>, _ capabilities: Int32
    ) -> Int {
        if unsafe context.pointee.active_thread_type & FF_THREAD_FRAME != 0 {
            return unsafe Int(max(1, context.pointee.thread_count)) - 1
        }
        guard capabilities & AV_CODEC_CAP_OTHER_THREADS != 0, case .frames(let count) = threading else { return 0 }
        // dav1d decodes as many pictures at once as the square root of its number of threads, rounded up, at most 8.
        return min(8, Int(Double(count).squareRoot().rounded(.up))) - 1
    }

    /// `get_buffer2`; called on any of the decoder's threads.
    private static let allocate:
        @convention(c) (UnsafeMutablePointer<AVCodecContext>?, UnsafeMutablePointer<AVFrame>?, Int32) -> Int32 = {
            context, frame, flags in
            guard let context = unsafe context, let frame = unsafe frame, let opaque = unsafe context.pointee.opaque
            else {
                return scrub_error_from_errno(22)
            }
            let identity = unsafe Unmanaged<Identity>.fromOpaque(opaque).takeUnretainedValue()
            identity.log?.adoptThread()
            let refusal = unsafe scrub_check_picture_size(
                context, frame, Int64(identity.pictureByteLimit), Int64(identity.pixelLimit))
            if refusal < 0 { return refusal }
            let descriptor = unsafe av_pix_fmt_desc_get(AVPixelFormat(frame.pointee.format))
            let isPlain =
                unsafe context.pointee.hw_frames_ctx == nil
                && (descriptor?.pointee.flags ?? 0) & UInt64(AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL) == 0
            guard isPlain else { return unsafe avcodec_default_get_buffer2(context, frame, flags) }
            let status =
                unsafe identity.allocator?.fill(frame, for: context)
                ?? avcodec_default_get_buffer2(context, frame, flags)
            if status >= 0 { unsafe identity.marks?.mark(frame, for: context) }
            if status == scrub_error_from_errno(ENOMEM) { identity.refusals.withLock { $0 += 1 } }
            return status
        }

    /// Sends a packet to the decoder; `again` means that pictures must be received first.
    func send(_ packet: borrowing Packet) throws(AVError) -> Decoder.Step {
        lastSent = unsafe packet.pointer.pointee.pts
        return try step(log.listen { unsafe avcodec_send_packet(context, packet.pointer) }, "avcodec_send_packet")
    }

    /// Signals the end of the packets, so that all pictures are output.
    func sendEnd() throws(AVError) {
        _ = try step(log.listen { unsafe avcodec_send_packet(context, nil) }, "avcodec_send_packet")
    }

    /// Receives the next picture; `again` means that packets must be sent first.
    func receive(into frame: inout Frame) throws(AVError) -> Decoder.Step {
        let step = try step(
            log.listen { unsafe avcodec_receive_frame(context, frame.pointer) }, "avcodec_receive_frame")
        // libavcodec sets the flag for HEVC fields, but each of them is a separate picture.
        if step == .done, unsafe context.pointee.codec_id == AV_CODEC_ID_HEVC {
            unsafe scrub_frame_set_progressive(frame.pointer)
        }
        if let marks {
            if isRepeatable { undecoded += marks.undecoded(after: lastSent) }
            if step == .done { unsafe undecoded += marks.undecoded(through: frame.pointer) }
        }
        return step
    }

    /// Returns the numbers of the packets whose pictures have blocks that were never decoded, among the pictures that
    /// were output since the last call, and those decoded before them.
    func takeUndecoded() -> [Int64] {
        defer { undecoded.removeAll() }
        return undecoded
    }

    /// Discards all pictures, ready for a restart.
    func flush() {
        log.listen { unsafe avcodec_flush_buffers(context) }
        marks?.forget()
        undecoded.removeAll()
    }

    /// Makes the H.264 decoder output pictures before it considers itself recovered.
    ///
    /// It considers itself recovered when the picture with the recovery point is output. A drain right after a target
    /// does not wait for that, so the target would be dropped.
    func showUnrecovered(_ isWanted: Bool) {
        if isWanted {
            unsafe context.pointee.flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT
        } else {
            unsafe context.pointee.flags &= ~AV_CODEC_FLAG_OUTPUT_CORRUPT
        }
    }

    /// Resets the count of messages.
    ///
    /// - Parameter expected: the beginning of messages that do not count from now on.
    func forgetErrors(expected: String? = nil) {
        log.expect(expected)
        _ = log.take()
    }

    /// Keeps counting messages, except those with the given beginning from now on; `nil` to count all.
    func expectErrors(_ expected: String?) { log.expect(expected) }

    /// Does nothing, because samples are free here.
    func handOutOnly(_ numbers: [Int64]?) {}

    /// Returns how often there was not enough memory for a picture since the last call. Decoders report that as damage,
    /// each with its own message.
    func takeRefusals() -> Int {
        unsafe identity.takeUnretainedValue().refusals.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    /// Returns the number of messages of level error or worse, or about concealment, from this decoder since the last
    /// call, and the text of the first one.
    func takeErrors() -> (count: Int, first: String?) { log.take() }

    private func step(_ status: Int32, _ function: StaticString) throws(AVError) -> Decoder.Step {
        if status == scrub_error_from_errno(11) { return .again }
        if status == scrub_error_eof { return .end }
        try check(status, function)
        return .done
    }
}
