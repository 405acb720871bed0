internal import CScrubSandbox
internal import Glibc
internal import ScrubIsolation
internal import ScrubBase

/// Memory in which a worker stores pictures, as mapped by the program that reads them or by the worker that writes
/// them.
///
/// Planes follow each other from the beginning, rows without padding, according to the picture's format and size. No
/// number from the worker determines any address.
@safe final class SharedPictureMemory {
    let byteCount: Int
    private let base: UnsafeMutableRawPointer
    /// The descriptor, open until it was passed on.
    private var descriptor: Int32?

    /// Allocates memory, and maps it for reading only.
    init(byteCount: Int) throws(WorkerFailure) {
        let made = scrub_memory_make(byteCount)
        guard made >= 0 else { throw .unavailable("there is not enough memory for pictures") }
        guard let base = unsafe scrub_memory_map(made, byteCount, 0) else {
            close(made)
            throw .unavailable("there is not enough memory for pictures")
        }
        unsafe (self.byteCount, self.base, descriptor) = unsafe (byteCount, base, made)
    }

    /// Maps memory that was received, for writing; its descriptor is closed.
    init(descriptor: Int32, byteCount: Int) throws(WorkerFailure) {
        defer { close(descriptor) }
        guard let base = unsafe scrub_memory_map(descriptor, byteCount, 1) else {
            throw .unavailable("memory cannot be mapped")
        }
        unsafe (self.byteCount, self.base) = unsafe (byteCount, base)
    }

    deinit {
        unsafe munmap(base, byteCount)
        if let descriptor { close(descriptor) }
    }

    /// Passes the memory to a worker.
    func hand(to worker: Worker) throws(WorkerFailure) {
        guard let descriptor else { return }
        var message = MessageWriter()
        message.put(Int64(byteCount))
        try worker.send(Order.memory, message.bytes, descriptor: descriptor)
        close(descriptor)
        self.descriptor = nil
    }

    /// Copies a picture's samples out, so that later reads are from a copy that the worker cannot change.
    ///
    /// - Precondition: the frame has the shape, and the memory is large enough.
    func copy(_ shape: MessagePictureShape, into frame: borrowing Frame) {
        precondition(shape.byteCount <= byteCount, "the picture is larger than its memory")
        unsafe forEachRow(shape, frame) { row, memory, count in unsafe row.copyMemory(from: memory, byteCount: count) }
    }

    /// Copies a picture's samples into the memory.
    ///
    /// - Precondition: the memory is large enough.
    func take(_ frame: borrowing Frame) {
        let shape = MessagePictureShape(frame)
        precondition(shape.byteCount <= byteCount, "the picture is larger than its memory")
        unsafe forEachRow(shape, frame) { row, memory, count in unsafe memory.copyMemory(from: row, byteCount: count) }
    }

    private func forEachRow(
        _ shape: MessagePictureShape, _ frame: borrowing Frame,
        _ body: (_ row: UnsafeMutableRawPointer, _ memory: UnsafeMutableRawPointer, _ count: Int) -> Void
    ) {
        var place = unsafe base
        for plane in 0..<shape.format.planeCount {
            let (bytes, rows) = shape.format.planeShape(plane, width: shape.width, height: shape.height)
            guard let first = unsafe frame.pointer.pointee.plane(plane) else { return }
            let stride = unsafe Int(frame.pointer.pointee.stride(plane))
            if stride == bytes {
                unsafe body(first, place, bytes * rows)
            } else {
                for row in 0..<rows { unsafe body(first + row * stride, place + row * bytes, bytes) }
            }
            unsafe place += bytes * rows
        }
    }
}
