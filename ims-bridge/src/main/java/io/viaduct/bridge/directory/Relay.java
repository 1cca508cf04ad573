package io.viaduct.bridge.directory;

/// The address and ports at which a device reaches a SNAPT.
///
/// @param controlPort TLS over TCP
/// @param dataPort UDP
public record Relay(String id, String host, int controlPort, int dataPort) {}
