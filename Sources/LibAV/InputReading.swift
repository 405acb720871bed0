internal import CFFmpeg
internal import CScrubShims
internal import ScrubBase

/// How libavformat reads a source: its place, and the callbacks that `avio_alloc_context` takes.
///
/// `@unchecked Sendable`: an input is used from one thread at a time, and only through it is this reached.
final class InputReading: @unchecked Sendable {
    private let source: any ByteSource
    private let knownByteCount: Int64
    /// The same where more of it may come.
    private let growing: (any AwaitedByteSource)?
    private var position: Int64 = 0
    private var byteCount: Int64 { growing?.byteCount ?? knownByteCount }

    init(_ source: any ByteSource) {
        (self.source, knownByteCount, growing) = (source, source.byteCount, source as? any AwaitedByteSource)
    }

    /// Plain pointers to this object: it must outlive the input.
    var callbacks: scrub_source {
        scrub_source(
            opaque: Unmanaged.passUnretained(self).toOpaque(),
            read: { opaque, out, wanted in
                guard let opaque, let out, wanted > 0 else { return Int32(scrub_error_from_errno(EINVAL)) }
                let reading = Unmanaged<InputReading>.fromOpaque(opaque).takeUnretainedValue()
                return reading.read(into: UnsafeMutableRawBufferPointer(start: out, count: Int(wanted)))
            },
            seek: { opaque, offset, whence in
                guard let opaque else { return Int64(scrub_error_from_errno(EINVAL)) }
                return Unmanaged<InputReading>.fromOpaque(opaque).takeUnretainedValue().seek(offset, whence)
            })
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        if let growing {
            guard growing.waitForByte(at: position) else { return Int32(scrub_error_eof) }
        }
        guard position < byteCount else { return Int32(scrub_error_eof) }
        let room = UnsafeMutableRawBufferPointer(
            rebasing: buffer.prefix(Int(min(Int64(buffer.count), byteCount - position))))
        do throws(ScrubError) {
            let count = try source.readSome(at: position, into: room)
            position += Int64(count)
            return count > 0 ? Int32(count) : Int32(scrub_error_eof)
        } catch {
            return Int32(scrub_error_from_errno(EIO))
        }
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        if whence & AVSEEK_SIZE != 0 { return byteCount }
        let base: Int64? =
            switch whence & ~AVSEEK_FORCE {
            case SEEK_SET: 0
            case SEEK_CUR: position
            case SEEK_END: byteCount
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
