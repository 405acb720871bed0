package import ScrubBase
internal import SystemPackage

extension ScrubError {
    /// Creates the error of a failed system call, with the system's own message and number.
    ///
    /// - Parameters:
    ///   - error: the thrown error: an `Errno`.
    ///   - doing: the action, as a clause; `nil` for the system's message only.
    package init(
        system error: any Error, _ code: Code, doing: String? = nil, file: String? = nil, place: Place? = nil,
        advice: Wording? = nil
    ) {
        let number = error as? Errno
        let reason = number?.description ?? "\(error)"
        self.init(
            code, Wording([doing, reason].compactMap { $0 }.joined(separator: ": ")), file: file, place: place,
            advice: advice)
        systemError = number.map { .errno($0.rawValue) }
    }
}
