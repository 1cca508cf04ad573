package io.viaduct.billing.call;

/// Where the media of a call comes from.
///
/// @param address numeric, as [java.net.InetAddress#getHostAddress] writes it
/// @param port UDP, 1 to 65535
public record MediaPlace(String address, int port) {}
