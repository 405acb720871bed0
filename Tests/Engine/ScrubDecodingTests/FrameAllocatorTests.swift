import Testing

@testable import ScrubLibAV

/// The memory of released pictures that is kept.
@Suite struct FrameAllocatorTests {
    private func byteCount(_ width: Int, _ height: Int) throws -> Int {
        let allocator = FrameAllocator(reserveCount: 4)
        let one = SharedFrame(try allocator.picture(width: width, height: height, format: .rgb24))
        return withExtendedLifetime(one) { allocator.liveBytes }
    }

    /// Four, however many rows and columns a buffer has beyond the picture: a limit in bytes of bare pictures left room
    /// for three.
    @Test func keepsFourBuffers() throws {
        let (large, small) = (try byteCount(1000, 500), try byteCount(100, 50))
        let allocator = FrameAllocator(reserveCount: 4)
        var held = try (0..<6).map { _ in SharedFrame(try allocator.picture(width: 1000, height: 500, format: .rgb24)) }
        #expect(allocator.liveBytes == 6 * large && allocator.peakBytes == 6 * large)
        held = []
        #expect(allocator.liveBytes == 0)
        // Beside four in reserve two more are new, and the peak is what it was; a seventh of another size is beyond it.
        held = try (0..<6).map { _ in SharedFrame(try allocator.picture(width: 1000, height: 500, format: .rgb24)) }
        #expect(allocator.peakBytes == 6 * large)
        held = Array(held.prefix(2))
        held.append(SharedFrame(try allocator.picture(width: 100, height: 50, format: .rgb24)))
        #expect(allocator.liveBytes == 2 * large + small)
        #expect(allocator.peakBytes == 6 * large + small)
    }

    /// Work that soon ends keeps all of them, and still never has more than it held at once.
    @Test func keepsAllBuffersOfABatch() throws {
        let (large, small) = (try byteCount(1000, 500), try byteCount(100, 50))
        let allocator = FrameAllocator(reserveCount: 4, keepsBuffers: true)
        var held = try (0..<9).map { _ in SharedFrame(try allocator.picture(width: 1000, height: 500, format: .rgb24)) }
        held = []
        held = try (0..<9).map { _ in SharedFrame(try allocator.picture(width: 1000, height: 500, format: .rgb24)) }
        #expect(allocator.peakBytes == 9 * large)
        held = Array(held.prefix(1))
        // A picture of another size: memory that was kept for the first does not prevent it.
        held.append(SharedFrame(try allocator.picture(width: 100, height: 50, format: .rgb24)))
        #expect(allocator.liveBytes == large + small)
        #expect(allocator.peakBytes == 9 * large)
    }
}
