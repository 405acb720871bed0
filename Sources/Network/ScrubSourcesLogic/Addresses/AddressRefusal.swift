/// The reason why an address is not asked, and its remedy.
package struct AddressRefusal: Hashable, Sendable {
    /// A clause without a full stop.
    package var cause: String
    /// The remedy, a clause without a full stop.
    package var remedy: String

    package init(_ cause: String, remedy: String) { (self.cause, self.remedy) = (cause, remedy) }
}
