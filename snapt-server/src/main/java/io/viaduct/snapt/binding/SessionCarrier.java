package io.viaduct.snapt.binding;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.session.ControlLine;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The data path, as the registry sees it. Called by the control thread; must not block it.
public interface SessionCarrier {
  /// Event loops that carry sessions, a power of two.
  int loops();

  /// Begins to carry a session on the loop that its receiver index names.
  void carry(Session session);

  /// The control connection that owns the session now, null: there is none. It may carry the
  /// session's datagrams while UDP does not.
  void control(Session session, ControlLine.@Nullable Connection connection);

  /// Datagrams came by that connection.
  ///
  /// @param datagrams direct; the carrier releases them
  /// @param taken run on any thread when it has
  void datagrams(Session session, List<ByteBuf> datagrams, Runnable taken);

  /// Ends it: its last report is made, its keys are wiped.
  void end(Session session);
}
