import ScrubBase

/// The content of a master element in memory.
struct MasterElement {
    let bytes: [UInt8]
    var range: Range<Int>
    var limits = ElementLimits()

    /// A child: its identifier and the range of its content.
    struct Child {
        let id: ElementID
        let body: Range<Int>
    }

    /// Returns the children in order.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if a child has an unknown size or extends beyond this element, after which
    ///   nothing can be trusted.
    func children() throws(ScrubError) -> [Child] {
        var found: [Child] = []
        var position = range.lowerBound
        let content = bytes.span.extracting(0..<range.upperBound)
        while position < range.upperBound {
            guard let header = ElementHeader(content, at: position, limits: limits), let size = header.size,
                size <= UInt64(range.upperBound - position - header.length)
            else {
                throw ScrubError(.badData, "contains a malformed element", place: "byte \(position) of its content")
            }
            let body = position + header.length
            position = body + Int(size)
            found.append(Child(id: header.id, body: body..<position))
        }
        return found
    }

    /// Returns a master element over the same bytes for a child's content.
    func child(_ child: Child) -> MasterElement { MasterElement(bytes: bytes, range: child.body, limits: limits) }

    func unsigned(_ child: Child) throws(ScrubError) -> UInt64 {
        guard let value = unsignedInteger(bytes.span.extracting(child.body)) else { throw notThat(child) }
        return value
    }

    func float(_ child: Child) throws(ScrubError) -> Double {
        guard let value = floatingPoint(bytes.span.extracting(child.body)) else { throw notThat(child) }
        return value
    }

    /// Returns a string, which may be followed by zero bytes (RFC 8794, 7.4).
    func string(_ child: Child) -> String {
        String(decoding: bytes[child.body].prefix { $0 != 0 }, as: UTF8.self)
    }

    private func notThat(_ child: Child) -> ScrubError {
        ScrubError(.badData, "\(child.id) has \(child.body.count) bytes, which is too many for a number")
    }
}
