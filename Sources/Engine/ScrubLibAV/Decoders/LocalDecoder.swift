internal import CScrubFFmpeg
internal import CScrubShims
internal import Glibc
internal import ScrubBase

/// A decoder in this process: the owner of an `AVCodecContext`.
///
/// Use from one thread at a time; it may move between threads.
@safe final class LocalDecoder: DecodingWay {
    private let context: UnsafeMutablePointer<AVCodecContext>
    /// Known to the allocation callback and to the log, in all of the decoder's threads.
    private let identity: Unmanaged<Identity>
    /// Pictures that are kept back because others are decoded at the same time.
    let threadDelay: Int
    /// Whether pictures come from the allocator given, and not from a pool of the decoder's own.
    let usesAllocator: Bool

    /// Its messages.
    private let log: Log
    /// Nil for codecs that need none.
    private let marks: BlockMarks?
    private var undecoded: [Int64] = []
    private let isRepeatable: Bool
    /// The number of the packet given last.
    private var lastSent: Int64 = 0

    private final class Identity {
        let allocator: FrameAllocator?
        let marks: BlockMarks?
        /// The number of times that there was no memory for a picture; counted on any of the decoder's threads.
        let refusals = Locked(0)
        let pictureByteLimit: Int
        let pixelLimit: Int
        /// Set once, before the decoder is opened: it knows its owner's address.
        var log: Log?

        init(_ allocator: FrameAllocator?, _ marks: BlockMarks?, _ description: CodecDescription) {
            (self.allocator, self.marks) = (allocator, marks)
            (pictureByteLimit, pixelLimit) = (description.pictureByteLimit, description.pixelLimit)
        }
    }

    /// Opens a decoder.
    ///
    /// - Parameter allocator: the memory for pictures; `nil` for libavcodec's own pool.
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
            ? unsafe BlockMarks(codec: codec.pointee.id, isRepeatable: isRepeatable) : nil
        let identity = unsafe Unmanaged.passRetained(
            Identity(takesBuffers ? allocator : nil, marks, description))
        let log = unsafe Log(opaque: identity.toOpaque(), hasWorkers: options.threading != .single)
        unsafe identity.takeUnretainedValue().log = log
        do throws(AVError) {
            try unsafe description.apply(to: context)
            // With several frames at once libavcodec's APNG decoder waits for ever behind a frame whose data is missing
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
                // Decoders with memory of their own (dav1d) are not asked about bytes.
                unsafe context.pointee.max_pixels = Int64(min(description.pictureByteLimit, description.pixelLimit))
            }
            if unsafe codec.pointee.id == AV_CODEC_ID_MPEG4, !isRepeatable {
                // More bits behind a picture than an encoder's faulty padding has are to be reported. It changes such a
                // picture, which is why the careful way is without it: that decides whether they are damage.
                unsafe context.pointee.err_recognition |= AV_EF_BUFFER
            }
            if options.needsNoWorkarounds, unsafe codec.pointee.id == AV_CODEC_ID_MPEG4 {
                unsafe context.pointee.workaround_bugs = 0
            }
            if options.isForNumbers {
                unsafe (context.pointee.skip_loop_filter, context.pointee.skip_idct) = (AVDISCARD_ALL, AVDISCARD_ALL)
                // Decoders without the option ignore it, so its status says nothing.
                unsafe av_opt_set_int(context.pointee.priv_data, "enable_er", 0, 0)
            }
            if let build = options.x264Build, unsafe context.pointee.codec_id == AV_CODEC_ID_H264 {
                // Decoders without the option ignore it, so its status says nothing.
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
        // Decoders with threads of their own (dav1d) hold pictures back only where several pictures at once are wanted.
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
        // dav1d decodes as many pictures at once as the root of its threads says, rounded up, at most 8.
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

    /// Gives a packet to the decoder; `again` means that pictures must be taken out first.
    func send(_ packet: borrowing Packet) throws(AVError) -> Decoder.Step {
        lastSent = unsafe packet.pointer.pointee.pts
        return try step(log.listen { unsafe avcodec_send_packet(context, packet.pointer) }, "avcodec_send_packet")
    }

    /// Says that no more packets come, so that all pictures come out.
    func sendEnd() throws(AVError) {
        _ = try step(log.listen { unsafe avcodec_send_packet(context, nil) }, "avcodec_send_packet")
    }

    /// Takes the next picture out; `again` means that packets must go in first.
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

    /// Returns the numbers of the packets whose pictures have blocks that were never decoded, among those that came out
    /// and those decoded before them since this was asked last.
    func takeUndecoded() -> [Int64] {
        defer { undecoded.removeAll() }
        return undecoded
    }

    /// Forgets all pictures, ready for a restart.
    func flush() {
        log.listen { unsafe avcodec_flush_buffers(context) }
        marks?.forget()
        undecoded.removeAll()
    }

    /// Lets the H.264 decoder give out pictures before it believes that it has recovered.
    ///
    /// It believes so when the picture with the recovery point comes out. A drain right after a target does not wait
    /// for that: the target would be swallowed.
    func showUnrecovered(_ isWanted: Bool) {
        if isWanted {
            unsafe context.pointee.flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT
        } else {
            unsafe context.pointee.flags &= ~AV_CODEC_FLAG_OUTPUT_CORRUPT
        }
    }

    /// Begins to count messages again.
    ///
    /// - Parameter expected: messages that begin so don't count from now on.
    func forgetErrors(expected: String? = nil) {
        log.expect(expected)
        _ = log.take()
    }

    /// Counts messages from now on beside those that came before, except for the ones that begin so; `nil` for every
    /// one.
    func expectErrors(_ expected: String?) { log.expect(expected) }

    /// Nothing: here they cost nothing.
    func handOutOnly(_ numbers: [Int64]?) {}

    /// Returns the number of times that there was no memory for a picture since the last call. Decoders report that as
    /// damage, each in its own words.
    func takeRefusals() -> Int {
        unsafe identity.takeUnretainedValue().refusals.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    /// Returns the messages of level error or worse, or about concealment, that this decoder wrote since this was asked
    /// last. The result has their number, and the first one's words.
    func takeErrors() -> (count: Int, first: String?) { log.take() }

    private func step(_ status: Int32, _ function: StaticString) throws(AVError) -> Decoder.Step {
        if status == scrub_error_from_errno(11) { return .again }
        if status == scrub_error_eof { return .end }
        try check(status, function)
        return .done
    }
}
