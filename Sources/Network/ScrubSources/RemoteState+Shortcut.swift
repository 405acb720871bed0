internal import ScrubSourcesLogic
internal import ScrubHTTPTransport

// Redirects are followed once for many requests: as long as their target responds properly, it is requested directly.
extension RemoteState {
    /// The number of remembered targets that may fail before they were useful. After that, no more are remembered,
    /// because each one costs a request.
    private static let vainShortcuts = 2

    /// Records the source of a response.
    ///
    /// - Returns: false for a response from a remembered target that no longer works, for example after a signed
    ///   address expired. The file's own address is requested instead.
    mutating func remember(_ head: HTTPHead, _ judged: AnswerKind, _ answer: Answer) -> Bool {
        let isGood =
            switch judged {
            case .part, .parts, .pastEnd: true
            case .whole: board.isWhole || answer.asked == nil
            case .changed, .status, .coded, .wrong: false
            }
        guard isGood else { return !forget(answer.shortcut) }
        if answer.shortcut != nil { shortcutFailures = 0 }
        let isElsewhere = head.url.key != errors.url.key
        if !isElsewhere {
            shortcut = nil
        } else if shortcutFailures < RemoteState.vainShortcuts {
            shortcut = HTTPRequest.Shortcut(url: head.url, hasLeftOrigin: head.hasLeftOrigin)
        }
        return true
    }

    /// Forgets a remembered target for which a request failed.
    ///
    /// - Returns: false if the request was sent to the file's own address.
    mutating func forget(_ used: HTTPRequest.Shortcut?) -> Bool {
        guard let used else { return false }
        // Several requests notice it at the same time.
        if shortcut == used {
            shortcut = nil
            shortcutFailures += 1
        }
        return true
    }
}
