extension Validator {
    /// Creates a validator from saved values.
    package init(entityTag: String?, lastModified: String?, isTimeStrong: Bool) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.isTimeStrong = isTimeStrong
    }
}
