import CPreviewCodecs
import Foundation
import Scrub

/// WebP beside JPEG for previews: bytes, times and loss at several qualities, of the same planes.
///
/// Both code the planes of a reduced picture as they are, and decode to planes, as previews do. One thread.
struct CodecTable {
    let path: String
    let asset: VideoAsset
    var longSide = 640
    /// Frames of the film that are coded, evenly spread.
    var count = 60

    private struct Row {
        var name: String
        var bytes = 0
        var encode = Duration.zero
        var decode = Duration.zero
        var luma = 0.0
        var codes = 0.0
        var count = 0
    }

    /// A coder: its name, and what it makes of planes.
    private struct Coder {
        var name: String
        var encode: (SmallPlanes) throws -> [UInt8]
        var decode: ([UInt8], SmallPlanes) throws -> SmallPlanes
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    func run() throws -> [[String: Any]] {
        let pictures = try pictures()
        let coders =
            [60, 70, 75, 80].map { quality in
                Coder(name: "JPEG \(quality)", encode: { try jpeg($0, quality) }, decode: planes(jpeg:like:))
            }
            + [(60, 0), (75, 0), (75, 1), (75, 2), (75, 4), (85, 0)].map { quality, method in
                Coder(
                    name: "WebP \(quality), method \(method)", encode: { try webP($0, quality, method) },
                    decode: planes(webP:like:))
            }
        let clock = ContinuousClock()
        var rows = coders.map { Row(name: $0.name) }
        for picture in pictures {
            // All of them in turns, so that a slow moment hits all.
            for (place, coder) in coders.enumerated() {
                let start = clock.now
                let bytes = try coder.encode(picture)
                let middle = clock.now
                let back = try coder.decode(bytes, picture)
                let end = clock.now
                rows[place].bytes += bytes.count
                rows[place].encode += middle - start
                rows[place].decode += end - middle
                rows[place].luma += noise(picture, back)
                rows[place].codes += picture.distance(to: back)
                rows[place].count += 1
            }
        }
        return rows.map { row in
            let count = Double(row.count)
            return [
                "film": URL(filePath: path).lastPathComponent, "coder": row.name, "pictures": row.count,
                "width": pictures.first?.planes[0].width ?? 0, "height": pictures.first?.planes[0].height ?? 0,
                "bytes": Int(Double(row.bytes) / count), "encodeMs": rounded(row.encode.milliseconds / count, 2),
                "decodeMs": rounded(row.decode.milliseconds / count, 2), "lumaPSNR": rounded(row.luma / count, 2),
                "meanCodes": rounded(row.codes / count, 2),
            ]
        }
    }

    /// The film's pictures at the size of previews.
    private func pictures() throws -> [SmallPlanes] {
        var found: [SmallPlanes] = []
        let total = asset.frames.count
        let numbers = Set((0..<count).map { $0 * total / count }).sorted()
        var reader = FrameReader(asset)
        var format = ""
        try reader.frames(numbered: numbers) { answer in
            guard let picture = answer.picture else { return }
            format = picture.pixelFormat
            guard format.hasSuffix("420p"), let whole = SmallPlanes(picture) else { return }
            let long = max(picture.width, picture.height)
            let size = { (side: Int) in long <= longSide ? side / 2 * 2 : (side * longSide / long + 1) / 2 * 2 }
            let (width, height) = (size(picture.width), size(picture.height))
            let small = SmallPlanes(
                planes: whole.planes.enumerated().map { place, plane in
                    place == 0
                        ? plane.reduced(width: width, height: height)
                        : plane.reduced(width: width / 2, height: height / 2)
                })
            found.append(small)
        }
        guard !found.isEmpty else { throw Failure(description: "its pictures are \(format): take a film of yuv420p") }
        return found
    }

    /// The signal of luma over its noise, in decibels.
    private func noise(_ one: SmallPlanes, _ other: SmallPlanes) -> Double {
        var sum = 0
        for (a, b) in zip(one.planes[0].samples, other.planes[0].samples) {
            let distance = Int(a) - Int(b)
            sum += distance * distance
        }
        let error = max(1e-6, Double(sum) / Double(one.planes[0].samples.count))
        return 10 * log10(255 * 255 / error)
    }

    private func jpeg(_ small: SmallPlanes, _ quality: Int) throws -> [UInt8] {
        guard let coder = tjInitCompress() else { throw Failure(description: "TurboJPEG has no memory") }
        defer { tjDestroy(coder) }
        var out: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        defer { tjFree(out) }
        let (y, u, v) = (small.planes[0], small.planes[1], small.planes[2])
        let status = y.samples.withUnsafeBufferPointer { first in
            u.samples.withUnsafeBufferPointer { second in
                v.samples.withUnsafeBufferPointer { third in
                    var bases = [first.baseAddress, second.baseAddress, third.baseAddress]
                    let strides = [Int32(y.width), Int32(u.width), Int32(v.width)]
                    return tjCompressFromYUVPlanes(
                        coder, &bases, Int32(y.width), strides, Int32(y.height), Int32(TJSAMP_420.rawValue), &out,
                        &count, Int32(quality), TJFLAG_ACCURATEDCT)
                }
            }
        }
        guard status == 0, let out else { throw Failure(description: "TurboJPEG does not encode") }
        return Array(UnsafeBufferPointer(start: out, count: Int(count)))
    }

    private func planes(jpeg bytes: [UInt8], like small: SmallPlanes) throws -> SmallPlanes {
        guard let coder = tjInitDecompress() else { throw Failure(description: "TurboJPEG has no memory") }
        defer { tjDestroy(coder) }
        // TurboJPEG writes whole blocks of color.
        let (width, height) = (Int32(small.planes[0].width), Int32(small.planes[0].height))
        let sampling = Int32(TJSAMP_420.rawValue)
        var widths = (0..<Int32(3)).map { Int32(tjPlaneWidth($0, width, sampling)) }
        let room = { (place: Int) in
            [UInt8](repeating: 0, count: Int(widths[place]) * Int(tjPlaneHeight(Int32(place), height, sampling)))
        }
        var (y, u, v) = (room(0), room(1), room(2))
        let status = y.withUnsafeMutableBufferPointer { first in
            u.withUnsafeMutableBufferPointer { second in
                v.withUnsafeMutableBufferPointer { third in
                    var bases = [first.baseAddress, second.baseAddress, third.baseAddress]
                    return tjDecompressToYUVPlanes(
                        coder, bytes, UInt(bytes.count), &bases, width, &widths, height, TJFLAG_ACCURATEDCT)
                }
            }
        }
        guard status == 0 else { throw Failure(description: "TurboJPEG does not decode") }
        return SmallPlanes(
            planes: zip(small.planes, [y, u, v]).map { plane, samples in
                .init(width: plane.width, height: plane.height, samples: samples)
            })
    }

    private func webP(_ small: SmallPlanes, _ quality: Int, _ method: Int) throws -> [UInt8] {
        var config = WebPConfig()
        var picture = WebPPicture()
        guard WebPConfigInit(&config) != 0, WebPPictureInit(&picture) != 0 else {
            throw Failure(description: "libwebp is of another version")
        }
        defer { WebPPictureFree(&picture) }
        (config.quality, config.method) = (Float(quality), Int32(method))
        (picture.width, picture.height) = (Int32(small.planes[0].width), Int32(small.planes[0].height))
        guard WebPPictureAlloc(&picture) != 0 else { throw Failure(description: "libwebp has no memory") }
        let rooms = [
            (picture.y, picture.y_stride), (picture.u, picture.uv_stride), (picture.v, picture.uv_stride),
        ]
        for (plane, room) in zip(small.planes, rooms) {
            guard let start = room.0 else { continue }
            plane.samples.withUnsafeBufferPointer { samples in
                guard let from = samples.baseAddress else { return }
                for row in 0..<plane.height {
                    (start + row * Int(room.1)).update(from: from + row * plane.width, count: plane.width)
                }
            }
        }
        var writer = WebPMemoryWriter()
        WebPMemoryWriterInit(&writer)
        defer { WebPMemoryWriterClear(&writer) }
        picture.writer = WebPMemoryWrite
        let status = withUnsafeMutablePointer(to: &writer) { writer in
            picture.custom_ptr = UnsafeMutableRawPointer(writer)
            return WebPEncode(&config, &picture)
        }
        guard status != 0 else { throw Failure(description: "libwebp does not encode") }
        return Array(UnsafeBufferPointer(start: writer.mem, count: writer.size))
    }

    private func planes(webP bytes: [UInt8], like small: SmallPlanes) throws -> SmallPlanes {
        var result = small
        var (y, u, v) = (small.planes[0], small.planes[1], small.planes[2])
        let isDecoded = y.samples.withUnsafeMutableBufferPointer { first in
            u.samples.withUnsafeMutableBufferPointer { second in
                v.samples.withUnsafeMutableBufferPointer { third in
                    WebPDecodeYUVInto(
                        bytes, bytes.count, first.baseAddress, first.count, Int32(y.width), second.baseAddress,
                        second.count, Int32(u.width), third.baseAddress, third.count, Int32(v.width)) != nil
                }
            }
        }
        guard isDecoded else { throw Failure(description: "libwebp does not decode") }
        result.planes = [y, u, v]
        return result
    }
}
