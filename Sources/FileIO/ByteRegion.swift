internal import Glibc
internal import ScrubBase
internal import SystemPackage

/// Bytes that stay where they are for as long as anyone refers to them: a file mapped into memory, or a copy.
///
/// Mapping costs no reading and no copying: pages of a file that the system has in memory are simply there. It suits
/// files that are replaced by renaming and never changed in place; those of ``CacheDirectory`` are.
///
/// `@unchecked Sendable`: the bytes are never written.
package final class ByteRegion: @unchecked Sendable {
    @usableFromInline let base: UnsafeMutableRawPointer
    package let count: Int
    private let isMapped: Bool

    /// Takes a copy.
    package init(_ bytes: [UInt8]) {
        count = bytes.count
        isMapped = false
        base = .allocate(byteCount: max(1, bytes.count), alignment: 16)
        bytes.withUnsafeBytes { base.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(base), byteCount: $0.count) }
    }

    /// Maps a file; `nil` when it is not there, is empty, or can't be mapped.
    package init?(mapping path: String) {
        guard
            let descriptor = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
        else { return nil }
        defer { try? descriptor.close() }
        var facts = stat()
        guard fstat(descriptor.rawValue, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size > 0,
            // Populated at once: one call instead of a fault for every page.
            let mapped = mmap(
                nil, Int(facts.st_size), PROT_READ, MAP_PRIVATE | Int32(MAP_POPULATE), descriptor.rawValue, 0),
            mapped != UnsafeMutableRawPointer(bitPattern: -1)
        else { return nil }
        base = mapped
        count = Int(facts.st_size)
        isMapped = true
    }

    deinit {
        if isMapped { munmap(base, count) } else { base.deallocate() }
    }

    /// All bytes.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let buffer = UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count)
            return _overrideLifetime(Span(_unsafeElements: buffer), borrowing: self)
        }
    }

    /// The values of a type in which every bit pattern is one.
    ///
    /// - Precondition: they lie inside the region, at a multiple of their alignment.
    @inlinable
    func pointer<T: BitwiseCopyable>(at offset: Int, count: Int, as: T.Type) -> UnsafeBufferPointer<T> {
        precondition(offset >= 0 && offset % MemoryLayout<T>.alignment == 0 && offset <= self.count)
        precondition(count >= 0 && count <= (self.count - offset) / MemoryLayout<T>.stride)
        return UnsafeBufferPointer(start: (base + offset).assumingMemoryBound(to: T.self), count: count)
    }
}

/// A read-only array of plain values, in memory of its own or in a mapped file.
///
/// Inlinable throughout: other modules read hundreds of thousands of values, and a generic that is not specialized
/// there costs a hundred times the read itself.
package struct Column<Element: BitwiseCopyable & Sendable & Equatable>: RandomAccessCollection, Sendable {
    @usableFromInline
    enum Storage: Sendable {
        case array([Element])
        case region(ByteRegion, offset: Int)
    }
    @usableFromInline let storage: Storage
    package let count: Int

    @inlinable
    package init(_ values: [Element]) {
        storage = .array(values)
        count = values.count
    }

    /// The column of `count` values at a byte offset; `nil` when they are not inside the region, or not aligned.
    ///
    /// - Precondition: every bit pattern is a value of `Element`.
    @inlinable
    package init?(_ region: ByteRegion, offset: Int, count: Int) {
        let (size, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
        guard count >= 0, offset >= 0, !overflow, offset <= region.count, size <= region.count - offset,
            offset % MemoryLayout<Element>.alignment == 0
        else { return nil }
        storage = .region(region, offset: offset)
        self.count = count
    }

    @inlinable package var startIndex: Int { 0 }
    @inlinable package var endIndex: Int { count }

    // The standard ones are generic over the index and are not specialized in other modules.
    @inlinable package func index(after position: Int) -> Int { position + 1 }
    @inlinable package func index(before position: Int) -> Int { position - 1 }
    @inlinable package func index(_ position: Int, offsetBy distance: Int) -> Int { position + distance }
    @inlinable package func distance(from start: Int, to end: Int) -> Int { end - start }

    /// The first place of the second part, as of every collection; here without a call for each value: 1,080 searches in
    /// 216,000 values took 20 ms.
    @inlinable
    package func partitioningIndex(where isInSecondPart: (Element) -> Bool) -> Int {
        withSpan { values in
            var (low, high) = (0, values.count)
            while low < high {
                let middle = low + (high - low) / 2
                if isInSecondPart(values[middle]) { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }

    @inlinable
    package subscript(position: Int) -> Element {
        switch storage {
        case .array(let values): return values[position]
        case .region(let region, let offset):
            precondition(position >= 0 && position < count, "value \(position) of \(count)")
            return region.pointer(at: offset, count: count, as: Element.self)[position]
        }
    }

    /// Lends all values in one piece, for loops over many.
    @inlinable
    package func withSpan<R>(_ body: (Span<Element>) -> R) -> R {
        switch storage {
        case .array(let values): return body(values.span)
        case .region(let region, let offset):
            defer { withExtendedLifetime(region) {} }
            return body(Span(_unsafeElements: region.pointer(at: offset, count: count, as: Element.self)))
        }
    }
}

extension Column: Equatable {
    package static func == (a: Column, b: Column) -> Bool { a.elementsEqual(b) }
    package static func == (a: Column, b: [Element]) -> Bool { a.elementsEqual(b) }
}

extension Column {
    /// Appends the values' bytes as they are, and fills up to a multiple of eight.
    @inlinable
    package func append(to bytes: inout [UInt8]) {
        let filled = (count * MemoryLayout<Element>.stride + 7) / 8 * 8
        bytes.reserveCapacity(bytes.count + filled)
        let end = bytes.count + filled
        withSpan { values in
            values.withUnsafeBufferPointer { bytes.append(contentsOf: UnsafeRawBufferPointer($0)) }
        }
        while bytes.count < end { bytes.append(0) }
    }
}
