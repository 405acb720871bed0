#if compiler(>=6.3)
internal import CScrub
internal import ScrubBase

/// A structure of the C header that begins with its size, a `uint32_t`.
///
/// Programs may be compiled with an earlier or a later header. ``SizedCopy`` handles both, and no other code reads the
/// size.
protocol SizedStructure {
    /// The names of the structure and its initializer in C.
    static var names: (type: String, initializer: String) { get }
    /// Its byte count in the header of version 1.0: a constant instead of `MemoryLayout`, because it must not change
    /// when the structure grows.
    static var firstByteCount: Int { get }
    /// The defaults for fields that an earlier header does not have.
    static var defaults: Self { get }
}

/// A copy of a caller's structure with the library's own size.
struct SizedCopy<Structure: SizedStructure> {
    /// The caller's values, and later the results for the caller.
    var value: Structure
    /// The byte count of the caller's structure.
    let byteCount: Int

    /// The maximum byte count of a later header's structure. A larger size means that the field was not initialized.
    private static var mostByteCount: Int { 4096 }

    /// Reads a caller's structure.
    ///
    /// - Throws: `usage` for a size that no header has, and for nonzero fields that only a later library knows.
    init(_ memory: UnsafePointer<Structure>) throws(ScrubError) {
        let bytes = unsafe UnsafeRawPointer(memory)
        let said = unsafe bytes.load(as: UInt32.self)
        let known = MemoryLayout<Structure>.size
        guard let byteCount = Self.byteCount(said) else {
            let (name, initializer) = Structure.names
            throw ScrubError(
                .usage, "a \(name) has an invalid size: \(said) bytes",
                advice: "initialize it with \(name) x = \(initializer)")
        }
        for place in stride(from: known, to: byteCount, by: 1)
        where unsafe bytes.load(fromByteOffset: place, as: UInt8.self) != 0 {
            throw ScrubError(
                .usage, "a \(Structure.names.type) uses a field at byte \(place) that this library does not support",
                advice: "set the field to 0, or install a library newer than \(Release.version)")
        }
        value = Structure.defaults
        unsafe withUnsafeMutableBytes(of: &value) {
            unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: min(byteCount, known)))
        }
        self.byteCount = byteCount
    }

    /// Returns the size that a structure declares; `nil` for a size that no header has.
    static func byteCount(_ said: UInt32) -> Int? {
        let count = Int(said)
        let isSize = count % MemoryLayout<Structure>.alignment == 0
        return isSize && (Structure.firstByteCount...mostByteCount).contains(count) ? count : nil
    }

    /// Writes back the fields after the size, as far as the caller has room.
    func store(in memory: UnsafeMutablePointer<Structure>) {
        let size = MemoryLayout<UInt32>.size
        unsafe withUnsafeBytes(of: value) {
            let known = unsafe UnsafeRawBufferPointer(rebasing: $0[size..<min(byteCount, $0.count)])
            unsafe UnsafeMutableRawBufferPointer(
                start: UnsafeMutableRawPointer(memory) + size, count: known.count
            ).copyMemory(from: known)
        }
    }
}

extension SizedCopy {
    /// Returns the structure at an address, or the defaults for NULL.
    static func value(_ memory: UnsafePointer<Structure>?) throws(ScrubError) -> Structure {
        guard let memory = unsafe memory else { return Structure.defaults }
        return try unsafe SizedCopy(memory).value
    }
}

extension scrub_error: SizedStructure {
    static var names: (type: String, initializer: String) { ("scrub_error", "SCRUB_ERROR_INIT") }
    static var firstByteCount: Int { 1024 }
    static var defaults: scrub_error { scrub_error() }
}

extension scrub_network: SizedStructure {
    static var names: (type: String, initializer: String) { ("scrub_network", "SCRUB_NETWORK_INIT") }
    static var firstByteCount: Int { 96 }
    static var defaults: scrub_network { unsafe scrub_network() }
}

extension scrub_options: SizedStructure {
    static var names: (type: String, initializer: String) { ("scrub_options", "SCRUB_OPTIONS_INIT") }
    static var firstByteCount: Int { 96 }
    static var defaults: scrub_options {
        var options = unsafe scrub_options()
        unsafe options.stream = -1
        return unsafe options
    }
}

extension scrub_reader: SizedStructure {
    static var names: (type: String, initializer: String) { ("scrub_reader", "SCRUB_READER_INIT") }
    static var firstByteCount: Int { 48 }
    static var defaults: scrub_reader { unsafe scrub_reader() }
}

extension scrub_facts: SizedStructure {
    static var names: (type: String, initializer: String) { ("scrub_facts", "SCRUB_FACTS_INIT") }
    static var firstByteCount: Int { 200 }
    static var defaults: scrub_facts { scrub_facts() }
}

extension scrub_picture: SizedStructure {
    static var names: (type: String, initializer: String) { ("scrub_picture", "SCRUB_PICTURE_INIT") }
    static var firstByteCount: Int { 496 }
    static var defaults: scrub_picture { scrub_picture() }
}

extension scrub_image: SizedStructure {
    static var names: (type: String, initializer: String) { ("scrub_image", "SCRUB_IMAGE_INIT") }
    static var firstByteCount: Int { 24 }
    static var defaults: scrub_image { scrub_image() }
}

extension scrub_thumbnails: SizedStructure {
    static var names: (type: String, initializer: String) { ("scrub_thumbnails", "SCRUB_THUMBNAILS_INIT") }
    static var firstByteCount: Int { 128 }
    static var defaults: scrub_thumbnails { unsafe scrub_thumbnails() }
}

extension scrub_poster_options: SizedStructure {
    static var names: (type: String, initializer: String) { ("scrub_poster_options", "SCRUB_POSTER_OPTIONS_INIT") }
    static var firstByteCount: Int { 40 }
    static var defaults: scrub_poster_options { scrub_poster_options() }
}

extension scrub_scene_options: SizedStructure {
    static var names: (type: String, initializer: String) { ("scrub_scene_options", "SCRUB_SCENE_OPTIONS_INIT") }
    static var firstByteCount: Int { 40 }
    static var defaults: scrub_scene_options { scrub_scene_options() }
}

extension scrub_session_options: SizedStructure {
    static var names: (type: String, initializer: String) { ("scrub_session_options", "SCRUB_SESSION_OPTIONS_INIT") }
    static var firstByteCount: Int { 48 }
    static var defaults: scrub_session_options { unsafe scrub_session_options() }
}

extension scrub_update: SizedStructure {
    static var names: (type: String, initializer: String) { ("scrub_update", "SCRUB_UPDATE_INIT") }
    static var firstByteCount: Int { 352 }
    static var defaults: scrub_update { unsafe scrub_update() }
}

extension scrub_planes: SizedStructure {
    static var names: (type: String, initializer: String) { ("scrub_planes", "SCRUB_PLANES_INIT") }
    static var firstByteCount: Int { 144 }
    static var defaults: scrub_planes { scrub_planes() }
}

extension scrub_memory: SizedStructure {
    static var names: (type: String, initializer: String) { ("scrub_memory", "SCRUB_MEMORY_INIT") }
    static var firstByteCount: Int { 64 }
    static var defaults: scrub_memory { scrub_memory() }
}
#endif
