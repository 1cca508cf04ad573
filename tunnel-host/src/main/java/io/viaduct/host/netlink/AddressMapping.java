package io.viaduct.host.netlink;

import java.net.InetAddress;

/// One connection that the kernel translates, as its connection tracking tells it.
///
/// @param begins whether it begins here, otherwise it ends
/// @param protocol of IANA's registry
/// @param inside source address before the translation
/// @param outside source address that the remote host sees
/// @param outsidePort its port; of ICMP the identifier
/// @param remote the other end
/// @param remotePort its port, 0 for ICMP
public record AddressMapping(
    boolean begins,
    int protocol,
    InetAddress inside,
    InetAddress outside,
    int outsidePort,
    InetAddress remote,
    int remotePort) {}
