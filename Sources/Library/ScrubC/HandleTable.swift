#if compiler(>=6.3)
internal import Synchronization
internal import ScrubBase

/// The objects of one kind that C has open, by handle.
///
/// A handle is a number that is never used again and not an address, so a closed one is told from an open one. All
/// kinds count with one counter, so a handle of one kind is never one of another.
///
/// Thread safety: safe from any thread.
final class HandleTable<Object: Sendable>: Sendable {
    private let objects = Locked<[UInt: Object]>([:])
    private let name: String
    private let advice: String

    /// - Parameters:
    ///   - name: what the objects are, such as `the video`.
    ///   - advice: what to do about a closed one.
    init(_ name: String, advice: String) { (self.name, self.advice) = (name, advice) }

    /// Opens a handle.
    func add(_ object: Object) -> OpaquePointer? {
        let handle = HandleCounter.next()
        objects.withLock { $0[handle] = object }
        return unsafe OpaquePointer(bitPattern: handle)
    }

    /// Returns the object of a handle.
    ///
    /// - Throws: `usage` for NULL, and for a handle that is closed.
    func object(_ handle: OpaquePointer?) throws(ScrubError) -> Object {
        guard let handle = unsafe handle else { throw .null(name) }
        let key = UInt(bitPattern: handle)
        guard let object = objects.withLock({ $0[key] }) else {
            throw ScrubError(.usage, "\(name) is closed", advice: advice)
        }
        return object
    }

    /// Closes a handle.
    ///
    /// - Returns: its object, which the caller releases outside of the table's lock; `nil` if it is closed.
    func remove(_ handle: OpaquePointer?) -> Object? { unsafe change(handle) { $0.take() } }

    /// Changes the object of a handle, under the table's lock; the body gets `nil` if it is closed.
    func change<Result: Sendable>(_ handle: OpaquePointer?, _ body: @Sendable (inout Object?) -> Result?) -> Result? {
        guard let handle = unsafe handle else { return nil }
        let key = UInt(bitPattern: handle)
        return objects.withLock { body(&$0[key]) }
    }
}

/// The last handle. A generic type has no stored static of its own.
private enum HandleCounter {
    private static let last = Atomic<UInt>(0)

    static func next() -> UInt { last.add(1, ordering: .relaxed).newValue }
}

/// What C has open.
enum Handles {
    static let videos = HandleTable<OpenVideo>("the video", advice: "open it again")
    static let resources = HandleTable<OpenResources>("the scrub_resources", advice: "make others")
    static let sessions = HandleTable<OpenSession>("the session", advice: "open another one")
    static let pictures = HandleTable<LentPicture>(
        "the scrub_pixel_buffer", advice: "keep it with scrub_pixel_buffer_retain until it was used")

    static func video(_ handle: OpaquePointer?) throws(ScrubError) -> OpenVideo { try unsafe videos.object(handle) }
}
#endif
