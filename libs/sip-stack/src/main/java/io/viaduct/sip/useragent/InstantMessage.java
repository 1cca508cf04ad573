package io.viaduct.sip.useragent;

/// A received MESSAGE (RFC 3428).
///
/// @param from the sender's address of record, which the registrar has verified
public record InstantMessage(String from, String contentType, String text) {}
