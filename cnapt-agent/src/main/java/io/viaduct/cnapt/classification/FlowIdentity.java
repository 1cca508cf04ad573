package io.viaduct.cnapt.classification;

/// Identifies a flow by its header fields, for a classifier.
///
/// @param protocol IP protocol number (IANA), 6 TCP, 17 UDP
/// @param localPort the device's port, 0 where the protocol has none
/// @param remotePort the other host's port, 0 where the protocol has none
public record FlowIdentity(int protocol, int localPort, int remotePort) {
  public static final int TCP = 6;
  public static final int UDP = 17;
}
