#if compiler(>=6.3)
internal import Synchronization
internal import ScrubBase

/// The objects of one kind that C has opened, by handle.
///
/// A handle is a number that is never reused, and not an address. This way, closed handles are distinguished from open
/// ones. All kinds share one counter, so a handle of one kind is never valid for another.
///
/// Thread safety: safe from any thread.
final class HandleTable<Object: Sendable>: Sendable {
    private let objects = Locked<[UInt: Object]>([:])
    private let name: String
    private let advice: String

    /// - Parameters:
    ///   - name: what an object is called in messages, such as `the video`.
    ///   - advice: what to do about a closed handle.
    init(_ name: String, advice: String) { (self.name, self.advice) = (name, advice) }

    /// Opens a handle.
    func add(_ object: Object) -> OpaquePointer? {
        let handle = HandleCounter.next()
        objects.withLock { $0[handle] = object }
        return unsafe OpaquePointer(bitPattern: handle)
    }

    /// Returns the object of a handle.
    ///
    /// - Throws: `usage` for NULL and for a closed handle.
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
    /// - Returns: its object, which the caller releases outside the table's lock; `nil` if the handle is closed.
    func remove(_ handle: OpaquePointer?) -> Object? { unsafe change(handle) { $0.take() } }

    /// Changes the object of a handle, under the table's lock; the body gets `nil` if the handle is closed.
    func change<Result: Sendable>(_ handle: OpaquePointer?, _ body: @Sendable (inout Object?) -> Result?) -> Result? {
        guard let handle = unsafe handle else { return nil }
        let key = UInt(bitPattern: handle)
        return objects.withLock { body(&$0[key]) }
    }
}

/// The last handle. A generic type cannot have stored static properties.
private enum HandleCounter {
    private static let last = Atomic<UInt>(0)

    static func next() -> UInt { last.add(1, ordering: .relaxed).newValue }
}

/// The objects that C has opened.
enum Handles {
    static let videos = HandleTable<OpenVideo>("the video", advice: "open it again")
    static let resources = HandleTable<OpenResources>("the scrub_resources", advice: "create new ones")
    static let sessions = HandleTable<OpenSession>("the session", advice: "open another one")
    static let pictures = HandleTable<LentPicture>(
        "the scrub_pixel_buffer", advice: "retain it with scrub_pixel_buffer_retain while it is in use")

    static func video(_ handle: OpaquePointer?) throws(ScrubError) -> OpenVideo { try unsafe videos.object(handle) }
}
#endif
