extension Session: CustomReflectable {
    /// What `dump` shows: the transport and the configuration, without secrets.
    public nonisolated var customMirror: Mirror {
        Mirror(self, children: ["transport": transportDescription, "configuration": configuration])
    }
}
