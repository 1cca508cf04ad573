package io.viaduct.service.tls;

import java.nio.file.Path;

/// The configuration keys `tls: {certificate, private-key, trust}`: PEM files of one process.
///
/// @param certificate this process's certificate, followed by its intermediates
/// @param privateKey its key, PKCS#8, not encrypted, closed to other users
/// @param trust the authorities whose certificates the other end may show
public record TlsSettings(Path certificate, Path privateKey, Path trust) {}
