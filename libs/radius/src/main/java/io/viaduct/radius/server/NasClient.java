package io.viaduct.radius.server;

import io.viaduct.radius.message.SharedSecret;
import java.net.InetAddress;

/// A client: an access server, or a proxy that forwards the records of several.
///
/// @param name name of the access network
/// @param address source address of its packets
public record NasClient(String name, InetAddress address, SharedSecret secret) {}
