package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.classification.AddressRanges;

/// This host's end of its tunnels.
///
/// @param own addresses from which this host sends into the tunnel
/// @param mark SO_MARK of the sockets; 0 for none
/// @param admission decides which packets of the other end this host takes
public record LocalEnd(AddressRanges own, int mark, EndRole role, Admission admission) {}
