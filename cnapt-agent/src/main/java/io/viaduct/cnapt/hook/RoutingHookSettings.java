package io.viaduct.cnapt.hook;

import java.nio.file.Path;
import java.util.Optional;

/// The configuration key `routing-hook: {socket}`.
///
/// @param socket Unix socket at which readers get the events of flows; empty for none
public record RoutingHookSettings(Optional<Path> socket) {}
