package io.viaduct.cnapt.classification;

import io.viaduct.tunnel.wire.ServiceClass;

/// One row of the table.
///
/// @param index place in the table: what OPEN carries and Hello translates
/// @param name what the bill shows
/// @param serviceClass which queue its packets take
public record Application(int index, String name, ServiceClass serviceClass) {}
