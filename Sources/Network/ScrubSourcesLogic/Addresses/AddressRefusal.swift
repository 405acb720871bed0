package import ScrubBase

/// The reason why an address is not contacted, with its remedy.
package struct AddressRefusal: Hashable, Sendable {
    /// The cause, a clause without a full stop.
    package var cause: Wording
    /// The remedy, a clause without a full stop.
    package var remedy: Wording

    package init(_ cause: Wording, remedy: Wording) { (self.cause, self.remedy) = (cause, remedy) }
}
