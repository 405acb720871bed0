internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

extension FrameIndex {
    /// Returns whether the packet after a picture is its second field.
    package func hasSecondField(_ picture: Int) -> Bool {
        picture + 1 < pictures.count && pictures.flags[picture + 1].contains(.secondField)
    }

    /// Whether an additional thread beyond the number of processors is useful, because libavcodec's threads wait for
    /// picture rows that another thread decodes. With two processors, a pass over an H.264 group took a tenth less
    /// time; jumps in HEVC took longer.
    package var gainsFromSpareThread: Bool { facts.codec == .h264 }

    /// Returns whether a picture has a frame number.
    func isPresented(_ picture: Int) -> Bool {
        ranks[picture] >= 0 && pictures.flags[picture].isDisjoint(with: .notPresented)
    }

    /// Whether decoders keep state between runs that changes their pictures, so that each run needs a new decoder.
    ///
    /// libavcodec's flush forgets pictures, but not a sequence's setup, the sample range, or JPEG tables. These matter
    /// only if a stream begins with a picture that lacks some of them, because restarts contain all of their own.
    var decodersKeepState: Bool {
        switch facts.codec {
        case .mpeg1, .mpeg2, .mpeg4: facts.changesParameters
        case .h264, .hevc: facts.changesParameters || facts.hasFilmGrain
        case .other:
            facts.changesParameters
                || pictures.flags.first?.contains(.verified) == true
                    && pictures.flags.first?.randomAccess == RandomAccess.none
                    && facts.descriptions.contains(where: \.mayInheritTables)
        default: false
        }
    }

    /// Whether multithreaded decoding gives different pictures, because each thread keeps only the state from its own
    /// packets.
    ///
    /// In MPEG-4 Part 2 this includes field motion vectors. A B plane's macroblocks use those of the following plane,
    /// and libavcodec's threads do not share them (h263.c, mpeg4video.c, `p_field_mv_table`).
    var threadsKeepState: Bool {
        switch facts.codec {
        case .mpeg4:
            facts.changesParameters
                || facts.descriptions.contains {
                    PictureParser(codec: .mpeg4, extradata: $0.extradata).mayHoldFieldMotion
                }
        case .other: facts.changesParameters
        default: facts.hasFilmGrain
        }
    }

    /// Returns whether a packet is a leading B plane of an open restart in MPEG-4 Part 2. A decoder that begins there
    /// does not get it.
    ///
    /// Such a decoder could not decode the plane. It would also scale field motion vectors in all later B planes by the
    /// distance to a plane that it has not decoded (mpeg4videodec.c, `t_frame`).
    func leads(_ picture: Int, into restart: Int) -> Bool {
        facts.codec == .mpeg4 && pictures.flags[picture].contains(.disposable) && ranks[picture] >= 0
            && ranks[picture] < ranks[restart]
    }

    /// Returns the number of restarts, claimed or verified, up to and including a picture: the index in `restarts` of
    /// the first one after it.
    package func restartCount(through picture: Int) -> Int { restarts.partitioningIndex { Int($0) > picture } }

    /// Returns the last restart, claimed or verified, up to a picture.
    package func lastRestart(through picture: Int) -> Int? {
        let place = restartCount(through: picture)
        return place > 0 ? Int(restarts[place - 1]) : nil
    }

    /// Returns the first restart, claimed or verified, after a picture.
    func nextRestart(after picture: Int) -> Int? {
        let place = restartCount(through: picture)
        return place < restarts.count ? Int(restarts[place]) : nil
    }

    /// Returns the end of the group that contains a picture: the next restart, or the end of the stream.
    func groupEnd(after picture: Int) -> Int { nextRestart(after: picture) ?? pictures.count }
}

extension CodecDescription {
    /// Opens a decoder.
    ///
    /// - Throws: `unavailable` if libavcodec cannot open it.
    func opened(_ options: Decoder.Options, allocator: FrameAllocator?) throws(ScrubError) -> Decoder {
        try translatingErrors("the decoder for \(codecName) cannot be opened") { () throws(AVError) in
            try Decoder(self, options, allocator: allocator)
        }
    }
}
