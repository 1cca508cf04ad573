package io.viaduct.cnapt.tunnel;

import io.netty.channel.IoEventLoop;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.session.LoopMemory;
import java.util.function.LongSupplier;

/// The parts that the ends of one data path share: the event loop with its clock and memory, the
/// way to the host's kernel, and the counts of all sessions.
///
/// @param toHost sink of restored packets, behind the admission of the other end's packets
/// @param refusals tells applications of refused flows
/// @param begun run when a session of any end has begun
/// @param stateChanged run when a SNAPT has another state
/// @param drained run after a session of any end was drained
record DataLoop(
    IoEventLoop loop,
    LongSupplier nanoTime,
    LoopMemory memory,
    TunWriter writer,
    InnerPacketSink toHost,
    FlowClasses classes,
    Carried carried,
    HostRefusals refusals,
    Runnable begun,
    Runnable stateChanged,
    Runnable drained) {
  long nowNs() {
    return nanoTime.getAsLong();
  }
}
