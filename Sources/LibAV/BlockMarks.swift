internal import CFFmpeg
internal import Glibc
internal import ScrubBase

/// Finds blocks that a decoder never wrote.
///
/// Where the bytes of a picture end too early, some decoders stop without a word and hand out the picture with
/// whatever its memory held before. So each block of a fresh buffer gets a mark in its middle, and a block that still
/// has it when the picture comes out was not decoded. A mark is eight samples of noise: real content has it there once
/// in 2^64 blocks. It is the same in every run, so that a damaged picture is the same too.
///
/// Cost: one cache line in sixteen rows of luma, written and read (30 microseconds of 1080p).
///
/// Thread safety: safe from any thread; decoders' workers call it.
final class BlockMarks: Sendable {
    /// One marked buffer that was not looked at yet.
    private struct Buffer: @unchecked Sendable {
        // `@unchecked Sendable`: the state's lock; the reference keeps the memory.
        let luma: UnsafeMutableRawPointer
        let grid: Grid
        /// The number of the packet that the buffer is for, when libavcodec told it.
        let number: Int64?
        let reference: UnsafeMutablePointer<AVBufferRef>

        func release() {
            var reference: UnsafeMutablePointer<AVBufferRef>? = reference
            av_buffer_unref(&reference)
        }
    }

    /// In the order of decoding.
    private let waiting = Locked([Buffer]())
    /// Whether buffers are zero before they are decoded into, so that what is not decoded is the same in every run.
    private let isRepeatable: Bool
    /// Whether the decoder makes frames of its own for references that are missing, and writes nothing into them (H.264
    /// 8.2.5.2; libavcodec also where a stream begins in an open group). They are no picture of any packet.
    private let makesPlaceholders: Bool

    /// More buffers than any decoder has in work and waiting to come out (16 reordered, 64 threads).
    private static let limit = 96

    init(codec: AVCodecID, isRepeatable: Bool) {
        self.isRepeatable = isRepeatable
        makesPlaceholders = codec == AV_CODEC_ID_H264
    }

    deinit { forget() }

    /// Whether a codec's pictures are written in full, so that a mark that stays is a fault. Others (screen codecs)
    /// write what changed into a copy of the picture before.
    static func areUseful(for codec: AVCodecID) -> Bool {
        switch codec {
        case AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP7, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9,
            AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_H263:
            true
        default: false
        }
    }

    /// Marks a buffer that a decoder was just given.
    func mark(_ frame: UnsafeMutablePointer<AVFrame>, for context: UnsafeMutablePointer<AVCodecContext>) {
        guard let luma = frame.pointee.data.0, let owner = frame.pointee.buf.0, let grid = Grid(frame, context) else {
            return
        }
        if isRepeatable {
            // What libavcodec's own buffers are when they are new.
            for owner in [frame.pointee.buf.0, frame.pointee.buf.1, frame.pointee.buf.2, frame.pointee.buf.3] {
                if let owner, let bytes = owner.pointee.data { memset(bytes, 0, Int(owner.pointee.size)) }
            }
        }
        guard let reference = av_buffer_ref(owner) else { return }
        let memory = UnsafeMutableRawPointer(luma)
        grid.forEachBlock { block, _ in
            memory.storeBytes(of: grid.pattern.0, toByteOffset: block, as: UInt64.self)
            if grid.isWide { memory.storeBytes(of: grid.pattern.1, toByteOffset: block + 8, as: UInt64.self) }
        }
        let buffer = Buffer(
            luma: memory, grid: grid, number: Packet.time(frame.pointee.pts), reference: reference)
        waiting.withLock { waiting in
            if waiting.count == BlockMarks.limit { waiting.removeFirst().release() }
            waiting.append(buffer)
        }
    }

    /// Looks at a picture that came out, and at all that were decoded before it.
    ///
    /// - Returns: the numbers of the packets whose pictures have blocks that were never decoded.
    func undecoded(through frame: UnsafeMutablePointer<AVFrame>) -> [Int64] {
        guard let owner = frame.pointee.buf.0?.pointee.buffer else { return [] }
        return waiting.withLock { waiting in
            guard let last = waiting.lastIndex(where: { $0.reference.pointee.buffer == owner }) else { return [] }
            return look(at: &waiting, ...last, isOut: last, default: Packet.time(frame.pointee.pts))
        }
    }

    /// Looks at everything, which is decoded when the decoder has one thread and has taken a packet.
    ///
    /// Blocks that were never decoded are made what they were without marks, before anything is predicted from them.
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
            let left = buffer.grid.remains(in: buffer.luma)
            if left.isOneField, i != isOut {
                // The second field may be still to come, or is made from the first when the picture comes out.
                kept.append(buffer)
                continue
            }
            if left.hasAny {
                let isPlaceholder = makesPlaceholders && left.isWhole && i != isOut
                if !isPlaceholder, let number = buffer.number ?? number { found.append(number) }
                if isRepeatable { buffer.grid.erase(in: buffer.luma) }
            }
            buffer.release()
        }
        waiting.replaceSubrange(places, with: kept)
        return found
    }

    /// Lets go of everything, after a flush.
    func forget() {
        waiting.withLock { waiting in
            for buffer in waiting { buffer.release() }
            waiting.removeAll()
        }
    }
}

extension BlockMarks {
    /// Where the marks of a picture are, and what they look like.
    struct Grid: Sendable {
        let width: Int
        let height: Int
        let stride: Int
        /// Whether a sample has two bytes.
        let isWide: Bool
        let bitDepth: Int
        let pattern: (UInt64, UInt64)

        /// The smallest unit that the decoders here give up at: a macroblock, a coding tree unit.
        private static let block = 16
        /// Samples of a mark, and the least of a block at an edge that gets one.
        private static let samples = 8

        init?(_ frame: UnsafeMutablePointer<AVFrame>, _ context: UnsafeMutablePointer<AVCodecContext>) {
            guard let descriptor = av_pix_fmt_desc_get(AVPixelFormat(frame.pointee.format)) else { return nil }
            let (luma, flags) = (descriptor.pointee.comp.0, descriptor.pointee.flags)
            let excluded =
                AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL
                | AV_PIX_FMT_FLAG_FLOAT
            isWide = luma.depth > 8
            guard flags & UInt64(excluded) == 0, luma.shift == 0, luma.offset == 0,
                (1...16).contains(luma.depth), luma.step == (isWide ? 2 : 1)
            else { return nil }
            bitDepth = Int(luma.depth)
            width = Int(min(frame.pointee.width, max(context.pointee.width, 1)))
            height = Int(min(frame.pointee.height, max(context.pointee.height, 1)))
            stride = Int(frame.pointee.linesize.0)
            guard stride >= width * (isWide ? 2 : 1) else { return nil }
            let lane = isWide ? (UInt64(1) << UInt64(bitDepth) - 1) &* 0x0001_0001_0001_0001 : .max
            pattern = (0x9e37_79b9_7f4a_7c15 & lane, 0x6a09_e667_f3bc_c908 & lane)
        }

        /// Gives the first byte of each block's mark, and whether it is in an even row.
        @inline(__always)
        func forEachBlock(_ body: (_ offset: Int, _ isEven: Bool) -> Void) {
            let (block, samples) = (Grid.block, Grid.samples)
            for top in Swift.stride(from: 0, to: height, by: block) {
                let rows = min(block, height - top)
                guard rows >= samples else { break }
                for left in Swift.stride(from: 0, to: width, by: block) {
                    let columns = min(block, width - left)
                    guard columns >= samples else { break }
                    let column = left + (columns - samples) / 2
                    // Rows of both fields, in turn; neighbours in one cache line have the same.
                    let row = top + rows / 2 - (left / 64 + top / block) % 2
                    body(row * stride + (isWide ? 2 * column : column), row % 2 == 0)
                }
            }
        }

        /// What is left of the marks.
        func remains(in luma: UnsafeMutableRawPointer) -> (hasAny: Bool, isWhole: Bool, isOneField: Bool) {
            // Nearly always nothing: then nobody has to count.
            guard mayRemain(in: luma) else { return (false, false, false) }
            var (even, odd) = ((left: 0, all: 0), (left: 0, all: 0))
            forEachBlock { offset, isEven in
                let left = isLeft(in: luma, at: offset) ? 1 : 0
                if isEven {
                    even = (even.left + left, even.all + 1)
                } else {
                    odd = (odd.left + left, odd.all + 1)
                }
            }
            let isOneField =
                (even.left == even.all && odd.left == 0 || odd.left == odd.all && even.left == 0)
                && even.all > 0 && odd.all > 0
            let (left, all) = (even.left + odd.left, even.all + odd.all)
            return (left > 0, left == all, isOneField)
        }

        /// Whether some block may have the first half of its mark: as ``forEachBlock(_:)`` goes, without a branch or a division for each
        /// block, so that the processor waits for several cache lines at once.
        private func mayRemain(in luma: UnsafeMutableRawPointer) -> Bool {
            let (block, samples, bytes) = (Grid.block, Grid.samples, isWide ? 2 : 1)
            let group = 4 * block
            var isLeft = false
            for top in Swift.stride(from: 0, to: height, by: block) {
                let rows = min(block, height - top)
                guard rows >= samples else { break }
                for left in Swift.stride(from: 0, to: width, by: group) {
                    let row = top + rows / 2 - (left / 64 + top / block) % 2
                    let line = luma + row * stride
                    guard left + group <= width else {
                        for edge in Swift.stride(from: left, to: width, by: block) {
                            let columns = min(block, width - edge)
                            guard columns >= samples else { break }
                            let column = edge + (columns - samples) / 2
                            isLeft =
                                isLeft
                                || line.loadUnaligned(fromByteOffset: bytes * column, as: UInt64.self) == pattern.0
                        }
                        break
                    }
                    let first = line + bytes * (left + (block - samples) / 2)
                    let marks = SIMD4(
                        first.loadUnaligned(as: UInt64.self),
                        first.loadUnaligned(fromByteOffset: bytes * block, as: UInt64.self),
                        first.loadUnaligned(fromByteOffset: bytes * 2 * block, as: UInt64.self),
                        first.loadUnaligned(fromByteOffset: bytes * 3 * block, as: UInt64.self))
                    isLeft = isLeft || any(marks .== pattern.0)
                }
                if isLeft { return true }
            }
            return false
        }

        /// Makes zeros of the marks that are left.
        func erase(in luma: UnsafeMutableRawPointer) {
            forEachBlock { offset, _ in
                guard isLeft(in: luma, at: offset) else { return }
                luma.storeBytes(of: 0, toByteOffset: offset, as: UInt64.self)
                if isWide { luma.storeBytes(of: 0, toByteOffset: offset + 8, as: UInt64.self) }
            }
        }

        @inline(__always)
        private func isLeft(in luma: UnsafeMutableRawPointer, at offset: Int) -> Bool {
            luma.loadUnaligned(fromByteOffset: offset, as: UInt64.self) == pattern.0
                && (!isWide || luma.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self) == pattern.1)
        }
    }
}
