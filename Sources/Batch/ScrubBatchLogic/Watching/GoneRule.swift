/// Whether films that cannot be found may be considered deleted.
///
/// A disk that is not mounted looks like an emptied library. A root that is missing or empty is therefore no evidence
/// about its films. Neither is a root that lost more than half of its films at once.
package enum GoneRule {
    package enum Refusal: Hashable, Sendable {
        case rootIsMissing
        case rootIsEmpty
        /// This many of the total.
        case tooMany(gone: Int, known: Int)
    }

    /// - Parameters:
    ///   - rootEntries: the number of names in a root; `nil` if the root is missing or cannot be read.
    ///   - known: the number of films of this root that were there before, including missing ones.
    ///   - gone: how many of them cannot be found.
    /// - Returns: `nil` if there is no reason against it.
    package static func refusal(rootEntries: Int?, known: Int, gone: Int) -> Refusal? {
        guard gone > 0 else { return nil }
        guard let rootEntries else { return .rootIsMissing }
        guard rootEntries > 0 else { return .rootIsEmpty }
        // Avoids a sum that could overflow.
        return gone > known - gone ? .tooMany(gone: gone, known: known) : nil
    }
}
