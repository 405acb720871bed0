/// Why an address is not asked, and what can be done about it.
package struct AddressRefusal: Hashable, Sendable {
    /// A clause without a full stop.
    package var cause: String
    /// What helps, a clause without a full stop.
    package var remedy: String

    package init(_ cause: String, remedy: String) { (self.cause, self.remedy) = (cause, remedy) }
}
