/// The references of each coded picture, worked out from a ``TraceLog`` the slow and plain way.
struct TracedReferences {
    struct Picture {
        /// `nil` when one of them is not there.
        var references: [Int]?
        var isShown = true
        var orderCount: Int?
    }

    private(set) var pictures: [Picture] = []

    init(av1 log: TraceLog) {
        var slots = [(unit: Int, isKey: Bool)?](repeating: nil, count: 8)
        for header in log.headers where header.name == "Frame Header" {
            let unit = pictures.count
            var used: [Int] = []
            var taken = header["refresh_frame_flags"] ?? 0xFF
            var isKey = header["frame_type"] == 0
            var isShown = header["show_frame"] != 0
            if header["show_existing_frame"] == 1, let slot = header["frame_to_show_map_idx"] {
                used = [slot]
                isKey = slots[slot]?.isKey ?? false
                isShown = true
                taken = isKey ? 0xFF : 0
            } else if header["frame_refs_short_signaling"] == 1 {
                used = Array(0..<8)
            } else {
                used = (0..<7).compactMap { header["ref_frame_idx[\($0)]"] }
            }
            let known = used.compactMap { slots[$0]?.unit }
            pictures.append(
                Picture(
                    references: known.count == used.count ? Set(known).sorted() : nil, isShown: isShown))
            for slot in 0..<8 where taken >> slot & 1 == 1 { slots[slot] = (unit, isKey) }
        }
    }

    init(hevc log: TraceLog) {
        var sets: [[Int: Bool]] = []
        var orderBits = 4
        var (anchor, isAtStart, drops) = (0, true, false)
        var buffer: [Int: Int] = [:]
        for header in log.headers {
            if header.name == "Sequence Parameter Set" {
                orderBits = (header["log2_max_pic_order_cnt_lsb_minus4"] ?? 0) + 4
                sets = TracedReferences.sequenceSets(header)
            }
            if header.name == "End of Sequence" { isAtStart = true }
            guard header.name == "Slice Segment Header", header["first_slice_segment_in_pic_flag"] == 1,
                let type = header["nal_unit_type"], let layer = header["nuh_temporal_id_plus1"]
            else { continue }
            let isRandomAccess = (16...21).contains(type)
            let isStart = isRandomAccess && (isAtStart || type != 21)
            if isRandomAccess { (isAtStart, drops) = (false, isStart) }
            if isStart { (anchor, buffer) = (0, [:]) }
            // The value nearest to the anchor with these low bits (8.3.1).
            let (lowBits, modulus) = (header["slice_pic_order_cnt_lsb"] ?? 0, 1 << orderBits)
            var order = lowBits
            while !isStart, order - anchor < -modulus / 2 { order += modulus }
            while !isStart, order - anchor >= modulus / 2 { order -= modulus }
            if layer == 1, type > 15 || (type % 2 == 1 && !(6...9).contains(type)) { anchor = order }
            var picture = Picture(references: nil, isShown: header["pic_output_flag"] != 0, orderCount: order)
            if drops, type == 8 || type == 9 {
                picture.isShown = false
            } else {
                var set: [Int: Bool] = [:]
                if header["short_term_ref_pic_set_sps_flag"] == 1 {
                    set = sets[header["short_term_ref_pic_set_idx"] ?? 0]
                } else if !(19...20).contains(type) {
                    set = TracedReferences.set(header.fields[...], known: sets)
                }
                if isStart { set = [:] }
                let used = set.filter(\.value).map { buffer[order + $0.key] }
                picture.references = used.contains(nil) ? nil : used.compactMap { $0 }.sorted()
                buffer = buffer.filter { set[$0.key - order] != nil }
                buffer[order] = pictures.count
            }
            pictures.append(picture)
        }
    }

    /// The sets of a sequence parameter set.
    private static func sequenceSets(_ header: TraceLog.Header) -> [[Int: Bool]] {
        let fields = header.fields
        let count = header["num_short_term_ref_pic_sets"] ?? 0
        guard let start = fields.firstIndex(where: { $0.name == "num_short_term_ref_pic_sets" }),
            let end = fields.firstIndex(where: { $0.name == "long_term_ref_pics_present_flag" })
        else { return [] }
        // All but the first set begin with inter_ref_pic_set_prediction_flag.
        let starts = fields.indices.filter { index in
            index > start && index < end && fields[index].name == "inter_ref_pic_set_prediction_flag"
        }
        let bounds = [start + 1] + starts + [end]
        var sets: [[Int: Bool]] = []
        for index in 0..<min(count, bounds.count - 1) {
            sets.append(set(fields[bounds[index]..<bounds[index + 1]], known: sets))
        }
        return sets
    }

    /// One set by distance (7.4.8): whether the current picture uses it.
    private static func set(
        _ fields: ArraySlice<(name: String, value: Int)>, known: [[Int: Bool]]
    ) -> [Int: Bool] {
        let values = Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
        var entries: [Int: Bool] = [:]
        guard values["inter_ref_pic_set_prediction_flag"] == 1 else {
            for (list, count, sign) in [("s0", "negative", -1), ("s1", "positive", 1)] {
                var distance = 0
                for index in 0..<(values["num_\(count)_pics"] ?? 0) {
                    distance += sign * ((values["delta_poc_\(list)_minus1[\(index)]"] ?? 0) + 1)
                    entries[distance] = values["used_by_curr_pic_\(list)_flag[\(index)]"] == 1
                }
            }
            return entries
        }
        let source = known[known.count - 1 - (values["delta_idx_minus1"] ?? 0)].keys
        let size = (values["abs_delta_rps_minus1"] ?? 0) + 1
        let shift = values["delta_rps_sign"] == 1 ? -size : size
        let nearestFirst = source.filter { $0 < 0 }.sorted(by: >) + source.filter { $0 > 0 }.sorted() + [0]
        for (index, distance) in nearestFirst.enumerated() {
            let isUsed = values["used_by_curr_pic_flag[\(index)]"] == 1
            guard isUsed || values["use_delta_flag[\(index)]"] != 0 else { continue }
            entries[distance + shift] = isUsed
        }
        entries[0] = nil
        return entries
    }
}
