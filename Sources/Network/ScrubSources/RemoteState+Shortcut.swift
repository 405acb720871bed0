internal import ScrubSourcesLogic
internal import ScrubHTTPTransport

// Redirects are followed once for many requests: as long as the place that they led to answers as it should, it is
// asked at once.
extension RemoteState {
    /// Places that were remembered and failed before they were of any use, after which no more are: each costs a
    /// request.
    private static let vainShortcuts = 2

    /// Records where an answer came from.
    ///
    /// - Returns: false for an answer from a remembered place that does not serve, as after the end of a signed
    ///   address. The file's own address is asked in its place.
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

    /// Forgets a remembered place to which a request failed.
    ///
    /// - Returns: false when it was sent to the file's own address.
    mutating func forget(_ used: HTTPRequest.Shortcut?) -> Bool {
        guard let used else { return false }
        // Several requests find it out at the same time.
        if shortcut == used {
            shortcut = nil
            shortcutFailures += 1
        }
        return true
    }
}
