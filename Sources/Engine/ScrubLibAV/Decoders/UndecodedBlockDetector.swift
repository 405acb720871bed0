internal import CScrubFFmpeg
internal import Glibc
internal import ScrubBase

/// Finds blocks that a decoder never wrote.
///
/// If the bytes of a picture end too early, some decoders stop silently and output the picture with the previous
/// contents of its memory. Therefore, each block of a new buffer gets a mark in its middle. A block that still has it
/// when the picture is output was not decoded. A mark is eight samples of noise: real content matches it once in 2^64
/// blocks. The marks are the same in every run, so that damaged pictures are too. The positions of marks depend on the
/// codec (``Pattern``).
///
/// Cost: for codecs with macroblocks, one cache line in sixteen rows of luma, written and read (30 microseconds for
/// 1080p). For others, one row in eight of every plane, and the end of each row.
///
/// Thread safety: safe from any thread; decoder threads call it.
final class UndecodedBlockDetector: Sendable {
    /// A marked buffer that has not been inspected yet.
    @safe private struct Buffer: @unchecked Sendable {
        // `@unchecked Sendable`: protected by the state's lock; the reference keeps the memory.
        let planes: [Plane]
        /// The number of the packet for which the buffer is, if libavcodec specified it.
        let number: Int64?
        /// The references. The first one identifies the picture.
        let references: [UnsafeMutablePointer<AVBufferRef>]

        func release() {
            unsafe references.forEach { reference in
                var reference: UnsafeMutablePointer<AVBufferRef>? = unsafe reference
                unsafe av_buffer_unref(&reference)
            }
        }

        /// Returns the remaining marks.
        func remains() -> Remains {
            var remains = Remains()
            // Nearly always, no marks remain, and counting is skipped.
            guard planes.contains(where: { unsafe $0.grid.mayRemain(in: $0.memory) }) else { return remains }
            for plane in planes { unsafe plane.grid.count(in: plane.memory, into: &remains) }
            return remains
        }
    }

    /// One plane of a buffer.
    @safe private struct Plane {
        let memory: UnsafeMutableRawPointer
        let grid: Grid
    }

    /// The buffers in decode order.
    private let waiting = Locked([Buffer]())
    /// Whether buffers are zeroed before decoding, so that parts that are not decoded are the same in every run.
    private let isRepeatable: Bool
    /// Whether the decoder creates frames for missing references and does not write to them (H.264 8.2.5.2; libavcodec
    /// also where a stream begins in an open group). They do not belong to a packet.
    private let makesPlaceholders: Bool
    private let pattern: Pattern

    /// More buffers than any decoder has in progress or waiting for output (16 reordered, 64 threads).
    private static let limit = 96

    /// - Returns: `nil` for codecs whose pictures are not necessarily written completely.
    init?(codec: AVCodecID, isRepeatable: Bool) {
        guard let pattern = Pattern(codec) else { return nil }
        self.pattern = pattern
        self.isRepeatable = isRepeatable
        makesPlaceholders = codec == AV_CODEC_ID_H264
    }

    deinit { forget() }

    /// Marks a buffer that was just given to a decoder.
    func mark(_ frame: UnsafeMutablePointer<AVFrame>, for context: UnsafeMutablePointer<AVCodecContext>) {
        let (buffers, data) = unsafe (frame.pointee.buf, frame.pointee.data)
        let owners = unsafe [buffers.0, buffers.1, buffers.2, buffers.3].compactMap { unsafe $0 }
        let starts = unsafe [data.0, data.1, data.2, data.3]
        let planes = (0..<pattern.planeCount).compactMap { number -> Plane? in
            guard let memory = unsafe starts[number],
                let grid = unsafe Grid(pattern, plane: number, of: frame, context, isRepeatable: isRepeatable)
            else { return nil }
            return unsafe Plane(memory: UnsafeMutableRawPointer(memory), grid: grid)
        }
        guard !planes.isEmpty else { return }
        if isRepeatable {
            // The initial contents of libavcodec's own buffers.
            unsafe owners.forEach { owner in
                if let bytes = unsafe owner.pointee.data { unsafe memset(bytes, 0, Int(owner.pointee.size)) }
            }
        }
        let references = unsafe owners.compactMap { unsafe av_buffer_ref($0) }
        let buffer = unsafe Buffer(
            planes: planes, number: Packet.time(frame.pointee.pts), references: references)
        guard unsafe !owners.isEmpty && references.count == owners.count else { return buffer.release() }
        for plane in planes { unsafe plane.grid.mark(plane.memory) }
        waiting.withLock { waiting in
            if waiting.count == UndecodedBlockDetector.limit { waiting.removeFirst().release() }
            waiting.append(buffer)
        }
    }

    /// Inspects an output picture, and all pictures that were decoded before it.
    ///
    /// - Returns: the numbers of the packets whose pictures have blocks that were never decoded.
    func undecoded(through frame: UnsafeMutablePointer<AVFrame>) -> [Int64] {
        guard let owner = unsafe frame.pointee.buf.0?.pointee.buffer else { return [] }
        return waiting.withLock { waiting in
            guard let own = waiting.lastIndex(where: { unsafe $0.references.first?.pointee.buffer == owner }) else {
                return []
            }
            // A missing reference is created after the picture's own buffer, and never written.
            var last = own
            while last + 1 < waiting.count, let number = waiting[own].number, waiting[last + 1].number == number {
                last += 1
            }
            return unsafe look(at: &waiting, ...last, isOut: own, default: Packet.time(frame.pointee.pts))
        }
    }

    /// Inspects all buffers, which are decoded if the decoder has one thread and has consumed a packet.
    ///
    /// Restores the contents of blocks that were never decoded before anything is predicted from them.
    ///
    /// - Parameter packet: the number of that packet.
    func undecoded(after packet: Int64) -> [Int64] {
        waiting.withLock { waiting in
            guard !waiting.isEmpty else { return [] }
            return look(at: &waiting, ...(waiting.count - 1), isOut: nil, default: packet)
        }
    }

    private func look(
        at waiting: inout [Buffer], _ places: PartialRangeThrough<Int>, isOut: Int?, default number: Int64?
    ) -> [Int64] {
        var found: [Int64] = []
        var kept: [Buffer] = []
        for (i, buffer) in waiting[places].enumerated() {
            let left = buffer.remains()
            if left.isOneField, i != isOut {
                // The second field may still come, or is made from the first field when the picture is output.
                kept.append(buffer)
                continue
            }
            if left.hasAny {
                let isPlaceholder = makesPlaceholders && left.isWhole && i != isOut
                if !isPlaceholder, let number = buffer.number ?? number { found.append(number) }
                if isRepeatable { for plane in buffer.planes { unsafe plane.grid.erase(in: plane.memory) } }
            }
            buffer.release()
        }
        waiting.replaceSubrange(places, with: kept)
        return found
    }

    /// Releases all buffers after a flush.
    func forget() {
        waiting.withLock { waiting in
            for buffer in waiting { buffer.release() }
            waiting.removeAll()
        }
    }
}
