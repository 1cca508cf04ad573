package io.viaduct.cnapt.classification;

import java.util.Optional;

/// The part of a rule of the classification table that the kernel can match too: protocol and
/// ports.
///
/// @param protocol IP protocol number
/// @param port port of the other host; empty for any
/// @param localPort port of the device; empty for any
public record HeaderMatch(int protocol, Optional<PortRange> port, Optional<PortRange> localPort) {}
