extension URLEncodedFormEncoder {
    /// How keys are changed.
    ///
    /// Each key of a path is changed by itself, those of dictionaries too, before paths are joined: brackets, dots and
    /// indices of arrays are no part of a key. `capitalized` makes `user[name]` so `User[Name]`.
    public enum KeyEncoding: Sendable {
        /// `myURLProperty`
        case useDefaultKeys
        /// `my_url_property`: words begin where `JSONEncoder` sees them begin, but an acronym at the start is one word
        /// (`url_path`).
        case convertToSnakeCase
        /// `my-url-property`, with the same words.
        case convertToKebabCase
        /// `MyURLProperty`: the first character in upper case, the rest untouched.
        case capitalized
        /// `MYURLPROPERTY`
        case uppercased
        /// `myurlproperty`
        case lowercased
        case custom(@Sendable (String) -> String)

        func name(_ key: String) -> String {
            switch self {
            case .useDefaultKeys: key
            case .convertToSnakeCase: Self.words(of: key, separatedBy: "_")
            case .convertToKebabCase: Self.words(of: key, separatedBy: "-")
            case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
            case .uppercased: key.uppercased()
            case .lowercased: key.lowercased()
            case .custom(let name): name(key)
            }
        }

        /// A word begins at an upper-case letter; a run of them that reaches to the next lower-case letter is one word
        /// up to the last of them, which begins the next.
        private static func words(of key: String, separatedBy separator: Character) -> String {
            var result = ""
            var isInAcronym = false
            for (index, character) in zip(key.indices, key) {
                if character.isUppercase {
                    let rest = key[key.index(after: index)...]
                    let beginsWord = rest.first?.isLowercase ?? false
                    if beginsWord || !isInAcronym { separate(&result, by: separator) }
                    isInAcronym = !beginsWord
                } else if character.isLowercase {
                    isInAcronym = false
                }
                result += character.lowercased()
            }
            return result
        }

        private static func separate(_ words: inout String, by separator: Character) {
            if let last = words.last, last != "_", last != separator { words.append(separator) }
        }
    }
}
