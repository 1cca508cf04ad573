package io.viaduct.host.netlink;

import java.net.InetAddress;

/// One connection that the kernel translates, as reported by its connection tracking.
///
/// @param isNew true at the start of the connection, false at its end
/// @param protocol number in IANA's registry
/// @param inside source address before the translation
/// @param outside source address that the remote host sees
/// @param outsidePort source port that the remote host sees; for ICMP the identifier
/// @param remote address of the remote host
/// @param remotePort port of the remote host, 0 for ICMP
public record AddressMapping(
    boolean isNew,
    int protocol,
    InetAddress inside,
    InetAddress outside,
    int outsidePort,
    InetAddress remote,
    int remotePort) {}
