#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubBase
internal import ScrubMedia

/// A session's picture that C holds, as a `scrub_pixel_buffer`.
struct LentPicture: Sendable {
    let picture: FramePicture
    let frame: PresentedFrame
    let verdict: Verdict
    let decodedPictureCount: Int
    /// References that C holds.
    var referenceCount = 1

    init?(_ update: ScrubSession.Update) {
        guard let picture = update.picture else { return nil }
        (self.picture, frame, verdict) = (picture, update.frame, update.verdict)
        decodedPictureCount = update.decodedPictureCount
    }
}

@c @implementation func scrub_pixel_buffer_copy(
    _ buffer: OpaquePointer?, _ picture: UnsafeMutablePointer<scrub_picture>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        let lent = try unsafe Handles.pictures.object(buffer)
        let target = try unsafe PictureTarget(picture)
        do throws(ScrubError) { try target.take(lent) } catch { throw error.inFile(lent.picture.asset.path) }
    }
}

@c @implementation func scrub_pixel_buffer_get_planes(
    _ buffer: OpaquePointer?, _ planes: UnsafeMutablePointer<scrub_planes>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        let picture = try unsafe Handles.pictures.object(buffer).picture
        guard let planes = unsafe planes else { throw ScrubError.null("the pointer to the planes") }
        var said = try unsafe SizedCopy(planes)
        said.value = scrub_planes()
        do throws(ScrubError) { try picture.lendPlanes(to: &said.value) } catch {
            throw error.inFile(picture.asset.path)
        }
        unsafe said.store(in: planes)
    }
}

extension FramePicture {
    /// Stores where the planes are. They stay valid as long as the picture exists.
    fileprivate func lendPlanes(to said: inout scrub_planes) throws(ScrubError) {
        guard planeCount <= 4 else {
            throw ScrubError(.unavailable, "the picture has \(planeCount) planes, but only 4 are supported")
        }
        said.planes = Int32(planeCount)
        (said.width, said.height) = (Int32(clamping: width), Int32(clamping: height))
        unsafe withUnsafeMutableBytes(of: &said.pixel_format) { unsafe CText.write(pixelFormat, into: $0) }
        for number in 0..<planeCount {
            let plane = plane(number)
            let first = unsafe plane.address(ofRow: 0)
            let second =
                unsafe plane.rowCount > 1
                ? plane.address(ofRow: 1) : first.map { unsafe $0 + plane.bytesPerRow }
            guard let first = unsafe first, let second = unsafe second, unsafe second >= first else {
                throw ScrubError(
                    .unavailable, "the picture's rows are stored from the bottom up",
                    advice: "copy the picture with scrub_pixel_buffer_copy")
            }
            unsafe CArray.set(&said.data, number, first)
            unsafe CArray.set(&said.stride, number, second - first)
            CArray.set(&said.row_bytes, number, Int32(clamping: plane.bytesPerRow))
            CArray.set(&said.rows, number, Int32(clamping: plane.rowCount))
        }
    }
}

extension FramePicture.Plane {
    /// The address of a row. It is valid as long as the picture, which the caller must keep.
    fileprivate func address(ofRow row: Int) -> UnsafeRawPointer? {
        unsafe withRow(row) { unsafe $0.withUnsafeBytes { $0.baseAddress } }
    }
}

@c @implementation func scrub_pixel_buffer_encode(
    _ buffer: OpaquePointer?, _ image: UnsafePointer<scrub_image>?,
    _ bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe bytes?.pointee = nil
    unsafe count?.pointee = 0
    return unsafe answering(error) {
        let lent = try unsafe Handles.pictures.object(buffer)
        guard let bytes = unsafe bytes, let count = unsafe count else {
            throw ScrubError.null("the pointer to the file")
        }
        let encoding = try unsafe Encoding(image)
        do throws(ScrubError) {
            let encoded = try encoding.encode(lent.picture)
            unsafe bytes.pointee = try CMemory.copy(encoded.bytes)
            unsafe count.pointee = encoded.bytes.count
        } catch { throw error.inFile(lent.picture.asset.path) }
    }
}

@c @implementation func scrub_pixel_buffer_retain(_ buffer: OpaquePointer?) {
    guard (try? ForkWatch.check()) != nil else { return }
    _ = unsafe Handles.pictures.change(buffer) { lent -> Bool? in
        lent?.referenceCount += 1
        return nil
    }
}

@c @implementation func scrub_pixel_buffer_release(_ buffer: OpaquePointer?) {
    guard (try? ForkWatch.check()) != nil else { return }
    // It is released here, outside the table's lock.
    _ = unsafe Handles.pictures.change(buffer) { lent -> LentPicture? in
        guard let count = lent?.referenceCount, count > 1 else { return lent.take() }
        lent?.referenceCount = count - 1
        return nil
    }
}
#endif
