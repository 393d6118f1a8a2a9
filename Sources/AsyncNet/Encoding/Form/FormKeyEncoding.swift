extension URLEncodedFormEncoder {
    /// How keys are changed.
    ///
    /// Each key of a path is changed by itself, including those of dictionaries, before keys are joined; brackets, dots
    /// and array indices are not changed. `capitalized` turns `user[name]` into `User[Name]`.
    public enum KeyEncoding: Sendable {
        /// Unchanged, such as `myURLProperty`.
        case useDefaultKeys
        /// Words joined by underscores, such as `my_url_property`, split as by `JSONEncoder`, except that an acronym at
        /// the start is one word (`URLPath` becomes `url_path`).
        case convertToSnakeCase
        /// The same words joined by hyphens, such as `my-url-property`.
        case convertToKebabCase
        /// The first character in upper case, such as `MyURLProperty`.
        case capitalized
        /// Upper case, such as `MYURLPROPERTY`.
        case uppercased
        /// Lower case, such as `myurlproperty`.
        case lowercased
        /// The closure's text.
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

        /// A word begins at an upper-case letter. A run of upper-case letters before a lower-case letter is one word
        /// without its last letter, which begins the next word.
        private static func words(of key: String, separatedBy separator: Character) -> String {
            var result = ""
            var isInAcronym = false
            for (index, character) in zip(key.indices, key) {
                if character.isUppercase {
                    let rest = key[key.index(after: index)...]
                    let beginsWord = rest.first?.isLowercase ?? false
                    if beginsWord || !isInAcronym, let last = result.last, last != "_", last != separator {
                        result.append(separator)
                    }
                    isInAcronym = !beginsWord
                } else if character.isLowercase {
                    isInAcronym = false
                }
                result += character.lowercased()
            }
            return result
        }
    }
}
