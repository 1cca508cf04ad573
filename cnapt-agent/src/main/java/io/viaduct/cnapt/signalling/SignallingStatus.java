package io.viaduct.cnapt.signalling;

/// What a token source is doing.
///
/// @param source `sip:user@domain` or the token file
/// @param registration `active`, `trying`, `waiting` or `idle`
/// @param subscription the same, of the session event
/// @param detail the last thing that went wrong, or empty
public record SignallingStatus(
    String source, String registration, String subscription, String detail) {}
