internal import ScrubMedia

extension DecodingResources {
    /// These resources, or the four decoders of the process for ``automatic``.
    var forPlayers: DecodingResources {
        isAutomatic ? DecodingResources(decoders: decoderPool, budget: nil) : self
    }
}
