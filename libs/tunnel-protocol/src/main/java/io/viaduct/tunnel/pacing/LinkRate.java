package io.viaduct.tunnel.pacing;

/// The rate of a device's link as one end has found it, for the next session of the same device.
///
/// @param link name of the link, as the device tells it
public record LinkRate(String link, KnownRate rate) {}
