package io.viaduct.cnapt.classification;

import io.viaduct.tunnel.wire.ServiceClass;

/// One row of the classification table.
///
/// @param index index in the table; OPEN carries it, and the Hello lists the names by index
/// @param name name that the bill shows
/// @param serviceClass service class of its packets
public record Application(int index, String name, ServiceClass serviceClass) {}
