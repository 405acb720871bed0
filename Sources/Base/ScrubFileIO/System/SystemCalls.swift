internal import CScrubSparseFiles
internal import Glibc
internal import ScrubBase
package import SystemPackage

// File names are bytes to the system, and a String represents them as described in `SystemName`. These functions shadow
// the C functions of the same names throughout the module, so every call handles this.

/// Calls a closure with a name's bytes and a terminating zero.
private func withName<R>(_ name: String, _ body: (UnsafePointer<CChar>) -> R) -> R {
    let bytes = SystemName.bytes(name).map { CChar(bitPattern: $0) } + [0]
    return unsafe bytes.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("there is at least a terminating zero") }
        return unsafe body(base)
    }
}

/// Repeats a call while signals interrupt it, because opening a file may take a long time on network file systems.
private func uninterrupted(_ call: () -> Int32) -> Int32 {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

func rename(_ old: String, _ new: String) -> Int32 {
    unsafe withName(old) { old in unsafe withName(new) { unsafe Glibc.rename(old, $0) } }
}

/// Gives an open file another name; links in `old` are followed.
func link(_ old: String, _ new: String) -> Int32 {
    unsafe withName(old) { old in
        unsafe withName(new) { unsafe Glibc.linkat(AT_FDCWD, old, AT_FDCWD, $0, AT_SYMLINK_FOLLOW) }
    }
}

@discardableResult
func unlink(_ path: String) -> Int32 { unsafe withName(path) { unsafe Glibc.unlink($0) } }

func mkdir(_ path: String, _ mode: mode_t) -> Int32 { unsafe withName(path) { unsafe Glibc.mkdir($0, mode) } }

@discardableResult
func rmdir(_ path: String) -> Int32 { unsafe withName(path) { unsafe Glibc.rmdir($0) } }

func lstat(_ path: String, _ facts: UnsafeMutablePointer<stat>) -> Int32 {
    unsafe withName(path) { unsafe Glibc.lstat($0, facts) }
}

func fstatat(_ folder: Int32, _ path: String, _ facts: UnsafeMutablePointer<stat>, _ flags: Int32) -> Int32 {
    unsafe withName(path) { unsafe Glibc.fstatat(folder, $0, facts, flags) }
}

/// Opens an existing file or folder.
func open(_ path: String, _ flags: Int32) -> Int32 {
    unsafe withName(path) { path in uninterrupted { unsafe Glibc.open(path, flags) } }
}

/// Opens a file, or creates it.
func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    unsafe withName(path) { path in uninterrupted { unsafe Glibc.open(path, flags, mode) } }
}

func realpath(_ path: String, _ resolved: UnsafeMutablePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
    unsafe withName(path) { unsafe Glibc.realpath($0, resolved) }
}

func opendir(_ path: String) -> OpaquePointer? { unsafe withName(path) { unsafe Glibc.opendir($0) } }

func openat(_ folder: Int32, _ path: String, _ flags: Int32) -> Int32 {
    unsafe withName(path) { path in uninterrupted { unsafe Glibc.openat(folder, path, flags) } }
}

@discardableResult
func unlinkat(_ folder: Int32, _ path: String, _ flags: Int32) -> Int32 {
    unsafe withName(path) { unsafe Glibc.unlinkat(folder, $0, flags) }
}

@discardableResult
func utimensat(_ folder: Int32, _ path: String, _ times: UnsafePointer<timespec>?, _ flags: Int32) -> Int32 {
    unsafe withName(path) { unsafe Glibc.utimensat(folder, $0, times, flags) }
}

/// Sets an extended attribute of a file (setxattr(2)).
///
/// - Returns: whether the file system supports them.
func setAttribute(_ name: String, of path: String, _ value: [UInt8]) -> Bool {
    unsafe withName(path) { path in
        unsafe value.withUnsafeBytes { unsafe scrub_set_attribute(path, name, $0.baseAddress, Int64($0.count)) == 0 }
    }
}

/// Returns an extended attribute of a file or link (lgetxattr(2)); `nil` if there is none or it is longer than the
/// limit.
func attribute(_ name: String, of path: String, limit: Int) -> [UInt8]? {
    var value = [UInt8](repeating: 0, count: limit)
    let count = unsafe withName(path) { path in
        unsafe value.withUnsafeMutableBytes { unsafe scrub_attribute(path, name, $0.baseAddress, Int64($0.count)) }
    }
    return count >= 0 ? Array(value.prefix(Int(count))) : nil
}

extension FilePath {
    /// Creates the path that a text represents, as described in ``SystemName``.
    package init(systemName text: String) {
        let bytes = SystemName.bytes(text).map { CChar(bitPattern: $0) } + [0]
        self = unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("there is at least a terminating zero") }
            return unsafe FilePath(platformString: base)
        }
    }
}

extension String {
    /// Creates the text that represents a name from the system.
    package init(systemName pointer: UnsafePointer<CChar>) {
        self = unsafe SystemName.text(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)))
    }
}
