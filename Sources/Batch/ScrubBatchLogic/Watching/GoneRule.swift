/// Whether films that cannot be found may be taken for deleted.
///
/// A disk that is not mounted looks like a library that was emptied. A root that is missing or empty therefore says
/// nothing about its films. Neither does one that lost more than half of all at once.
package enum GoneRule {
    package enum Refusal: Hashable, Sendable {
        case rootIsMissing
        case rootIsEmpty
        /// So many of so many.
        case tooMany(gone: Int, known: Int)
    }

    /// - Parameters:
    ///   - rootEntries: the number of a root's names; `nil` if it is not there or cannot be read.
    ///   - known: films of this root that had been there, those that are gone too.
    ///   - gone: those of them that cannot be found.
    /// - Returns: `nil` when nothing speaks against it.
    package static func refusal(rootEntries: Int?, known: Int, gone: Int) -> Refusal? {
        guard gone > 0 else { return nil }
        guard let rootEntries else { return .rootIsMissing }
        guard rootEntries > 0 else { return .rootIsEmpty }
        // No sum that could be too large.
        return gone > known - gone ? .tooMany(gone: gone, known: known) : nil
    }
}
