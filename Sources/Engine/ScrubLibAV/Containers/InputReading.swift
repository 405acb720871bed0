internal import CScrubFFmpeg
internal import CScrubShims
internal import ScrubBase

/// The reading of a source by libavformat: its position, and the callbacks for `avio_alloc_context`.
///
/// `@unchecked Sendable`: an input is used from one thread at a time, and this object is accessed only through it.
final class InputReading: InputBytes, @unchecked Sendable {
    private let source: any ByteSource
    private let knownByteCount: Int64
    private let block: Int32
    /// The source, if it may still grow.
    private let growing: (any AwaitedByteSource)?
    /// The cached blocks, if long blocks are read.
    private var blocks: BlockReadCache?
    private var position: Int64 = 0
    /// The limits of the source.
    let limits: MediaLimits
    /// The file in which a refusal is recorded.
    private let limited: (any LimitedByteSource)?
    /// The time in nanoseconds of the ``LimitClock`` by which the current call must return.
    private var end = Int64.max
    /// The numbers of bytes that the current call has read, and may read.
    private var (readBytes, mostBytes): (Int64, Int64) = (0, .max)
    /// Whether a limit ended the last call.
    private var isRefused = false
    var byteCount: Int64 { growing?.byteCount ?? knownByteCount }

    /// - Parameters:
    ///   - block: the number of bytes that libavformat requests at once; 0 for the default.
    ///   - file: the file from which the bytes were made, whose limits apply.
    init(_ source: any ByteSource, block: Int32 = 0, of file: (any ByteSource)? = nil) {
        self.block = block
        blocks = block > 0 ? BlockReadCache(blockCount: Int(block)) : nil
        limited = (file ?? source) as? any LimitedByteSource
        (self.source, knownByteCount, growing) = (source, source.byteCount, source as? any AwaitedByteSource)
        limits = (file ?? source).standingLimits
    }

    /// Whether reading waits for bytes that a writer has not written yet.
    var isGrowing: Bool { growing != nil }

    /// Starts counting the cost of one call.
    ///
    /// - Parameter isElementary: whether the file consists only of coded pictures, whose ends are searched for in
    ///   memory. Other files may have much data between two pictures: other streams, whose packets are skipped.
    func begin(isElementary: Bool) {
        let (bytes, isMany) = Int64(limits.maximumCodedPictureByteCount).multipliedReportingOverflow(
            by: isElementary ? 1 : 16)
        (readBytes, mostBytes, isRefused) = (0, isMany ? .max : bytes, false)
        // Waiting for a writer has no time limit.
        end = growing == nil ? LimitClock.after(limits.maximumPictureTime) : .max
    }

    /// Returns whether the current call may continue; if not, the source records the reason.
    private func checkLimits() -> Bool {
        guard !isRefused else { return false }
        let refusal: ScrubError
        if readBytes > mostBytes {
            refusal = limits.refusal(.codedBytes, nil, "a coded picture", place: .byte(Int64(position)))
        } else if LimitClock.now > end {
            refusal = limits.timeRefusal(.pictureTime, "reading a coded picture near byte \(position)")
        } else {
            return true
        }
        isRefused = true
        limited?.refuse(refusal)
        return false
    }

    /// Plain pointers to this object, which must outlive the input.
    var callbacks: scrub_source {
        unsafe scrub_source(
            opaque: Unmanaged.passUnretained(self).toOpaque(),
            read: { opaque, out, wanted in
                guard let opaque = unsafe opaque, let out = unsafe out, wanted > 0 else {
                    return Int32(scrub_error_from_errno(EINVAL))
                }
                let reading = unsafe Unmanaged<InputReading>.fromOpaque(opaque).takeUnretainedValue()
                return unsafe reading.read(into: UnsafeMutableRawBufferPointer(start: out, count: Int(wanted)))
            },
            seek: { opaque, offset, whence in
                guard let opaque = unsafe opaque else { return Int64(scrub_error_from_errno(EINVAL)) }
                return unsafe Unmanaged<InputReading>.fromOpaque(opaque).takeUnretainedValue().seek(offset, whence)
            },
            is_interrupted: { opaque in
                guard let opaque = unsafe opaque else { return 0 }
                return unsafe Unmanaged<InputReading>.fromOpaque(opaque).takeUnretainedValue().checkLimits() ? 0 : 1
            }, block: block)
    }

    /// Reads bytes and returns their number, or an `AVERROR`.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        if let growing {
            guard growing.waitForByte(at: position) else { return Int32(scrub_error_eof) }
        }
        guard position < byteCount else { return Int32(scrub_error_eof) }
        guard checkLimits() else { return Int32(scrub_error_from_errno(EIO)) }
        let room = unsafe UnsafeMutableRawBufferPointer(
            rebasing: buffer.prefix(Int(min(Int64(buffer.count), byteCount - position))))
        do throws(ScrubError) {
            let count = try unsafe fill(room)
            blocks?.note(count, at: position)
            position += Int64(count)
            return count > 0 ? Int32(count) : Int32(scrub_error_eof)
        } catch {
            return Int32(scrub_error_from_errno(EIO))
        }
    }

    /// Fills a buffer from the current position and returns the number of bytes.
    private func fill(_ room: UnsafeMutableRawBufferPointer) throws(ScrubError) -> Int {
        guard blocks?.begin(at: position) ?? false else { return try unsafe readSource(into: room) }
        let count = try unsafe blocks?.copy(from: position, into: room) { (block) throws(ScrubError) in
            try unsafe readSource(into: block)
        }
        // Repeated reads within the blocks also cost time, which the limit ends.
        readBytes += Int64(count ?? 0)
        return count ?? 0
    }

    private func readSource(into room: UnsafeMutableRawBufferPointer) throws(ScrubError) -> Int {
        let count = try unsafe source.readSome(at: position, into: room)
        readBytes += Int64(count)
        return count
    }

    /// Reads with read-ahead: bytes after the first ones are included only if they cost nothing, are within the limits,
    /// and can be read.
    func read(into buffer: UnsafeMutableRawBufferPointer, atOnce first: Int) -> Int32 {
        let begin = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(first))
        guard buffer.count > first, growing == nil, mostBytes - readBytes > Int64(buffer.count) else {
            return unsafe read(into: begin)
        }
        let status = unsafe read(into: buffer)
        // Some of the range cannot be read, possibly after the first bytes.
        return unsafe status >= 0 || isRefused ? status : read(into: begin)
    }

    /// Moves to a position, or returns the number of bytes; an `AVERROR` for a position that does not exist.
    func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        if whence & AVSEEK_SIZE != 0 {
            // The size of a growing file is unknown: an element that extends beyond the current end would be an error
            // in the file.
            return growing == nil ? byteCount : Int64(scrub_error_from_errno(ENOSYS))
        }
        let base: Int64? =
            switch whence & ~AVSEEK_FORCE {
            case SEEK_SET: 0
            case SEEK_CUR: position
            case SEEK_END: growing == nil ? byteCount : nil
            default: nil
            }
        guard let base, case (let place, false) = base.addingReportingOverflow(offset), place >= 0 else {
            return Int64(scrub_error_from_errno(EINVAL))
        }
        growing?.willRead(at: place)
        position = place
        return place
    }
}

/// The source of an input's bytes.
protocol InputBytes: AnyObject {
    /// Plain pointers to this object, which must outlive the input.
    var callbacks: scrub_source { get }
    /// The limits of the source.
    var limits: MediaLimits { get }
    /// Starts counting the cost of one call.
    func begin(isElementary: Bool)
}
