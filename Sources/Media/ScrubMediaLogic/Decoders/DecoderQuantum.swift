/// The purpose of a decoder.
package enum DecoderUse: Sendable, Hashable {
    /// Pictures that go on a screen as they come.
    case shown
    /// Pictures that a program asks for.
    case asked
}

/// The time that a decoder stays with one medium while another waits for it.
package struct DecoderQuantum: Sendable, Hashable {
    /// After so many pictures it is wanted back.
    package var pictures: Int
    /// After so many nanoseconds it is wanted back, whatever came out.
    package var nanoseconds: Int64

    /// - Parameters:
    ///   - pictures: 1 or more. Eight, the default, play for about a quarter of a second.
    ///   - nanoseconds: 1 or more.
    package init(pictures: Int = 8, nanoseconds: Int64 = 250_000_000) {
        (self.pictures, self.nanoseconds) = (max(1, pictures), max(1, nanoseconds))
    }

    /// Whether a turn is over that began at `start` and brought so many pictures.
    func isOver(pictures count: Int, since start: Int64, now: Int64) -> Bool {
        let (elapsed, overflow) = now.subtractingReportingOverflow(start)
        return count >= pictures || overflow || elapsed >= nanoseconds
    }
}
