/// A format for writing a list of frames for other programs.
package enum FrameMapFormat: String, CaseIterable, Sendable {
    /// The `custom_frame_mappings` of torchcodec's `VideoDecoder`.
    case torchcodec
    /// The `manifest.jsonl` of CVAT, version 1.1.
    case cvat
    /// A table with a header.
    case csv
    /// A single JSON object.
    case json
    /// The "timestamp format v2" that mkvmerge and x264 read.
    case timecodes

    /// The program that itself seeks to the map's times and therefore needs keyframes that are valid for it;
    /// `nil` for formats that only report the container's information.
    package var reader: String? {
        switch self {
        case .torchcodec: "torchcodec"
        case .cvat: "CVAT"
        case .csv, .json, .timecodes: nil
        }
    }
}
