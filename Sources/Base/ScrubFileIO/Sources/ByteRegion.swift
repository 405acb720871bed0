internal import Glibc
internal import ScrubBase

/// Bytes that keep their address and their values for as long as anyone refers to them.
///
/// A file is read, never mapped: the pages of a map are the file's own. If another program cuts the file meanwhile (a
/// full disk, a sync program, another user's `truncate`), they vanish under the reader, which is SIGBUS. Writing into
/// it changes numbers that were already checked.
///
/// `@unchecked Sendable`: the bytes are never written after the object is made.
@safe package final class ByteRegion: @unchecked Sendable {
    @usableFromInline let base: UnsafeMutableRawPointer
    package let count: Int
    /// Bytes that were asked of the system as pages; 0 where `base` is from the allocator.
    private let mappedCount: Int

    /// Takes a copy.
    package convenience init(_ bytes: [UInt8]) {
        self.init(byteCount: bytes.count)
        unsafe bytes.withUnsafeBytes {
            unsafe base.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(base), byteCount: $0.count)
        }
    }

    /// Reads a file; `nil` when it is not there, is empty, ends early, or there is no memory for it.
    ///
    /// - Parameter byteLimit: the most bytes that are read.
    package convenience init?(contentsOf path: String, byteLimit: Int64 = .max) {
        guard let file = try? FileSource(path: path) else { return nil }
        self.init(contentsOf: file, byteLimit: byteLimit)
    }

    /// Reads a file that is open; `nil` as for one by its path.
    convenience init?(contentsOf file: FileSource, byteLimit: Int64) {
        guard file.byteCount > 0, file.byteCount <= byteLimit else { return nil }
        self.init(byteCount: Int(file.byteCount))
        let room = unsafe UnsafeMutableRawBufferPointer(start: base, count: count)
        do throws(ScrubError) { try unsafe file.read(at: 0, into: room) } catch { return nil }
    }

    /// Makes room whose content is anything.
    private init(byteCount: Int) {
        count = byteCount
        // Fresh memory costs a fault for each page, which large pages make rare: some tenths of a millisecond for the
        // index of a long film. They want whole multiples of their size.
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

    /// Returns the values of a type in which every bit pattern is one.
    ///
    /// - Precondition: they lie inside the region, at a multiple of their alignment.
    @inlinable
    func pointer<T: BitwiseCopyable>(at offset: Int, count: Int, as: T.Type) -> UnsafeBufferPointer<T> {
        precondition(offset >= 0 && offset % MemoryLayout<T>.alignment == 0 && offset <= self.count)
        precondition(count >= 0 && count <= (self.count - offset) / MemoryLayout<T>.stride)
        return unsafe UnsafeBufferPointer(start: (base + offset).assumingMemoryBound(to: T.self), count: count)
    }
}

/// A read-only array of plain values, in memory of its own or in a region that it shares.
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

    /// Returns the first place of the second part, as of every collection. Here it needs no call for each value: 1,080
    /// searches in 216,000 values took 20 ms.
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
            return unsafe region.pointer(at: offset, count: count, as: Element.self)[position]
        }
    }

    /// Lends all values in one piece, for loops over many.
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
    /// Returns the first values, in an array.
    ///
    /// - Precondition: there are as many.
    @inlinable
    package func copied(upTo end: Int) -> [Element] {
        withSpan { values in
            unsafe values.extracting(0..<end).withUnsafeBufferPointer { unsafe Array($0) }
        }
    }

    /// Whether the first values are those of another column.
    ///
    /// - Precondition: both have as many.
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
    /// Appends the values' bytes as they are, and fills up to a multiple of eight.
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
