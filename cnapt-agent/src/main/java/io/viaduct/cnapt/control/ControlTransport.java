package io.viaduct.cnapt.control;

import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.viaduct.cnapt.links.UsableLink;
import java.util.List;
import java.util.function.Supplier;

/// The parts that a control connection is made with.
///
/// @param loop the control event loop
/// @param tls called at the first attempt, because it reads files and loads classes
/// @param mark SO_MARK of the connections; 0 for none
/// @param links links that may carry the connection, the preferred one first; called on the loop
public record ControlTransport(
    EventLoop loop, Supplier<SslContext> tls, int mark, Supplier<List<UsableLink>> links) {}
