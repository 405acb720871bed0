internal import Glibc
internal import ScrubBase
package import SystemPackage

// What the system calls a file is bytes, and a String stands for them as `SystemName` says. These stand before the C functions
// of the same names throughout the module, so that no call can forget it.

/// Lends a name's bytes with a zero behind them.
private func withName<R>(_ name: String, _ body: (UnsafePointer<CChar>) -> R) -> R {
    let bytes = SystemName.bytes(name).map { CChar(bitPattern: $0) } + [0]
    return bytes.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("there is a zero at least") }
        return body(base)
    }
}

func rename(_ old: String, _ new: String) -> Int32 {
    withName(old) { old in withName(new) { Glibc.rename(old, $0) } }
}

/// Gives an open file another name; `old` is followed.
func link(_ old: String, _ new: String) -> Int32 {
    withName(old) { old in withName(new) { Glibc.linkat(AT_FDCWD, old, AT_FDCWD, $0, AT_SYMLINK_FOLLOW) } }
}

@discardableResult
func unlink(_ path: String) -> Int32 { withName(path) { Glibc.unlink($0) } }

func mkdir(_ path: String, _ mode: mode_t) -> Int32 { withName(path) { Glibc.mkdir($0, mode) } }

@discardableResult
func rmdir(_ path: String) -> Int32 { withName(path) { Glibc.rmdir($0) } }

func lstat(_ path: String, _ facts: UnsafeMutablePointer<stat>) -> Int32 { withName(path) { Glibc.lstat($0, facts) } }

func fstatat(_ folder: Int32, _ path: String, _ facts: UnsafeMutablePointer<stat>, _ flags: Int32) -> Int32 {
    withName(path) { Glibc.fstatat(folder, $0, facts, flags) }
}

/// Opens an existing file or folder.
func open(_ path: String, _ flags: Int32) -> Int32 { withName(path) { Glibc.open($0, flags) } }

func realpath(_ path: String, _ resolved: UnsafeMutablePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
    withName(path) { Glibc.realpath($0, resolved) }
}

func opendir(_ path: String) -> OpaquePointer? { withName(path) { Glibc.opendir($0) } }

func openat(_ folder: Int32, _ path: String, _ flags: Int32) -> Int32 {
    withName(path) { Glibc.openat(folder, $0, flags) }
}

@discardableResult
func unlinkat(_ folder: Int32, _ path: String, _ flags: Int32) -> Int32 {
    withName(path) { Glibc.unlinkat(folder, $0, flags) }
}

@discardableResult
func utimensat(_ folder: Int32, _ path: String, _ times: UnsafePointer<timespec>?, _ flags: Int32) -> Int32 {
    withName(path) { Glibc.utimensat(folder, $0, times, flags) }
}

extension FilePath {
    /// The path that a text stands for, as ``SystemName`` says.
    package init(systemName text: String) {
        let bytes = SystemName.bytes(text).map { CChar(bitPattern: $0) } + [0]
        self = bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("there is a zero at least") }
            return FilePath(platformString: base)
        }
    }
}

extension String {
    /// The text that stands for a name that the system gave.
    package init(systemName pointer: UnsafePointer<CChar>) {
        self = SystemName.text(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)))
    }
}
