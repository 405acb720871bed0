internal import Glibc
internal import ScrubBase

/// Bytes that keep their address and their values as long as they are referenced.
///
/// A file is read, never mapped, because the pages of a map belong to the file. If another program truncates a mapped
/// file (a full disk, a sync program, another user's `truncate`), the pages vanish and reading them raises SIGBUS. A
/// write to the file would change values that were already checked.
///
/// `@unchecked Sendable`: the bytes are never written after the object is created.
@safe package final class ByteRegion: @unchecked Sendable {
    @usableFromInline let base: UnsafeMutableRawPointer
    package let count: Int
    /// The number of bytes requested from the system as pages; 0 if `base` is from the allocator.
    private let mappedCount: Int

    /// Creates a copy of bytes.
    package convenience init(_ bytes: [UInt8]) {
        self.init(byteCount: bytes.count)
        unsafe bytes.withUnsafeBytes {
            unsafe base.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(base), byteCount: $0.count)
        }
    }

    /// Reads a file; `nil` if it does not exist, is empty or ends early, or if there is no memory for it.
    ///
    /// - Parameter byteLimit: the maximum number of bytes to read.
    package convenience init?(contentsOf path: String, byteLimit: Int64 = .max) {
        guard let file = try? FileSource(path: path) else { return nil }
        self.init(contentsOf: file, byteLimit: byteLimit)
    }

    /// Reads an open file; `nil` in the same cases as for a path.
    convenience init?(contentsOf file: FileSource, byteLimit: Int64) {
        guard file.byteCount > 0, file.byteCount <= byteLimit else { return nil }
        self.init(byteCount: Int(file.byteCount))
        let room = unsafe UnsafeMutableRawBufferPointer(start: base, count: count)
        do throws(ScrubError) { try unsafe file.read(at: 0, into: room) } catch { return nil }
    }

    /// Creates a region with undefined contents.
    private init(byteCount: Int) {
        count = byteCount
        // New memory costs a page fault for each page. Large pages make these rare, which saves a few tenths of a
        // millisecond for the index of a long video. They require whole multiples of their size.
        let (page, least) = (2 << 20, 1 << 20)
        let size = (byteCount + page - 1) & ~(page - 1)
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        if byteCount >= least, let made = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0),
            unsafe made != UnsafeMutableRawPointer(bitPattern: -1)
        {
            unsafe madvise(made, size, MADV_HUGEPAGE)
            unsafe (base, mappedCount) = unsafe (made, size)
        } else {
            unsafe (base, mappedCount) = (.allocate(byteCount: max(1, byteCount), alignment: 16), 0)
        }
    }

    deinit {
        if mappedCount > 0 { unsafe munmap(base, mappedCount) } else { unsafe base.deallocate() }
    }

    /// All bytes.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let buffer = unsafe UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count)
            return unsafe _overrideLifetime(Span(_unsafeElements: buffer), borrowing: self)
        }
    }

    /// Returns values of a type for which every bit pattern is valid.
    ///
    /// - Precondition: the values are inside the region, at a multiple of their alignment.
    @inlinable
    func pointer<T: BitwiseCopyable>(at offset: Int, count: Int, as: T.Type) -> UnsafeBufferPointer<T> {
        precondition(offset >= 0 && offset % MemoryLayout<T>.alignment == 0 && offset <= self.count)
        precondition(count >= 0 && count <= (self.count - offset) / MemoryLayout<T>.stride)
        return unsafe UnsafeBufferPointer(start: (base + offset).assumingMemoryBound(to: T.self), count: count)
    }
}

/// A read-only array of plain values, in separate memory or in a shared region.
///
/// This type is entirely inlinable. Other modules read hundreds of thousands of values, and a generic that is not
/// specialized there costs a hundred times as much as the read itself.
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

    /// Creates a column of `count` values at a byte offset; `nil` if they are not inside the region or not aligned.
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

    // The standard implementations are generic over the index and are not specialized in other modules.
    @inlinable package func index(after position: Int) -> Int { position + 1 }
    @inlinable package func index(before position: Int) -> Int { position - 1 }
    @inlinable package func index(_ position: Int, offsetBy distance: Int) -> Int { position + distance }
    @inlinable package func distance(from start: Int, to end: Int) -> Int { end - start }

    /// Returns the first index of the second part, as for every collection. This version does not call a function for
    /// each value: 1,080 searches in 216,000 values took 20 ms.
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
            precondition(position >= 0 && position < count, "index \(position) is out of range 0..<\(count)")
            return unsafe region.pointer(at: offset, count: count, as: Element.self)[position]
        }
    }

    /// Calls a closure with all values in one span, for loops over many values.
    @inlinable
    package func withSpan<R>(_ body: (Span<Element>) -> R) -> R {
        switch storage {
        case .array(let values): return body(values.span)
        case .region(let region, let offset):
            defer { withExtendedLifetime(region) {} }
            return unsafe body(Span(_unsafeElements: region.pointer(at: offset, count: count, as: Element.self)))
        }
    }
}

extension Column {
    /// Returns the first values as an array.
    ///
    /// - Precondition: there are at least `end` values.
    @inlinable
    package func copied(upTo end: Int) -> [Element] {
        withSpan { values in
            unsafe values.extracting(0..<end).withUnsafeBufferPointer { unsafe Array($0) }
        }
    }

    /// Returns whether the first values equal those of another column.
    ///
    /// - Precondition: both have at least `end` values.
    @inlinable
    package func isEqual(to other: Column, upTo end: Int) -> Bool {
        withSpan { mine in
            other.withSpan { theirs in
                let (mine, theirs) = (mine.extracting(0..<end), theirs.extracting(0..<end))
                for place in 0..<end where mine[place] != theirs[place] { return false }
                return true
            }
        }
    }
}

extension Column: Equatable {
    package static func == (a: Column, b: Column) -> Bool { a.elementsEqual(b) }
    package static func == (a: Column, b: [Element]) -> Bool { a.elementsEqual(b) }
}

extension Column {
    /// Appends the raw bytes of the values, padded to a multiple of eight.
    @inlinable
    package func append(to bytes: inout [UInt8]) {
        let filled = (count * MemoryLayout<Element>.stride + 7) / 8 * 8
        bytes.reserveCapacity(bytes.count + filled)
        let end = bytes.count + filled
        withSpan { values in
            unsafe values.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: UnsafeRawBufferPointer($0)) }
        }
        while bytes.count < end { bytes.append(0) }
    }
}
