internal import CScrubFFmpeg
internal import ScrubBase

extension UndecodedBlockDetector {
    /// The positions of marks in a codec's pictures. There are none unless every valid picture of the codec is written
    /// completely.
    ///
    /// For each codec here, valid files were decoded with two different memory contents, and no sample of any picture
    /// depended on them. Others (screen codecs) may write only the changes into a new buffer.
    struct Pattern: Sendable {
        /// The number of samples per row of a block, each of which gets a mark.
        var width = 16
        var height = 16
        /// The number of planes with marks. Only luma, or all planes: decoders with macroblocks write the blocks of all
        /// planes together.
        var planeCount = 1
        /// Whether the end of each row has a mark too, for decoders that write row by row.
        var hasRowEnds = false
        /// Whether the last samples of a plane are also inspected one by one. A decoder that works sample by sample may
        /// end within a mark.
        var isWrittenBySample = false
        /// Whether the decoded picture is blended with the previous one: if so, marks are opaque so that they do not
        /// change.
        var isBlended = false

        init?(_ codec: AVCodecID) {
            switch codec {
            case AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP7, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9,
                AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_H263,
                AV_CODEC_ID_H261, AV_CODEC_ID_FLV1, AV_CODEC_ID_MSMPEG4V1, AV_CODEC_ID_MSMPEG4V2,
                AV_CODEC_ID_MSMPEG4V3, AV_CODEC_ID_WMV1, AV_CODEC_ID_WMV2, AV_CODEC_ID_RV10, AV_CODEC_ID_RV20,
                AV_CODEC_ID_RV40:
                break
            case AV_CODEC_ID_APNG:
                // Its rectangles can begin and end anywhere, and a row with an invalid filter is not written (PNG 9.2).
                (width, height, planeCount, hasRowEnds, isBlended) = (16, 1, 4, true, true)
            case AV_CODEC_ID_FFV1:
                // Its slices can end anywhere in a row.
                (width, height, planeCount, hasRowEnds) = (64, 1, 4, true)
            case AV_CODEC_ID_MAGICYUV, AV_CODEC_ID_HUFFYUV, AV_CODEC_ID_FFVHUFF, AV_CODEC_ID_UTVIDEO,
                AV_CODEC_ID_LJPEG, AV_CODEC_ID_JPEGLS:
                (width, height, planeCount, hasRowEnds, isWrittenBySample) = (8, 8, 4, true, true)
            case AV_CODEC_ID_THEORA, AV_CODEC_ID_VP3, AV_CODEC_ID_MJPEG, AV_CODEC_ID_AMV, AV_CODEC_ID_ASV1,
                AV_CODEC_ID_ASV2, AV_CODEC_ID_DNXHD, AV_CODEC_ID_DVVIDEO, AV_CODEC_ID_PRORES,
                AV_CODEC_ID_SPEEDHQ, AV_CODEC_ID_SVQ1, AV_CODEC_ID_JPEG2000, AV_CODEC_ID_CFHD, AV_CODEC_ID_PNG,
                AV_CODEC_ID_WEBP:
                (width, height, planeCount, hasRowEnds) = (8, 8, 4, true)
            default: return nil
            }
        }
    }

    /// The remaining marks of a buffer, by the fields of their rows.
    struct Remains {
        var even = (left: 0, all: 0)
        var odd = (left: 0, all: 0)
        /// Whether a plane's last sample is still that of its mark. A valid picture has that sample there at most once
        /// in 256 pictures. Therefore, the result of one decoder is not enough; a repeatable decoder uses different
        /// marks.
        var endsInMark = false

        var hasAny: Bool { even.left + odd.left > 0 || endsInMark }
        var isWhole: Bool { even.left + odd.left > 0 && even.left == even.all && odd.left == odd.all }
        /// Whether one field has all remaining marks, and the other one has none.
        var isOneField: Bool {
            (even.left == even.all && odd.left == 0 || odd.left == odd.all && even.left == 0)
                && even.all > 0 && odd.all > 0
        }
    }

    /// The positions of a plane's marks, and their pattern.
    struct Grid: Sendable {
        /// The width in samples; for packed formats in bytes, or in words if samples have more than eight bits.
        let width: Int
        let height: Int
        let stride: Int
        /// Whether a sample has two bytes.
        let isWide: Bool
        let noise: (UInt64, UInt64)
        private let blockWidth: Int
        private let blockHeight: Int
        private let hasRowEnds: Bool
        private let isWrittenBySample: Bool

        /// `FF_PROFILE_MJPEG_JPEG_LOSSLESS`, the frame header's marker (ITU-T T.81 B.1.1.3, SOF3).
        private static let losslessJPEG: Int32 = 0xc3

        /// The number of samples of a mark, and the minimum size of a block at an edge that gets a mark.
        private static let samples = 8

        init?(
            _ pattern: Pattern, plane: Int, of frame: UnsafeMutablePointer<AVFrame>,
            _ context: UnsafeMutablePointer<AVCodecContext>, isRepeatable: Bool
        ) {
            let format = unsafe AVPixelFormat(frame.pointee.format)
            guard let descriptor = unsafe av_pix_fmt_desc_get(format) else { return nil }
            let (luma, flags) = unsafe (descriptor.pointee.comp.0, descriptor.pointee.flags)
            // If all bits count, the byte order of a sample does not matter.
            let excluded =
                (luma.depth == 16 ? 0 : AV_PIX_FMT_FLAG_BE) | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM
                | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_FLOAT
            isWide = luma.depth > 8
            // Luma is always in the same place: other planes and packed planes are used only if all planes count.
            let isPlain = luma.shift == 0 && luma.offset == 0 && luma.step == (isWide ? 2 : 1)
            guard flags & UInt64(excluded) == 0, (1...16).contains(luma.depth), isPlain || pattern.planeCount > 1
            else { return nil }
            let picture = (
                width: unsafe min(frame.pointee.width, max(context.pointee.width, 1)),
                height: unsafe min(frame.pointee.height, max(context.pointee.height, 1))
            )
            let isChroma = plane == 1 || plane == 2
            let shift = isChroma ? unsafe Int(descriptor.pointee.log2_chroma_h) : 0
            let rowBytes = Int(av_image_get_linesize(format, picture.width, Int32(plane)))
            width = rowBytes / (isWide ? 2 : 1)
            height = (Int(picture.height) + (1 << shift) - 1) >> shift
            stride =
                switch plane {
                case 0: unsafe Int(frame.pointee.linesize.0)
                case 1: unsafe Int(frame.pointee.linesize.1)
                case 2: unsafe Int(frame.pointee.linesize.2)
                default: unsafe Int(frame.pointee.linesize.3)
                }
            guard rowBytes > 0, stride >= rowBytes else { return nil }
            let lane = isWide ? (UInt64(1) << UInt64(luma.depth) - 1) &* 0x0001_0001_0001_0001 : .max
            // Alpha is the last byte of a pixel of four or two bytes.
            let opaque: UInt64 =
                switch luma.step {
                case 4 where pattern.isBlended: 0xff00_0000_ff00_0000
                case 2 where pattern.isBlended && !isWide: 0xff00_ff00_ff00_ff00
                default: 0
                }
            // The last block of a plane may have fewer samples than a mark, and lossless JPEG has no blocks.
            let isLossless = unsafe context.pointee.profile == Grid.losslessJPEG
            let endsInPart = pattern.hasRowEnds && pattern.height == 8 && (width % 8 != 0 || isLossless)
            let mayEndInMark = pattern.isWrittenBySample || endsInPart
            let flip: UInt64 = isRepeatable && mayEndInMark ? .max : 0
            noise = ((0x9e37_79b9_7f4a_7c15 ^ flip) & lane | opaque, (0x6a09_e667_f3bc_c908 ^ flip) & lane)
            (blockWidth, blockHeight, hasRowEnds) = (pattern.width, pattern.height, pattern.hasRowEnds)
            // The last byte of a packed pixel may be unused; three-byte RGB has no such byte.
            let isDense = isPlain || luma.step == 3 && !isWide
            isWrittenBySample = mayEndInMark && isDense && width >= Grid.samples
        }

        /// Returns the row of a block's mark, alternating between the fields; adjacent blocks in one cache line have
        /// the same row.
        @inline(__always)
        private func row(_ top: Int, _ rows: Int, _ left: Int) -> Int {
            blockHeight > 1 ? top + rows / 2 - (left / 64 + top / blockHeight) % 2 : top
        }

        /// The column at which blocks with their own marks end, because the end of a row already has one.
        private var right: Int { hasRowEnds ? max(0, width - Grid.samples) : width }

        /// Calls a closure with the offset of the first byte of each mark, and whether it is in an even row.
        @inline(__always)
        private func forEachMark(_ body: (_ offset: Int, _ isEven: Bool) -> Void) {
            let (samples, bytes, right) = (Grid.samples, isWide ? 2 : 1, right)
            for top in Swift.stride(from: 0, to: height, by: blockHeight) {
                let rows = min(blockHeight, height - top)
                guard rows >= min(samples, blockHeight) else { break }
                for left in Swift.stride(from: 0, to: right, by: blockWidth) {
                    let columns = min(blockWidth, right - left)
                    guard columns >= samples else { break }
                    let row = row(top, rows, left)
                    body(row * stride + bytes * (left + (columns - samples) / 2), row % 2 == 0)
                }
            }
            guard hasRowEnds, width >= samples else { return }
            for row in 0..<height { body(row * stride + bytes * (width - samples), row % 2 == 0) }
        }

        /// Writes the marks.
        func mark(_ memory: UnsafeMutableRawPointer) {
            forEachMark { offset, _ in
                unsafe memory.storeBytes(of: noise.0, toByteOffset: offset, as: UInt64.self)
                if isWide { unsafe memory.storeBytes(of: noise.1, toByteOffset: offset + 8, as: UInt64.self) }
            }
        }

        /// Counts the marks that remain.
        func count(in memory: UnsafeMutableRawPointer, into remains: inout Remains) {
            var (even, odd) = (remains.even, remains.odd)
            forEachMark { offset, isEven in
                let left = unsafe isLeft(in: memory, at: offset) ? 1 : 0
                if isEven {
                    even = (even.left + left, even.all + 1)
                } else {
                    odd = (odd.left + left, odd.all + 1)
                }
            }
            (remains.even, remains.odd) = (even, odd)
            if unsafe leftAtEnd(in: memory) > 0 { remains.endsInMark = true }
        }

        /// Returns the number of the plane's last samples that are still those of its mark.
        private func leftAtEnd(in memory: UnsafeMutableRawPointer) -> Int {
            guard isWrittenBySample else { return 0 }
            let end = (height - 1) * stride
            return (0..<Grid.samples).first { place in
                let column = width - 1 - place
                let sample = Grid.samples - 1 - place
                guard isWide else {
                    return unsafe memory.load(fromByteOffset: end + column, as: UInt8.self)
                        != UInt8(truncatingIfNeeded: noise.0 >> UInt64(8 * sample))
                }
                let word = sample < 4 ? noise.0 : noise.1
                return unsafe memory.loadUnaligned(fromByteOffset: end + 2 * column, as: UInt16.self)
                    != UInt16(truncatingIfNeeded: word >> UInt64(16 * (sample % 4)))
            } ?? Grid.samples
        }

        /// Returns whether some block may have the first half of its mark. It visits the marks like
        /// ``forEachMark(_:)``, without a branch or a division for each block, so that the processor waits for several
        /// cache lines at once.
        func mayRemain(in memory: UnsafeMutableRawPointer) -> Bool {
            let (samples, bytes, right) = (Grid.samples, isWide ? 2 : 1, right)
            let group = 4 * blockWidth
            var isLeft = false
            for top in Swift.stride(from: 0, to: height, by: blockHeight) {
                let rows = min(blockHeight, height - top)
                guard rows >= min(samples, blockHeight) else { break }
                for left in Swift.stride(from: 0, to: right, by: group) {
                    guard left + group <= right else {
                        for edge in Swift.stride(from: left, to: right, by: blockWidth) {
                            let columns = min(blockWidth, right - edge)
                            guard columns >= samples else { break }
                            let line = unsafe memory + row(top, rows, edge) * stride
                            let column = edge + (columns - samples) / 2
                            isLeft =
                                unsafe isLeft
                                || line.loadUnaligned(fromByteOffset: bytes * column, as: UInt64.self) == noise.0
                        }
                        break
                    }
                    let first =
                        unsafe memory + row(top, rows, left) * stride + bytes * (left + (blockWidth - samples) / 2)
                    let marks = unsafe SIMD4(
                        first.loadUnaligned(as: UInt64.self),
                        first.loadUnaligned(fromByteOffset: bytes * blockWidth, as: UInt64.self),
                        first.loadUnaligned(fromByteOffset: bytes * 2 * blockWidth, as: UInt64.self),
                        first.loadUnaligned(fromByteOffset: bytes * 3 * blockWidth, as: UInt64.self))
                    isLeft = isLeft || any(marks .== noise.0)
                }
                if isLeft { return true }
            }
            guard hasRowEnds, width >= samples else { return false }
            for row in 0..<height {
                let end = row * stride + bytes * (width - samples)
                isLeft = unsafe isLeft || memory.loadUnaligned(fromByteOffset: end, as: UInt64.self) == noise.0
            }
            return unsafe isLeft || leftAtEnd(in: memory) > 0
        }

        /// Sets the remaining marks to zero.
        func erase(in memory: UnsafeMutableRawPointer) {
            for place in unsafe 0..<leftAtEnd(in: memory) {
                let column = width - 1 - place
                unsafe memory.advanced(by: (height - 1) * stride + (isWide ? 2 : 1) * column)
                    .initializeMemory(as: UInt8.self, repeating: 0, count: isWide ? 2 : 1)
            }
            forEachMark { offset, _ in
                guard unsafe isLeft(in: memory, at: offset) else { return }
                unsafe memory.storeBytes(of: 0, toByteOffset: offset, as: UInt64.self)
                if isWide { unsafe memory.storeBytes(of: 0, toByteOffset: offset + 8, as: UInt64.self) }
            }
        }

        @inline(__always)
        private func isLeft(in memory: UnsafeMutableRawPointer, at offset: Int) -> Bool {
            unsafe memory.loadUnaligned(fromByteOffset: offset, as: UInt64.self) == noise.0
                && (!isWide || memory.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self) == noise.1)
        }
    }
}
