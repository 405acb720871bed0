package import ScrubMedia

extension DecodingResources {
    /// These resources, or the four decoders of the process for ``automatic``.
    var forPlayers: DecodingResources {
        isAutomatic ? DecodingResources(decoders: DecodingResources.processDecoders, budget: nil) : self
    }

    /// The pool of decoders.
    package var playerDecoders: DecoderPool { decoders ?? DecodingResources.processDecoders }
}
