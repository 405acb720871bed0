internal import CScrubFFmpeg
internal import Glibc
package import ScrubBase
internal import Synchronization

/// The memory of decoded pictures, for all decoders of one reader.
///
/// libavcodec's own pools belong to one decoder and never shrink. Pictures that a cache kept and released would stay
/// allocated in every pool from which they came. Here a released buffer is reused by the next decoder, and beyond a
/// small reserve it is returned to the system.
///
/// Thread safety: safe from any thread; decoder threads call it. Buffers may outlive every decoder.
package final class FrameAllocator: Sendable {
    private struct State {
        /// The released buffers by size.
        var reserve: [Int: [Address]] = [:]
        var reservedBytes = 0
        var liveBytes = 0
        var peakBytes = 0
        /// The size of the largest buffer so far.
        var largest = 0
    }

    /// An address that may move between threads; the state's lock ensures that it has one owner.
    @safe private struct Address: @unchecked Sendable { let pointer: UnsafeMutableRawPointer }

    private let state = Locked(State())
    private let reserveCount: Int
    private let keepsBuffers: Bool
    private let budget: BudgetMember?

    /// - Parameters:
    ///   - reserveCount: the number of released buffers that are kept for the next picture, in units of the largest
    ///     buffer. The size of a picture without the rows and columns that decoders add would be too small a unit: only
    ///     three of four buffers would be kept.
    ///   - keepsBuffers: whether all of them are kept as long as pictures have the same size, for work that ends soon.
    ///     There are never more than were held at any one time, so the peak is lower by the reserve.
    ///   - budget: counts every buffer, including those in reserve, and refuses allocations beyond its limit.
    package init(
        reserveCount: Int, keepsBuffers: Bool = false, budget: BudgetMember? = nil
    ) {
        self.reserveCount = reserveCount
        self.keepsBuffers = keepsBuffers
        self.budget = budget
        budget?.evict(.buffers) { [weak self] in self?.dropReserve() ?? false }
    }

    deinit { dropReserve() }

    /// Returns the released buffers to the system.
    ///
    /// - Returns: false if there are none.
    @discardableResult
    private func dropReserve() -> Bool {
        let (reserve, bytes) = state.withLock { state in
            defer { (state.reserve, state.reservedBytes) = ([:], 0) }
            return (state.reserve, state.reservedBytes)
        }
        for (size, buffers) in reserve { for buffer in buffers { unsafe FrameAllocator.unmap(buffer.pointer, size) } }
        if bytes > 0 { budget?.budget.release(bytes) }
        return bytes > 0
    }

    /// The number of bytes of all buffers that a decoder, a cache, or a caller still holds.
    package var liveBytes: Int { state.withLock { $0.liveBytes } }

    /// The current number of bytes of all allocators of the process, and their peak.
    private static let allotted = Atomic<Int>(0)
    private static let mostAllotted = Atomic<Int>(0)

    /// The maximum number of bytes that all allocators of the process had at any one time, including those kept for the
    /// next picture.
    package static var peakBytesOfAll: Int { mostAllotted.load(ordering: .relaxed) }

    private static func map(_ size: Int) -> UnsafeMutableRawPointer? {
        // Not from malloc, which keeps large blocks after their release.
        guard let made = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            unsafe made != UnsafeMutableRawPointer(bitPattern: -1)
        else { return nil }
        let sum = allotted.add(size, ordering: .relaxed).newValue
        _ = mostAllotted.max(sum, ordering: .relaxed)
        return unsafe made
    }

    private static func unmap(_ pointer: UnsafeMutableRawPointer, _ size: Int) {
        unsafe munmap(pointer, size)
        allotted.subtract(size, ordering: .relaxed)
    }

    /// The maximum of ``liveBytes`` and the reserve together.
    package var peakBytes: Int { state.withLock { $0.peakBytes } }

    /// Returns zeroed or reused memory in whole pages; `nil` if the system has none or the budget is exhausted.
    ///
    /// - Parameter isCleared: whether it must be zeroed.
    private func take(_ size: Int, isCleared: Bool) -> UnsafeMutableRawPointer? {
        while true {
            if let reused = takeReserved(size, isCleared: isCleared) { return unsafe reused.pointer }
            guard let budget, !budget.budget.take(size) else { return unsafe make(size) }
            // Freed memory is usually reused as a buffer of this size, whose pages already exist.
            guard !budget.makeRoom() else { continue }
            if let reused = takeReserved(size, isCleared: isCleared) { return unsafe reused.pointer }
            dropReserve()
            return unsafe budget.take(size) ? make(size) : nil
        }
    }

    private func takeReserved(_ size: Int, isCleared: Bool) -> Address? {
        let reused = state.withLock { state -> Address? in
            guard let found = state.reserve[size]?.popLast() else { return nil }
            state.reservedBytes -= size
            state.liveBytes += size
            return found
        }
        if isCleared, let reused { unsafe memset(reused.pointer, 0, size) }
        return reused
    }

    /// Returns a new buffer that fits in the budget.
    private func make(_ size: Int) -> UnsafeMutableRawPointer? {
        // Buffers in reserve have a different size in that case.
        if keepsBuffers { dropReserve() }
        guard let made = unsafe FrameAllocator.map(size) else {
            budget?.budget.release(size)
            return nil
        }
        // A 1080p picture causes 760 page faults on first use, 7 % of the time of a seek (measured on a virtual
        // machine).
        unsafe madvise(made, size, MADV_HUGEPAGE)
        state.withLock { state in
            state.liveBytes += size
            state.largest = max(state.largest, size)
            state.peakBytes = max(state.peakBytes, state.liveBytes + state.reservedBytes)
        }
        return unsafe made
    }

    private func give(_ pointer: UnsafeMutableRawPointer, _ size: Int) {
        let buffer = unsafe Address(pointer: pointer)
        let isKept = state.withLock { state in
            state.liveBytes -= size
            guard keepsBuffers || state.reservedBytes + size <= reserveCount * state.largest else { return false }
            state.reserve[size, default: []].append(buffer)
            state.reservedBytes += size
            return true
        }
        if isKept {
            // Nothing could be evicted from a member that has left. This is checked after the buffer is in reserve,
            // because a leaving member checks the reserve after that.
            if let budget, !budget.isIn { dropReserve() }
            return
        }
        unsafe FrameAllocator.unmap(pointer, size)
        budget?.budget.release(size)
    }

    /// libavutil's reference count orders the creation of a ticket and its use. The thread sanitizer sees only locks,
    /// so there is one, at 25 ns per picture.
    private static let handover = Locked(0)

    /// The information needed to return one buffer.
    private final class Ticket {
        let allocator: FrameAllocator
        let size: Int

        init(_ allocator: FrameAllocator, _ size: Int) {
            self.allocator = allocator
            self.size = size
        }
    }

    /// Gives a frame its own planes, all in one buffer, aligned as libavcodec requires (`AVCodecContext.get_buffer2`,
    /// `avcodec_align_dimensions2`).
    ///
    /// - Returns: 0 or an `AVERROR`.
    func fill(_ frame: UnsafeMutablePointer<AVFrame>, for context: UnsafeMutablePointer<AVCodecContext>) -> Int32 {
        let format = unsafe AVPixelFormat(frame.pointee.format)
        var (width, height) = unsafe (frame.pointee.width, frame.pointee.height)
        return unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: 16) { numbers in
            guard let alignment = numbers.baseAddress else { return scrub_error_from_errno(12) }
            let strides = unsafe alignment + 8
            unsafe avcodec_align_dimensions2(context, &width, &height, alignment)
            var isAligned = false
            while !isAligned {
                let status = unsafe av_image_fill_linesizes(strides, format, width)
                if status < 0 { return status }
                isAligned = (0..<4).allSatisfy { unsafe alignment[$0] == 0 || strides[$0] % alignment[$0] == 0 }
                // The next multiple of the next power of two, as libavcodec does it.
                if !isAligned { width += width & ~(width - 1) }
            }
            return unsafe fill(
                frame, format: format, height: height, strides: strides,
                isCleared: !CodecDescription.writesWholePictures(context.pointee.codec_id.rawValue))
        }
    }

    /// Returns a copy of a picture in this memory, for decoders that have their own pool. Otherwise, cached pictures
    /// would stay allocated there after eviction.
    package func copy(of source: borrowing Frame) throws(AVError) -> Frame {
        let copy = try picture(width: source.width, height: source.height, format: source.pixelFormat)
        try unsafe check(av_frame_copy(copy.pointer, source.pointer), "av_frame_copy")
        try unsafe check(av_frame_copy_props(copy.pointer, source.pointer), "av_frame_copy_props")
        return copy
    }

    /// Returns memory for a picture.
    func picture(width: Int, height: Int, format: PixelFormat) throws(AVError) -> Frame {
        let room = try Frame()
        let to = unsafe room.pointer
        unsafe (to.pointee.format, to.pointee.width, to.pointee.height) = (format.rawValue, Int32(width), Int32(height))
        let status = unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: 8) { strides in
            guard let strides = strides.baseAddress else { return scrub_error_from_errno(12) }
            let status = unsafe av_image_fill_linesizes(strides, format.native, Int32((width + 63) & ~63))
            return unsafe status < 0 ? status : fill(to, format: format.native, height: Int32(height), strides: strides)
        }
        try check(status, "av_image_fill_linesizes")
        return room
    }

    private func fill(
        _ frame: UnsafeMutablePointer<AVFrame>, format: AVPixelFormat, height: Int32,
        strides: UnsafeMutablePointer<Int32>, isCleared: Bool = false
    ) -> Int32 {
        var wide = unsafe (Int(strides[0]), Int(strides[1]), Int(strides[2]), Int(strides[3]))
        var sizes = (0, 0, 0, 0)
        let status = unsafe withUnsafePointer(to: &wide) { wide in
            unsafe withUnsafeMutablePointer(to: &sizes) { sizes in
                unsafe wide.withMemoryRebound(to: Int.self, capacity: 4) { wide in
                    unsafe sizes.withMemoryRebound(to: Int.self, capacity: 4) {
                        unsafe av_image_fill_plane_sizes($0, format, height, wide)
                    }
                }
            }
        }
        if status < 0 { return status }
        // Vector code reads and writes a few bytes past the end of a row.
        let slack = 128
        let parts = [sizes.0, sizes.1, sizes.2, sizes.3].map { $0 > 0 ? ($0 + slack + 63) / 64 * 64 : 0 }
        let size = (parts.reduce(0, +) + 4095) / 4096 * 4096
        guard size > 0, let base = unsafe take(size, isCleared: isCleared) else { return scrub_error_from_errno(12) }
        let bytes = unsafe base.assumingMemoryBound(to: UInt8.self)
        let ticket = unsafe Unmanaged.passRetained(Ticket(self, size))
        FrameAllocator.handover.withLock { $0 &+= 1 }
        let release: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?) -> Void = {
            opaque, bytes in
            guard let opaque = unsafe opaque, let bytes = unsafe bytes else { return }
            FrameAllocator.handover.withLock { $0 &+= 1 }
            let ticket = unsafe Unmanaged<Ticket>.fromOpaque(opaque).takeRetainedValue()
            unsafe ticket.allocator.give(UnsafeMutableRawPointer(bytes), ticket.size)
        }
        guard let buffer = unsafe av_buffer_create(bytes, size, release, ticket.toOpaque(), 0) else {
            unsafe ticket.release()
            unsafe give(base, size)
            return scrub_error_from_errno(12)
        }
        unsafe frame.pointee.buf.0 = unsafe buffer
        unsafe frame.pointee.linesize.0 = unsafe strides[0]
        unsafe frame.pointee.linesize.1 = unsafe strides[1]
        unsafe frame.pointee.linesize.2 = unsafe strides[2]
        unsafe frame.pointee.linesize.3 = unsafe strides[3]
        unsafe frame.pointee.data.0 = unsafe bytes
        unsafe frame.pointee.data.1 = unsafe parts[1] > 0 ? bytes + parts[0] : nil
        unsafe frame.pointee.data.2 = unsafe parts[2] > 0 ? bytes + parts[0] + parts[1] : nil
        unsafe frame.pointee.data.3 = unsafe parts[3] > 0 ? bytes + parts[0] + parts[1] + parts[2] : nil
        unsafe scrub_frame_point_to_own_planes(frame)
        return 0
    }
}
