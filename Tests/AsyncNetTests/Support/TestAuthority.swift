import Foundation

/// A root and an intermediate authority, the certificates that they issued, and their revocation lists; valid to 2120.
enum TestAuthority {
    /// The root's certificate. The root issued the certificates of the intermediate authority and of the clients.
    static let root = """
        -----BEGIN CERTIFICATE-----
        MIIBhDCCASugAwIBAgIIPqmQRPud6q4wCgYIKoZIzj0EAwIwHTEbMBkGA1UEAwwS
        QXN5bmNOZXQgdGVzdCByb290MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAw
        MDAwWjAdMRswGQYDVQQDDBJBc3luY05ldCB0ZXN0IHJvb3QwWTATBgcqhkjOPQIB
        BggqhkjOPQMBBwNCAASZCiYiG7A7L66lYjXZ54AdJh3mplxTEMVPn2p4ZJn2RvlS
        7oNo6SQuzOQAZTqLxoj/tR/VrfN517v5deXlN9p2o1MwUTAPBgNVHRMBAf8EBTAD
        AQH/MB0GA1UdDgQWBBRLh8LIPo/AbIClrpwLne9ymCTVwzAfBgNVHSMEGDAWgBRL
        h8LIPo/AbIClrpwLne9ymCTVwzAKBggqhkjOPQQDAgNHADBEAiAuH3SKuoj8nFnq
        V8J5rpF2nkL0NNXm5KcY2ZrgNXrZwgIgX1es/qmICwRs7Qo7NUy9OW9PQUOn/Q5C
        /F9MBWsunTo=
        -----END CERTIFICATE-----
        """

    /// The certificate of the intermediate authority, which issued the site's certificate.
    static let intermediate = """
        -----BEGIN CERTIFICATE-----
        MIIBjDCCATOgAwIBAgIIIktAYdubc6IwCgYIKoZIzj0EAwIwHTEbMBkGA1UEAwwS
        QXN5bmNOZXQgdGVzdCByb290MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAw
        MDAwWjAlMSMwIQYDVQQDDBpBc3luY05ldCB0ZXN0IGludGVybWVkaWF0ZTBZMBMG
        ByqGSM49AgEGCCqGSM49AwEHA0IABJBAuBsMd5sTRksiIGrbJXWaL+3On9Tl0Pfz
        QUTR6DGojZMkIl8sgvGUgkuakhpefXjNY46S+jj9nlSjIXJA/hCjUzBRMA8GA1Ud
        EwEB/wQFMAMBAf8wHQYDVR0OBBYEFMkDTqPmWNugXoJaD/C4PXPVj7DvMB8GA1Ud
        IwQYMBaAFEuHwsg+j8BsgKWunAud73KYJNXDMAoGCCqGSM49BAMCA0cAMEQCIC4v
        xs/QavDMLjwLgzOAfQZ9GV+SYIkUaLdrrzNxoiQUAiBHBMPRtlH/+MYGgNzl5eoA
        eFzZ8dYUsROqW+mEI8HPbw==
        -----END CERTIFICATE-----
        """

    /// The site's certificate, for localhost, site.example and 127.0.0.1.
    static let site = """
        -----BEGIN CERTIFICATE-----
        MIIBiDCCAS2gAwIBAgIITpZs+7/SBH8wCgYIKoZIzj0EAwIwJTEjMCEGA1UEAwwa
        QXN5bmNOZXQgdGVzdCBpbnRlcm1lZGlhdGUwIBcNMjAwMTAxMDAwMDAwWhgPMjEy
        MDAxMDEwMDAwMDBaMA8xDTALBgNVBAMMBHNpdGUwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAASHYnouylWZ8HN2b5e/0a9J+8h+p4w8bvxCaAe1TfukYAVjAebSTVIq
        X82aUndt7Tq2nT78wGb+GYVT3tfVfaKso1swWTAMBgNVHRMBAf8EAjAAMB8GA1Ud
        IwQYMBaAFMkDTqPmWNugXoJaD/C4PXPVj7DvMCgGA1UdEQQhMB+CCWxvY2FsaG9z
        dIIMc2l0ZS5leGFtcGxlhwR/AAABMAoGCCqGSM49BAMCA0kAMEYCIQCWvC5zgsjn
        nu4Uf31ZVLyxpDGfVBkmFPDV2NvBU3pVwQIhAI4Y5xjdPahqL61Vet30rhcdtpiZ
        ncCk14I4F1m8ZNC8
        -----END CERTIFICATE-----
        """

    static let siteKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3Ut+fFBxwbWHmc7j
        RrS7mb1B1NV0B4S5OvhvzuopSHShRANCAASHYnouylWZ8HN2b5e/0a9J+8h+p4w8
        bvxCaAe1TfukYAVjAebSTVIqX82aUndt7Tq2nT78wGb+GYVT3tfVfaKs
        -----END PRIVATE KEY-----
        """

    /// The certificate of `client a`.
    static let clientA = """
        -----BEGIN CERTIFICATE-----
        MIIBWDCB/6ADAgECAghG4V6mI1M1/TAKBggqhkjOPQQDAjAdMRswGQYDVQQDDBJB
        c3luY05ldCB0ZXN0IHJvb3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAw
        MDBaMBMxETAPBgNVBAMMCGNsaWVudCBhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
        QgAEalB+rba0Xix1WFsP0KdNflN8Y/r8apdmzaZwXxVxB15xTZUw5r5LnPjRfcek
        OqAhS9Oy3vKCPAUxOFQreTrngqMxMC8wDAYDVR0TAQH/BAIwADAfBgNVHSMEGDAW
        gBRLh8LIPo/AbIClrpwLne9ymCTVwzAKBggqhkjOPQQDAgNIADBFAiBBPfMaRVhP
        ltZ9Ob7Yr0sxe+ggREBDcRIpmH7L10TgWwIhAP6VW3u026lkpbgR5OOyOCkGDoek
        s6jiKH3KsiwJ5uWZ
        -----END CERTIFICATE-----
        """

    static let keyA = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWKCx3Ife74aXlXtf
        uqQhwwVW9EBvvAbNOX1pssJ4kQGhRANCAARqUH6ttrReLHVYWw/Qp01+U3xj+vxq
        l2bNpnBfFXEHXnFNlTDmvkuc+NF9x6Q6oCFL07Le8oI8BTE4VCt5OueC
        -----END PRIVATE KEY-----
        """

    /// The certificate of `client b`.
    static let clientB = """
        -----BEGIN CERTIFICATE-----
        MIIBWDCB/6ADAgECAggRK2//C85o+DAKBggqhkjOPQQDAjAdMRswGQYDVQQDDBJB
        c3luY05ldCB0ZXN0IHJvb3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAw
        MDBaMBMxETAPBgNVBAMMCGNsaWVudCBiMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
        QgAEEBxYcGmUnEdZnll9OLTzGh5jEvj5TSlvP+QtycJjdOY1rVY4xniSMwLEp7p2
        AD/i+pUqA/Y8S1iETb/4WxQcBaMxMC8wDAYDVR0TAQH/BAIwADAfBgNVHSMEGDAW
        gBRLh8LIPo/AbIClrpwLne9ymCTVwzAKBggqhkjOPQQDAgNIADBFAiAOVTv1rub+
        3wn5R1q/TZLtWskXw+NomYTekEK/C3zddgIhANS6zAWtdWR1Wr7rSa9ywHXs4wZf
        T3e5cj500oEAGQ4i
        -----END CERTIFICATE-----
        """

    static let keyB = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5t4+SQtq00rxtcuU
        s6yUdKQmu1vk4G0qfYIb11PbjxOhRANCAAQQHFhwaZScR1meWX04tPMaHmMS+PlN
        KW8/5C3JwmN05jWtVjjGeJIzAsSnunYAP+L6lSoD9jxLWIRNv/hbFBwF
        -----END PRIVATE KEY-----
        """

    /// A revocation list of the intermediate authority, without entries.
    static let emptyList = """
        -----BEGIN X509 CRL-----
        MIHhMIGHAgEBMAoGCCqGSM49BAMCMCUxIzAhBgNVBAMMGkFzeW5jTmV0IHRlc3Qg
        aW50ZXJtZWRpYXRlFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFqgLzAt
        MB8GA1UdIwQYMBaAFMkDTqPmWNugXoJaD/C4PXPVj7DvMAoGA1UdFAQDAgEBMAoG
        CCqGSM49BAMCA0kAMEYCIQC+AoNfciL3uDvtGKFdWDQRgaOBS+iXtH+DTviTKM2T
        XQIhAPdFLLQ6oSe5ydj/MAhqEtvSZhCxGtPBlViuKG1tyLt0
        -----END X509 CRL-----
        """

    /// A revocation list of the intermediate authority with the site's certificate.
    static let list = """
        -----BEGIN X509 CRL-----
        MIH9MIGkAgEBMAoGCCqGSM49BAMCMCUxIzAhBgNVBAMMGkFzeW5jTmV0IHRlc3Qg
        aW50ZXJtZWRpYXRlFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowGzAZ
        AghOlmz7v9IEfxcNMjAwMTAxMDAwMDAwWqAvMC0wHwYDVR0jBBgwFoAUyQNOo+ZY
        26BegloP8Lg9c9WPsO8wCgYDVR0UBAMCAQEwCgYIKoZIzj0EAwIDSAAwRQIgf2YC
        KPWbNOT0LdKzVed1alBiCu/rn5zojACJTJUudEMCIQCIyOSxrgbsmcWANrBmRleX
        7bMqSqGpFBkZhw3P6yoSMA==
        -----END X509 CRL-----
        """

    /// A revocation list of the intermediate authority that expired at the end of 2020.
    static let oldList = """
        -----BEGIN X509 CRL-----
        MIHeMIGFAgEBMAoGCCqGSM49BAMCMCUxIzAhBgNVBAMMGkFzeW5jTmV0IHRlc3Qg
        aW50ZXJtZWRpYXRlFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEwMDAwMDBaoC8wLTAf
        BgNVHSMEGDAWgBTJA06j5ljboF6CWg/wuD1z1Y+w7zAKBgNVHRQEAwIBATAKBggq
        hkjOPQQDAgNIADBFAiB6hGq7uM90Q2tqyqiKvFhPavq/R6Wqy9GDGV0GeK/sFwIh
        AP/wIZIJ7T/7pFlwhIfqzH9TjnAbMbHIMLj+dVvPfu8M
        -----END X509 CRL-----
        """

    /// A revocation list of the root, without entries.
    static let emptyRootList = """
        -----BEGIN X509 CRL-----
        MIHYMH8CAQEwCgYIKoZIzj0EAwIwHTEbMBkGA1UEAwwSQXN5bmNOZXQgdGVzdCBy
        b290Fw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFqgLzAtMB8GA1UdIwQY
        MBaAFEuHwsg+j8BsgKWunAud73KYJNXDMAoGA1UdFAQDAgEBMAoGCCqGSM49BAMC
        A0kAMEYCIQDTCiEaCtI0nS0MjScBv06Xp4UFYrkzl4gzxtpoK9WFXAIhAKTqQL7/
        DrCLdCZpOvUhfhII148umecJsv16T9M3YBpH
        -----END X509 CRL-----
        """

    /// A revocation list of the root with the intermediate authority's certificate.
    static let rootList = """
        -----BEGIN X509 CRL-----
        MIH0MIGcAgEBMAoGCCqGSM49BAMCMB0xGzAZBgNVBAMMEkFzeW5jTmV0IHRlc3Qg
        cm9vdBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBswGQIIIktAYdub
        c6IXDTIwMDEwMTAwMDAwMFqgLzAtMB8GA1UdIwQYMBaAFEuHwsg+j8BsgKWunAud
        73KYJNXDMAoGA1UdFAQDAgEBMAoGCCqGSM49BAMCA0cAMEQCIEs0ekRn68qZflti
        V25jN/YUYdcJO3lx1I3ZMFDQjIvlAiBDFaSVzrI6IHc7OZWBK/9GsQ56AQliqzl8
        ZGnkVZQZgg==
        -----END X509 CRL-----
        """

    /// The certificate and key of `client a` in PKCS#12, encrypted with AES by the password `open sesame`.
    static let pkcs12 = data(
        """
        MIIF7QIBAzCCBaMGCSqGSIb3DQEHAaCCBZQEggWQMIIFjDCCBBoGCSqGSIb3DQEHBqCCBAswggQH
        AgEAMIIEAAYJKoZIhvcNAQcBMF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBC3ZYEbZqPx
        fVXMIhudj+BzAgJOIDAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQhKhHijeQSHzcD8QUp4F2
        PICCA5CCoXKyeiWdBJyZtleqLzu/epwvRWdmNz19yN/ucnx12YqYa/PONAb69VdDfg2+6igDY637
        3nNH7kJiEKHQc3NXtjSSK+fkekUnDL8exDWd9NaeGrXhxJsEXZmCCU2fXOFQW/xSGN3Go/kmDdxg
        gOLXPVGZJhTCPhgfSiVEaT+7rah33nyntU8a8KX32ckkQLmRr/zVLJaggU65sF7DrIRCmmBOIHUw
        +Q4MeY8NQbyDn2U5HkAYnsXXE+99Cxln+3WAXFzyz1H9jQ+PtNIDrbAQncXFpW308cVwSQeNk2RY
        5DNftpi8VCebe7xYpg0ZUgPgpo/xGJ1LdNsY9Fo+VHsawWQm905TRu6fu2xIIY/rHZEZTWI6oSl7
        Ql0KsWkurR52kEf/mUKGthC8nBV5C+f4hgOgHshGg9fDb0asp+UVEsICzvfhGunLFW1iZEKpa0d/
        fJRNaGlEtTAs8/eY1a1iVBqxkUo8M1w4hMArBtTfTs2sE8j6t6vg1Bg/sBQUzbrLNlNqscA7AtOb
        GgmKWy3L2fO6+gFZtwENkIe8c/S9+gpdTwh1nznsiywJYb5X2wdhdLzzq/n0Tbu8CerPQoVs8Ni3
        2NWkd/TiL674hsSXAGXbQvlBJS4HTZUPI3q0skBfVsArSwcjOp64pfsHYqEaQAOQgOH0WWRMS7eG
        fhs7oKIvG5Sb0NA3i8bQCm6HmqrhWihKIzhBHMikVq2QutnopfnZ+V3BLjPMHLHWN6k4Ree1cOli
        R1yNHGpIlHzaRNi9d6HzTCoUS7w3BtOHlSb6QeRYy2bU0/2w8KEEDADNfj0EVzSkkAumw2bWPnBg
        iePolqG8NUp28BG4Pg0u/OrDwBJ2VlzoKeIbmbLLQvyjSTRMD1SxTeeFu5bxgPSGlJ9O11Y05x1r
        ZZZpYdXAGnOwyQrj3Jqy5rl4j4nZAMXy+49refVLV5D82xNAy4JFGNjwCzWOp7sQ6HPv3Jh8eVPy
        hiBMiB/8W8b/oxVGSFN/ZMVxAQ3AMoKHN2wH8QjOFqCAFfJIudmtpWDs/vI+zzGutZX228ZsPJlD
        555+IH4l3nNcgeOn3zcWPeINDWwRn2kVm0f5lFHFUwVwT8d7/NKb+kEh6GaMrff7NKckyqdh1ra+
        TyqBLLpwHnvvV9lT6NBPHfbHeg9n7KDpb3oMbzWQRiWDPvel6QIb249r4JlhiZ0Muy6809/m4PpM
        8NVtpqQwggFqBgkqhkiG9w0BBwGgggFbBIIBVzCCAVMwggFPBgsqhkiG9w0BDAoBAqCB9zCB9DBf
        BgkqhkiG9w0BBQ0wUjAxBgkqhkiG9w0BBQwwJAQQTCkRZxXrJ7rZWMHsSzJATQICTiAwDAYIKoZI
        hvcNAgkFADAdBglghkgBZQMEASoEEOZUQ56WHOi+M5TFesSgj1AEgZBBB0Bb1lu+D0PKBWLp1VHO
        U4xBR1RO1Kvfnz0f5SK5/JjDoeXkOFpbJvN1BVOpgoWyY24FVf0vtA56VsLE3jR9+6518JU0L/FQ
        qu/H4GWpmDtC+ynP7lU/om5IdekNtAkidk83YvQaMcB0B7q5m6wNtcWvM6ltu32CmiTkWt1urnow
        M4CgqJ/pyU+mJkvEjR8xRjAfBgkqhkiG9w0BCRQxEh4QAGMAbABpAGUAbgB0ACAAYTAjBgkqhkiG
        9w0BCRUxFgQUksU+qRVylTkgxxHjdH2WGSFAAQwwQTAxMA0GCWCGSAFlAwQCAQUABCAkUjcmGzKO
        EceQkqc+25wge0EetypZTNMECNvj4SuT8wQIV5u4WEHpyBECAggA
        """)

    /// The certificate and key of `client a` as old programs write PKCS#12, encrypted with RC2 by the password `x`.
    static let oldPKCS12 = data(
        """
        MIIDWgIBAzCCAyAGCSqGSIb3DQEHAaCCAxEEggMNMIIDCTCCAf8GCSqGSIb3DQEHBqCCAfAwggHs
        AgEAMIIB5QYJKoZIhvcNAQcBMBwGCiqGSIb3DQEMAQYwDgQI906SlF+C800CAggAgIIBuIqw2gDh
        oiv66HHJrqeJpHPy+myCYecE0Llf8rxGWFJnQ/9eSNADw+B4hFlp9QK4gUNWTqpLwCLLmB5v26o2
        kyUrKfVn8YCeXkUkm1BADLSFRwXHDNsiUS/qb/bhQcwYgAzyA9VG3vUM+ebLl20GnkMMGuZZwT5s
        eE0/hHORaIq+1Fvf+H+mrHHJS61dyalSnYIhdcu0nP0uG9Ik+fR70loC04ilWT2q8edT4B2USQy1
        w3tbkPCuHLAyCL391GYLOPlr4LfvgGT9q4dj+BXbXRDUQdnAjFcZxF3MreF2xhECDitdDztfLq8L
        uCb9tHjBDdXQ1E4IeP/EKZovSSO0LS/D1GQVSN6VhHVQVfhbYcQm5D03vz+FvahPLXWN05Buo1qa
        yqFpGYhdoSKIq2bkQflOEAFZKIACJi84dQenZsB8oX44fQSnrRCLJMP0zJHXQtxi3KtK5BWVbz7P
        yhZ0FvLwQvQ0ko2FmOIn0CgAc8sKcqHxy/hWVSn7i+k2UI9zPLQJhneYw9STlQE6a2oEastyMAsq
        h21Jrg+nmKevJGXzGr9RjfzN7Px9F2LbIVsIpjF9+4cTBPjjMIIBAgYJKoZIhvcNAQcBoIH0BIHx
        MIHuMIHrBgsqhkiG9w0BDAoBAqCBtDCBsTAcBgoqhkiG9w0BDAEDMA4ECKR2UDBF1dXzAgIIAASB
        kF0xhkzgtbPyiiNJvZKHHwMOOHD2J51f05hhMe+za8u1Xlng3Es3fzpiK0VkkRkaA8B1E82izTtZ
        4CmiDF9yB6dIq0eMYN0XHLQ+mVE/JQqwfX0XkcLytUuVGHHOnV1d/lQmUzswuTc/ebC+tf7M6pZZ
        ZEHwATq+SqD95BuEcrGvwRBIs6r6JVrp/5KoEKPaaTElMCMGCSqGSIb3DQEJFTEWBBSSxT6pFXKV
        OSDHEeN0fZYZIUABDDAxMCEwCQYFKw4DAhoFAAQUwukgD2jxe3186qqObOMlUsvjuKEECJpDuYBl
        XAqGAgIIAA==
        """)

    private static func data(_ base64: String) -> Data {
        Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data()
    }
}
