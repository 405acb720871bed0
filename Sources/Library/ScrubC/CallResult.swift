#if compiler(>=6.3)
internal import CScrub
internal import Glibc
internal import Scrub
internal import ScrubBase

/// Runs the body of a function of the C library. The body's error becomes the returned status and the caller's message.
///
/// - Parameter error: the caller's structure, or `nil`. If its size is wrong, the body is not run and the structure
///   stays unchanged, because its memory may be smaller.
func answering(
    _ error: UnsafeMutablePointer<scrub_error>?, _ body: () throws -> Void
) -> scrub_status {
    var status = Int32(SCRUB_OK)
    var sentence = ""
    var systemError: Int32 = 0
    do {
        try ForkWatch.check()
        if let error = unsafe error { _ = try unsafe SizedCopy(error) }
        try body()
    } catch let failure as ScrubError where !failure.isCancellation {
        status = failure.code.exitStatus
        sentence = failure.description(for: CallWords.face)
        if case .errno(let number) = failure.systemError { systemError = number }
    } catch let failure where failure is CancellationError || failure is ScrubError {
        status = Int32(SCRUB_CANCELLED)
        sentence = "the call was cancelled"
    } catch is ForkedProcess {
        status = Int32(SCRUB_FORKED)
        sentence =
            "this process was forked after a video had been opened, so it lacks the library's threads (open videos only in the child, or start another program)"
    } catch {
        preconditionFailure("an unknown error: \(error)")
    }
    if let error = unsafe error, unsafe SizedCopy<scrub_error>.byteCount(error.pointee.size) != nil {
        unsafe error.pointee.status = status
        unsafe error.pointee.system_error = systemError
        unsafe withUnsafeMutableBytes(of: &error.pointee.message) { unsafe CText.write(sentence, into: $0) }
    }
    return status
}

/// This process is a child of the process that opened a video.
struct ForkedProcess: Error {}

extension ScrubError {
    /// A pointer that may not be NULL.
    static func null(_ name: String) -> ScrubError {
        ScrubError(.usage, "\(name) is NULL", advice: "pass a valid address")
    }
}

extension ScrubError {
    /// A failure with an error number of the system.
    static func system(_ what: String, _ number: Int32) -> ScrubError {
        var error = ScrubError(.inputOutput, unsafe "\(what): \(String(cString: strerror(number)))")
        error.systemError = .errno(number)
        return error
    }
}

/// Numbers from C.
enum CNumber {
    /// Returns a number from C that is at least 1; `nil` for 0, C's default.
    ///
    /// - Parameter zero: the meaning of 0, for messages.
    static func count(
        _ said: Int32, _ name: String, atMost most: Int32, zero: String = "the default"
    ) throws(ScrubError) -> Int? {
        guard said != 0 else { return nil }
        guard (1...most).contains(said) else {
            throw ScrubError(.usage, "\(name) is \(said)", advice: "use a number from 1 to \(most), or 0 for \(zero)")
        }
        return Int(said)
    }
}

/// Text in C's memory.
enum CText {
    /// Writes text with a final 0, and fills the rest with zeros. Text that is too long is cut between characters and
    /// ends with an ellipsis.
    static func write(_ text: String, into memory: UnsafeMutableRawBufferPointer) {
        guard memory.count > 0 else { return }
        let isWhole = text.utf8.count < memory.count
        let mark = isWhole || memory.count < 8 ? "" : "…"
        var count = 0
        func put(_ character: Character) {
            for byte in character.utf8 {
                // A 0 would end the text for C.
                unsafe memory[count] = byte == 0 ? UInt8(ascii: "?") : byte
                count += 1
            }
        }
        for character in text {
            guard count + character.utf8.count + mark.utf8.count < memory.count else { break }
            put(character)
        }
        for character in mark { put(character) }
        for place in count..<memory.count { unsafe memory[place] = 0 }
    }

    /// Copies text from C; bytes that are not UTF-8 are kept, as in file names (``SystemName``).
    static func read(_ text: UnsafePointer<CChar>?, _ name: String) throws(ScrubError) -> String {
        guard let text = unsafe text else { throw .null(name) }
        return unsafe read(text)
    }

    /// Copies a NULL-terminated list of strings.
    static func list(_ texts: UnsafePointer<UnsafePointer<CChar>?>?) -> [String] {
        guard let texts = unsafe texts else { return [] }
        var list: [String] = []
        while let text = unsafe texts[list.count] { unsafe list.append(read(text)) }
        return list
    }

    static func read(_ text: UnsafePointer<CChar>) -> String {
        let count = unsafe strlen(text)
        return unsafe SystemName.text(UnsafeRawBufferPointer(start: text, count: count))
    }
}
#endif
