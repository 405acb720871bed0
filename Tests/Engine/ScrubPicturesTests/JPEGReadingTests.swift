import ScrubBase
import ScrubPictures
import Testing

/// JPEG is read back from memory.
@Suite struct JPEGReadingTests {
    private func picture(width: Int = 48, height: Int = 32, channels: Int = 3) -> RasterImage {
        // Smooth, so that the codec loses next to nothing.
        let bytes = (0..<width * height * channels).map { UInt8(truncatingIfNeeded: 40 + $0 / channels / width * 4) }
        return RasterImage(
            width: width, height: height, channels: channels, bitDepth: 8, bytes: bytes,
            color: ColorSpec(matrix: 0, isFullRange: true, primaries: 1, transfer: 13))
    }

    @Test(arguments: [JPEG.Sampling.half, .halfAcross, .full])
    func writtenPicturesAreReadBack(_ sampling: JPEG.Sampling) throws {
        let image = picture()
        let again = try JPEG.decode(try JPEG.encode(image, quality: 95, sampling: sampling))
        #expect(again.width == 48 && again.height == 32 && again.channels == 3)
        let worst = zip(image.bytes, again.bytes).map { abs(Int($0) - Int($1)) }.max()
        #expect((worst ?? 255) <= 4)
        let gray = try JPEG.decode(try JPEG.encode(picture(channels: 1), quality: 95))
        #expect(gray.channels == 3)
    }

    @Test func sizesAreReadFromTheHeader() throws {
        let size = try JPEG.size(of: try JPEG.encode(picture(width: 17, height: 5), quality: 50))
        #expect(size == (17, 5))
    }

    @Test func picturesBeyondTheLimitAreRefused() throws {
        let file = try JPEG.encode(picture(), quality: 50)
        #expect(try JPEG.decode(file, byteLimit: 48 * 32 * 3).width == 48)
        let error = #expect(throws: ScrubError.self) { try JPEG.decode(file, byteLimit: 48 * 32 * 3 - 1) }
        #expect(error?.code == .badData)
    }

    /// A header can claim the greatest picture; a refused file costs no memory.
    @Test func aHeaderThatClaimsTooMuchIsRefused() throws {
        var file = try JPEG.encode(picture(), quality: 50)
        let frame = try #require(file.indices.dropLast(9).first { file[$0] == 0xFF && file[$0 + 1] == 0xC0 })
        for (height, width) in [(0xFFFF, 0xFFFF), (65_500, 65_500)] {
            file[frame + 5] = UInt8(height >> 8)
            file[frame + 6] = UInt8(height & 0xFF)
            file[frame + 7] = UInt8(width >> 8)
            file[frame + 8] = UInt8(width & 0xFF)
            let error = #expect(throws: ScrubError.self) { try JPEG.decode(file) }
            #expect(error?.code == .badData)
        }
    }

    /// Cut and damaged files: an error or a picture of the same size.
    @Test func damagedFilesAreErrorsOrPictures() throws {
        let file = try JPEG.encode(picture(), quality: 50)
        for count in file.indices {
            let image = try? JPEG.decode(Array(file[..<count]))
            #expect(image.map { $0.width == 48 && $0.height == 32 } ?? true)
        }
        for place in stride(from: 2, to: file.count, by: 3) {
            var broken = file
            broken[place] ^= 0xFF
            do throws(ScrubError) { _ = try JPEG.decode(broken) } catch { #expect(error.code == .badData) }
        }
        #expect(throws: ScrubError.self) { try JPEG.decode([]) }
        #expect(throws: ScrubError.self) { try JPEG.size(of: [0xFF, 0xD8, 0xFF]) }
        #expect(JPEG.isJPEG(file) && !JPEG.isJPEG([0x89, 0x50]))
    }
}
