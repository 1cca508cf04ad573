package io.viaduct.snapt.attribution;

import io.netty.buffer.ByteBuf;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionCarrier;
import io.viaduct.tunnel.control.ControlLine;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// A carrier that also records the start and end of its sessions. Another thread writes the
/// records, so the data path never waits for the disk.
///
/// @param disk executor with one thread, which keeps the order of the records
public record AttributedCarrier(SessionCarrier carrier, AttributionLog log, Executor disk)
    implements SessionCarrier {
  @Override
  public int loops() {
    return carrier.loops();
  }

  @Override
  public void carry(Session session) {
    disk.execute(() -> log.begins(session));
    carrier.carry(session);
  }

  @Override
  public void onceCarried(Session session, Runnable then) {
    carrier.onceCarried(session, then);
  }

  @Override
  public void control(Session session, ControlLine.@Nullable Connection connection) {
    carrier.control(session, connection);
  }

  @Override
  public void datagrams(Session session, List<ByteBuf> datagrams, Runnable taken) {
    carrier.datagrams(session, datagrams, taken);
  }

  @Override
  public void end(Session session) {
    carrier.end(session);
    disk.execute(() -> log.ends(session));
  }
}
