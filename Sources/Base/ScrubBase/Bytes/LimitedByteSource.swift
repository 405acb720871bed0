/// A source of bytes that knows the limits of its file, for the readers of its formats.
package protocol LimitedByteSource: ByteSource {
    /// The limits of the file.
    var limits: MediaLimits { get }

    /// Tells its file from every other one of this process; never 0. ``SourceOrigin/ownWork`` for bytes that this
    /// program made itself.
    var origin: UInt64 { get }

    /// Records that the file is refused, for those who hear of it through libavformat or try other ways to read it.
    func refuse(_ refusal: ScrubError)
}

extension ByteSource {
    /// Tells its file from every other one of this process; 0 for sources that cannot be told apart.
    package var origin: UInt64 { (self as? any LimitedByteSource)?.origin ?? 0 }

    /// The limits that were set for it, else the standard ones.
    package var standingLimits: MediaLimits { (self as? any LimitedByteSource)?.limits ?? MediaLimits() }

    /// Runs a check, and records its refusal.
    package func limiting(_ check: (MediaLimits) throws(ScrubError) -> Void) throws(ScrubError) {
        let limited = self as? any LimitedByteSource
        do throws(ScrubError) {
            try check(limited?.limits ?? MediaLimits())
        } catch {
            limited?.refuse(error)
            throw error
        }
    }
}

/// Numbers that tell files apart.
package enum SourceOrigin {
    /// The bytes are this program's own, such as a drawing of letters. They need no sandbox, which has no fonts either.
    package static let ownWork = UInt64.max
}
