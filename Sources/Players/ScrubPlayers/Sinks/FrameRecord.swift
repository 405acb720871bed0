package import ScrubBase

/// The header that `scrub drive --binary` and ``RawFrameSink`` write before each picture. It has 160 bytes, and all
/// numbers are little-endian. docs/drive.md describes each byte.
package struct FrameRecord {
    package enum Kind: UInt32 {
        case hello = 0
        case picture = 1
        case error = 2
        /// The frame times. The record has a single plane with a row of four numbers for each frame: its presentation
        /// time, its time on screen after the first frame, its duration, and 1 for a keyframe.
        case times = 3
        /// The facts, as a JSON object in the format of `scrub info --json`.
        case facts = 4
    }

    package static let byteCount = 160
    /// The maximum number of planes, as in libav.
    package static let planeLimit = 4
    private static let formatByteCount = 24

    package var kind: Kind
    /// The request's line number, counted from 0.
    package var request: Int
    /// The index of the picture in the request, counted from 0; -1 for the whole request.
    package var item = -1
    /// The frame's number. In the hello record, this is the number of frames.
    package var frame = -1
    package var presentationTime: Int64 = 0
    package var timeBase = Rational.one
    /// For a picture: 0 exact, 1 damaged, 2 approximate. For an error: 64, 65, 66, 69 or 74, as in `sysexits.h`.
    package var status: UInt32 = 0
    package var width = 0
    package var height = 0
    package var format = ""
    /// For each plane, the number of bytes per row, without padding, and the number of rows.
    package var planes: [(bytesPerRow: Int, rows: Int)] = []
    /// A sentence that states why the picture is not exact, or describes the error.
    package var text = ""
    /// The picture's offset in the shared memory; -1 if the picture follows the text.
    package var place = -1
    /// For an error, the underlying `errno`; 0 if there is none.
    package var systemError = 0

    package init(_ kind: Kind, request: Int, item: Int = -1) {
        (self.kind, self.request, self.item) = (kind, request, item)
    }

    package init(_ error: ScrubError, request: Int, item: Int, for face: Face = .command) {
        self.init(.error, request: request, item: item)
        status = UInt32(error.code.exitStatus)
        text = error.description(for: face)
        if case .errno(let number) = error.systemError { systemError = Int(number) }
    }

    /// The size of the picture in bytes.
    package var pictureByteCount: Int { planes.reduce(0) { $0 + $1.bytesPerRow * $1.rows } }

    /// The record and its text.
    package var bytes: [UInt8] {
        let sentence = Array(text.utf8)
        var bytes = Array("SCR1".utf8)
        func append(_ value: some FixedWidthInteger) {
            unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
        }
        append(kind.rawValue)
        append(Int64(request))
        append(Int64(item))
        append(Int64(frame))
        append(presentationTime)
        append(timeBase.numerator)
        append(timeBase.denominator)
        append(status)
        append(UInt32(planes.count))
        append(UInt32(clamping: width))
        append(UInt32(clamping: height))
        let name = Array(format.utf8.prefix(FrameRecord.formatByteCount))
        bytes += name + [UInt8](repeating: 0, count: FrameRecord.formatByteCount - name.count)
        for place in 0..<FrameRecord.planeLimit {
            let plane = place < planes.count ? planes[place] : (0, 0)
            append(UInt32(clamping: plane.0))
            append(UInt32(clamping: plane.1))
        }
        append(Int64(sentence.count))
        append(Int64(kind == .picture || kind == .times ? pictureByteCount : 0))
        append(Int64(place))
        append(Int64(systemError))
        assert(bytes.count == FrameRecord.byteCount, "the record has the wrong size")
        return bytes + sentence
    }
}
