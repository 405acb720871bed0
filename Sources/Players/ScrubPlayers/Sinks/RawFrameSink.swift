internal import ScrubFileIO
public import ScrubBase

/// A sink that writes frames as raw bytes, for other programs. The rows have no padding, and the planes follow one
/// another.
///
/// With ``Header/record``, each frame is preceded by a record like those of `scrub drive --binary` (docs/drive.md). In
/// it, the request's number is ``PlayerFrame/sequenceNumber``, and the item's number is that of ``PlayerFrame/item``. A
/// frame without a picture is written as an error record with code 65. Without headers, every picture must have the
/// size and format of the first one. For a frame without a picture, the previous picture is written again.
///
/// Only frames of kind ``PlayerFrame/Kind/presented`` are written. Files and pipes are handled as in ``Y4MSink``.
///
/// Cost: for a 1080p picture, 2.5 ms as RGB and 0.5 ms in the stream's own format. Memory: one picture's bytes.
public final class RawFrameSink: FrameSink {
    /// The pixel format of the output.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// Three bytes per pixel, as displayed.
        case rgb24
        /// The samples as decoded, without conversion.
        case native
    }

    /// The header before each picture.
    public enum Header: Sendable, Hashable {
        /// No header.
        case none
        /// A 160-byte record that describes the picture.
        case record
    }

    fileprivate struct State {
        var output: ByteOutput
        var buffer: [UInt8] = []
        var shape: FrameRecord?
        var written = 0
    }

    private let format: Format
    private let header: Header
    private let options: FramePicture.Options
    private let state: Locked<State>

    /// Creates a sink that writes to a path: a new file, or an existing named pipe or device.
    ///
    /// - Parameters:
    ///   - appliesGeometry: whether RGB output is cropped to the clean aperture, rotated to be upright, and scaled to
    ///     square pixels. If false, the stored pixel grid is kept.
    ///   - replacesFiles: whether to replace a file that no earlier sink wrote. A file that is being read is never
    ///     replaced.
    /// - Throws: `inputOutput` if the output cannot be written, `usage` if the path belongs to a file that must not be
    ///   replaced.
    public convenience init(
        path: String, format: Format = .rgb24, header: Header = .record, appliesGeometry: Bool = true,
        replacesFiles: Bool = false
    ) throws(ScrubError) {
        let output = try OutputFile(path, .stream, replacesFiles: replacesFiles)
        self.init(to: try ByteOutput(output), format, header, appliesGeometry)
    }

    /// Creates a sink that writes to a file descriptor. The caller still owns the descriptor and must close it.
    ///
    /// - Parameters:
    ///   - name: the output's name in errors.
    ///   - appliesGeometry: whether RGB output is cropped to the clean aperture, rotated to be upright, and scaled to
    ///     square pixels. If false, the stored pixel grid is kept.
    public convenience init(
        descriptor: Int32, name: String = "standard output", format: Format = .rgb24, header: Header = .record,
        appliesGeometry: Bool = true
    ) {
        let output = ByteOutput(descriptor: descriptor, name: name)
        output.widenPipe()
        self.init(to: output, format, header, appliesGeometry)
    }

    private init(to output: sending ByteOutput, _ format: Format, _ header: Header, _ appliesGeometry: Bool) {
        (self.format, self.header) = (format, header)
        options = FramePicture.Options(appliesGeometry: appliesGeometry)
        state = Locked(State(output: output))
    }

    /// The number of frames written.
    public var writtenCount: Int { state.withLock { $0.written } }

    /// Writes a frame.
    ///
    /// - Throws: `inputOutput` if writing fails, `badData` if there are no headers and the picture's size or format
    ///   differs from that of the first picture.
    public func receive(_ frame: PlayerFrame) throws {
        guard frame.kind == .presented else { return }
        let (format, header, options) = (format, header, options)
        try state.withLock { (state) throws(ScrubError) in
            var record = FrameRecord(
                frame.picture == nil ? .error : .picture, request: frame.sequenceNumber, item: frame.item.value)
            record.frame = frame.frame.number
            (record.presentationTime, record.timeBase) = (frame.frame.presentationTime, frame.frame.timeBase)
            record.text = frame.verdict.reason ?? ""
            if let picture = frame.picture {
                record.status =
                    switch frame.verdict {
                    case .exact: 0
                    case .damaged: 1
                    case .approximate, .undecodable: 2
                    }
                record.describe(picture, isRGB: format == .rgb24, options)
                if header == .none { try state.check(record, picture) }
                let count = record.pictureByteCount
                if state.buffer.count != count { state.buffer = [UInt8](repeating: 0, count: count) }
                var target = state.buffer.mutableSpan
                if format == .rgb24 {
                    try picture.writeRGB(into: &target, options)
                } else {
                    picture.writePacked(into: &target)
                }
            } else {
                record.status = UInt32(ScrubError.Code.badData.exitStatus)
            }
            if header == .record { try state.output.write(record.bytes) }
            if frame.picture != nil || header == .none { try state.output.write(state.buffer) }
            state.written += 1
        }
    }

    /// Completes the output. If the output is a file, it gets its final name.
    ///
    /// - Throws: `inputOutput` if this fails.
    public func finish() throws { try state.withLock { (state) throws(ScrubError) in try state.output.finish() } }
}

extension RawFrameSink.State {
    fileprivate mutating func check(_ record: FrameRecord, _ picture: FramePicture) throws(ScrubError) {
        guard let shape else {
            shape = record
            return
        }
        guard shape.width == record.width, shape.height == record.height, shape.format == record.format else {
            throw ScrubError(
                .badData,
                "a picture is \(record.width)x\(record.height) \(record.format), but the first one is \(shape.width)x\(shape.height) \(shape.format)",
                file: picture.asset.path,
                advice: "put a header before each picture (\(term: .records)), or fit all to the first (\(term: .y4m))"
            )
        }
    }
}

extension FrameRecord {
    /// Describes a picture's bytes.
    package mutating func describe(_ picture: FramePicture, isRGB: Bool, _ options: FramePicture.Options) {
        if isRGB {
            (width, height) = picture.shownSize(options)
            planes = [(width * 3, height)]
            format = "rgb24"
            return
        }
        (width, height) = (picture.width, picture.height)
        planes = (0..<picture.planeCount).map {
            let plane = picture.plane($0)
            return (plane.bytesPerRow, plane.rowCount)
        }
        format = picture.pixelFormat
    }
}
