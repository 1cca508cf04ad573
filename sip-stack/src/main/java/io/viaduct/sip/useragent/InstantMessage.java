package io.viaduct.sip.useragent;

/// A MESSAGE that came in (RFC 3428).
///
/// @param from address of record of the sender, as the registrar vouches for it
public record InstantMessage(String from, String contentType, String text) {}
