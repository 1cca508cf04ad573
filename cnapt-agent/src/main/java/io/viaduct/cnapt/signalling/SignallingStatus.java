package io.viaduct.cnapt.signalling;

/// The status of a token source.
///
/// @param source `sip:user@domain` or the token file
/// @param registration `active`, `trying`, `waiting` or `idle`
/// @param subscription state of the subscription to the session event, with the same values
/// @param detail the last error, or empty
public record SignallingStatus(
    String source, String registration, String subscription, String detail) {}
