internal import CScrubFFmpeg
internal import CScrubShims
package import ScrubBase

/// A failing libav call: its status and its name.
package struct AVError: Error, Equatable, Sendable {
    /// The negative status, which is an `AVERROR` value.
    package let status: Int32
    /// The C function that returned it.
    package let function: StaticString

    package init(_ status: Int32, _ function: StaticString) {
        self.status = status
        self.function = function
    }

    /// Creates the error for a read that failed because of the system, not because of the file.
    package init(systemFailure function: StaticString) { self.init(Int32(scrub_error_from_errno(5)), function) }

    /// Whether the error is ``InputReading``'s status for a failed read: the source itself has a more precise error.
    package var isReadFailure: Bool { status == Int32(scrub_error_from_errno(5)) }

    /// Whether a sandbox worker ended or was ended, which is not the end of the file.
    package var isWorkerFailure: Bool {
        [
            SCRUB_ERROR_WORKER_ENDED, SCRUB_ERROR_WORKER_FORBIDDEN, SCRUB_ERROR_WORKER_LATE,
            SCRUB_ERROR_WORKER_MALFORMED,
            SCRUB_ERROR_WORKER_UNAVAILABLE,
        ].contains(Int(status))
    }

    package static func == (a: AVError, b: AVError) -> Bool {
        a.status == b.status && a.function.description == b.function.description
    }

    /// libav's message for the status.
    package var reason: String {
        if status == Int32(SCRUB_ERROR_PICTURE_TOO_LARGE) {
            return "a picture exceeds the picture-bytes or pixels limit"
        }
        if status == Int32(SCRUB_ERROR_NAMES_OTHER_FILES) {
            return "it is a list of other files, and Scrub does not open such lists"
        }
        switch Int(status) {
        case SCRUB_ERROR_WORKER_ENDED: return "its decoder process ended unexpectedly (sandbox)"
        case SCRUB_ERROR_WORKER_FORBIDDEN: return "its decoder violated the sandbox's rules and was terminated"
        case SCRUB_ERROR_WORKER_LATE:
            return "its decoder took longer than the picture-time limit and was terminated (sandbox)"
        case SCRUB_ERROR_WORKER_MALFORMED: return "its decoder sent invalid values and was terminated (sandbox)"
        case SCRUB_ERROR_WORKER_UNAVAILABLE:
            let why = Sandbox.refusal.withLock { $0 }
            return "the sandbox's worker cannot be started" + (why.isEmpty ? "" : ": " + why)
        case scrub_error_invalid_data: return "its data is damaged"
        default: break
        }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            unsafe av_strerror(status, text.baseAddress, text.count)
            return unsafe text.baseAddress.map { unsafe String(cString: $0) } ?? "status \(status)"
        }
    }

    /// Returns the error for display, with the matching exit code: damaged data, a missing part, or a failed read.
    package func scrubError(_ doing: String) -> ScrubError {
        if let error = Libraries.loadError(doing) { return error }
        let code: ScrubError.Code =
            switch Int(status) {
            case scrub_error_invalid_data, scrub_error_eof, scrub_error_patch_welcome: .badData
            case scrub_error_decoder_not_found, scrub_error_demuxer_not_found, scrub_error_protocol_not_found:
                .unavailable
            case SCRUB_ERROR_WORKER_UNAVAILABLE: .unavailable
            case Int(scrub_error_from_errno(2)), Int(scrub_error_from_errno(13)): .noInput
            // Includes ENOMEM, because libav allocates as much as the file specifies, and EIO, because demuxers return
            // it for files that end early. If a source failed, the callers have its own error.
            default: .badData
            }
        let isInvalid = status == Int32(scrub_error_invalid_data)
        let words =
            isReadFailure
            ? "it ends early, or data that its headers declare is missing"
            : isInvalid ? "it is damaged, or its format does not match its name" : reason
        var error = ScrubError(code, "\(doing): \(words)")
        switch Int(status) {
        case SCRUB_ERROR_NAMES_OTHER_FILES:
            error.advice =
                "open one of the files that it lists; in code, VideoAsset(url:) and HLSVideo read HLS playlists"
        case SCRUB_ERROR_WORKER_UNAVAILABLE:
            error.advice = "a sandbox needs Linux with seccomp; without a sandbox, only open files that you trust"
        case SCRUB_ERROR_PICTURE_TOO_LARGE:
            error.adviceWording =
                "if you trust the file, raise \(term: .limit(.pictureBytes)) and \(term: .limit(.pixels))"
        case SCRUB_ERROR_WORKER_ENDED, SCRUB_ERROR_WORKER_FORBIDDEN, SCRUB_ERROR_WORKER_MALFORMED:
            error.systemError = .averror(status)
            error.advice = "do not trust this file: try another copy, or report the problem"
        case SCRUB_ERROR_WORKER_LATE:
            error.systemError = .averror(status)
            error.adviceWording = "if you trust the file, allow more time: \(term: .limit(.pictureTime))"
        default:
            error.systemError = .averror(status)
            if isInvalid { error.advice = "try another copy, or use ffprobe to find out what it is" }
        }
        return error
    }
}

extension ScrubError {
    /// Whether a sandbox worker ended instead of answering: the result is then unknown, unlike with damaged data.
    package var isOfWorker: Bool {
        guard case .averror(let status)? = systemError else { return false }
        switch Int(status) {
        case SCRUB_ERROR_WORKER_ENDED, SCRUB_ERROR_WORKER_FORBIDDEN, SCRUB_ERROR_WORKER_LATE,
            SCRUB_ERROR_WORKER_MALFORMED:
            return true
        default: return false
        }
    }
}

/// Throws an error for a negative status.
@discardableResult
func check(_ status: Int32, _ function: StaticString) throws(AVError) -> Int32 {
    guard status >= 0 else { throw AVError(status, function) }
    return status
}

/// Returns a non-null pointer from an allocating call, or throws an error.
func allocated<T>(_ pointer: T?, _ function: StaticString) throws(AVError) -> T {
    guard let pointer else { throw AVError(scrub_error_from_errno(12), function) }
    return pointer
}

/// Runs libav calls and converts their errors for display.
package func translatingErrors<T: ~Copyable>(
    _ doing: @autoclosure () -> String, _ body: () throws(AVError) -> T
) throws(ScrubError) -> T {
    do throws(AVError) {
        return try body()
    } catch {
        throw error.scrubError(doing())
    }
}
