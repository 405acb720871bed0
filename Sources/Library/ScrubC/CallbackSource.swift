#if compiler(>=6.3)
internal import CScrub
internal import Glibc
internal import ScrubBase

/// Bytes that a program in C reads.
///
/// `@unchecked Sendable`: the header requires functions that several threads may call.
@safe final class CallbackSource: ByteSource, @unchecked Sendable {
    private let reader: scrub_reader
    let byteCount: Int64
    let contentIdentifier: String?

    /// - Parameter reader: copied; its `close` is called when this object is released, even if this initializer throws.
    init(_ reader: scrub_reader) throws(ScrubError) {
        unsafe (self.reader, byteCount) = (reader, reader.byte_count)
        contentIdentifier = unsafe reader.identity.map { unsafe CText.read($0) }
        guard unsafe reader.read != nil else { throw .null("scrub_reader.read") }
        guard byteCount >= 0 else {
            throw ScrubError(.usage, "scrub_reader.byte_count is \(byteCount)", advice: "set it to the number of bytes")
        }
    }

    deinit { unsafe reader.close?(reader.context) }

    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard let read = unsafe reader.read else { return 0 }
        let count = unsafe read(reader.context, offset, buffer.baseAddress, buffer.count)
        guard count >= 0 else {
            let number = Int32(clamping: 0 - max(count, Int64(Int32.min) + 1))
            throw ScrubError.system("the program's reader", number)
        }
        guard count <= buffer.count else {
            throw ScrubError(
                .inputOutput,
                "the program's reader returned \(count) bytes, but the buffer has room for \(buffer.count)")
        }
        return Int(count)
    }
}
#endif
