// Made by Scripts/generate-media-types. Do not change it by hand.

extension MediaTypes {
    /// Each line begins with what its types have in common; further words are the rest of a type, and its extensions.
    static let table = """
        application/ atom+xml:atom dash+xml:mpd dicom:dcm epub+zip:epub geo+json:geojson geopackage+sqlite3:gpkg
        application/ gml+xml:gml gzip:gz java-archive:jar java-serialized-object:ser java-vm:class json:json
        application/ json-patch+json:json-patch jsonl:jsonl ld+json:jsonld manifest+json:webmanifest mbox:mbox
        application/ msword:doc octet-stream:bin onenote:one oxps:oxps pdf:pdf pem-certificate-chain:pem
        application/ pgp-encrypted:pgp pgp-keys:asc:key pgp-signature:sig pkcs10:p10 pkcs12:p12:pfx pkcs7-mime:p7c:p7m
        application/ pkcs7-signature:p7s pkcs8:p8 pkix-cert:cer pkix-crl:crl postscript:ai:eps:ps rdf+xml:rdf rtf:rtf
        application/ smil+xml:smil sql:sql toml:toml ttml+xml:ttml wasm:wasm wsdl+xml:wsdl xhtml+xml:xht:xhtml xml:xml
        application/ xml-dtd:dtd xslt+xml:xsl:xslt yaml:yaml:yml zip:zip zstd:zst
        application/vnd. adobe.flash.movie:swf amazon.mobi8-ebook:azw3 android.package-archive:apk
        application/vnd. apache.arrow.file:arrow apache.parquet:parquet apple.mpegurl:m3u8 apple.numbers:numbers
        application/vnd. apple.pages:pages debian.binary-package:deb google-earth.kml+xml:kml google-earth.kmz:kmz
        application/vnd. ms-cab-compressed:cab ms-excel:xla:xls ms-excel.sheet.binary.macroEnabled.12:xlsb
        application/vnd. ms-excel.sheet.macroEnabled.12:xlsm ms-powerpoint:pps:ppt
        application/vnd. ms-powerpoint.presentation.macroEnabled.12:pptm ms-project:mpp
        application/vnd. ms-word.document.macroEnabled.12:docm oasis.opendocument.formula:odf
        application/vnd. oasis.opendocument.graphics:odg oasis.opendocument.presentation:odp
        application/vnd. oasis.opendocument.spreadsheet:ods oasis.opendocument.spreadsheet-template:ots
        application/vnd. oasis.opendocument.text:odt oasis.opendocument.text-template:ott
        application/vnd. openxmlformats-officedocument.presentationml.presentation:pptx
        application/vnd. openxmlformats-officedocument.presentationml.slideshow:ppsx
        application/vnd. openxmlformats-officedocument.presentationml.template:potx
        application/vnd. openxmlformats-officedocument.spreadsheetml.sheet:xlsx
        application/vnd. openxmlformats-officedocument.spreadsheetml.template:xltx
        application/vnd. openxmlformats-officedocument.wordprocessingml.document:docx
        application/vnd. openxmlformats-officedocument.wordprocessingml.template:dotx rar:rar shp:shp
        application/vnd. sqlite3:sqlite:sqlite3 visio:vsd
        application/x- 7z-compressed:7z apple-diskimage:dmg bittorrent:torrent cpio:cpio dvi:dvi font:pfb
        application/x- gtar-compressed:tgz hdf:hdf iso9660-image:iso latex:latex lha:lha lzh:lzh
        application/x- msdos-program:bat:com:dll:exe msi:msi ndjson:ndjson netcdf:nc ns-proxy-autoconfig:pac
        application/x- redhat-package-manager:rpm rss+xml:rss ruby:rb sh:sh stuffit:sit tar:tar tcl:tcl x509-ca-cert:crt
        application/x- xz:xz
        audio/ AMR:amr aac:aac ac3:ac3 flac:flac mp4:m4a mpeg:mp2:mp3:mpga mpegurl:m3u ogg:oga:ogg:opus sp-midi:mid
        audio/ x-aiff:aif:aifc:aiff x-pn-realaudio:ra x-scpls:pls x-wav:wav
        font/ collection:ttc otf:otf ttf:ttf woff:woff woff2:woff2
        image/ apng:apng avif:avif bmp:bmp emf:emf gif:gif heic:heic heif:heif ief:ief jp2:jp2 jpeg:jfif:jpe:jpeg:jpg
        image/ jxl:jxl png:png svg+xml:svg:svgz tiff:tif:tiff vnd.adobe.photoshop:psd vnd.djvu:djvu vnd.dwg:dwg
        image/ vnd.dxf:dxf vnd.microsoft.icon:ico vnd.wap.wbmp:wbmp webp:webp wmf:wmf x-canon-cr2:cr2 x-nikon-nef:nef
        image/ x-olympus-orf:orf x-portable-anymap:pnm x-portable-bitmap:pbm x-portable-graymap:pgm
        image/ x-portable-pixmap:ppm x-xcf:xcf x-xpixmap:xpm
        message/ rfc822:eml
        model/ gltf+json:gltf gltf-binary:glb obj:obj step:step:stp stl:stl vnd.collada+xml:dae vnd.usdz+zip:usdz
        model/ vrml:wrl
        text/ SGML:sgml cache-manifest:appcache calendar:ics css:css csv:csv html:htm:html:shtml javascript:cjs:js:mjs
        text/ markdown:markdown:md plain:conf:ini:log:srt:text:txt tab-separated-values:tsv vcard:vcard:vcf
        text/ vnd.graphviz:dot vnd.wap.wml:wml vtt:vtt x-bibtex:bib x-c++hdr:hpp x-c++src:cc:cpp x-chdr:h x-csrc:c
        text/ x-diff:diff:patch x-haskell:hs x-java:java x-perl:pl x-python:py x-scala:scala x-swift:swift x-tex:tex
        video/ mj2:mj2 mp2t:m2ts:ts mp4:m4v:mp4 mpeg:mpe:mpeg:mpg ogg:ogv quicktime:mov:qt webm:webm x-flv:flv
        video/ x-matroska:mkv x-mng:mng x-ms-wmv:wmv x-msvideo:avi
        """
}
