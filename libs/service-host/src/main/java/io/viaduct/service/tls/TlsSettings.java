package io.viaduct.service.tls;

import java.nio.file.Path;

/// The configuration keys `tls: {certificate, private-key, trust}`: PEM files of one process.
///
/// @param certificate this process's certificate, followed by its intermediates
/// @param privateKey private key of the certificate: PKCS#8, not encrypted, readable only by its
///   owner
/// @param trust authorities that may have issued the peers' certificates
public record TlsSettings(Path certificate, Path privateKey, Path trust) {}
