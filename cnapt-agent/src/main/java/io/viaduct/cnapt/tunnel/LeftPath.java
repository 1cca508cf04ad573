package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.links.Remote;

/// A path that traffic has left, because nothing arrives by it although its link is up.
///
/// @param link name of the link
/// @param remote the place that the path leads to
/// @param name name of the path in messages
/// @param to name of a path that is alive
public record LeftPath(String link, Remote remote, String name, String to) {}
