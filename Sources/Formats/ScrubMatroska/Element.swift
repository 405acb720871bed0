import ScrubBase

/// An EBML element of the file, located by its header alone.
struct Element: Sendable {
    let id: ElementID
    /// The offset of the header in the file.
    let start: Int64
    /// The offset of the first byte after the header.
    let body: Int64
    /// The end that the element claims; `nil` if its size is unknown (RFC 8794, 6.2).
    let end: Int64?
}

/// The maximum lengths of a document's identifiers and sizes (RFC 8794, 11.2.4 and 11.2.5).
struct ElementLimits: Sendable {
    var idLength = 4
    var sizeLength = 8

    /// The maximum size of an element header in bytes.
    static let headerLength = 12
}

/// A parsed element header.
struct ElementHeader {
    let id: ElementID
    /// The size; `nil` if unknown.
    let size: UInt64?
    let length: Int

    /// Reads a header; `nil` if the bytes do not contain a complete one.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, at position: Int = 0, limits: ElementLimits) {
        guard let id = VariableInteger(bytes, at: position, limit: limits.idLength),
            // All zeros and all ones are reserved (RFC 8794, 5).
            id.value != 0, !id.isAllOnes,
            let size = VariableInteger(bytes, at: position + id.length, limit: limits.sizeLength)
        else { return nil }
        self.id = ElementID(rawValue: UInt32(truncatingIfNeeded: id.marked))
        self.size = size.isAllOnes ? nil : size.value
        length = id.length + size.length
    }

    /// Whether these bytes begin like a header that more bytes could complete.
    static func isCut(_ bytes: Span<UInt8>, limits: ElementLimits) -> Bool {
        guard bytes.count > 0 else { return true }
        let id = VariableInteger.length(firstByte: bytes[0])
        guard id <= limits.idLength else { return false }
        guard id < bytes.count else { return true }
        let size = VariableInteger.length(firstByte: bytes[id])
        return size <= limits.sizeLength && id + size > bytes.count
    }
}

/// Reads element headers anywhere in a file.
struct ElementReader: Sendable {
    private(set) var window: SourceWindow
    var limits = ElementLimits()
    var byteCount: Int64 { window.byteCount }
    /// Whether the file ended where an element should begin or continue.
    private(set) var isTruncated = false

    init(_ source: any ByteSource, readsAhead: Bool = false) {
        window = SourceWindow(source, readsAhead: readsAhead)
    }

    /// Returns a reader of the same file that has not read anything yet.
    func fresh() -> ElementReader {
        var reader = self
        reader.window = window.emptied()
        reader.isTruncated = false
        return reader
    }

    /// Returns a reader of the same bytes followed by new ones.
    func reading(_ longer: any ByteSource) -> ElementReader {
        var reader = self
        reader.window = window.reading(longer)
        reader.isTruncated = false
        return reader
    }

    /// Returns the element at `position`, which must not extend beyond `limit`, the end declared by its parent.
    ///
    /// - Returns: `nil` at the end of the file, or if the header or the element is truncated there, in which case
    ///   ``isTruncated`` tells whether something is missing.
    /// - Throws: ``ScrubError/Code/badData`` if there is no element, or if it exceeds its parent.
    mutating func element(at position: Int64, within limit: Int64?) throws(ScrubError) -> Element? {
        let left = byteCount - position
        guard left > 0 else {
            if let limit, limit > position { isTruncated = true }
            return nil
        }
        window.note(elementAt: position)
        let count = Int(min(left, Int64(ElementLimits.headerLength)))
        try window.fill(at: position, count: count)
        guard let header = ElementHeader(window.span(at: position, count: count), limits: limits) else {
            guard left < ElementLimits.headerLength,
                ElementHeader.isCut(window.span(at: position, count: count), limits: limits)
            else { throw ScrubError(.badData, "no element starts here", place: .byte(Int64(position))) }
            isTruncated = true
            return nil
        }
        let body = position + Int64(header.length)
        guard let size = header.size else {
            return Element(id: header.id, start: position, body: body, end: nil)
        }
        let (end, overflow) = body.addingReportingOverflow(Int64(clamping: size))
        guard !overflow, limit.map({ end <= $0 }) ?? true else {
            throw ScrubError(
                .badData, "\(header.id) of \(size) bytes extends beyond its parent", place: .byte(Int64(position)))
        }
        return Element(id: header.id, start: position, body: body, end: end)
    }

    /// Returns whether an element is completely in the file; records it if not.
    mutating func isWhole(_ element: Element) -> Bool {
        guard let end = element.end, end > byteCount else { return true }
        isTruncated = true
        return false
    }

    /// Loads bytes of the file for ``span(at:count:)``.
    mutating func fill(at position: Int64, count: Int) throws(ScrubError) {
        try window.fill(at: position, count: count)
    }

    /// Returns bytes that the last ``fill(at:count:)`` loaded.
    @_lifetime(borrow self)
    func span(at position: Int64, count: Int) -> Span<UInt8> { window.span(at: position, count: count) }

    /// Returns the number in an element of at most 8 bytes (RFC 8794, 7.2).
    mutating func unsigned(_ element: Element) throws(ScrubError) -> UInt64 {
        guard let end = element.end, end - element.body <= 8, end <= byteCount else {
            throw ScrubError(.badData, "\(element.id) is not a number", place: .byte(Int64(element.start)))
        }
        let count = Int(end - element.body)
        try fill(at: element.body, count: count)
        return unsignedInteger(span(at: element.body, count: count)) ?? 0
    }
}
