extension Validator {
    /// Creates a validator that was written down.
    package init(entityTag: String?, lastModified: String?, isTimeStrong: Bool) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.isTimeStrong = isTimeStrong
    }
}
