/// A type of which `dump` shows the description only, since its properties may hold secrets.
package protocol ShownByDescription: CustomStringConvertible, CustomReflectable {}

extension ShownByDescription {
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
