package import Foundation

extension String.Encoding {
    /// The encoding of a `charset` parameter (IANA names and common aliases), if Foundation supports it.
    ///
    /// Foundation's `init(ianaName:)` knows only about twenty of the seventy encodings that Foundation can decode.
    package init?(charset: String) {
        let name = charset.lowercased()
        if let known = Self.byCharset[name] {
            self.init(rawValue: known)
        } else if let known = String.Encoding(ianaName: charset) {
            self = known
        } else {
            return nil
        }
    }

    /// The raw value of a CoreFoundation encoding that has no constant in Swift: its number with the top bit set.
    private static func cf(_ number: UInt) -> UInt { 0x8000_0000 | number }

    private static let byCharset: [String: UInt] = {
        var table: [String: UInt] = [:]
        for (names, encoding) in charsets {
            for name in names.split(separator: " ") { table[String(name)] = encoding }
        }
        return table
    }()

    /// The characters of the bytes from 0x80 in Mac Roman. Foundation's are wrong on Linux: 0x8E is ± instead of é.
    static let macRomanUpperHalf: [Unicode.Scalar] = Array(
        ("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"
            + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ").unicodeScalars)

    private static let charsets: [(names: String, encoding: UInt)] = [
        ("utf-8 utf8 unicode-1-1-utf-8", Self.utf8.rawValue),
        ("utf-16 utf16", Self.utf16.rawValue),
        ("utf-16le utf16le", Self.utf16LittleEndian.rawValue),
        ("utf-16be utf16be", Self.utf16BigEndian.rawValue),
        ("utf-32 utf32", Self.utf32.rawValue),
        ("utf-32le", Self.utf32LittleEndian.rawValue),
        ("utf-32be", Self.utf32BigEndian.rawValue),
        ("us-ascii ascii iso646-us", Self.ascii.rawValue),
        ("iso-8859-1 iso8859-1 iso_8859-1 latin1 l1 cp819", Self.isoLatin1.rawValue),
        ("iso-8859-2 iso8859-2 iso_8859-2 latin2 l2", Self.isoLatin2.rawValue),
        ("iso-8859-3 iso8859-3 iso_8859-3 latin3 l3", cf(0x203)),
        ("iso-8859-4 iso8859-4 iso_8859-4 latin4 l4", cf(0x204)),
        ("iso-8859-5 iso8859-5 iso_8859-5 cyrillic", cf(0x205)),
        ("iso-8859-6 iso8859-6 iso_8859-6 arabic", cf(0x206)),
        ("iso-8859-7 iso8859-7 iso_8859-7 greek greek8", cf(0x207)),
        ("iso-8859-8 iso8859-8 iso_8859-8 iso-8859-8-i hebrew", cf(0x208)),
        ("iso-8859-9 iso8859-9 iso_8859-9 latin5 l5", cf(0x209)),
        ("iso-8859-10 iso8859-10 latin6 l6", cf(0x20A)),
        ("iso-8859-13 iso8859-13", cf(0x20D)),
        ("iso-8859-15 iso8859-15 latin-9 latin9 l9", cf(0x20F)),
        ("windows-1250 cp1250 x-cp1250", Self.windowsCP1250.rawValue),
        ("windows-1251 cp1251 x-cp1251", Self.windowsCP1251.rawValue),
        ("windows-1252 cp1252 x-cp1252", Self.windowsCP1252.rawValue),
        ("windows-1253 cp1253 x-cp1253", Self.windowsCP1253.rawValue),
        ("windows-1254 cp1254 x-cp1254", Self.windowsCP1254.rawValue),
        ("windows-1255 cp1255 x-cp1255", cf(0x505)),
        ("windows-1256 cp1256 x-cp1256", cf(0x506)),
        ("windows-1257 cp1257 x-cp1257", cf(0x507)),
        ("windows-1258 cp1258 x-cp1258", cf(0x508)),
        ("ibm437 cp437", cf(0x400)),
        ("ibm850 cp850", cf(0x410)),
        ("ibm852 cp852", cf(0x412)),
        ("ibm855 cp855", cf(0x413)),
        ("ibm866 cp866", cf(0x41B)),
        ("windows-874 tis-620 dos-874 cp874", cf(0x41D)),
        ("koi8-r koi8 koi", cf(0xA02)),
        ("koi8-u", cf(0xA08)),
        ("macintosh mac macroman x-mac-roman", Self.macOSRoman.rawValue),
        ("x-mac-cyrillic", cf(7)),
        ("shift_jis shift-jis sjis ms_kanji csshiftjis x-sjis windows-31j ms932 cp932", cf(0x420)),
        ("euc-jp eucjp x-euc-jp", Self.japaneseEUC.rawValue),
        ("iso-2022-jp csiso2022jp", Self.iso2022JP.rawValue),
        ("gbk gb2312 gb_2312-80 x-gbk cp936 ms936 chinese", cf(0x421)),
        ("gb18030", cf(0x632)),
        ("big5 big-5 cn-big5 csbig5 x-x-big5 cp950", cf(0x423)),
        ("big5-hkscs", cf(0xA06)),
        ("euc-kr euckr ks_c_5601-1987 ksc5601 ks_c_5601 korean windows-949 cp949", cf(0x422)),
        ("iso-2022-kr", cf(0x840)),
    ]
}
